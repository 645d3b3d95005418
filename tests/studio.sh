#!/usr/bin/env bash
# The studio's server, from outside: what it answers, whom it refuses, that nothing harms the simulation, and that nothing is lost.
# Usage: studio.sh VOXELASTIC SOURCE
set -euo pipefail
voxelastic=$1
source_dir=$2

said=$("$voxelastic" studio --port 70000 2>&1 || true) # a port that is refused, after that
if [[ $said == *'without the studio'* ]]; then
    echo "skipped: built without the studio"
    exit 0
fi
command -v node >/dev/null || { echo "skipped: no node"; exit 0; }
exec node "$source_dir/tests/studio/test.mjs" "$voxelastic" "$source_dir"
