"""Sessions of pgbench that write to the table, at a steady rate."""

import os
import re
import subprocess

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Writer:
    """A pgbench of some clients; where to is in the environment (PGHOST, ...)."""

    def __init__(self, script, rows_each, rate, clients, seconds, variables):
        """Starts it: rate is in rows a second, of which a transaction writes some."""
        self.script = script
        self.rows_each = rows_each
        self.rate = rate
        self.seconds = seconds
        command = ["pgbench", "-n", "-M", "prepared", "-c", str(clients),
                   "-j", str(min(clients, 2)), "-T", str(seconds),
                   "-R", str(rate / rows_each), "-f", os.path.join(FOLDER, script)]
        for name, value in variables.items():
            command += ["-D", f"{name}={value}"]
        # it writes little, which a pipe holds
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def is_running(self):
        """Says whether it has not ended by itself yet."""
        return self.process.poll() is None

    def stop(self):
        """Ends it, if it runs."""
        if self.is_running():
            self.process.terminate()
            self.process.wait()

    def report(self):
        """Returns what it has done, as a line of Markdown; it must have ended well."""
        output = self.process.communicate()[0]
        number = re.search(r"actually processed: (\d+)", output)
        if self.process.returncode != 0 or number is None:
            raise RuntimeError(f"pgbench failed with {self.script}:\n{output}")
        latency = re.search(r"latency average = ([\d.]+) ms", output).group(1)
        lag = re.search(r"schedule lag: avg ([\d.]+)", output).group(1)
        rows = int(number.group(1)) * self.rows_each
        return (f"- {self.script}: {rows} rows, {rows / self.seconds:.0f} a second of "
                f"{self.rate} asked for, {self.rows_each} each transaction; latency "
                f"{latency} ms, of it {lag} ms behind the schedule")
