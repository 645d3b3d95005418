#!/usr/bin/env bash
# voxelastic solve, equilibrium and modes, as a user meets them: numbers, files, messages, exit statuses.
# Usage: solvers.sh VOXELASTIC SOURCE
set -euo pipefail
voxelastic=$1

scene() { # REGIONS ENVIRONMENT
    cat <<END
{"voxelastic": 1, "name": "bar", "lattice": {"pitch": 0.001, "size": [20, 1, 1]},
 "materials": [{"name": "rubber", "density": 1}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [20, 1, 1]}, "material": "rubber"}],
 "regions": [$1], "environment": {"elasticity": "beam"$2}}
END
}
wall='{"name": "wall", "box": {"corner": [0, 0, 0], "size": [1, 1, 1]}, "fixed": "all"}'
tip='{"name": "tip", "box": {"corner": [19, 0, 0], "size": [1, 1, 1]}, "force": [0, 0, -3e-5]}'
scene "$wall, $tip" '' >held.json
scene "$tip" '' >loose.json

fail() {
    echo "solvers: $*" >&2
    exit 1
}

expect() { # STATUS PATTERN COMMAND...: exit status, and a regular expression in what it prints on either stream
    local status=0 text
    text=$("${@:3}" 2>&1) || status=$?
    [[ $status == "$1" ]] || fail "${*:3}: exit status $status instead of $1: $text"
    grep -Eq -- "$2" <<<"$text" || fail "${*:3}: nothing like \"$2\" in: $text"
}

for command in solve equilibrium modes; do
    expect 0 "Usage: voxelastic $command SCENE" "$voxelastic" "$command" --help
    expect 2 'which scene' "$voxelastic" "$command"
    expect 2 'unknown option' "$voxelastic" "$command" held.json --nonsense
    expect 4 'nowhere.json: No such file' "$voxelastic" "$command" nowhere.json
done

if { "$voxelastic" solve held.json 2>&1 || true; } | grep -q 'built without the solvers'; then
    expect 2 'built without the solvers' "$voxelastic" modes held.json
    echo "solvers: built without them"
    exit 0
fi

expect 0 'displacement +0.8231 mm' "$voxelastic" solve held.json
expect 0 '"displacement_max": 0.00082307999' "$voxelastic" solve held.json --json --solver direct
expect 0 '"solver": "iterative"' "$voxelastic" solve held.json --json --solver iterative
expect 2 'none of auto, direct, iterative' "$voxelastic" solve held.json --solver magic
expect 2 'body 1 can move along x, y, z and turn about x, y, z' "$voxelastic" solve loose.json
expect 2 '"kind": "bad input"' "$voxelastic" solve loose.json --json
expect 0 'stable equilibrium, by Newton' "$voxelastic" equilibrium held.json
expect 0 '"status": "stable"' "$voxelastic" equilibrium held.json --json
expect 2 'there is no equilibrium: body 1 can move' "$voxelastic" equilibrium loose.json
expect 0 'mode 3 +2649.09 Hz' "$voxelastic" modes held.json -n 4
expect 0 'mode 6 +0 Hz, rigid' "$voxelastic" modes loose.json
expect 0 'modes about the equilibrium' "$voxelastic" modes held.json --equilibrium
expect 2 'not within 1 to 10000' "$voxelastic" modes held.json -n 20000

"$voxelastic" solve held.json -o one >/dev/null
"$voxelastic" equilibrium held.json -o two/deep >/dev/null
"$voxelastic" modes held.json -n 3 -o three >/dev/null
[[ $(wc -l <one/displacements.csv) == 21 ]] || fail "one/displacements.csv does not have a line per voxel"
[[ $(wc -l <two/deep/displacements.csv) == 21 ]] || fail "two/deep/displacements.csv does not have a line per voxel"
[[ $(wc -l <three/frequencies.csv) == 4 && $(wc -l <three/shapes.csv) == 61 ]] || fail "the files of modes have other lines"
[[ $(grep -c 'Name="mode ' three/shapes.vtu) == 3 ]] || fail "shapes.vtu has other modes"
for folder in one two/deep three; do
    grep -q '"outputs"' $folder/summary.json || fail "$folder/summary.json does not list the outputs"
done
# an equilibrium can be stepped on, and stays
expect 0 'displacement +0.8218 mm' "$voxelastic" run held.json --resume two/deep/state.vxck --steps 100
expect 4 'one/summary.json' "$voxelastic" solve held.json -o one/summary.json/x
echo "solvers: good"
