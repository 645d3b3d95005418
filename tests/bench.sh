#!/usr/bin/env bash
# voxelastic bench, from outside: the list, a case, JSON, comparison, messages. Figures are only looked at for their form.
# Usage: bench.sh VOXELASTIC
set -u
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" bench "$1"
subcommand=(bench)

# --- helpers ---------------------------------------------------------------------------------------------------------

holds() { # PYTHON_EXPRESSION NAME: about the JSON object o in the file out
    if ! command -v python3 >/dev/null; then
        echo "skip  $2: there is no python3"
        return
    fi
    python3 -c 'import json, sys; o = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1"
    verdict $? "  $2"
}

# --- list, help, messages --------------------------------------------------------------------------------------------

expect 0 "--list" --list
for name in cube10 cube16 cube22 cube46 cube100 cube16-solid robot clapper pile quadruped cube16-default holes50 robots controllers collisions terrain; do
    says out "  $name "
done
is_empty err
expect 0 "--list --json" --list --json
holds 'len(o["cases"]) >= 10 and all(c["description"] for c in o["cases"])' "it lists the same"
expect 0 "--help" --help
says out "665 for a"

expect 2 "a case that is not there" cube16-sold --quick
says err 'there is no case "cube16-sold"; did you mean "cube16-solid"?'
is_empty out
expect 2 "a name without meaning" xyzzy --quick
says err '--list'
expect 2 "a size that is none" cube0 --quick
says err "cube0: the size is not within 1 to"
expect 2 "a size that is too large" pile99999999999999 --quick
expect 2 "a cube without a size" cube --quick
expect 2 "a variant that is none" robot-wet --quick
expect 2 "no repeats" cube2 --repeat 0
expect 2 "too many repeats" cube2 --repeat 101
says err "101 is greater than 100"
expect 2 "another precision" cube2 --precision half
expect 2 "other instructions" cube2 --isa mmx
says err "auto, plain, portable"
expect 2 "an unknown option" cube2 --repaet 2
says err 'did you mean "--repeat"?'
expect 2 "a bad case with --json" nonsense --json
holds 'o["status"] == "error"' "it says so in JSON"

# --- measuring -------------------------------------------------------------------------------------------------------

expect 0 "two cases" cube3 pile60-off --quick
says out "one core: "
says out "energy account off"
says out "cube3 "
says out "pile60-off "
says out "time per stage"
says out "links"
expect 0 "--json" cube3 cube3-solid robot clapper pile300 --quick --repeat 2 --json
is_empty err
holds '[c["name"] for c in o["cases"]] == ["cube3", "cube3-solid", "robot", "clapper", "pile300"]' "the cases are there, in order"
holds '[c["voxels"] for c in o["cases"]][:3] == [27, 27, 620]' "with their voxels"
holds 'all(c["voxel_steps_per_second"] > 0 and c["simulated_seconds_per_second"] > 0 and c["dt"] > 0 for c in o["cases"])' "speeds"
holds 'all(c["bytes_per_voxel"] > 100 and c["model_bytes"] > 0 and c["sim_bytes"] > 0 for c in o["cases"])' "memory"
holds 'all(len(c["repeats"]) == 2 and min(c["repeats"]) == c["wall_seconds"] for c in o["cases"])' "the fastest of two repeats"
holds 'all(len(c["stage_seconds_per_step"]) >= 5 and sum(c["stage_seconds_per_step"].values()) > 0 for c in o["cases"])' "time per stage"
holds 'all(0 < c["flops_fraction"] < 2 and 0 < c["bandwidth_fraction"] < 2 for c in o["cases"])' "shares of what the machine can do"
holds 'o["cases"][0]["flops_per_step"] == 54*197 + 27*74' "operations: 54 links and 27 voxels"
holds 'o["cases"][0]["bytes_per_step"] == 27*212' "memory traffic"
holds 'o["cases"][0]["elasticity"] == "beam" and o["cases"][1]["elasticity"] == "solid"' "elasticity"
holds 'abs(o["cases"][0]["floor_contacts"] - 9) < 1e-9' "the cube stands on nine voxels"
holds 'o["machine"]["double_flops"] > 1e7 and o["machine"]["dram_read"] > 1e7 and o["machine"]["cores"] >= 1' "the machine"
holds 'o["version"] and not o["cases"][0]["audit"] and o["cases"][0]["precision"] == "double"' "and how it was computed"
cp out old.json
expect 0 "what runs do by default" cube3-default cube3 quadruped-default holes0 holes50 ground0 ground11-default --quick --json
holds '[c["audit"] for c in o["cases"]] == [True, False, True, False, False, False, True]' "-default keeps the energy account"
holds 'o["cases"][0]["dt"] > 1.5*o["cases"][1]["dt"]' "and takes long steps where damping is strong"
holds 'o["cases"][3]["voxels"] == 4096 and 1900 < o["cases"][4]["voxels"] < 2200' "half of the voxels are missing"
holds 'o["cases"][6]["voxels"] == o["cases"][5]["voxels"] + 220' "the ground is built of voxels"
holds 'all(abs(c["seconds_per_link_and_step"]*c["links"]*c["steps"]/c["wall_seconds"] - 1) < 1e-6 for c in o["cases"])' "time per link"
expect 0 "populations" robots3 controllers2 --quick --json
holds 'all(c["audit"] and c["elasticity"] == "solid" for c in o["cases"]) and o["cases"][1]["voxels"] == 486' "robots and controllers"
holds '200 < o["cases"][0]["voxels"] < 350' "the robots have some 90 voxels each"
expect 2 "holes without a number" holes --quick
expect 2 "more robots than there are" robots2001 --quick
expect 0 "--precision single --audit" cube3 --quick --precision single --audit --json
holds 'o["cases"][0]["precision"] == "single" and o["cases"][0]["audit"] and o["cases"][0]["bytes_per_step"] == 27*132' "are taken"
expect 0 "--isa plain" cube3 --quick --isa plain --json
holds 'o["cases"][0]["isa"].startswith("plain")' "is taken"

# --- comparison ------------------------------------------------------------------------------------------------------

expect 0 "--compare" cube3 cube2 --quick --compare old.json
says out "new/old"
[[ $(grep -c '^cube3 ' out) == 3 && $(grep -c '^cube2 .* - ' out) == 1 ]]
verdict $? "  cube3 is compared, cube2 was not measured before"
expect 0 "--compare without cases" --compare old.json --quick --json
holds '[c["name"] for c in o["comparison"]] == ["cube3", "cube3-solid", "robot", "clapper", "pile300"]' "it measures those of the old results"
holds 'all(abs(c["ratio"]*c["old"]/c["new"] - 1) < 1e-9 and c["simulated_ratio"] > 0 for c in o["comparison"])' "the ratios are right"
expect 4 "--compare with a missing file" cube2 --compare missing.json
says err "missing.json"
head -c 300 old.json >cut.json
expect 2 "--compare with half a file" cube2 --compare cut.json
says err "cut.json:"
echo '{"steps": 5}' >other.json
expect 2 "--compare with something else" cube2 --compare other.json
says err "voxelastic bench --json"

# --- collision detection ---------------------------------------------------------------------------------------------

expect 0 "collisions" collisions --quick
says out "surface, horizon"
says out "horizon over every step"
says out "cost of collisions against size"
expect 0 "collisions --json" collisions --quick --json
holds '[s["scheme"] for s in o["collisions"]["schemes"]] == ["all_every", "surface_every", "all_horizon", "surface_horizon", "grid"]' "the schemes are there"
holds 'all(s["same_state"] for s in o["collisions"]["schemes"])' "all end in the same state"
voxels=$(sed -n '/"name": "clapper"/,/"voxels"/s/.*"voxels": \([0-9]*\).*/\1/p' old.json)
holds "o['collisions']['schemes'][0]['pair_tests_per_step'] == $voxels*($voxels - 1)/2" "the first tests all pairs"
holds 'o["collisions"]["schemes"][1]["pair_tests_per_step"] < o["collisions"]["schemes"][0]["pair_tests_per_step"]' "the second fewer"
holds 'len(o["collisions"]["growth"]) == 1 and o["collisions"]["growth"][0]["bodies"] > 20' "and the heap"

expect 0 "terrain" terrain --quick
says out "rough ground, 1000 x 1000 cells"
expect 0 "terrain --json" terrain --quick --json
holds 'o["terrain"]["floor"]["ratio"] == 1.0' "the floor is what others are compared with"
holds 'all(o["terrain"][t]["ratio"] > 0.1 for t in ["level10", "level1000", "slope1000", "rough1000"])' "ground has ratios"
holds 'all(o["terrain"][b + "-level1000"]["ratio"] > 0.1 for b in ["slab", "block", "crawler"])' "so it has for bodies that lie"
holds 'o["cases"] == []' "no other case was measured"

end_checks
