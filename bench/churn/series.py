"""What was measured over time: a list of points, a file of it, and tables."""

import csv
import math

HEADING = ["seconds", "phase", "measure", "name", "value"]

# Phases, and what they are called.
PHASES = {"quiet": "quiet", "writers": "with writers", "soon": "2 s after", "after": "later"}
SOON_S = (2.0, 4.0)
WINDOWS = 10

# What else is timed, beside queries.
FIXED = "a fixed computation"


class Series:
    """Points (time, phase, measure, name, value), in the order of their times."""

    def __init__(self):
        self.points = []
        self.began = 0.0    # when the writers were started
        self.ended = 0.0    # when they had ended

    def add(self, time, phase, measure, name, value):
        """Notes a value."""
        self.points.append((time, phase, measure, name, value))

    def values(self, phase, measure, name):
        """Returns the values of a phase."""
        return [point[4] for point in self.points
                if point[2] == measure and point[3] == name and self.is_in(point, phase)]

    def is_in(self, point, phase):
        """Says whether a point belongs to a phase of PHASES."""
        since = point[0] - self.ended
        if phase == "soon":
            return point[1] == "after" and SOON_S[0] <= since < SOON_S[1]
        if phase == "after":
            return point[1] == "after" and since >= SOON_S[1]
        return point[1] == phase

    def window(self, number, measure, name):
        """Returns the values of one of WINDOWS parts of the time with writers."""
        width = (self.ended - self.began) / WINDOWS
        return [point[4] for point in self.points
                if point[1:4] == ("writers", measure, name)
                and int((point[0] - self.began) / width) == number]

    def write(self, path):
        """Writes all points to a file; times are those since the writers began."""
        with open(path, "w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened, lineterminator="\n")
            writer.writerow(HEADING)
            for time, phase, measure, name, value in self.points:
                writer.writerow([f"{time - self.began:.2f}", phase, measure, name,
                                 f"{value:.6g}"])


def percentile(values, share):
    """Returns the smallest value that the share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def cell(values, share):
    """Returns a percentile of milliseconds for a table, or a dash."""
    return f"{percentile(values, share):.2f}" if values else "-"


def ratio(values, base):
    """Returns how many times as large the p95 of values is."""
    if not values or not base:
        return "-"
    return f"{percentile(values, 0.95) / percentile(base, 0.95):.2f}"


def table(heading, rows):
    """Returns the lines of a table."""
    return ["", "| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)] + \
           ["| " + " | ".join(row) + " |" for row in rows]


def latencies(series, names):
    """Returns the table of our latencies by phase."""
    heading = ["query"]
    for label in PHASES.values():
        heading += [f"{label}: p50", "p95"]
    heading += ["with writers, most", "p95 with writers / quiet", "p95 2 s after / quiet"]
    rows = []
    for measure, name in [("ours_ms", name) for name in names] + [("fixed", FIXED)]:
        parts = {phase: series.values(phase, measure, name) for phase in PHASES}
        row = [name.replace("_", " ")]
        for values in parts.values():
            row += [cell(values, 0.5), cell(values, 0.95)]
        row += [cell(parts["writers"], 1), ratio(parts["writers"], parts["quiet"]),
                ratio(parts["soon"], parts["quiet"])]
        rows.append(row)
    return table(heading, rows)


def baseline(series, names):
    """Returns the table of PostgreSQL's own latencies: few, so their medians."""
    heading = ["query"]
    phases = {"quiet": "quiet", "writers": "with writers", "after": "later"}
    for label in phases.values():
        heading += [f"{label}: p50", "runs"]
    rows = []
    for name in names:
        row = [name.replace("_", " ")]
        for phase in phases:
            values = series.values(phase, "postgresql_ms", name)
            row += [cell(values, 0.5), str(len(values))]
        rows.append(row)
    return table(heading, rows)


def shares(series, kinds):
    """Returns the table of what is resident, and of processor time."""
    rows = []
    for label, pick in (("least", min), ("mean", lambda v: sum(v) / len(v))):
        parts = [series.values(phase, "resident_share", "sum_int8") for phase in PHASES]
        rows.append([f"resident share of rows, {label}"] +
                    [f"{pick(values):.4f}" if values else "-" for values in parts])
    for kind in kinds:
        parts = [series.values(phase, "processor_share", kind) for phase in PHASES]
        rows.append([f"processors taken by {kind}"] +
                    [f"{sum(values) / len(values):.3f}" if values else "-" for values in parts])
    return table([""] + list(PHASES.values()), rows)


def development(series, names):
    """Returns the table of a tenth of the time with writers each."""
    width = (series.ended - series.began) / WINDOWS
    rows = []
    for number in range(WINDOWS):
        share = series.window(number, "resident_share", "sum_int8")
        rows.append([f"{number * width:.0f}"] +
                    [cell(series.window(number, "ours_ms", name), 0.95) for name in names] +
                    [f"{min(share):.4f}" if share else "-"])
    return table(["from, s"] + [f"{name.replace('_', ' ')}, p95" for name in names] +
                 ["resident share of rows, least"], rows)
