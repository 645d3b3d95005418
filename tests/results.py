"""What results.sh wrote, read by VTK, meshio and NumPy. Usage: results.py VOXELASTIC SOURCE SOLVERS"""
import csv
import json
import math
import os
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

import meshio
import numpy as np
import vtkmodules.all as vtk
from vtkmodules.util.numpy_support import vtk_to_numpy

voxelastic, source, solvers = sys.argv[1:4]
checks = 0


def check(what, good):
    global checks
    checks += 1
    if not good:
        sys.exit(f"results: {what}")


def near(what, found, expected, relative=1e-6):
    """Largest difference against the largest magnitude: a displacement of 0 has no relative error of its own."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    check(f"{what}: shape {found.shape} instead of {expected.shape}", found.shape == expected.shape)
    scale = np.abs(expected).max()
    worst = np.abs(found - expected).max() / (scale if scale > 0 else 1.0)
    check(f"{what}: off by {worst:.3g}, relative", worst <= relative)


def read_vtu(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    check(f"{path}: VTK complains", reader.GetErrorCode() == 0)
    return reader.GetOutput()


def fields(data):
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def read_csv(path):
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def columns(rows, *names):
    return np.array([[float(row[name]) for name in names] for row in rows])


def read_pvd(folder):
    sets = ElementTree.parse(f"{folder}/frames.pvd").getroot().findall("./Collection/DataSet")
    return [float(s.get("timestep")) for s in sets], [f"{folder}/{s.get('file')}" for s in sets]


def run(*arguments, status=0):
    done = subprocess.run([voxelastic, *arguments], capture_output=True, text=True)
    check(f"{arguments}: exit status {done.returncode}: {done.stderr}", done.returncode == status)
    return done


# ---- VTU, NPZ and CSV against each other ----------------------------------------------------------------------

EXPECTED = {"displacement_m": 3, "velocity_m_per_s": 3, "strain": 3, "stress_Pa": 3, "pressure_Pa": 1, "energy_J": 1,
            "contact_force_N": 3, "growth": 1, "material": 1, "body": 1}
summary = json.load(open("run/summary.json"))
voxels = summary["voxels"]
times, files = read_pvd("run")
table = read_csv("run/frames.csv")
motion = np.load("run/trajectory.npz")
check("six frames", len(files) == 6 and len(table) == 6 and motion["time"].shape == (6,))
near("times of frames.csv", [float(row["time_s"]) for row in table], times, 1e-11)
near("times of the trajectory", motion["time"], times, 0.0)
check("steps", [int(row["step"]) for row in table] == list(motion["step"]))
check("the last step", motion["step"][-1] == summary["steps"])
check("first and last time", times[0] == 0.0 and abs(times[-1] - 0.1) < 1e-12)
check("multiples of 0.02 s", all(0 <= t - 0.02 * n < 2 * summary["dt"] for n, t in enumerate(times[:-1])))
for name in ("position", "orientation", "velocity", "strain", "stress", "energy", "contact_force", "growth"):
    check(f"{name} of all frames and voxels", motion[name].shape[:2] == (6, voxels))
for frame, path in enumerate(files):
    grid = read_vtu(path)
    check(f"{path}: {grid.GetNumberOfCells()} cells", grid.GetNumberOfCells() == voxels)
    near(f"{path}: time", grid.GetFieldData().GetArray("TimeValue").GetValue(0), times[frame], 0.0)
    check(f"{path}: hexahedra", all(grid.GetCellType(i) == 12 for i in range(voxels)))
    found = fields(grid.GetCellData())
    check(f"{path}: fields {sorted(found)}", sorted(found) == sorted(EXPECTED))
    for name, components in EXPECTED.items():
        shape = (voxels, components) if components > 1 else (voxels,)
        check(f"{path}: {name} {found[name].shape}", found[name].shape == shape)
    near(f"{path}: displacement", found["displacement_m"], motion["position"][frame] - motion["start"])
    for name, other in (("velocity_m_per_s", "velocity"), ("strain", "strain"), ("stress_Pa", "stress"),
                        ("energy_J", "energy"), ("contact_force_N", "contact_force"), ("growth", "growth")):
        near(f"{path}: {name}", found[name], motion[other][frame])
    check(f"{path}: material", (found["material"] == motion["material"]).all())
    # The table has the engine's doubles in twelve digits.
    rows = read_csv(path.replace(".vtu", ".csv"))
    near(f"{path}: displacement of the table", found["displacement_m"],
         columns(rows, "displacement_x_m", "displacement_y_m", "displacement_z_m"))
    near(f"{path}: stress of the table", found["stress_Pa"], columns(rows, "stress_x_Pa", "stress_y_Pa", "stress_z_Pa"))
    near(f"{path}: contact force of the table", found["contact_force_N"],
         columns(rows, "contact_force_x_N", "contact_force_y_N", "contact_force_z_N"))
    near(f"{path}: cells", columns(rows, "i", "j", "k"), motion["cell"], 0.0)
    # Corners: about the voxel, and the right way round.
    points = vtk_to_numpy(grid.GetPoints().GetData())
    corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(voxels, 8)
    middle = points[corners].mean(axis=1)
    pitch = float(motion["pitch"])
    check(f"{path}: corners about their voxel", np.abs(middle - motion["position"][frame]).max() < 0.05 * pitch)
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    volume = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))
    check(f"{path}: volumes of {volume.min() / pitch**3:.3f} to {volume.max() / pitch**3:.3f} voxels",
          0.8 < volume.min() / pitch**3 and volume.max() / pitch**3 < 1.2)
    if frame == 0:
        near("undeformed volume", volume.sum(), voxels * pitch**3, 1e-12)
    # meshio reads the same.
    other = meshio.read(path)
    near(f"{path}: meshio's displacement", other.cell_data["displacement_m"][0], found["displacement_m"], 0.0)
    near(f"{path}: meshio's points", other.points, points, 0.0)
check("it moves", np.abs(motion["position"][-1] - motion["start"]).max() > 1e-3)
check("it touches the floor", np.abs(motion["contact_force"]).max() > 0)

# The same displacement as the summary of the engine.
near("largest displacement", np.linalg.norm(motion["position"][-1] - motion["start"], axis=1).max(),
     summary["at_end"]["displacement_max"], 1e-9)

# ---- surfaces ---------------------------------------------------------------------------------------------------


def surface(path):
    kind = {"stl": vtk.vtkSTLReader, "obj": vtk.vtkOBJReader, "ply": vtk.vtkPLYReader}[path[-3:]]
    reader = kind()
    reader.SetFileName(path)
    clean = vtk.vtkCleanPolyData()
    clean.SetInputConnection(reader.GetOutputPort())
    clean.SetTolerance(0.0)
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputConnection(clean.GetOutputPort())
    triangles.Update()
    return reader.GetOutput(), triangles.GetOutput()


def open_edges(data):
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(data)
    edges.BoundaryEdgesOn()
    edges.FeatureEdgesOff()
    edges.ManifoldEdgesOff()
    edges.NonManifoldEdgesOff()
    edges.Update()
    return edges.GetOutput().GetNumberOfCells()


for frame in range(6):
    for kind in ("stl", "obj", "ply"):
        path = f"run/frames/{frame:06d}.{kind}"
        raw, data = surface(path)
        check(f"{path}: {open_edges(data)} open edges", open_edges(data) == 0)
        mass = vtk.vtkMassProperties()
        mass.SetInputData(data)
        mass.Update()
        near(f"{path}: volume", mass.GetVolume(), voxels * pitch**3, 1e-6 if frame == 0 else 0.05)
        check(f"{path}: meshio", len(meshio.read(path).points) > 0)
        if kind == "ply":
            colors = vtk_to_numpy(raw.GetPointData().GetArray("RGBA"))
            check(f"{path}: colours", len(np.unique(colors, axis=0)) == len(np.unique(motion["material"])))
material = open("run/frames/000000.mtl").read()
check("materials of the OBJ file", material.count("newmtl") >= len(np.unique(motion["material"])))

# ---- resumed, broken, modes -------------------------------------------------------------------------------------

whole, half = read_pvd("whole"), read_pvd("half")
near("times of a resumed series", half[0], whole[0], 1e-11)
for one, two in zip(whole[1], half[1]):
    near(f"{two}: displacement after --resume", fields(read_vtu(two).GetCellData())["displacement_m"],
         fields(read_vtu(one).GetCellData())["displacement_m"], 0.0)
times, files = read_pvd("break")
points = [read_vtu(path).GetNumberOfPoints() for path in files]
check(f"corners part where links break: {points}", points[0] == 7 * 3 * 3 and points[-1] > points[0])
check("a name with commas and quotes", read_csv("break/frames/000000.csv")[0]["material"] == 'brittle, "very"')
if solvers == "yes":
    grid = read_vtu("modes/shapes.vtu")
    shapes = fields(grid.GetPointData())
    check(f"three modes: {list(shapes)}", len(shapes) == 3 and all(name.startswith("mode ") for name in shapes))
    for name, shape in shapes.items():
        size = np.linalg.norm(shape, axis=1).max()
        check(f"{name}: {size:.3f} at most", 0.95 < size < 1.5)

# ---- grids ------------------------------------------------------------------------------------------------------

os.makedirs("grids/slices", exist_ok=True)
random = np.random.default_rng(1)
for dtype in ("bool", "i1", "u1", ">i2", "<u2", "<i4", ">u4", "i8", "u8"):
    for order in "CF":
        array = np.asarray(random.integers(0, 2 if dtype == "bool" else 5, (4, 5, 6)), dtype=dtype, order=order)
        array[0, 0, 0] = 1
        np.save("grids/in.npy", array)
        np.savez_compressed("grids/in.npz", a=np.zeros(3), thing=array)
        for name in ("grids/in.npy", "grids/in.npz"):
            run("convert", name, "grids/out.npz", "-q")
            back = np.load("grids/out.npz")
            values = np.unique(array[array != 0]) # materials are numbered in the order of the values in use
            expected = np.where(array != 0, np.searchsorted(values, array) + 1, 0)
            check(f"{name} {dtype} {order}", (back["voxels"] == expected).all())
run("voxelize", "grids/in.npy", "-o", "grids/a.json", "--pitch", "2.5mm", "-q")
run("convert", "grids/a.json", "grids/a.npz", "-q")
run("convert", "grids/a.json", "grids/a.npy", "-q")
back = np.load("grids/a.npz")
near("pitch", float(back["pitch"]), 0.0025, 0.0)
check("names", list(back["materials"]) == [f"material {n}" for n in values])
check("npy is npz", (np.load("grids/a.npy") == back["voxels"]).all())


def write_png(path, pixels):
    """RGB, in the way of the PNG standard; no library needed."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
                       (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        data += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    open(path, "wb").write(data)


# Twelve slices, named so that the order of the numbers is not that of the letters.
labels = random.integers(0, 3, (12, 7, 9)) # z, rows, columns
palette = np.array([[0, 0, 0], [255, 0, 0], [0, 128, 255]], dtype=np.uint8)
for z in range(12):
    write_png(f"grids/slices/layer{z + 1}.png", palette[labels[z]])
run("voxelize", "grids/slices", "-o", "grids/b.npz", "--pitch", "42um", "--color", "ff0000=gel", "--color", "#0080ff=bone",
    "--color", "000000=empty", "-q")
back = np.load("grids/b.npz")
names = list(back["materials"])
expected = np.zeros((9, 7, 12), int)
for label, name in ((1, "gel"), (2, "bone")):
    expected[labels[:, ::-1, :].transpose(2, 1, 0) == label] = names.index(name) + 1
check("slices", (back["voxels"] == expected).all())
near("pitch of the slices", float(back["pitch"]), 42e-6, 1e-15)

# A mesh that VTK made, filled.
sphere = vtk.vtkSphereSource()
sphere.SetRadius(10.0)
sphere.SetThetaResolution(100)
sphere.SetPhiResolution(100)
for kind, writer in (("stl", vtk.vtkSTLWriter), ("ply", vtk.vtkPLYWriter), ("obj", vtk.vtkOBJWriter)):
    out = writer()
    out.SetFileName(f"grids/ball.{kind}")
    out.SetInputConnection(sphere.GetOutputPort())
    out.Write()
    report = json.loads(run("voxelize", f"grids/ball.{kind}", "-o", "grids/ball.json", "--voxels", "40", "--json").stdout)
    mesh = report["meshes"][0]
    near(f"{kind}: volume", mesh["voxel_volume"], 4 / 3 * math.pi * 1e-6, 0.01)
    near(f"{kind}: mesh", mesh["mesh_volume"], 4 / 3 * math.pi * 1e-6, 0.005)
    check(f"{kind}: closed", mesh["open_edges"] == 0)

print(f"results: {checks} checks passed; VTK {vtk.vtkVersion.GetVTKVersion()}, meshio {meshio.__version__}, numpy {np.__version__}")
