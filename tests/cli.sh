#!/usr/bin/env bash
# The command line, from outside: help, exit statuses, messages, files, interruption and resumption.
# Usage: cli.sh VOXELASTIC SOURCE_DIR
set -u
source_dir=$(realpath "$2")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" cli "$1"

# --- helpers ---------------------------------------------------------------------------------------------------------

is_json() { # FILE: one JSON object and nothing else
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys; sys.exit(not isinstance(json.load(open(sys.argv[1])), dict))' "$1" 2>/dev/null
    elif command -v jq >/dev/null; then
        [[ $(jq -s 'length == 1 and (.[0] | type == "object")' "$1" 2>/dev/null) == true ]]
    else
        [[ $(head -c 1 "$1") == '{' && $(tail -n 1 "$1") == '}' ]]
    fi
    verdict $? "  $1 is one JSON object"
}

value() { # KEY FILE: of a summary, top level
    sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" "$2" | tr -d '"'
}

same() { # A B NAME
    [[ -n $1 && $1 == "$2" ]]
    verdict $? "$3"
    [[ $1 == "$2" ]] || echo "      \"$1\" and \"$2\""
}

wait_for() { # COMMAND...: until it succeeds; gives up after two minutes, on which the checks that follow fail
    local i
    for ((i = 0; i < 1200; i++)); do
        "$@" && return
        sleep 0.1
    done
}

# --- scenes ----------------------------------------------------------------------------------------------------------

make_scene() { # FORCE STOP
    cat <<END
{
  "voxelastic": 1,
  "name": "bar",
  "lattice": {"pitch": 0.01, "size": [6, 2, 2]},
  "materials": [{"name": "gel", "youngs_modulus": 1e5, "density": 1000}],
  "shapes": [{"box": {"corner": [0, 0, 0], "size": [6, 2, 2]}, "material": "gel"}],
  "regions": [
    {"name": "wall", "box": {"corner": [0, 0, 0], "size": [1, 2, 2]}, "fixed": "all"},
    {"name": "tip", "box": {"corner": [5, 0, 0], "size": [1, 2, 2]}, "force": [0, 0, $1]}
  ],
  "environment": {"damping": {"bond": 0.1}}$2
}
END
}
make_scene -0.01 ', "stop": {"steps": 2000}' >bar.json
make_scene -0.01 '' >endless.json
make_scene -1e6 ', "stop": {"steps": 100000}' >doomed.json
make_scene -0.02 ', "stop": {"steps": 2000}' >other.json
sed 's/"youngs_modulus"/"youngs_modulos"/' bar.json >misspelled.json
head -c 200 bar.json >cut.json
sed 's/"size": \[6, 2, 2\]}, *$/"size": [1000000, 1000000, 1000000]},/' bar.json >huge.json
sed 's/"name": "bar",/&\n  "output": {"trace": ["bogus"]},/' bar.json >badtrace.json

# --- help ------------------------------------------------------------------------------------------------------------

expect 0 "--help" --help
says out "Usage: voxelastic COMMAND"
is_empty err
expect 0 "-h" -h
expect 0 "help" help
expect 0 "--version" --version
says out "voxelastic "
for command in run batch info check convert voxelize demo solve equilibrium modes picture video studio validate bench; do
    expect 0 "$command --help" "$command" --help
    says out "Usage: voxelastic $command"
    cp out help.txt
    expect 0 "help $command" help "$command"
    cmp -s out help.txt
    verdict $? "  both are the same"
done
expect 0 "help after other options" run bar.json --steps 5 --help
expect 2 "no command"
says err "Usage: voxelastic COMMAND"
is_empty out

# The manual and the completion know every option, and the manual no others.
for command in run batch info check convert voxelize demo solve equilibrium modes picture video studio validate bench; do
    "$voxelastic" "$command" --help
done | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u >options.txt
[[ $(wc -l <options.txt) -ge 20 ]]
verdict $? "--help lists the options"
while read -r option; do
    grep -qF -e "${option//-/\\-}" "$source_dir/docs/man/voxelastic.1"
    verdict $? "  the manual knows $option"
    grep -qE -e "(^|[ '])$option([ ']|\$)" "$source_dir/tools/completion/voxelastic.bash"
    verdict $? "  the completion knows $option"
done <options.txt
unknown=$(sed 's/\\-/-/g' "$source_dir/docs/man/voxelastic.1" | grep -oE -- '--[a-z]+[a-z-]*' | sort -u |
    grep -vxF -f options.txt | grep -vx -e '--version')
[[ -z $unknown ]]
verdict $? "  the manual knows no other options $unknown"

# --- usage -----------------------------------------------------------------------------------------------------------

expect 2 "unknown command" rnu bar.json
says err 'there is no command "rnu"; did you mean "run"?'
expect 2 "help on an unknown command" help chekc
says err 'did you mean "check"?'
expect 2 "unknown option before the command" --hlep
says err 'did you mean "--help"?'
expect 2 "unknown option" run bar.json --tiem 1
says err 'run: unknown option "--tiem"; did you mean "--time"?'
says err 'voxelastic run --help'
is_empty out
expect 2 "unknown letter" run bar.json -x
expect 2 "option of another command" info bar.json --steps 5
expect 2 "option without its value" run bar.json --time
says err "--time needs a value: --time S"
expect 2 "letter without its value" run bar.json -o
expect 2 "value for a switch" run bar.json --json=yes
says err "--json takes no value"
expect 2 "no scene" run
says err "which scene?"
expect 2 "no scene to check" check
expect 2 "two scenes" run bar.json other.json
for text in 0 -1 abc 1s '' inf nan 0x10 ' 1' 1e999 1e-999 1,5; do
    expect 2 "--time '$text'" run bar.json --time "$text"
    says err "--time: "
done
for text in 0 -5 1.5 1e3 '' 99999999999999999999; do
    expect 2 "--steps '$text'" run bar.json --steps "$text"
    says err "--steps: "
done
expect 2 "--every 0" run bar.json --every 0
says err "--every: 0 is not greater than 0"
expect 2 "--checkpoint-every -1" run bar.json --checkpoint-every -1
expect 2 "--dt-fraction 1.5" run bar.json --dt-fraction 1.5
says err "greater than 0.9"
expect 2 "--bond-damping none" run bar.json --bond-damping none
says err "is not one of auto, explicit, implicit"
expect 2 "--precision half" run bar.json --precision half
says err "is not one of double, fast, single"
expect 2 "--collisions gird" run bar.json --collisions gird
says err 'did you mean "grid"?'
expect 2 "--every without a folder" run bar.json --every 0.1
says err "needs -o DIR"
expect 2 "--trace without a folder" run bar.json --trace energy
says err "needs -o DIR"
expect 2 "--checkpoint-every without a file" run bar.json --checkpoint-every 0.1
expect 2 "no stop condition" run endless.json
says err "give --time S (simulated seconds) or --steps N"

# --- bad input -------------------------------------------------------------------------------------------------------

for command in run info check; do
    expect 4 "$command: missing file" "$command" missing.json
    says err "missing.json"
    expect 2 "$command: cut off JSON" "$command" cut.json
    says err "cut.json:"
    expect 2 "$command: unknown key" "$command" misspelled.json
    says err "youngs_modulus"
    expect 2 "$command: huge workspace" "$command" huge.json
    expect 2 "$command: unknown extension" "$command" bar.xyz
    says err "scenes are read from .json"
    expect 2 "$command: no extension" "$command" bar
    is_empty out
done
expect 2 "bad trace name in a scene: check" check badtrace.json
says err "bogus"
expect 2 "bad trace name" run bar.json -o bad --trace energy,centre_of_mass
says err 'did you mean "center_of_mass"?'
says err "region:NAME.displacement (.reaction .reaction_moment)"
[[ ! -e bad ]]
verdict $? "  and no folder was made"
expect 2 "bad input with --json" run cut.json --json
is_json out
same "$(value status out)" error "  its status is error"
expect 4 "missing file with --json" run missing.json --json
is_json out

# --- file problems ---------------------------------------------------------------------------------------------------

expect 4 "folder below a file" run bar.json -o bar.json/out
says err "bar.json"
expect 4 "folder that is a file" run bar.json -o bar.json
expect 4 "checkpoint in a missing folder" run bar.json --checkpoint nowhere/state.vxck
expect 4 "missing checkpoint" run bar.json --resume missing.vxck
expect 2 "checkpoint that is none" run bar.json --resume bar.json
says err "bar.json: "
if [[ -w /dev/full ]]; then
    actual=0
    "$voxelastic" run bar.json --json >/dev/full 2>err || actual=$?
    [[ $actual == 4 ]]
    verdict $? "full disk under standard output"
fi

# --- a run -----------------------------------------------------------------------------------------------------------

expect 0 "run without files" run bar.json
says out "2000 steps"
says out "state hash"
is_empty err
expect 0 "run --quiet" run bar.json --quiet
is_empty out
is_empty err
expect 0 "run --json" run bar.json --json
is_json out
is_empty err
hash=$(value state_hash out)
for key in scene voxels links materials steps time dt wall_seconds voxel_steps_per_second threads precision isa stop_reason status \
    center_of_mass_start center_of_mass_end displacement_max strain_max energy state_hash outputs time_step fault; do
    grep -q "^  \"$key\": " out
    verdict $? "  it has $key"
done
same "$(value status out)/$(value voxels out)/$(value steps out)" done/24/2000 "  and they are right"
[[ ! -e summary.json && ! -e trace.csv ]]
verdict $? "  no files were made"
actual=0
"$voxelastic" run - --json <bar.json >out 2>err || actual=$?
same "$actual/$(value state_hash out)" "0/$hash" "a scene from standard input gives the same state"
expect 0 "--precision single" run bar.json --precision single --json
same "$(value precision out)" single "  is reported"
expect 0 "--no-audit" run bar.json --no-audit --json
same "$(value state_hash out)" "$hash" "  does not change the state"
expect 0 "--device emulated" run bar.json --device emulated --json
same "$(value state_hash out)/$(value isa out)" "$hash/emulated" "  does not change the state"
expect 0 "--device auto" run bar.json --device auto --json
same "$(value state_hash out)" "$hash" "  does not change the state either"
expect 2 "--device abacus" run bar.json --device abacus
says err "is not one of cpu, cuda, auto"
expect 0 "devices" devices
says out "cpu "
says out "cuda "
expect 0 "devices --json" devices --json
is_json out
if grep -q no_gpu out; then
    expect 2 "--device cuda without a GPU" run bar.json --device cuda
    says err "there is no GPU to use"
fi
expect 0 "--time" run bar.json --time 0.01 --json
same "$(value time out)/$(value stop_reason out)" 0.01/time "  is reached exactly"
expect 0 "info" info bar.json
says out "24 (24 at the surface)"
says out "holds x y z rx ry rz"
says out "time step"
expect 0 "info --json" info bar.json --json
is_json out
expect 0 "info of rigid parts" info "$source_dir/scenes/gripper.json"
says out "500 kg/m^3, rigid"
expect 2 "solvers refuse rigid parts" equilibrium "$source_dir/scenes/gripper.json"
says err "the solvers know no rigid parts"
expect 0 "rigid parts on a device: the host steps them" run "$source_dir/scenes/pin.json" --device emulated --no-audit --steps 20 --json
device=$(value state_hash out)
expect 0 "  and on the host" run "$source_dir/scenes/pin.json" --no-audit --steps 20 --json
same "$(value state_hash out)" "$device" "  with the same bits"
cat >sprout.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [4, 1, 1]}, "materials": [{"name": "stem"}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [1, 1, 1]}, "material": "stem"}],
 "rules": [{"kind": "grow", "name": "sprout", "material": "stem", "other": "stem", "size": [4, 1, 1], "begin": 0.01}],
 "stop": {"time": 0.05}}
END
expect 0 "info of a scene with rules" info sprout.json
says out "3 of them are not there at the start"
says out 'grow             "sprout": voxels of "stem", new "stem", from 10 ms on'
sed 's/"rules": \[/&{"kind": "light", "position": [0, 0, 1], "when": "t > 1"}, {"kind": "control", "value": "0.1*light"}, /' sprout.json >lit.json
expect 0 "  with what they do" info lit.json
says out "light            1 at (0, 0, 1) m, when t > 1"
says out "control          all voxels, size = 0.1*light"
expect 0 "what they did" run sprout.json
says out "1 voxel, places for 3 more"
says out "3 voxels came, 0 went: 4 at the end"
expect 0 "  for programs" run sprout.json --json
for member in '"present": 4' '"grown": 3' '"removed": 0'; do says out "$member"; done
cat >wet.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [1, 1, 1]}, "materials": [{"name": "a"}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [1, 1, 1]}, "material": "a"}],
 "ground": {"kind": "stairs", "points": [11, 3], "spacing": 0.1, "origin": [0, 0, -1], "height": 0.2, "length": 0.5, "friction": {"static": 0.8, "dynamic": 0.5}},
 "solids": [{"name": "ball", "sphere": {"center": [1, 0, 0], "radius": 0.25}},
            {"name": "post", "capsule": {"center": [0, 0, -2], "radius": 0.1, "length": 1}, "rotation": [0, 1, 0]},
            {"name": "few", "cells": {"center": [0, 3, 0], "pitch": 0.5, "size": [2, 1, 1], "filled": [1, 0]}}],
 "water": {"level": 0.5, "flow": ["0.1", "0", "0"]}, "start": [{"velocity": [1, 0, 0]}], "stop": {"time": 0.01}}
END
expect 0 "info of what bodies meet" info wet.json
says out "stairs: 11 x 3 points, 0.1 m apart"
says out "z from -1 m to -0.6 m, friction 0.8 and 0.5"
says out "ball             sphere of radius 0.25 m, at"
says out "few              cells of 0.5 m, 1 filled, at"
says out "1000 kg/m^3, drag 1 outwards and 0.05 along faces, up to z = 0.5 m"
says out "flow x = 0.1 m/s"
says out "all              velocity"
expect 0 "  for programs" info wet.json --json
is_json out
for member in '"kind": "stairs"' '"highest": -0.6' '"kind": "capsule"' '"filled": 1' '"level": 0.5'; do says out "$member"; done
sed 's/"kind": "grow".*"begin": 0.01/"kind": "remove", "begin": 0.01/' sprout.json >gone.json
expect 0 "a run in which all voxels disappear" run gone.json
says out "centre of mass    -"
expect 0 "  for programs" run gone.json --json
same "$(value center_of_mass_end out)" null "  has no centre of mass"
sed 's/"flow": \["0.1"/"flow": ["1e308*t"/' wet.json >swept.json
expect 3 "water that flows too fast" run swept.json
says err "is, most likely, the flow of water"
says out "moved by -"
expect 0 "voxels and bonds in the trace" run sprout.json --trace voxels,bonds -q -o sprout
same "$(sed -n 2p sprout/trace.csv)/$(tail -1 sprout/trace.csv | cut -d, -f2-)" "0,1,0/4,0" "  they grow"
expect 2 "solvers refuse voxels that may grow" equilibrium sprout.json
says err "solvers do not know bonds, nor voxels that are not there (3) because they were removed or may grow"
sed 's/"kind": "grow".*"begin": 0.01/"kind": "push", "direction": [0, 0, 1], "value": "mass"/' sprout.json >pushed.json
expect 2 "solvers refuse forces of rules" modes pushed.json
says err "rule 0 of kind push: solvers do not know forces that rules drive"
expect 0 "  which a run knows" run pushed.json -q
expect 0 "rules with a GPU" run sprout.json --device emulated --json
with_gpu=$(value state_hash out)
expect 0 "rules without a GPU" run sprout.json --json
same "$(value state_hash out)" "$with_gpu" "  with the same bits"
expect 0 "rules with --device auto" run sprout.json --device auto -q
expect 0 "check" check bar.json
says out "bar.json: valid"
is_empty err
expect 2 "check of a scene that does not stop" check endless.json
says err "endless.json: the scene does not say when to stop; give --time S"

# --- files -----------------------------------------------------------------------------------------------------------

expect 0 "run -o" run bar.json -o a/b/one
says out "a/b/one/summary.json"
is_json a/b/one/summary.json
same "$(value state_hash a/b/one/summary.json)" "$hash" "  the summary has the same hash"
head -n 1 a/b/one/trace.csv | grep -q '^time_s,center_of_mass_x_m,.*energy_kinetic_J.*,displacement_max_m,strain_max_1$'
verdict $? "  the trace has the standard columns"
rows=$(wc -l <a/b/one/trace.csv)
steps=$(value steps a/b/one/summary.json)
wanted=$((steps < 200 ? steps : steps < 5000 ? 200 : steps < 25000 ? steps / 25 : 1000))
[[ $rows -gt $((wanted * 9 / 10)) && $rows -lt $((wanted * 11 / 10 + 2)) ]]
verdict $? "  and a row every 25 steps, or 200 to 1000 of them ($rows of $steps)"
! awk -F, 'NR > 1 && NF != columns { exit 0 } { columns = NF } END { exit 1 }' a/b/one/trace.csv
verdict $? "  of the same length"
[[ -z $(find a -name '*.tmp') ]]
verdict $? "  no temporary files are left"
expect 0 "another --every" run bar.json -o two --every 0.0037 --checkpoint-every 0.011 --json
same "$(value state_hash out)" "$hash" "  does not change the motion"
expect 0 "chosen quantities" run bar.json -o three --trace 'region:tip.displacement,voxel:5,1,1.velocity,energy.total,dt'
same "$(head -n 1 three/trace.csv)" "time_s,region_tip_displacement_x_m,region_tip_displacement_y_m,region_tip_displacement_z_m,voxel_5_1_1_velocity_x_m_per_s,voxel_5_1_1_velocity_y_m_per_s,voxel_5_1_1_velocity_z_m_per_s,energy_total_J,dt_s" "  give their columns"
expect 0 "semicolons" run bar.json -o three --trace 'dt; voxel:5,1,1.growth' --steps 10
same "$(head -n 1 three/trace.csv)" "time_s,dt_s,voxel_5_1_1_growth_1" "  separate names too"

# --- resume ----------------------------------------------------------------------------------------------------------

expect 0 "a first half" run bar.json --steps 1234 --checkpoint half.vxck
expect 0 "a second half" run bar.json --resume half.vxck --json
same "$(value state_hash out)" "$hash" "  ends in the same state"
expect 0 "resume at the end" run bar.json --resume half.vxck --steps 1234 --json
same "$(value steps out)" 1234 "  does nothing"
expect 2 "checkpoint of another scene" run other.json --resume half.vxck
says err "half.vxck: "
expect 2 "checkpoint of another precision" run bar.json --resume half.vxck --precision single
head -c 300 half.vxck >cut.vxck
expect 2 "checkpoint cut off" run bar.json --resume cut.vxck
expect 0 "a whole trace" run bar.json -o whole --every 0.02
expect 0 "its first half" run bar.json -o parts --every 0.02 --steps 1234
expect 0 "and then some, lost" run bar.json -o lost --every 0.02 --steps 1500
cp lost/trace.csv parts/trace.csv
printf '0.9,1,2' >>parts/trace.csv
expect 0 "resumed into the same folder" run bar.json -o parts --every 0.02 --resume parts/state.vxck
same "$(value state_hash parts/summary.json)" "$hash" "  ends in the same state"
cmp -s whole/trace.csv parts/trace.csv
verdict $? "  with the same trace"
expect 2 "resumed with another trace" run bar.json -o parts --trace dt --resume parts/state.vxck
says err "other columns"

# --- interruption ----------------------------------------------------------------------------------------------------

# shellcheck disable=SC2317 # called by wait_for
has_rows() { [[ $(wc -l 2>/dev/null <"$1/trace.csv") -ge 4 ]]; }
# shellcheck disable=SC2317
has_checkpoint() { [[ -e $1/state.vxck ]] && has_rows "$1"; }

for signal in INT TERM; do
    rm -rf broken
    "$voxelastic" run endless.json --steps 1000000000 -o broken --every 0.01 --json >out 2>err &
    process=$!
    wait_for has_rows broken
    kill -s $signal $process
    actual=0
    wait $process || actual=$?
    same $actual 130 "SIG$signal: exit status 130"
    is_json out
    same "$(value status broken/summary.json)" interrupted "  status is interrupted"
    says err "--resume broken/state.vxck"
    steps=$(($(value steps broken/summary.json) + 1000))
    expect 0 "  resumed" run endless.json --steps $steps -o broken --every 0.01 --resume broken/state.vxck
    expect 0 "  and without the interruption" run endless.json --steps $steps -o unbroken --every 0.01
    same "$(value state_hash broken/summary.json)" "$(value state_hash unbroken/summary.json)" "  the state is the same"
    cmp -s broken/trace.csv unbroken/trace.csv
    verdict $? "  the trace is the same"
done

rm -rf killed
"$voxelastic" run endless.json --steps 1000000000 -o killed --every 0.01 --checkpoint-every 0.05 --quiet >out 2>err &
process=$!
wait_for has_checkpoint killed
kill -s KILL $process
wait $process 2>/dev/null
expect 0 "killed, and resumed from the last checkpoint" run endless.json --steps 1000000000 --time 1e-9 -o nothing --resume killed/state.vxck --every 0.01 --json
steps=$(($(value steps out) + 1000))
expect 0 "  then further" run endless.json --steps $steps -o killed --every 0.01 --resume killed/state.vxck
expect 0 "  and without being killed" run endless.json --steps $steps -o unbroken --every 0.01
same "$(value state_hash killed/summary.json)" "$(value state_hash unbroken/summary.json)" "  the state is the same"
cmp -s killed/trace.csv unbroken/trace.csv
verdict $? "  the trace is the same"

# --- failure ---------------------------------------------------------------------------------------------------------

expect 3 "a simulation that fails" run doomed.json -o doomed
says err "the simulation failed: "
says err "voxel"
is_json doomed/summary.json
same "$(value status doomed/summary.json)" failed "  status is failed"
[[ -e doomed/state.vxck.failed && $(wc -l <doomed/trace.csv) -ge 2 ]]
verdict $? "  what was computed is there"
expect 3 "  with --json" run doomed.json --json
is_json out
says out '"cause": '

# --- events ----------------------------------------------------------------------------------------------------------

cat >brittle.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.001, "size": [6, 1, 1]},
 "materials": [{"name": "chalk", "failure_stress": 1e5}, {"name": "weak", "failure_stress": 5e4}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [6, 1, 1]}, "material": "chalk"},
            {"box": {"corner": [3, 0, 0], "size": [1, 1, 1]}, "material": "weak"}],
 "regions": [{"name": "wall", "box": {"corner": [0, 0, 0], "size": [1, 1, 1]}, "fixed": "all"},
             {"name": "grip", "box": {"corner": [5, 0, 0], "size": [1, 1, 1]}, "fixed": "all",
              "displacement": [0.001, 0, 0], "ramp": 0.01}],
 "environment": {"damping": {"ground": 0.1}}, "stop": {"time": 0.012}}
END
expect 0 "a bar that breaks" run brittle.json -o brittle --trace broken
says brittle/events.csv "time_s,event,axis,i,j,k"
grep -Eq '^0\.00[0-9]+,break,x,[23],0,0$' brittle/events.csv
verdict $? "  breaks where it is weak"
[[ $(wc -l <brittle/events.csv) == 2 && $(tail -n 1 brittle/trace.csv) == *,1 ]]
verdict $? "  once, in the trace too"

# --- demos -----------------------------------------------------------------------------------------------------------

expect 0 "demo lists scenes" demo
for scene in "$source_dir"/scenes/*.json; do
    name=$(basename "$scene" .json)
    says out "  $name "
    expect 0 "  demo $name" demo "$name" --steps 20 --json
    is_json out
    cp out demo.txt
    expect 0 "  as run" run "$scene" --steps 20 --json
    same "$(value state_hash out)" "$(value state_hash demo.txt)" "  the same state"
    expect 0 "  $name is valid" check "$scene"
    "$voxelastic" demo >out
done
expect 2 "demo of another name" demo cantilevre
says err 'did you mean "cantilever"?'
expect 0 "demo --json" demo --json
is_json out
expect 2 "demo given to run" run cantilever
says err "voxelastic demo cantilever"

end_checks
