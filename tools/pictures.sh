#!/usr/bin/env bash
# Draws the pictures of the documentation with the program itself: those of the demo scenes, and with --studio also the
# screenshots of the guide to the studio (which need Chromium and npm).
# Usage: pictures.sh [--studio] [VOXELASTIC]    default: build/release/voxelastic
set -euo pipefail
cd "$(dirname "$0")/.."
studio=0
[[ ${1-} != --studio ]] || { studio=1 && shift; }
voxelastic=$(realpath "${1-build/release/voxelastic}")
pictures=docs/pictures
look=(--quiet --size 1200x520)

"$voxelastic" video scenes/quadruped.json --quiet --from 0.98 --time 6.86 --speed 1.4 --fps 20 --camera fixed --zoom 1.2 \
    --view -72,16 --size 720x300 --no-legend -o $pictures/quadruped.gif
"$voxelastic" picture scenes/quadruped.json "${look[@]}" --time 2 --color strain -o $pictures/quadruped.png
"$voxelastic" picture scenes/kicker.json "${look[@]}" --time 0.45 --color speed --view -70,18 -o $pictures/kicker.png
"$voxelastic" picture scenes/cloth.json "${look[@]}" --time 1.2 --color strain --no-edges -o $pictures/cloth.png
"$voxelastic" picture scenes/ball.json "${look[@]}" --time 0.27 --color strain --view -60,14 -o $pictures/ball.png
"$voxelastic" picture scenes/clapper.json "${look[@]}" --time 0.3 -o $pictures/clapper.png
"$voxelastic" picture scenes/gradient.json "${look[@]}" --time 0.3 --color strain -o $pictures/gradient.png
small=(--quiet --size 600x380)
"$voxelastic" picture scenes/sticking.json "${small[@]}" --time 0.78 --color stress -o $pictures/sticking.png
"$voxelastic" picture scenes/growing.json "${small[@]}" --time 0.11 --view -50,32 -o $pictures/growing.png
"$voxelastic" picture scenes/pacemaker.json "${small[@]}" --time 1.08 --color growth --view -62,28 -o $pictures/pacemaker.png

if [[ $studio == 1 ]]; then
    (cd web && PICTURES=$PWD/../$pictures VOXELASTIC=$voxelastic npm test --silent -- walker)
fi
