#!/usr/bin/env python3
"""Reference values for `voxelastic validate` from 3-D elasticity, by CalculiX (command ccx, Debian package calculix-ccx).

    reference.py list             the cases
    reference.py CASE [N ...]     computes a case with N elements per unit of length (default 1 2)

Quadratic bricks with reduced integration (C3D20R). Lengths in mm, forces in N, moduli in MPa. Bodies are unions of boxes between grid lines; lines crowd near
edges where stress is singular. Two or more meshes show how many digits can be kept. Only the Python standard library is used.
"""
import itertools
import math
import os
import subprocess
import sys
import tempfile

CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
EDGES = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2),
         (0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]


def grid(marks, per_unit, crowd=()):
    """Grid lines through `marks`, about `per_unit` per unit of length; intervals that end at a mark in `crowd` are graded towards it."""
    lines = [marks[0]]
    for a, b in zip(marks, marks[1:]):
        n = max(2, round((b - a) * per_unit))
        low, high = a in crowd, b in crowd
        if low or high:
            n = max(n, 4)
        for i in range(1, n + 1):
            t = i / n
            if low and high:
                t = 0.5 * (1 - math.cos(math.pi * t))
            elif low:
                t = t * t
            elif high:
                t = 1 - (1 - t) ** 2
            lines.append(a + (b - a) * t)
    return lines


class Body:
    """A union of boxes; inside(x, y, z) gives the material of a point or None."""

    def __init__(self, xs, ys, zs, inside):
        self.lines = [self.halves(xs), self.halves(ys), self.halves(zs)]
        self.nodes = {}
        self.elements = {}
        size = [len(xs) - 1, len(ys) - 1, len(zs) - 1]
        self.cells = {}
        for k, j, i in itertools.product(range(size[2]), range(size[1]), range(size[0])):
            centre = [self.lines[0][2 * i + 1], self.lines[1][2 * j + 1], self.lines[2][2 * k + 1]]
            material = inside(*centre)
            if material is None:
                continue
            self.cells[i, j, k] = material
            self.elements.setdefault(material, []).append(
                [self.node((2 * i + a, 2 * j + b, 2 * k + c)) for a, b, c in CORNERS + EDGES])

    @staticmethod
    def halves(lines):
        out = [lines[0]]
        for a, b in zip(lines, lines[1:]):
            out += [0.5 * (a + b), b]
        return out

    def node(self, place):
        return self.nodes.setdefault(place, len(self.nodes) + 1)

    def where(self, place):
        return [self.lines[axis][place[axis]] for axis in range(3)]

    def select(self, test):
        return {number: self.where(place) for place, number in self.nodes.items() if test(*self.where(place))}

    def face_weights(self, axis, value):
        """Consistent nodal weights of a uniform traction on the plane axis = value; they add up to the area."""
        weights = {}
        others = [a for a in range(3) if a != axis]
        for cell in self.cells:
            for side in (0, 2):
                if abs(self.lines[axis][2 * cell[axis] + side] - value) > 1e-9:
                    continue
                area = 1.0
                for a in others:
                    area *= self.lines[a][2 * cell[a] + 2] - self.lines[a][2 * cell[a]]
                for p, q in itertools.product(range(3), repeat=2):
                    if (p, q) == (1, 1):
                        continue
                    place = [0, 0, 0]
                    place[axis] = 2 * cell[axis] + side
                    place[others[0]] = 2 * cell[others[0]] + p
                    place[others[1]] = 2 * cell[others[1]] + q
                    number = self.nodes[tuple(place)]
                    weights[number] = weights.get(number, 0.0) + area * (-1 / 12 if p != 1 and q != 1 else 1 / 3)
        return weights


class Job:
    def __init__(self, body, materials, density=0.0):
        self.body, self.materials, self.density = body, materials, density
        self.fixed, self.loads = {}, {}
        self.nonlinear = False

    def hold(self, nodes, axes=(0, 1, 2), value=lambda *p: (0.0, 0.0, 0.0)):
        for number, place in nodes.items():
            for axis in axes:
                self.fixed[number, axis] = value(*place)[axis]

    def load(self, weights, traction):
        for number, weight in weights.items():
            for axis in range(3):
                self.loads[number, axis] = self.loads.get((number, axis), 0.0) + weight * traction[axis]

    def write(self, stream, step):
        out = stream.write
        out("*NODE, NSET=ALL\n")
        for place, number in self.body.nodes.items():
            out("%d, %.12g, %.12g, %.12g\n" % (number, *self.body.where(place)))
        element = 0
        for material, elements in self.body.elements.items():
            out("*ELEMENT, TYPE=C3D20R, ELSET=%s\n" % material)
            for nodes in elements:
                element += 1
                out("%d, %s,\n%s\n" % (element, ", ".join(map(str, nodes[:12])), ", ".join(map(str, nodes[12:]))))
        for material, (youngs, poisson) in self.materials.items():
            out("*MATERIAL, NAME=M%s\n*ELASTIC\n%.12g, %.12g\n" % (material, youngs, poisson))
            if self.density:
                out("*DENSITY\n%.12g\n" % self.density)
            out("*SOLID SECTION, ELSET=%s, MATERIAL=M%s\n" % (material, material))
        out(step[0])
        for (number, axis), value in self.fixed.items():
            out("%d, %d, %d, %.12g\n" % (number, axis + 1, axis + 1, value))
        out(step[1])
        for (number, axis), value in self.loads.items():
            out("%d, %d, %.12g\n" % (number, axis + 1, value))
        out(step[2])

    def run(self, step):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "job.inp"), "w") as stream:
                self.write(stream, step)
            environment = dict(os.environ, OMP_NUM_THREADS="1")
            done = subprocess.run(["ccx", "job"], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
            path = os.path.join(folder, "job.dat")
            if done.returncode != 0 or not os.path.exists(path):
                sys.exit(done.stdout[-2000:])
            with open(path) as stream:
                return stream.read()

    def statics(self):
        """Displacements and reactions by node."""
        boundary = "*BOUNDARY\n" if self.fixed else ""
        loads = "*CLOAD\n" if self.loads else ""
        flag = ", NLGEOM" if self.nonlinear else ""
        text = self.run(("*STEP%s\n*STATIC\n%s" % (flag, boundary), loads,
                         "*NODE PRINT, NSET=ALL\nU, RF\n*END STEP\n"))
        fields, field = {}, None
        for line in text.splitlines():
            if line.startswith(" displacements"):
                field = fields["u"] = {}
            elif line.startswith(" forces"):
                field = fields["f"] = {}
            elif field is not None and line.strip():
                words = line.split()
                field[int(words[0])] = [float(w) for w in words[1:4]]
        return fields["u"], fields["f"]

    def frequencies(self, count):
        """Hz, for density in t/mm^3."""
        boundary = "*BOUNDARY\n" if self.fixed else ""
        text = self.run((boundary, "*STEP\n*FREQUENCY\n%d\n" % count, "*END STEP\n"))
        found = []
        for line in text.splitlines():
            words = line.split()
            if len(words) == 5 and words[0].isdigit():
                found.append(float(words[3]))
        return found[:count]


def mean(weights, u, axis):
    return sum(w * u[n][axis] for n, w in weights.items()) / sum(weights.values())


def total(nodes, forces, axis):
    return sum(forces[n][axis] for n in nodes)


def box(lengths, per_unit, crowd=((), (), ()), marks=((), (), ()), inside=lambda x, y, z: "A"):
    lines = []
    for axis in range(3):
        lines.append(grid(sorted({0.0, lengths[axis], *marks[axis]}), per_unit, crowd[axis]))
    return Body(*lines, inside)


# ---- bars and blocks ------------------------------------------------------------------------------------------------

def cantilever(nu, n, lengths=(9.0, 5.0, 5.0), force=0.1, nonlinear=False):
    body = box(lengths, n, ((0.0,), (0.0, lengths[1]), (0.0, lengths[2])))
    job = Job(body, {"A": (1.0, nu)})
    job.nonlinear = nonlinear
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.face_weights(0, lengths[0])
    job.load(end, (0.0, 0.0, force / sum(end.values())))
    u, _ = job.statics()
    return {"mean uz": mean(end, u, 2)}


def torsion(nu, n, lengths=(9.0, 5.0, 5.0), inside=lambda x, y, z: "A", marks=((), (), ()), crowd=None):
    half = lengths[1] / 2, lengths[2] / 2
    if crowd is None:
        crowd = ((0.0, lengths[0]), (0.0, lengths[1]), (0.0, lengths[2]))
    body = box(lengths, n, crowd, marks, inside)
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.select(lambda x, y, z: x == lengths[0])
    job.hold(end, value=lambda x, y, z: (0.0, -0.01 * (z - half[1]), 0.01 * (y - half[0])))
    _, f = job.statics()
    return {"torque": sum((p[1] - half[0]) * f[m][2] - (p[2] - half[1]) * f[m][1] for m, p in end.items())}


def block(nu, n, move, lengths=(10.0, 10.0, 9.0)):
    """Bonded between plates; the upper one moves."""
    body = box(lengths, n, ((0.0, lengths[0]), (0.0, lengths[1]), (0.0, lengths[2])),
               ((lengths[0] / 2,), (lengths[1] / 2,), (lengths[2] / 2,)))
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: z == 0.0))
    top = body.select(lambda x, y, z: z == lengths[2])
    job.hold(top, value=lambda *p: move)
    u, f = job.statics()
    out = {"force": abs(total(top, f, 0 if move[0] else 2))}
    if move[2]:
        spot = body.select(lambda x, y, z: x == lengths[0] and y == lengths[1] / 2 and z == lengths[2] / 2)
        out["bulge"] = u[min(spot)][0]
    return out


def two_materials(nu, n):
    lengths = (19.0, 4.0, 4.0)
    body = box(lengths, n, ((0.0,), (0.0, 4.0), (0.0, 2.0, 4.0)), ((), (), (2.0,)),
               lambda x, y, z: "A" if z < 2.0 else "B")
    job = Job(body, {"A": (1.0, nu), "B": (100.0, nu)})
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.face_weights(0, 19.0)
    job.load(end, (0.0, 0.0, 0.01 / 16.0))
    u, _ = job.statics()
    return {"mean uz": mean(end, u, 2)}


def free_modes(nu, n, lengths=(10.0, 10.0, 5.0), count=12):
    body = box(lengths, n)
    found = Job(body, {"A": (1.0, nu)}, 1e-9).frequencies(count + 6)
    return {"f%d" % (i + 1): f for i, f in enumerate(found[6:])}


# ---- concave corners, holes, thin walls -------------------------------------------------------------------------------

def bracket(nu, n, crowd=True):
    """An L: legs 4 thick and 4 wide, outer sides 11.5; held at z = 0, 0.01 N downwards on the end x = 11.5."""
    inner = (4.0,), (7.5,)
    body = box((11.5, 4.0, 11.5), n, ((0.0, 4.0), (0.0, 4.0), (0.0, 7.5, 11.5)), (inner[0], (), inner[1]),
               lambda x, y, z: "A" if x < 4.0 or z > 7.5 else None)
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: z == 0.0))
    end = body.face_weights(0, 11.5)
    job.load(end, (0.0, 0.0, -0.01 / sum(end.values())))
    u, _ = job.statics()
    return {"mean uz": mean(end, u, 2), "mean ux": mean(end, u, 0)}


def hole(nu, n):
    """A plate 12 x 11 x 2 with a square hole 5 x 5 in its middle, bonded at x = 0 and x = 12 and pulled by 0.12."""
    body = box((12.0, 11.0, 2.0), n, ((0.0, 3.5, 8.5, 12.0), (0.0, 3.0, 8.0, 11.0), (0.0, 2.0)), ((3.5, 8.5), (3.0, 8.0), ()),
               lambda x, y, z: None if 3.5 < x < 8.5 and 3.0 < y < 8.0 else "A")
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.select(lambda x, y, z: x == 12.0)
    job.hold(end, value=lambda *p: (0.12, 0.0, 0.0))
    _, f = job.statics()
    return {"force": total(end, f, 0)}


def tube(nu, n, wall):
    """A square tube 6 x 6, 12 long: torque for a twist of 0.01, and deflection under 0.01 N."""
    inside = lambda x, y, z: None if wall < y < 6 - wall and wall < z < 6 - wall else "A"
    marks = ((), (wall, 6 - wall), (wall, 6 - wall))
    crowd = ((0.0, 12.0), (0.0, wall, 6 - wall, 6.0), (0.0, wall, 6 - wall, 6.0))
    out = torsion(nu, n, (12.0, 6.0, 6.0), inside, marks, crowd)
    body = box((12.0, 6.0, 6.0), n, ((0.0,), *crowd[1:]), marks, inside)
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.face_weights(0, 12.0)
    job.load(end, (0.0, 0.0, 0.01 / sum(end.values())))
    u, _ = job.statics()
    out["mean uz"] = mean(end, u, 2)
    return out


def strip(nu, n, thickness):
    """A strip 20 long, 8 wide, clamped at x = 0, 1e-4 N across its end: a plate in bending."""
    body = box((20.0, 8.0, thickness), n, ((0.0,), (0.0, 8.0), (0.0, thickness)))
    job = Job(body, {"A": (1.0, nu)})
    job.hold(body.select(lambda x, y, z: x == 0.0))
    end = body.face_weights(0, 20.0)
    job.load(end, (0.0, 0.0, 1e-4 / sum(end.values())))
    u, _ = job.statics()
    return {"mean uz": mean(end, u, 2)}


CASES = {
    "cantilever": lambda nu, n: cantilever(nu, n),
    "cantilever-nonlinear": lambda nu, n: cantilever(nu, n, nonlinear=True),
    "torsion": lambda nu, n: torsion(nu, n),
    "shear": lambda nu, n: block(nu, n, (0.09, 0.0, 0.0)),
    "compression": lambda nu, n: block(nu, n, (0.0, 0.0, -0.09)),
    "two-materials": two_materials,
    "free-modes": free_modes,
    "bracket": bracket,
    "hole": hole,
    "tube-1": lambda nu, n: tube(nu, n, 1.0),
    "tube-2": lambda nu, n: tube(nu, n, 2.0),
    "strip-1": lambda nu, n: strip(nu, n, 1.0),
    "strip-2": lambda nu, n: strip(nu, n, 2.0),
}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in CASES:
        print("cases: " + " ".join(CASES))
        return
    name = sys.argv[1]
    meshes = [float(a) for a in sys.argv[2:]] or [1.0, 2.0]
    for nu in (0.0, 0.3, 0.45, 0.49):
        for n in meshes:
            values = CASES[name](nu, n)
            print("%s nu %g, %g per mm: %s" % (name, nu, n, ", ".join("%s %.7g" % item for item in values.items())), flush=True)


if __name__ == "__main__":
    main()
