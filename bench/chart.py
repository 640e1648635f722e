#!/usr/bin/env python3
"""chart.py: draws docs/speed.svg, README's picture, from tables in bench/results.

Each panel compares times of a few queries on one machine, on an axis whose steps are
powers of ten: a row for each query, a dot for each way of answering it.  Nothing in the
picture but the words is given here; the times are those of the tables.

Usage: chart.py            writes docs/speed.svg
       chart.py --check    says whether docs/speed.svg is what would be written
"""

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
    height = y + BOTTOM
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {WIDTH} {height:.0f}" {FONT}>\n'
            '<!-- made by bench/chart.py -->\n'
            '<title>Times of queries with PostgreSQL and with warpagg</title>\n'
            f'<rect width="{WIDTH}" height="{height:.0f}" rx="8" fill="#ffffff"/>\n')
    return head + "\n".join(lines) + "\n</svg>\n"


def main():
    picture = draw()
    if sys.argv[1:] == ["--check"]:
        with open(PICTURE, encoding="utf-8") as opened:
            if opened.read() == picture:
                return 0
        print("docs/speed.svg is not what bench/chart.py makes of bench/results")
        return 1
    with open(PICTURE, "w", encoding="utf-8") as opened:
        opened.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
