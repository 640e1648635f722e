#!/usr/bin/env python3
"""chart.py: draws docs/speed.svg, README's picture, from tables in bench/results, and
what bench/churn.sh has measured over time.

Each panel of the former compares times of a few queries on one machine, on an axis whose
steps are powers of ten: a row for each query, a dot for each way of answering it.  The
latter has such an axis, too, with a line for each query.  Nothing in the pictures but the
words is given here; the times are those of the tables.

Usage: chart.py                    writes docs/speed.svg
       chart.py --check            says whether docs/speed.svg, and the pictures of such
                                   files in bench/results, are what would be written
       chart.py FILE.csv FILE.svg  draws what bench/churn.sh has measured
"""

import csv
import glob
import html
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE = os.path.join(ROOT, "docs", "speed.svg")

SCAN = "2026-11-24-cpu-scan.md"
RESIDENT = "2026-11-24-cpu-resident.md"
GPU = "2026-11-23-h200-gpu-resident.md"

# The queries, by their names in the tables, and what they are called here.
QUERIES = [
    ("sum int8", "sum of a bigint column"),
    ("four aggregates", "four aggregates"),
    ("group by 100", "GROUP BY, 100 groups"),
    ("group by day", "GROUP BY day"),
    ("tpch q1", "TPC-H query 1"),
    ("tpch q6", "TPC-H query 6"),
]

# name, color
POSTGRES = ("PostgreSQL, parallel plan", "#6b7280")
HEAP = ("warpagg, reading the table", "#2563eb")
MEMORY = ("warpagg, columns in memory", "#059669")
ON_GPU = ("warpagg, columns on the GPU", "#d97706")

# title; then, for each way: its looks, the table, what a row must have in named columns,
# and the column of the time.
PANELS = [
    ("2 cores, no GPU: 8 million rows (638 MB), TPC-H at scale factor 1",
     [(POSTGRES, SCAN, {"processes": "2"}, "built-in, ms"),
      (HEAP, SCAN, {"processes": "2"}, "ours, ms"),
      (MEMORY, RESIDENT, {}, "ours, ms")]),
    ("16 cores and one H200: 100 million rows (8 GB), TPC-H at scale factor 10",
     [(POSTGRES, GPU, {}, "built-in, ms"),
      (ON_GPU, GPU, {}, "ours, ms")]),
]

# What bench/churn.sh measures: the query's name, what it is called here, its color.
LINES = [
    ("sum_int8", "sum", "#2563eb"),
    ("four_aggregates", "four aggregates", "#059669"),
    ("group_by_100", "GROUP BY, 100 groups", "#d97706"),
    ("group_by_day", "GROUP BY day", "#db2777"),
]
BUCKETS = 120        # a line has a point for each of so many parts of the time
LINES_TOP = 100
LINES_BOTTOM = 400
SHARE_TOP = 452      # the panel below, of the share of rows
SHARE_BOTTOM = 512
LINES_LEFT = 84

WIDTH = 880
LEFT = 190       # where the axis begins
RIGHT = 846      # and ends
ROW = 36
PANEL_HEAD = 44
PANEL_FOOT = 34
TOP = 92
BOTTOM = 8
LEAST_MS = 0.1
MOST_MS = 100000.0
TICKS = [(0.1, "0.1 ms"), (1, "1 ms"), (10, "10 ms"), (100, "0.1 s"), (1000, "1 s"),
         (10000, "10 s"), (100000, "100 s")]
FONT = "font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif\""


def read_tables(name):
    """Yields the rows of the tables of a file of results, as dictionaries by heading."""
    heading = None
    with open(os.path.join(ROOT, "bench", "results", name), encoding="utf-8") as opened:
        for line in opened:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.startswith("|"):
                heading = None
            elif heading is None:
                heading = cells
            elif not cells[0].startswith("---"):
                yield dict(zip(heading, cells))


def time_of(name, query, wanted, column):
    """Returns the time of a query in ms; there must be just one."""
    found = [float(row[column]) for row in read_tables(name)
             if row.get("query") == query and column in row
             and all(row.get(key) == value for key, value in wanted.items())]
    if len(found) != 1:
        sys.exit(f"{name} has {len(found)} times of \"{query}\", and not 1")
    return found[0]


def place_of(ms):
    """Returns where a time is on the axis."""
    share = math.log(ms / LEAST_MS) / math.log(MOST_MS / LEAST_MS)
    return LEFT + share * (RIGHT - LEFT)


def words_of(ms):
    """Returns a time with two digits that count, or three."""
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms" if ms >= 1 else f"{ms:.2f} ms"


def text(x, y, words, size=13, anchor="start", color="#1f2937", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{color}" font-weight="{weight}">{html.escape(words)}</text>')


def draw_axis(top, bottom):
    """Draws the lines of the powers of ten, and their labels below."""
    for ms, label in TICKS:
        x = place_of(ms)
        yield (f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" '
               'stroke="#e5e7eb"/>')
        yield text(x, bottom + 16, label, 11, "middle", "#6b7280")


def draw_row(y, label, times):
    """Draws a query: times is a list of pairs of ms and color."""
    places = [place_of(ms) for ms, _ in times]
    yield text(LEFT - 14, y + 4.5, label, 13, "end")
    yield (f'<line x1="{min(places):.1f}" y1="{y:.1f}" x2="{max(places):.1f}" '
           f'y2="{y:.1f}" stroke="#cbd5e1" stroke-width="3"/>')
    for (ms, color), x in zip(times, places):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{color}"/>'
        yield text(x, y - 10, words_of(ms), 11, "middle", color, "600")


def draw_panel(top, title, ways):
    """Draws a panel; returns its lines and where it ends."""
    first = top + PANEL_HEAD + 8
    bottom = first + ROW * (len(QUERIES) - 1) + 14
    lines = [text(24, top + 14, title, 14, weight="600")]
    lines += draw_axis(top + PANEL_HEAD - 16, bottom)
    for number, (query, label) in enumerate(QUERIES):
        times = [(time_of(name, query, wanted, column), looks[1])
                 for looks, name, wanted, column in ways]
        lines += draw_row(first + ROW * number, label, times)
    return lines, bottom + PANEL_FOOT


def draw_legend(y):
    """Draws what the colors mean."""
    x = 30.0
    for name, color in (POSTGRES, HEAP, MEMORY, ON_GPU):
        yield f'<circle cx="{x:.1f}" cy="{y - 4.5:.1f}" r="6" fill="{color}"/>'
        yield text(x + 12, y, name, 12.5)
        x += 34 + 6.9 * len(name)


def wrap(title, height, lines):
    """Returns a picture, from its title, its height and what it consists of."""
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {WIDTH} {height:.0f}" {FONT}>\n'
            '<!-- made by bench/chart.py -->\n'
            f'<title>{html.escape(title)}</title>\n'
            f'<rect width="{WIDTH}" height="{height:.0f}" rx="8" fill="#ffffff"/>\n')
    return head + "\n".join(lines) + "\n</svg>\n"


def draw():
    """Returns the picture."""
    lines = [text(24, 34, "The same query, the same answer: how long it takes", 18,
                  weight="700")]
    lines += draw_legend(64)
    y = TOP
    for title, ways in PANELS:
        panel, y = draw_panel(y, title, ways)
        lines += panel
        y += 8
    for words in ("Medians, all data in memory. Each step of the axis is ten times the one "
                  "before.",
                  f"From bench/results: {SCAN}, {RESIDENT}, {GPU}"):
        lines.append(text(24, y + 6, words, 10.5, color="#6b7280"))
        y += 16
    return wrap("Times of queries with PostgreSQL and with warpagg", y + BOTTOM, lines)


class Timeline:
    """What bench/churn.sh has measured: points (seconds, value) by measure and name."""

    def __init__(self, path):
        self.points = {}
        self.first = self.end = self.last = 0.0
        with open(path, encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                seconds = float(row["seconds"])
                self.points.setdefault((row["measure"], row["name"]), []).append(
                    (seconds, float(row["value"])))
                self.first = min(self.first, seconds)
                self.last = max(self.last, seconds)
                if row["phase"] == "writers":
                    self.end = seconds
        times = [value for (measure, _), points in self.points.items()
                 if measure.endswith("_ms") for _, value in points if value > 0]
        if not times:
            sys.exit(f"{path} has no times")
        self.least = 10 ** math.floor(math.log10(min(times)))
        self.most = 10 ** math.ceil(math.log10(max(times)))

    def x(self, seconds):
        """Returns where a moment is."""
        share = (seconds - self.first) / (self.last - self.first)
        return LINES_LEFT + share * (RIGHT - LINES_LEFT)

    def y(self, ms):
        """Returns where a time is on the axis."""
        share = math.log(ms / self.least) / math.log(self.most / self.least)
        return LINES_BOTTOM - share * (LINES_BOTTOM - LINES_TOP)

    def buckets(self, measure, name):
        """Returns the values of each part of the time, with the moment of its middle."""
        width = (self.last - self.first) / BUCKETS
        parts = {}
        for seconds, value in self.points.get((measure, name), []):
            part = min(int((seconds - self.first) / width), BUCKETS - 1)
            parts.setdefault(part, []).append(value)
        return [(self.first + (part + 0.5) * width, sorted(values))
                for part, values in sorted(parts.items())]

    def line(self, places, color, width=1.8):
        """Draws a line through places."""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return (f'<polyline points="{points}" fill="none" stroke="{color}" '
                f'stroke-width="{width}" stroke-linejoin="round"/>')

    def grid(self):
        """Draws the axes, and where writers begin and end."""
        for ms, label in TICKS:
            if self.least <= ms <= self.most:
                y = self.y(ms)
                yield (f'<line x1="{LINES_LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}" '
                       'stroke="#e5e7eb"/>')
                yield text(LINES_LEFT - 10, y + 4, label, 11, "end", "#6b7280")
        for y, label in ((SHARE_TOP, "100 %"), (SHARE_BOTTOM, "0 %")):
            yield (f'<line x1="{LINES_LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}" '
                   'stroke="#e5e7eb"/>')
            yield text(LINES_LEFT - 10, y + 4, label, 11, "end", "#6b7280")
        step = next(step for step in (5, 10, 20, 30, 60, 120, 300, 600, 3600)
                    if (self.last - self.first) / step <= 15)
        for seconds in range(0, int(self.last) + 1, step):
            yield text(self.x(seconds), SHARE_BOTTOM + 18, f"{seconds} s", 11, "middle",
                       "#6b7280")
        for seconds, label, anchor in ((0, "writers begin", "start"),
                                       (self.end, "writers end", "end")):
            x = self.x(seconds)
            yield (f'<line x1="{x:.1f}" y1="{LINES_TOP - 12}" x2="{x:.1f}" '
                   f'y2="{SHARE_BOTTOM}" stroke="#6b7280" stroke-dasharray="4 3"/>')
            yield text(x + (5 if anchor == "start" else -5), LINES_TOP - 4, label, 11, anchor,
                       "#6b7280")

    def draw(self, source):
        """Returns the picture."""
        title = "Queries over columns in memory while the table is written to"
        lines = [text(24, 34, title, 18, weight="700")] + list(self.grid())
        x = 30.0
        for name, label, color in LINES:
            lines.append(f'<circle cx="{x:.1f}" cy="59.5" r="6" fill="{color}"/>')
            lines.append(text(x + 12, 64, label, 12.5))
            x += 40 + 6.9 * len(label)
            lines.append(self.line([(self.x(seconds), self.y(values[len(values) // 2]))
                                    for seconds, values in self.buckets("ours_ms", name)],
                                   color))
            lines += [f'<circle cx="{self.x(seconds):.1f}" cy="{self.y(ms):.1f}" r="3.5" '
                      f'fill="#ffffff" stroke="{color}" stroke-width="1.5"/>'
                      for seconds, ms in self.points.get(("postgresql_ms", name), [])]
        lines.append(text(LINES_LEFT, SHARE_TOP - 12, "Share of the rows that come from memory",
                          12.5))
        lines.append(self.line([(self.x(seconds), SHARE_BOTTOM - values[0]
                                 * (SHARE_BOTTOM - SHARE_TOP)) for seconds, values
                                in self.buckets("resident_share", LINES[0][0])], "#1f2937"))
        y = SHARE_BOTTOM + 48
        width = (self.last - self.first) / BUCKETS
        for words in (f"Lines: warpagg, medians of {width:.1f} s each. Circles: PostgreSQL's own "
                      "parallel plan, now and then, in the same colors.",
                      f"From {source}"):
            lines.append(text(24, y, words, 10.5, color="#6b7280"))
            y += 16
        return wrap(title, y + BOTTOM, lines)


def timeline_of(path):
    """Returns the picture of a file that bench/churn.sh has written."""
    return Timeline(path).draw(os.path.basename(path))


def check():
    """Says whether all pictures are what would be written."""
    pictures = {PICTURE: draw()}
    for path in sorted(glob.glob(os.path.join(ROOT, "bench", "results", "*.csv"))):
        pictures[path[:-len("csv")] + "svg"] = timeline_of(path)
    wrong = []
    for path, picture in pictures.items():
        with open(path, encoding="utf-8") as opened:
            if opened.read() != picture:
                wrong.append(path)
                print(f"{os.path.relpath(path, ROOT)} is not what bench/chart.py makes of "
                      "bench/results")
    return not wrong


def main():
    if sys.argv[1:] == ["--check"]:
        return 0 if check() else 1
    path, picture = PICTURE, None
    if len(sys.argv) == 3:
        path, picture = sys.argv[2], timeline_of(sys.argv[1])
    with open(path, "w", encoding="utf-8") as opened:
        opened.write(picture or draw())
    return 0


if __name__ == "__main__":
    sys.exit(main())
