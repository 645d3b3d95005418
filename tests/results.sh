#!/usr/bin/env bash
# Result files and grids, read and written by others: VTK, meshio and NumPy (results.py has the comparisons).
# Without Debian's python3-vtk9, python3-numpy and python3-meshio the test is skipped; "make check-results" installs them.
# Usage: results.sh VOXELASTIC SOURCE
set -euo pipefail
voxelastic=$1 source=$2

python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import vtkmodules, numpy, meshio' 2>/dev/null; then python=$candidate; break; fi
done
if [[ -z $python ]]; then
    echo "results: skipped: no python3 with vtk, numpy and meshio; try: make check-results"
    exit 77
fi

rm -rf run half whole modes grids
"$voxelastic" run "$source/scenes/quadruped.json" -o run --time 0.1 --write vtu,npz,csv,stl,obj,ply --write-every 0.02 -q
# Interrupted as soon as there are some frames, and resumed: the same series.
series=(run "$source/scenes/quadruped.json" --time 0.5 --write 'vtu,csv' --write-every 0.05 -q)
"$voxelastic" "${series[@]}" -o whole
"$voxelastic" "${series[@]}" -o half &
for ((i = 0; i < 1000; i++)); do
    if [[ -e half/frames.csv && $(wc -l <half/frames.csv) -ge 4 ]]; then break; fi
    sleep 0.02
done
kill -INT $!
status=0
wait $! || status=$?
[[ $status == 130 || $status == 0 ]] || { echo "results: exit status $status after an interruption"; exit 1; }
[[ $status == 0 ]] || "$voxelastic" "${series[@]}" -o half --resume half/state.vxck
# A series in whose frames links break.
cat >break.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [6, 2, 2]},
 "materials": [{"name": "brittle, \"very\"", "failure_stress": 20000}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [6, 2, 2]}, "material": "brittle, \"very\""}],
 "regions": [{"name": "wall", "box": {"corner": [0, 0, 0], "size": [1, 2, 2]}, "fixed": "all"},
             {"name": "tip", "box": {"corner": [5, 0, 0], "size": [1, 2, 2]}, "force": [20, 0, 0]}],
 "stop": {"time": 0.01}}
END
"$voxelastic" run break.json -o break --write vtu,stl,csv --write-every 0.001 -q
solvers=no
if "$voxelastic" modes "$source/scenes/cantilever.json" -n 3 -o modes >modes.log 2>&1; then solvers=yes; fi
"$python" "$source/tests/results.py" "$voxelastic" "$source" "$solvers"
