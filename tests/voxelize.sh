#!/usr/bin/env bash
# voxelastic voxelize and run --write as a user meets them: reports, files, messages, exit statuses.
# Usage: voxelize.sh VOXELASTIC SOURCE
set -euo pipefail
voxelastic=$1 source=$2

fail() {
    echo "voxelize: $*" >&2
    exit 1
}

expect() { # STATUS PATTERN COMMAND...: exit status, and a regular expression in what it prints on either stream
    local status=0 text
    text=$("${@:3}" 2>&1) || status=$?
    [[ $status == "$1" ]] || fail "${*:3}: exit status $status instead of $1: $text"
    grep -Eq -- "$2" <<<"$text" || fail "${*:3}: nothing like \"$2\" in: $text"
}

# A box as OBJ: name, lower corner, sides.
box() {
    awk -v x="$2" -v y="$3" -v z="$4" -v a="$5" -v b="$6" -v c="$7" 'BEGIN {
        for (i = 0; i < 8; i++) print "v", x + a * (i % 2), y + b * (int(i / 2) % 2), z + c * int(i / 4)
        print "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6" }' >"$1"
}
box body.obj 5 5 5 20 10 10
box core.obj 10 5 5 5 10 5
grep -v '^f 5 6' body.obj >open.obj

voxelize=("$voxelastic" voxelize)
expect 0 'volume in the mesh +2 cm\^3' "${voxelize[@]}" body.obj -o body.json --pitch 1mm
expect 0 'volume in voxels +2 cm\^3 \(\+0.00 %\)' "${voxelize[@]}" body.obj -o body.json --pitch 0.001
expect 0 'body.json: 20 x 10 x 10 voxels of 1 mm, \(20, 10, 10\) mm' "${voxelize[@]}" body.obj -o body.json --pitch 1000um
expect 0 '"voxels": 2000' "${voxelize[@]}" body.obj -o body.json --voxels 20 --json
expect 0 '40 x 20 x 20 voxels of 0.5 m' "${voxelize[@]}" body.obj -o body.json --voxels 40 --unit m
expect 0 'not closed +4 open edges' "${voxelize[@]}" open.obj -o open.json --pitch 1mm
expect 0 '250 taken from earlier meshes' "${voxelize[@]}" body.obj core.obj -o both.json --pitch 1mm
"$voxelastic" info both.json >info.txt
grep -Eq 'body +1750 voxels' info.txt || fail "the body has not 1750 voxels: $(cat info.txt)"
grep -Eq 'core +250 voxels' info.txt || fail "the core has not 250 voxels: $(cat info.txt)"

# Materials by name from another scene; a mesh that only --material names.
cat >lab.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 1, "size": [1, 1, 1]},
 "materials": [{"name": "gel", "youngs_modulus": 5e4, "density": 1100}, {"name": "bone", "youngs_modulus": 1e9}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [1, 1, 1]}, "material": "gel"}]}
END
expect 0 'both.json' "${voxelize[@]}" body.obj -o both.json --pitch 1mm --palette lab.json --material gel=body.obj \
    --material bone=core.obj
expect 0 'bone +250 voxels +1 GPa' "$voxelastic" info both.json
expect 0 'gel +1750 voxels +50 kPa' "$voxelastic" info both.json
expect 2 'lab.json has no material "body"' "${voxelize[@]}" body.obj -o x.json --pitch 1mm --palette lab.json
expect 0 'coarsened +[0-9]+ mixed voxels in 1 materials' "${voxelize[@]}" body.obj core.obj -o coarse.json --pitch 1mm --coarsen 2
expect 0 'voxels' "$voxelastic" info coarse.json
expect 0 'again.json: 250 voxels' "$voxelastic" convert both.json again.json --coarsen 2
expect 0 'size of the body +20 x 10 x 10 mm' "$voxelastic" info again.json
expect 2 'made 2 to 64 times as large, not 65' "$voxelastic" convert both.json x.json --coarsen 99

expect 0 'Usage: voxelastic voxelize FILE' "${voxelize[@]}" --help
expect 2 'which file' "${voxelize[@]}" -o x.json
expect 2 'where to' "${voxelize[@]}" body.obj
expect 2 'how large is a voxel' "${voxelize[@]}" body.obj -o x.json
expect 2 '--pitch or --voxels, not both' "${voxelize[@]}" body.obj -o x.json --pitch 1mm --voxels 3
expect 2 '"1 furlong" is not a number' "${voxelize[@]}" body.obj -o x.json --pitch '1 furlong'
expect 2 '"ell" is not one of um' "${voxelize[@]}" body.obj -o x.json --unit ell --pitch 1
expect 2 'is the unit right' "${voxelize[@]}" body.obj -o x.json --pitch 1um --unit m
expect 2 'no voxel centre lies inside' "${voxelize[@]}" core.obj body.obj -o x.json --pitch 900
expect 2 'made 2 to 64 times as large, not 65' "${voxelize[@]}" body.obj -o x.json --pitch 1mm --coarsen 1000
expect 2 'is not NAME=FILE' "${voxelize[@]}" body.obj -o x.json --material gel
expect 2 'is not RRGGBB=NAME' "${voxelize[@]}" body.obj -o x.json --color red=gel
expect 2 'neither a mesh' "${voxelize[@]}" lab.json -o x.json
expect 2 'but no mixture' "${voxelize[@]}" body.obj x.npy -o x.json --pitch 1
expect 4 'missing.stl: No such file' "${voxelize[@]}" missing.stl -o x.json --pitch 1
expect 2 'files of kind ".xyz" are not written' "${voxelize[@]}" body.obj -o x.xyz --pitch 1mm
expect 4 'nowhere/x.json' "${voxelize[@]}" body.obj -o nowhere/x.json --pitch 1mm
expect 2 'a mesh is not a scene' "$voxelastic" run body.obj
expect 2 'a scene is not a mesh' "$voxelastic" convert body.json x.stl
expect 2 'stacks them' "$voxelastic" info x.png
printf 'solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n' >nan.stl
expect 2 'nan.stl:4: "nan" is not a finite number' "${voxelize[@]}" nan.stl -o x.json --pitch 1
printf 'v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n' >flat.obj
expect 2 'flat.obj: the triangles of the mesh have no area' "${voxelize[@]}" flat.obj -o x.json --pitch 1
printf 'v 0 0 0\n' >none.obj
expect 2 'none.obj: the mesh has no triangles' "${voxelize[@]}" none.obj -o x.json --pitch 1
[[ ! -e x.json && ! -e x.xyz ]] || fail "a failed command left a file"

# Frames of a run.
scene=$source/scenes/cantilever.json
rm -rf out
expect 0 'out/frames.pvd' "$voxelastic" run "$scene" -o out --steps 100 --write vtu,csv
[[ -s out/frames/000000.vtu && -s out/frames/000000.csv ]] || fail "no frames"
[[ $(wc -l <out/frames.csv) -eq 52 ]] || fail "not 51 frames by default: $(wc -l <out/frames.csv) lines"
hash() { "$voxelastic" run "$scene" --steps 100 --json "$@" | sed -n 's/.*"state_hash": "\(.*\)".*/\1/p'; }
[[ $(hash) == "$(hash -o out --write npz,stl --write-every 1e-6)" ]] || fail "writing changes the motion"
expect 2 '"vtk" is not one of vtu' "$voxelastic" run "$scene" -o out --write stl,vtk
expect 2 'needs -o DIR' "$voxelastic" run "$scene" --write stl
expect 2 'needs --write KINDS' "$voxelastic" run "$scene" -o out --write-every 0.1
if [[ $(id -u) != 0 ]]; then
    mkdir -p locked && chmod a-w locked
    expect 4 'locked' "$voxelastic" run "$scene" -o locked --write vtu
fi
echo "voxelize: passed"
