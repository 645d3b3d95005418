#!/usr/bin/env python3
"""Plots voxel steps per second against the number of voxels, from what `voxelastic bench --json` printed.

Usage: speed_plot.py OUT.svg NAME=FILE.json...
Every file is one line; of each, the cases cubeN are taken. The paper's own figure, 122 iterations per second
with 4000 voxels, is drawn beside them."""
import json
import math
import re
import sys

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 76, 150, 24, 60
COLOURS = ["#1f6fb4", "#c2571a", "#2b8a3e", "#8250c4"]
PAPER = (4000, 122 * 4000 / 1e6)


def points(path):
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    cubes = [c for c in cases if re.fullmatch(r"cube\d+", c["name"])]
    return sorted((c["voxels"], c["voxel_steps_per_second"] / 1e6) for c in cubes)


def main():
    out, lines = sys.argv[1], [a.split("=", 1) for a in sys.argv[2:]]
    series = [(name, points(path)) for name, path in lines]
    most = max(x for _, p in series for x, _ in p)
    x_range = (2, math.ceil(math.log10(most)))
    y_range = (math.log10(0.3), math.log10(300))

    def at(x, y):
        u = (math.log10(x) - x_range[0]) / (x_range[1] - x_range[0])
        v = (math.log10(y) - y_range[0]) / (y_range[1] - y_range[0])
        return LEFT + u * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - v * (HEIGHT - TOP - BOTTOM)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'font-size="13">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']

    def text(x, y, words, anchor="middle", colour="#333333", extra=""):
        svg.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{extra}>{words}</text>')

    for k in range(x_range[0], x_range[1] + 1):
        x, low = at(10 ** k, 10 ** y_range[0])
        _, high = at(10 ** k, 10 ** y_range[1])
        svg.append(f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="#dddddd"/>')
        text(x, low + 20, f'10<tspan dy="-5" font-size="9">{k}</tspan>')
    for y in (0.3, 1, 3, 10, 30, 100, 300):
        x, level = at(10 ** x_range[0], y)
        end, _ = at(10 ** x_range[1], y)
        svg.append(f'<line x1="{x:.1f}" y1="{level:.1f}" x2="{end:.1f}" y2="{level:.1f}" stroke="#dddddd"/>')
        text(x - 8, level + 4, f"{y:g}", "end")
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "voxels of a solid cube")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    text(20, middle, "million voxel steps per second", extra=f' transform="rotate(-90 20 {middle:.1f})"')
    labels = []
    for i, (name, p) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        places = [at(x, y) for x, y in p]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        svg.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        labels.append((places[-1][1], name, colour))
    level = 0.0
    for y, name, colour in sorted(labels): # not over one another
        level = max(y + 4, level + 17)
        text(WIDTH - RIGHT + 10, level, name, "start", colour)
    x, y = at(*PAPER)
    svg.append(f'<path d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10" stroke="#a11" stroke-width="2"/>')
    text(x + 10, y + 4, "the paper: 122 iterations per second, 4000 voxels", "start", "#aa1111")
    svg.append("</svg>")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(svg) + "\n")


if __name__ == "__main__":
    main()
