"""The command line: `python -m voxelastic ...`, which pip also installs as `voxelastic`."""

import os
import shutil
import sys
from typing import NoReturn, Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def program() -> Optional[str]:
    """Path of the program `voxelastic`: of the variable VOXELASTIC, the one that came with the package, of the build the
    package lies in, or on the PATH; None if there is none."""
    named = os.environ.get("VOXELASTIC")
    if named:
        return named
    for path in (os.path.join(_PACKAGE, "bin", "voxelastic"), os.path.join(_PACKAGE, "..", "..", "voxelastic")):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.normpath(path)
    return shutil.which("voxelastic")


def main() -> NoReturn:
    """Becomes the program."""
    found = program()
    if found is None:
        sys.exit("voxelastic: this package came without the program, and it is not on the PATH")
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    main()
