"""What the processes of a cluster are and hold, from /proc."""

import glob
import os


def read(path):
    """Returns what is in a file of /proc, or nothing if the process is gone."""
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def of_cluster(data):
    """Returns {pid: command line} of the processes that work in a folder."""
    found = {}
    for folder in glob.glob("/proc/[0-9]*"):
        try:
            where = os.readlink(folder + "/cwd")
        except OSError:
            continue
        if (where + "/").startswith(data + "/") and not is_over(folder):
            found[int(folder[6:])] = read(folder + "/cmdline").replace("\0", " ")
    return found


def is_over(folder):
    """Says whether a process is one that only waits to be reaped."""
    return read(folder + "/stat").rpartition(")")[2][:2] in ("", " Z")


def parent(pid):
    """Returns the pid of a process's parent, 0 if the process is gone."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


class Cluster:
    """The processes of a cluster that preloads warpagg."""

    def __init__(self, data):
        self.data = data
        with open(data + "/postmaster.pid", encoding="utf-8") as file:
            self.postmaster = int(file.readline())

    def child(self, of, name):
        """Returns the pid of a child whose command line has the name, or 0."""
        return next((pid for pid, command in of_cluster(self.data).items()
                     if name in command and parent(pid) == of), 0)

    def supervisor(self):
        """Returns the pid of the supervisor, 0 if there is none now."""
        return self.child(self.postmaster, "warpagg supervisor")

    def daemon(self):
        """Returns the pid of warpaggd, 0 if there is none now."""
        supervisor = self.supervisor()
        return self.child(supervisor, "warpaggd") if supervisor else 0


def descriptors(pid):
    """Returns what the descriptors of a process lead to."""
    found = []
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            found.append(os.readlink(link))
        except OSError:
            pass
    return found


def memory_files(pid):
    """Returns how many memory files a process has open or mapped."""
    found = set()
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if os.readlink(link).startswith("/memfd:"):
                found.add(os.stat(link).st_ino)
        except OSError:
            pass
    for line in read(f"/proc/{pid}/maps").split("\n"):
        if " /memfd:" in line:
            found.add(int(line.split()[4]))
    return len(found)


def memory_kb(pid, kinds):
    """Returns the kilobytes of a process that are resident, of some kinds."""
    return sum(int(line.split()[1])
               for line in read(f"/proc/{pid}/status").split("\n")
               if line.split(":")[0] in kinds)
