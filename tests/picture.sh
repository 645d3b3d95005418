#!/usr/bin/env bash
# Pictures, videos and reports from the command line: files, sizes, sources, messages; help that stays in its columns.
# Usage: picture.sh VOXELASTIC SOURCE_DIR
set -u
source_dir=$(realpath "$2")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" picture "$1"
quadruped=$source_dir/scenes/quadruped.json

is_png() { # FILE WIDTH HEIGHT
    [[ $(od -An -tx1 -N8 "$1" | tr -d ' \n') == 89504e470d0a1a0a &&
        $(od -An -tu1 -j16 -N8 "$1" | awk '{ print ($3 * 256 + $4) "x" ($7 * 256 + $8) }') == "$2x$3" ]]
    verdict $? "  $1 is a PNG of $2 x $3"
}

# --- pictures ----------------------------------------------------------------------------------------------------------

expect 0 "a picture of a scene" picture "$quadruped" -o start.png --size 320x180
is_png start.png 320 180
says out start.png
expect 0 "a picture of the start" picture "$quadruped" --time 0 --size 64x36 -o start.png
expect 0 "a picture later on, by strain" picture "$quadruped" --time 0.05 --color strain --size 320x180 -o later.png
is_png later.png 320 180
! cmp -s start.png later.png
verdict $? "  they differ"
expect 0 "a demo by its name, into a file named like it" picture ball --size 160x90 --view top --dark --no-legend --no-floor --no-edges -q
is_png ball.png 160 90
[[ ! -s out ]]
verdict $? "  --quiet prints nothing"
expect 0 "a run" run "$quadruped" --time 0.05 -o run -q
expect 0 "a picture of its checkpoint" picture run/state.vxck --size 320x180 -o state.png
expect 0 "a picture of the same moment of the scene" picture "$quadruped" --time 0.05 --size 320x180 -o same.png
cmp -s state.png same.png
verdict $? "  they are the same"
expect 0 "a checkpoint with its scene named" picture run/state.vxck --scene "$quadruped" --size 320x180 -o named.png
if [[ -f run/replay.html ]]; then
    expect 0 "a picture of its replay" picture run/replay.html --color strain --size 320x180 -o replay.png
    is_png replay.png 320 180
    expect 2 "a measure that the replay does not have" picture run/replay.html --color period -o x.png
    says err 'no "period"'
fi
cp run/state.vxck alone.vxck
expect 2 "a checkpoint without its scene" picture alone.vxck -o x.png
says err "--scene FILE"
expect 2 "no source" picture
says err "of what?"
expect 2 "a wrong measure" picture ball --color strian
says err 'did you mean "strain"?'
expect 2 "a wrong size" picture ball --size 12
says err "two numbers"
expect 2 "too large a size" picture ball --size 99999x10
expect 2 "a wrong view" picture ball --view sideways
expect 2 "a range that goes down" picture ball --range 2,1
expect 2 "an option of video" picture ball --fps 3
expect 4 "a folder that is not there" picture ball --size 64x36 -o no/such/file.png
[[ ! -e x.png ]]
verdict $? "nothing was written where it failed"

# --- videos ----------------------------------------------------------------------------------------------------------------

expect 0 "a GIF" video "$quadruped" --time 0.1 --size 160x90 --fps 20 -o v.gif
[[ $(head -c 6 v.gif) == GIF89a && $(tail -c 1 v.gif) == ';' ]]
verdict $? "  v.gif begins and ends as a GIF"
expect 0 "a folder of PNG files" video "$quadruped" --time 0.1 --from 0.05 --size 160x90 --fps 20 --speed 0.5 -o frames -q
[[ $(find frames -name 'frame-*.png' | wc -l) == 3 ]]
verdict $? "  0.05 s at half speed, 20 a second: 3 frames"
is_png frames/frame-00002.png 160 90
if [[ -f run/replay.html ]]; then
    expect 0 "a GIF of a replay" video run/replay.html --size 160x90 -o w.gif
fi
expect 0 "from a checkpoint on" video run/state.vxck --time 0.1 --size 160x90 --fps 40 -o going-on -q
[[ $(find going-on -name '*.png' | wc -l) == 3 ]]
verdict $? "  0.05 s, 40 a second: 3 frames"
expect 2 "a time that has passed" video run/state.vxck --time 0.01 -o x.gif
says err "not after the start"
if command -v ffmpeg >/dev/null; then
    expect 0 "an MP4" video "$quadruped" --time 0.1 --size 161x91 -o v.mp4
    [[ $(od -An -c -j4 -N4 v.mp4 | tr -d ' \n') == ftyp && ! -e v.mp4.part.mp4 ]]
    verdict $? "  v.mp4 is one"
    expect 4 "an MP4 in a folder that is not there" video "$quadruped" --time 0.05 --size 64x36 -o no/such/v.mp4
    says err "ffmpeg failed"
fi
mkdir -p empty
PATH=$PWD/empty expect 4 "an MP4 without ffmpeg" video "$quadruped" --time 0.05 --size 64x36 -o no.mp4
says err "needs ffmpeg, which is not installed"
[[ ! -e no.mp4 && ! -e no.mp4.part.mp4 ]]
verdict $? "  nothing is left behind"

# --- reports ------------------------------------------------------------------------------------------------------------------

expect 0 "a run whose report is asked for" run "$quadruped" --time 1 -o told --report -q
for text in '<h1>quadruped</h1>' 'Largest strain' '<b>Largest strain</b> <small>' 'data:image/png;base64,' '<svg ' 'center of mass' 'Cost of transport'; do
    grep -qF "$text" told/report.html
    verdict $? "  report.html has $text"
done
[[ $(grep -c '<figure><img' told/report.html) == 3 ]]
verdict $? "  three pictures"
# The picture of the largest strain is of that very moment: the end of a run that stops there looks the same, bit by bit.
peak=$(python3 -c 'import json; print(repr(json.load(open("told/summary.json"))["strain_max_time"]))')
expect 0 "a run up to the largest strain" run "$quadruped" --time "$peak" -o there --report -q
python3 - <<'PY'
import re, sys
def pictures(path):
    return {name: (data, tuple(more.split(", "))) for data, name, more in re.findall(
        r'src="data:image/png;base64,([^"]*)"><figcaption><b>([^<]*)</b> <small>([^<]*)<', open(path).read())}
told, there = pictures("told/report.html"), pictures("there/report.html")
same = told["Largest strain"][0] == there["End"][0] and told["Largest strain"][1][0] == there["End"][1][0]
others = told["Largest strain"][0] not in (told["Start"][0], told["End"][0], there["Largest strain"][0])
sys.exit(0 if same and others else print({n: p[1] for n, p in told.items()}, {n: p[1] for n, p in there.items()}) or 1)
PY
verdict $? "  shows the picture that the longer run has of it"
expect 0 "a run that goes on after it" run "$quadruped" --time 0.2 -o there/on -q
expect 0 "  and is told" run "$quadruped" --resume there/on/state.vxck --time 0.25 -o there/after --report -q
says there/after/report.html "The largest strain was before this run went on"
[[ $(grep -c '<figure><img' there/after/report.html) == 2 ]]
verdict $? "  has no picture of it"
expect 0 "a run with a table" run "$quadruped" --time 1 -o table
[[ -f table/report.html ]]
verdict $? "  it has a report"
says out "report.html"
says out "duty factor"
expect 0 "a run that is quiet" run "$quadruped" --time 0.05 -o table -q
[[ ! -e table/report.html ]]
verdict $? "  it has none, and the old one is gone"
expect 0 "a name that is not HTML" run <(sed 's/"name": "quadruped"/"name": "<script>alert(1)<\/script>"/' "$quadruped") --time 0.01 -o odd --report -q
! grep -q '<script>alert' odd/report.html odd/replay.html 2>/dev/null
verdict $? "  cannot break out of the pages"

# "At most" is over the run: the largest of the trace is not above it, and the end's is below.
expect 0 "a run with its strain traced" run "$quadruped" --time 1 -o strain -q --trace strain_max,speed_max --every 0.001
python3 - <<'PY'
import csv, json, sys
s = json.load(open("strain/summary.json"))
rows = list(csv.reader(open("strain/trace.csv")))
traced = max(float(r[1]) for r in rows[1:])
fast = max(float(r[2]) for r in rows[1:])
sys.exit(not (traced <= s["strain_max"] <= 1.1 * traced and fast <= s["speed_max"] <= 1.2 * fast
              and s["at_end"]["strain_max"] < s["strain_max"] and 0 < s["strain_max_time"] < 1
              and s["strain_max_voxel"]["cell"] and s["stress_max"] > 0 and s["gait"]["body_length"] > 0.3))
PY
verdict $? "  strain and speed are the largest of the run"

# --- help ------------------------------------------------------------------------------------------------------------------------

expect 0 "help" --help
[[ $(sed -n '/^Commands:/,/^$/p' out | grep '^  [a-z]' | grep -vcE '^  [a-z]+( .*[^ ])?  +[a-z]') == 0 ]]
verdict $? "  there is room between a command and what it does"
! grep -q $'\033' out
verdict $? "  no colours outside of a terminal"
if command -v script >/dev/null; then
    TERM=xterm script -qec "$voxelastic --help" /dev/null >colored </dev/null
    grep -q $'\033\[1m' colored
    verdict $? "  colours on a terminal"
    NO_COLOR=1 TERM=xterm script -qec "$voxelastic --help" /dev/null >plain </dev/null
    ! grep -q $'\033' plain
    verdict $? "  not with NO_COLOR"
fi

end_checks
