#!/usr/bin/env python3
"""Draws what tools/frames.c prints into a PNG: frames SCENE.json TIME... | picture.py OUT.png [options].

Each voxel is a cube of its own position, orientation and size; corners that linked voxels share are drawn at their mean. Nothing is smoothed or
exaggerated. Several frames give panels side by side. Needs only Python's own library.
"""
import argparse
import math
import struct
import sys
import zlib

GAP = 4  # pixels between panels
SMOOTH = 2  # pixels are drawn this much finer along each side, then averaged
SKY, FLOOR, FLOOR_LINE, SHADOW = (244, 246, 248), (226, 229, 232), (205, 209, 213), 0.80
FACES = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]  # -x +x -y +y -z +z; bits of a corner: x, y, z

# --- input -------------------------------------------------------------------------------------------------------------


def read_frames(lines):
    """Yields (pitch, floor, voxels) of each frame; a voxel is (color, position, orientation, size, links)."""
    for line in lines:
        _, _, pitch, floor, count = line.split()
        voxels = []
        for _ in range(int(count)):
            n = next(lines).split()
            voxels.append((tuple(map(int, n[0:3])), tuple(map(float, n[3:6])), tuple(map(float, n[6:10])), float(n[10]), tuple(map(int, n[11:14]))))
        yield float(pitch), floor == "1", voxels


def free_faces(voxels):
    """(corners, color) of every face without a link."""
    linked = [[False] * 6 for _ in voxels]
    parent = list(range(8 * len(voxels)))  # (voxel, corner): those that links join at one point of the lattice are one

    def root(i):
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    for v, (_, _, _, _, links) in enumerate(voxels):
        for axis, w in enumerate(links):
            if w < 0:
                continue
            linked[v][2 * axis + 1] = linked[w][2 * axis] = True
            for corner in range(8):
                if corner >> axis & 1:
                    parent[root(8 * v + corner)] = root(8 * w + (corner ^ 1 << axis))
    total = {}
    for v, (_, position, orientation, size, _) in enumerate(voxels):
        axes = matrix(orientation)
        for corner in range(8):
            s = [0.5 * size if corner >> a & 1 else -0.5 * size for a in range(3)]
            t = total.setdefault(root(8 * v + corner), [0.0, 0.0, 0.0, 0])
            for a in range(3):
                t[a] += position[a] + dot(axes[a], s)
            t[3] += 1
    faces = []
    for v, voxel in enumerate(voxels):
        for f, corners in enumerate(FACES):
            if not linked[v][f]:
                points = [total[root(8 * v + c)] for c in corners]
                faces.append(([[x / t[3] for x in t[:3]] for t in points], voxel[0]))
    return faces


def matrix(q):
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


# --- drawing -----------------------------------------------------------------------------------------------------------


class Camera:
    """Perspective; looks at `target` from `distance`, `azimuth` and `elevation` in degrees."""

    def __init__(self, options, width, height):
        a, e = math.radians(options.azimuth), math.radians(options.elevation)
        self.back = (math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e))
        self.right = (-math.sin(a), math.cos(a), 0.0)
        self.up = (-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e))
        self.distance = 4.0 * options.width
        self.eye = [t + self.distance * b for t, b in zip(options.target, self.back)]
        self.scale = width / options.width * self.distance
        self.center = (0.5 * width, 0.5 * height)

    def see(self, p):
        d = [x - y for x, y in zip(p, self.eye)]
        depth = -dot(d, self.back)
        return (self.center[0] + self.scale * dot(d, self.right) / depth, self.center[1] - self.scale * dot(d, self.up) / depth, 1.0 / depth)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def normal_of(p):
    a, b = [p[2][i] - p[0][i] for i in range(3)], [p[3][i] - p[1][i] for i in range(3)]
    n = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    length = math.sqrt(dot(n, n)) or 1.0
    return [x / length for x in n]


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.color = [SKY] * (width * height)
        self.depth = [0.0] * (width * height)  # 1/distance: linear on the screen

    def triangle(self, a, b, c, paint):
        """Calls paint(index, 1/distance) for every pixel inside."""
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(area) < 1e-9:
            return
        slope_x = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / area
        slope_y = ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0])) / area
        edges = ((a, b), (b, c), (c, a))
        for y in range(max(0, math.ceil(min(a[1], b[1], c[1]) - 0.5)), min(self.height, math.ceil(max(a[1], b[1], c[1]) - 0.5))):
            cuts = [p[0] + (y + 0.5 - p[1]) / (q[1] - p[1]) * (q[0] - p[0]) for p, q in edges if (p[1] <= y + 0.5) != (q[1] <= y + 0.5)]
            if len(cuts) < 2:
                continue
            for x in range(max(0, math.ceil(min(cuts) - 0.5)), min(self.width, math.ceil(max(cuts) - 0.5))):
                paint(y * self.width + x, a[2] + slope_x * (x + 0.5 - a[0]) + slope_y * (y + 0.5 - a[1]))

    def quad(self, points, paint):
        self.triangle(points[0], points[1], points[2], paint)
        self.triangle(points[0], points[2], points[3], paint)

    def fill(self, points, color):
        def paint(i, near):
            if near > self.depth[i]:
                self.depth[i], self.color[i] = near, color
        self.quad(points, paint)

    def line(self, p, q, color, bias):
        steps = int(max(abs(q[0] - p[0]), abs(q[1] - p[1]))) + 1
        if steps > 4 * (self.width + self.height):
            return
        for s in range(steps + 1):
            t = s / steps
            x, y, near = (int(p[i] + t * (q[i] - p[i])) if i < 2 else p[2] + t * (q[2] - p[2]) for i in range(3))
            i = y * self.width + x
            if 0 <= x < self.width and 0 <= y < self.height and near * (1 + bias) >= self.depth[i]:
                self.color[i] = color


def draw_floor(canvas, camera, options, faces):
    middle, step = options.target, options.grid
    for y in range(canvas.height):  # whatever is below the horizon
        if (0.5 * canvas.height - y) * camera.up[2] < camera.scale * camera.back[2]:
            canvas.color[y * canvas.width:(y + 1) * canvas.width] = [FLOOR] * canvas.width
    count = int(1.5 * options.width / step)
    for k in range(-count, count + 1):
        for m in range(-count, count):
            x, y = ((math.floor(middle[a] / step) + k) * step for a in (0, 1))
            u, v = ((math.floor(middle[a] / step) + m) * step for a in (1, 0))
            canvas.line(camera.see((x, u, 0.0)), camera.see((x, u + step, 0.0)), FLOOR_LINE, 0.0)
            canvas.line(camera.see((v, y, 0.0)), camera.see((v + step, y, 0.0)), FLOOR_LINE, 0.0)
    shaded = set()
    for points, _ in faces:
        canvas.quad([camera.see((p[0], p[1], 0.0)) for p in points], lambda i, near: shaded.add(i))
    for i in shaded:
        canvas.color[i] = tuple(int(SHADOW * c) for c in canvas.color[i])


def draw(faces, options, width, height):
    canvas = Canvas(width * SMOOTH, height * SMOOTH)
    camera = Camera(options, canvas.width, canvas.height)
    if options.floor:
        draw_floor(canvas, camera, options, faces)
    light = [0.3 * r + 0.6 * u + 0.7 * b for r, u, b in zip(camera.right, (0, 0, 1), camera.back)]
    light = [x / math.sqrt(dot(light, light)) for x in light]
    seen = []
    for points, color in faces:
        n = normal_of(points)
        if dot(n, [e - p for e, p in zip(camera.eye, points[0])]) > 0:
            bright = 0.5 + 0.5 * max(0.0, dot(n, light))
            screen = [camera.see(p) for p in points]
            canvas.fill(screen, tuple(int(bright * c) for c in color))
            seen.append((screen, tuple(int(0.6 * bright * c) for c in color)))
    for screen, edge in seen:
        for k in range(4):
            canvas.line(screen[k], screen[(k + 1) % 4], edge, 1e-3)
    return canvas


def shrink(canvas):
    """Rows of bytes, averaged over SMOOTH x SMOOTH pixels."""
    w, area, rows = canvas.width, SMOOTH * SMOOTH, []
    for y in range(0, canvas.height, SMOOTH):
        row = bytearray()
        for x in range(0, w, SMOOTH):
            block = [canvas.color[(y + j) * w + x + i] for j in range(SMOOTH) for i in range(SMOOTH)]
            row += bytes(sum(c[k] for c in block) // area for k in range(3))
        rows.append(row)
    return rows


def write_png(path, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description="Draws what tools/frames.c prints into a PNG.")
    parser.add_argument("png")
    parser.add_argument("--azimuth", type=float, default=-60, help="degrees: where the camera stands, from +x towards +y")
    parser.add_argument("--elevation", type=float, default=15, help="degrees above the horizon")
    parser.add_argument("--target", type=float, nargs=3, help="m: what is in the middle; default: of the first frame")
    parser.add_argument("--width", type=float, help="m: how much is seen from left to right; default: all of the first frame")
    parser.add_argument("--rows", action="store_true", help="panels one above the other")
    parser.add_argument("--size", type=int, nargs=2, default=(800, 500), help="pixels of the whole picture")
    options = parser.parse_args()
    frames = list(read_frames(iter(sys.stdin)))
    if not frames:
        raise SystemExit("picture.py: no frame")
    width, height = options.size
    if options.rows:
        height = (height - GAP * (len(frames) - 1)) // len(frames)
    else:
        width = (width - GAP * (len(frames) - 1)) // len(frames)
    panels = []
    for pitch, floor, voxels in frames:
        faces = free_faces(voxels)
        low = [min(p[a] for points, _ in faces for p in points) for a in range(3)]
        high = [max(p[a] for points, _ in faces for p in points) for a in range(3)]
        options.floor, options.grid = floor, 5 * pitch
        options.target = options.target or [(a + b) / 2 for a, b in zip(low, high)]
        options.width = options.width or 1.2 * max(b - a for a, b in zip(low, high))
        panels.append(shrink(draw(faces, options, width, height)))
    if options.rows:
        gap = [bytearray(b"\xff" * 3 * width)] * GAP
        rows = panels[0] + [row for panel in panels[1:] for row in gap + panel]
    else:
        rows = [bytearray(b"\xff" * 3 * GAP).join(parts) for parts in zip(*panels)]
    write_png(options.png, rows)


if __name__ == "__main__":
    main()
