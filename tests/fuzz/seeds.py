"""Writes the seeds of the fuzz targets of meshes and grids into tests/fuzz/corpus. Usage: seeds.py"""
import io
import os
import struct
import zipfile
import zlib

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(target, name, data):
    os.makedirs(f"{folder}/{target}", exist_ok=True)
    with open(f"{folder}/{target}/{name}", "wb") as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())


VERTICES = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
TRIANGLES = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
             (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)]


def stl_text(triangles):
    text = "solid s\n"
    for t in triangles:
        text += "facet normal 0 0 1\n outer loop\n"
        text += "".join("  vertex %g %g %g\n" % VERTICES[v] for v in t)
        text += " endloop\nendfacet\n"
    return text + "endsolid s\n"


def stl_binary(triangles):
    data = b"\0" * 80 + struct.pack("<I", len(triangles))
    for t in triangles:
        data += struct.pack("<3f", 0, 0, 1) + b"".join(struct.pack("<3f", *VERTICES[v]) for v in t) + b"\0\0"
    return data


put("stl", "text", stl_text(TRIANGLES))
put("stl", "text_open", stl_text(TRIANGLES[:10]))
put("stl", "binary", stl_binary(TRIANGLES))
put("stl", "binary_open", stl_binary(TRIANGLES[2:]))
put("stl", "nan", "solid\nfacet\nouter loop\nvertex nan 0 0")
put("stl", "cut", stl_binary(TRIANGLES)[:200])

obj = "".join("v %g %g %g\n" % v for v in VERTICES)
put("obj", "triangles", obj + "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in TRIANGLES))
put("obj", "quads", obj + "f 1/1/1 3//1 4 2\nf -4 -3 -1 -2\n# c\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
put("obj", "bad", "v 1e999 0 0\nf 0 1 99\n")

header = ("ply\nformat %s 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty double z\n"
          "element face 12\nproperty list uchar int vertex_indices\nend_header\n")
put("ply", "text", header % "ascii" + "".join("%g %g %g\n" % v for v in VERTICES) +
    "".join("3 %d %d %d\n" % t for t in TRIANGLES))
for order, name in (("<", "little"), (">", "big")):
    put("ply", name, (header % f"binary_{name}_endian").encode() +
        b"".join(struct.pack(order + "ffd", *v) for v in VERTICES) +
        b"".join(struct.pack(order + "Biii", 3, *t) for t in TRIANGLES))
put("ply", "promise", "ply\nformat ascii 1.0\nelement vertex 999999999999\nproperty float x\nend_header\n")


def mesh(triangles):
    return ("<mesh><vertices>" + "".join('<vertex x="%g" y="%g" z="%g"/>' % v for v in VERTICES) +
            "</vertices><triangles>" + "".join('<triangle v1="%d" v2="%d" v3="%d"/>' % t for t in triangles) +
            "</triangles></mesh>")


MODEL = ('<?xml version="1.0"?><model unit="millimeter"><resources><object id="1" type="model">%s</object>'
         '<object id="2"><components><component objectid="1" transform="-1 0 0 0 1 0 0 0 1 5 0 0"/>'
         '</components></object></resources><build><item objectid="1"/><item objectid="2"/></build></model>')
models = {"closed": MODEL % mesh(TRIANGLES), "open": MODEL % mesh(TRIANGLES[3:]),
          "entity": '<!DOCTYPE m [<!ENTITY a "b">]><model unit="&a;"/>', "itself":
          '<model><resources><object id="1"><components><component objectid="1"/></components></object></resources>'
          '<build><item objectid="1"/></build></model>'}


def archive(files, kind=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as z:
        for name, data in files.items():
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, compress_type=kind)
    return out.getvalue()


for name, text in models.items():
    put("model", name, text)
    put("3mf", name, archive({"3D/3dmodel.model": text}))
put("3mf", "stored", archive({"[Content_Types].xml": "<Types/>", "a.model": models["closed"]}, zipfile.ZIP_STORED))
put("3mf", "empty", archive({}))
put("3mf", "bomb", archive({"3D/3dmodel.model": " " * 1000000}))


def npy(descr, shape, data, version=1, fortran=False):
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    text = text.ljust(117) + "\n"
    head = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + head + text.encode("latin1") + data


cells = bytes(i % 3 for i in range(24))
arrays = {"bytes": npy("|u1", "(2, 3, 4)", cells),
          "fortran": npy("<i4", "(2, 3, 4)", b"".join(struct.pack("<i", c) for c in cells), fortran=True),
          "big": npy(">u8", "(2, 3, 4)", b"".join(struct.pack(">Q", c) for c in cells), 2),
          "bool": npy("|b1", "(2, 3, 4)", bytes(c % 2 for c in cells), 3),
          "negative": npy("|i1", "(2, 3, 4)", b"\xff" * 24), "huge": npy("<i8", "(99999999, 99999999, 9)", b""),
          "floats": npy("<f8", "(1, 1, 1)", b"\0" * 8), "flat": npy("|u1", "(24,)", cells)}
for name, data in arrays.items():
    put("npy", name, data)
names = npy("<U4", "(2,)", "gel\0bone".encode("utf-32-le"))
pitch = npy("<f8", "()", struct.pack("<d", 0.005))
put("npz", "ours", archive({"voxels.npy": arrays["bytes"], "pitch.npy": pitch, "materials.npy": names}))
put("npz", "stored", archive({"arr_0.npy": arrays["big"]}, zipfile.ZIP_STORED))
put("npz", "two", archive({"a.npy": arrays["big"], "b.npy": arrays["bytes"]}))
put("npz", "bad_pitch", archive({"voxels.npy": arrays["bytes"], "pitch.npy": arrays["flat"]}, zipfile.ZIP_STORED))
put("npz", "bomb", archive({"voxels.npy": npy("|u1", "(2, 2, 2)", b"\0" * 1000000)}))


def chunk(name, body):
    return name + struct.pack("<II", len(body), 0) + body


def text(t):
    return struct.pack("<I", len(t)) + t


def vox(*chunks):
    body = b"".join(chunks)
    return b"VOX " + struct.pack("<I", 150) + b"MAIN" + struct.pack("<II", 0, len(body)) + body


model = chunk(b"SIZE", struct.pack("<III", 3, 2, 2)) + \
    chunk(b"XYZI", struct.pack("<I", 3) + bytes([0, 0, 0, 1, 2, 1, 1, 2, 1, 0, 1, 255]))
colors = chunk(b"RGBA", bytes(i % 256 for i in range(1024)))


def transform(node, child, *pairs):
    return chunk(b"nTRN", struct.pack("<IIIiII", node, 0, child, -1, 0, 1) + struct.pack("<I", len(pairs)) +
                 b"".join(text(k) + text(v) for k, v in pairs))


tree = transform(0, 1, (b"_t", b"0 0 0")) + chunk(b"nGRP", struct.pack("<IIIII", 1, 0, 2, 2, 4)) + \
    transform(2, 3, (b"_t", b"5 -6 7")) + chunk(b"nSHP", struct.pack("<IIIII", 3, 0, 1, 0, 0)) + \
    transform(4, 5, (b"_t", b"1 2 3"), (b"_r", b"17")) + chunk(b"nSHP", struct.pack("<IIIII", 5, 0, 1, 0, 0))
put("vox", "model", vox(model, colors))
put("vox", "plain", vox(model))
put("vox", "tree", vox(model, tree, colors))
put("vox", "itself", vox(model, transform(0, 0)))
put("vox", "outside", vox(chunk(b"SIZE", struct.pack("<III", 1, 1, 1)), chunk(b"XYZI", struct.pack("<I", 1) + b"\1\1\1\1")))


def png(width, height, kind, depth, rows, extra=b""):
    def part(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)) + extra + \
        part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


put("png", "rgb", png(2, 2, 2, 8, b"\0" + b"\xff\0\0\0\xff\0" + b"\0" + b"\0\0\0\xff\xff\xff"))
put("png", "rgba", png(2, 1, 6, 8, b"\0" + b"\xff\0\0\xff\0\xff\0\0"))
put("png", "grey", png(4, 1, 0, 1, b"\0\xa0"))
put("png", "huge", png(99999, 99999, 2, 8, b"\0"))
