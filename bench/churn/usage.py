"""How much processor time warpagg's own processes take, from /proc."""

import os
import threading

import processes

KINDS = ["warpaggd", "warpagg loader", "warpagg supervisor"]
TICKS = os.sysconf("SC_CLK_TCK")
EVERY_S = 0.1


def ticks_of(pid):
    """Returns the processor time of a process in ticks, 0 if it is gone."""
    fields = processes.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) if len(fields) > 12 else 0


def kinds_of(commands):
    """Returns {pid: kind} of those processes, of {pid: command line}, that are ours."""
    found = {}
    for pid, command in commands.items():
        kind = next((kind for kind in KINDS if kind in command), None)
        if kind is not None:
            found[pid] = kind
    for pid, command in commands.items():
        words = command.split()
        # "postgres: parallel worker for PID 123": what helps a loader is a loader
        if "parallel worker" in command and words[-1].isdigit():
            leader = found.get(int(words[-1]))
            if leader is not None:
                found[pid] = leader
    return found


class Usage(threading.Thread):
    """Adds up what each kind of process takes, until it is stopped.

    What a process takes in the last tenth of a second of its life is lost.
    """

    def __init__(self, data):
        super().__init__(daemon=True)
        self.data = data
        self.ending = threading.Event()
        self.known = {}
        self.total = dict.fromkeys(KINDS, 0)
        self.sample()

    def run(self):
        while not self.ending.wait(EVERY_S):
            self.sample()

    def sample(self):
        """Adds what was taken since the last sample."""
        now = {}
        for pid, kind in kinds_of(processes.of_cluster(self.data)).items():
            now[pid] = ticks_of(pid)
            self.total[kind] += max(now[pid] - self.known.get(pid, 0), 0)
        self.known = now

    def seconds(self):
        """Returns {kind: seconds of processor time} since the processes began."""
        return {kind: ticks / TICKS for kind, ticks in self.total.items()}

    def stop(self):
        """Ends the thread."""
        self.ending.set()
        self.join()
