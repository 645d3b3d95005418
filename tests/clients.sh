#!/usr/bin/env bash
# The clients of evosoro and voxcraft, with voxelastic in the place of their engines: see clients.py.
# Usage: clients.sh VOXELASTIC SOURCE
set -euo pipefail
if [[ ${VXE_QUICK-} == 1 ]]; then
    exec python3 "$2/tests/clients.py" "$1" 30 5
fi
exec python3 "$2/tests/clients.py" "$1" 200 20
