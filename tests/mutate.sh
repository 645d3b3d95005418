#!/usr/bin/env bash
# Damaged files of every format: see mutate.py, which can be run with any number of them.
# Usage: mutate.sh VOXELASTIC SOURCE
set -euo pipefail
exec python3 "$2/tests/mutate.py" "$1" "$2" 150
