"""A session of psql that is asked one statement after the other."""

import csv
import io
import subprocess
import tempfile

MARK = "-- end of answer --"
NULL = "\\N"
csv.field_size_limit(2 ** 30)


class SessionLost(Exception):
    """The server closed the connection, or psql ended."""


class Session:
    """One connection; where it goes to is in the environment (PGHOST, ...).

    A port may be given instead of the environment's.  Making one raises
    SessionLost if the server does not take it.
    """

    def __init__(self, port=None):
        # psql's messages go to a file, so that it never waits for a reader
        self.messages = tempfile.TemporaryFile(mode="w+")
        self.psql = subprocess.Popen(
            ["psql", "-X", "-q", "-t", "--csv", "-P", "null=" + NULL,
             "-v", "VERBOSITY=terse"] + (["-p", str(port)] if port else []),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.messages, text=True, encoding="utf-8")
        self.ask("SET client_min_messages = error")
        self.ask("SET statement_timeout = '60s'")

    def ask(self, statement):
        """Runs a statement; returns (SQLSTATE, rows).

        Rows are lists of strings, None for NULL; the SQLSTATE is 00000 if all
        went well.  Raises SessionLost.
        """
        try:
            self.psql.stdin.write(statement)
            self.psql.stdin.write(f"\n;\n\\echo :SQLSTATE '{MARK}'\n")
            self.psql.stdin.flush()
        except BrokenPipeError:
            raise SessionLost(self.last_message()) from None
        lines = []
        while True:
            line = self.psql.stdout.readline()
            if not line:
                raise SessionLost(self.last_message())
            if line.endswith(MARK + "\n"):
                break
            lines.append(line)
        rows = [[None if field == NULL else field for field in row]
                for row in csv.reader(io.StringIO("".join(lines)))]
        return line.split()[0], rows

    def run(self, statement):
        """Runs a statement that must succeed; returns its rows."""
        state, rows = self.ask(statement)
        if state != "00000":
            raise RuntimeError(f"{self.last_message()}\n{statement[:2000]}")
        return rows

    def last_message(self):
        """Returns the last line that psql wrote to its standard error."""
        self.messages.seek(0)
        lines = self.messages.read().split("\n")
        return next((x for x in reversed(lines) if x.strip()), "no message")

    def last_error(self):
        """Returns all that the server said of the last error, as of where it was raised."""
        end = self.messages.seek(0, io.SEEK_END)
        self.ask("\\errverbose")
        self.messages.seek(end)
        return self.messages.read().strip()

    def close(self):
        """Ends psql."""
        try:
            self.psql.stdin.close()
        except BrokenPipeError:
            pass
        self.psql.wait()
        self.messages.close()
