"""Builds the package with CMake and packs it: what pip calls (PEP 517). Needs nothing but Python, CMake and a compiler,
so that `pip install .` works without a network.

VXE_WHEEL=1 puts the shared libraries that it needs into the wheel, beside the extension.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PROGRAM = "voxelastic/bin/voxelastic"  # in the wheel
SUMMARY = "Quantitative simulation of multi-material soft bodies on a voxel lattice"
# what every Linux has; all else goes into a wheel that is to stand alone
SYSTEM = re.compile(r"(linux-vdso|ld-linux|libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+)[.-]")


def _version():
    with open(os.path.join(ROOT, "include", "voxelastic", "base.h"), encoding="utf-8") as file:
        return re.search(r'#define VXE_VERSION "([^"]+)"', file.read()).group(1)


def _metadata():
    return (f"Metadata-Version: 2.1\nName: voxelastic\nVersion: {_version()}\nSummary: {SUMMARY}\n"
            "Requires-Python: >=3.11\nRequires-Dist: numpy\n")


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{platform}"


def _build(folder, alone):
    """Configures, builds, and returns the folder with the package."""
    # the page of replays is used where it was built before; nothing is fetched here
    options = ["-DVXE_TESTS=OFF", "-DVXE_EXAMPLES=OFF", "-DVXE_INSTALL=OFF", "-DVXE_PYTHON=ON",
               "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}"]
    if alone:  # without the solvers, whose libraries are large and have licences of their own
        options += ["-DVXE_WHEEL=ON", "-DVXE_SOLVE=OFF", "-DVXE_MPI=OFF"]
    if not os.path.exists(os.path.join(ROOT, "web", "dist", "replay.html")):
        options.append("-DVXE_STUDIO=OFF")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *generator, *options], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "voxelastic-python", "voxelastic-cli", "--parallel",
                    str(os.cpu_count() or 1)], check=True, stdout=sys.stderr)
    return os.path.join(folder, "python")


def _libraries(extension):
    """Paths of the shared libraries that it needs and not every Linux has."""
    lines = subprocess.run(["ldd", extension], check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line in lines:
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and not SYSTEM.match(match.group(1)):
            found[match.group(1)] = match.group(2)
    return found


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    alone = os.environ.get("VXE_WHEEL") == "1"
    name = f"voxelastic-{_version()}-{_tag()}.whl"
    info = f"voxelastic-{_version()}.dist-info"
    with tempfile.TemporaryDirectory() as scratch:
        package = _build(os.environ.get("VXE_PYTHON_BUILD") or scratch, alone)
        files = {}
        for folder, _, names in os.walk(os.path.join(package, "voxelastic")):
            for one in names:
                path = os.path.join(folder, one)
                if not one.endswith((".pyc", ".pyo")):
                    files[os.path.relpath(path, package)] = open(path, "rb").read()
        program = os.path.join(os.path.dirname(package), "voxelastic")
        files[PROGRAM] = open(program, "rb").read()
        if alone:
            extension = next(path for path in files if path.endswith(".so"))
            needed = {**_libraries(os.path.join(package, extension)), **_libraries(program)}
            for one, path in needed.items():
                files[f"voxelastic/libs/{one}"] = open(path, "rb").read()
        files[f"{info}/entry_points.txt"] = b"[console_scripts]\nvoxelastic = voxelastic.__main__:main\n"
        files[f"{info}/METADATA"] = _metadata().encode()
        files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: voxelastic\nRoot-Is-Purelib: false\nTag: {_tag()}\n").encode()
        files[f"{info}/LICENSE"] = open(os.path.join(ROOT, "LICENSE"), "rb").read()
        record = ""
        with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
            for path, data in sorted(files.items()):
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record += f"{path},sha256={digest},{len(data)}\n"
                entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100755 if path == PROGRAM or path.endswith(".so") or "/libs/" in path else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                wheel.writestr(entry, data)
            wheel.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built in the source tree of the engine")
