#!/usr/bin/env bash
# Batches: everything is run once, whatever happens on the way; shards and MPI give the same results; hostile lines, full disks,
# interrupts; what is told and written afterwards. VXE_SOAK=1: at the size of the claims in docs/batch.md.
# Usage: batch.sh VOXELASTIC SOURCE
set -u
helper=$(realpath "$(dirname "$0")/batch.py")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" batch "$1"

if "$voxelastic" batch --help | grep -q "built without it"; then
    echo "skipped: built without SQLite (VXE_BATCH)"
    exit 77
fi
designs=400 kills=5 shards=4
[[ ${VXE_QUICK-} == 1 ]] && designs=60 kills=2
[[ ${VXE_SOAK-} == 1 ]] && designs=20000 kills=20 shards=8

cat >base.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [3, 3, 3]},
 "materials": [{"name": "soft"}, {"name": "grows", "expansion": 0.01}, {"name": "shrinks", "expansion": -0.01}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [3, 3, 3]}, "material": "soft"}],
 "environment": {"gravity": true, "floor": true}, "signals": [{"name": "beat", "amplitude": 10, "period": 0.2}],
 "stop": {"time": 0.05}}
END
python3 "$helper" designs "$designs" >designs.jsonl

table() { # STORE FILE: what matters of all results, in order
    "$voxelastic" batch export "$1" --format csv | cut -d, -f1,2,4-9,11 | sort >"$2"
}
same() { # FILE FILE NAME
    cmp -s "$1" "$2"
    verdict $? "$3"
}
sound() { # STORE
    python3 "$helper" check "$1"
    verdict $? "  $1 is sound"
}

# --- one run, undisturbed ---------------------------------------------------------------------------------------------

expect 0 "a batch" batch designs.jsonl -o whole.db --base base.json
says out "done               $designs"
table whole.db whole.csv
[[ $(wc -l <whole.csv) == $((designs + 1)) ]]
verdict $? "every design has one result"
[[ $(ls whole.db*) == whole.db ]]
verdict $? "the store is one file"
expect 0 "once more: nothing to do" batch designs.jsonl -o whole.db --base base.json
says out "known before       $designs"
table whole.db again.csv
same whole.csv again.csv "nothing has changed"
expect 0 "one thread" batch designs.jsonl -o one.db --base base.json --threads 1 -q
table one.db one.csv
same whole.csv one.csv "one thread gives the same"

# The same bits as `run`.
expect 0 "a design as a scene" batch show whole.db r7 --scene r7.json --replay r7.html --trace r7.csv --checkpoint r7.vxck --json
stored=$(sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' out)
expect 0 "run alone" run r7.json --json
alone=$(sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' out)
[[ -n $stored && $stored == "$alone" ]]
verdict $? "run alone, it has the same state: $stored"
[[ -s r7.vxck && $(wc -l <r7.csv) -gt 100 ]]
verdict $? "trace and checkpoint"

# --- on a device, which the CPU plays ------------------------------------------------------------------------------------

head -n 12 designs.jsonl >few.jsonl
expect 0 "the GPU's kernels" batch few.jsonl -o device.db --base base.json --time 0.02 --device emulated
expect 0 "the CPU's loops" batch few.jsonl -o host.db --base base.json --time 0.02 --no-audit
for store in device host; do
    python3 "$helper" sql $store.db "SELECT id, status, steps, state_hash FROM results JOIN designs USING(design) ORDER BY id" >$store.txt
done
same device.txt host.txt "give the same states"
[[ $(python3 "$helper" sql device.db "SELECT device FROM runs") == emulated ]]
verdict $? "and the store says where"

# --- killed ------------------------------------------------------------------------------------------------------------

python3 "$helper" kills "$kills" designs.jsonl killed.db "$voxelastic" batch -o killed.db --base base.json -q >kills.txt
verdict $? "$kills kills, then to the end"
table killed.db killed.csv
same whole.csv killed.csv "every design has exactly one result, that of the undisturbed run"
sound killed.db

# --- interrupted ---------------------------------------------------------------------------------------------------------

"$voxelastic" batch designs.jsonl -o int.db --base base.json --time 5 >out 2>err &
process=$!
while kill -0 $process && [[ $(python3 "$helper" sql int.db 'SELECT count(*) FROM results' 2>/dev/null || echo 0) == 0 ]]; do sleep 0.05; done
kill -INT $process
wait $process
[[ $? == 130 ]]
verdict $? "Ctrl-C"
says out "interrupted"
sound int.db
[[ $(python3 "$helper" sql int.db "SELECT how FROM runs") == interrupted && $(ls int.db*) == int.db ]]
verdict $? "  the store is closed"

# --- no room -----------------------------------------------------------------------------------------------------------

for room in 20 40 100; do # KiB: while it is made, while the first results are written, and less than all of them need
    rm -f full.db*
    (
        ulimit -f $room
        "$voxelastic" batch designs.jsonl -o full.db --base base.json
    ) >out 2>err
    [[ $? == 4 ]]
    verdict $? "no file of more than $room KiB"
    says err "full.db: there is no room left for the store"
    [[ $room == 100 ]] && says err "goes on with it"
    sound full.db
    expect 0 "  with room it goes on" batch designs.jsonl -o full.db --base base.json -q
    table full.db full.csv
    same whole.csv full.csv "  and all results are there"
done
mkdir disk
if unshare -rm mount -t tmpfs -o size=64k none disk 2>/dev/null; then
    export voxelastic helper
    # shellcheck disable=SC2016 # the inner shell expands it
    unshare -rm bash -c '
        mount -t tmpfs -o size=100k none disk
        "$voxelastic" batch designs.jsonl -o disk/full.db --base base.json >out 2>err
        [[ $? == 4 ]] && grep -q "no room left" err && python3 "$helper" check disk/full.db || exit 1
        mount -o remount,size=100m disk
        "$voxelastic" batch designs.jsonl -o disk/full.db --base base.json -q && cp disk/full.db filled.db'
    verdict $? "a full disk: told, sound, goes on when there is room"
    table filled.db filled.csv
    same whole.csv filled.csv "  and all results are there"
else
    echo "skip  a full disk: no file system can be mounted here"
fi

# --- shards ------------------------------------------------------------------------------------------------------------

stores=()
for ((k = 1; k <= shards; k++)); do
    "$voxelastic" batch designs.jsonl -o "shard-$k.db" --base base.json --shard "$k/$shards" -q || verdict 1 "shard $k"
    stores+=("shard-$k.db")
done
expect 0 "$shards shards" batch merge merged.db "${stores[@]}"
table merged.db merged.csv
same whole.csv merged.csv "merged they are the same table"

# --- MPI -----------------------------------------------------------------------------------------------------------------

mpi() { # RANKS ARGUMENTS...
    local ranks=$1
    shift
    # one machine stands for many; its two cores are oversubscribed, so nobody may spin
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe --bind-to none \
        --mca mpi_yield_when_idle 1 --mca btl self,vader -n "$ranks" "$voxelastic" "$@"
}
if OMPI_COMM_WORLD_SIZE=2 "$voxelastic" batch designs.jsonl -o no.db --base base.json 2>&1 | grep -q "built without it"; then
    echo "skip  MPI: built without it (VXE_MPI)"
elif [[ ${VXE_QUICK-} == 1 ]]; then
    echo "skip  MPI: its own memory is not for sanitizers"
elif ! command -v mpirun >/dev/null; then
    echo "skip  MPI: there is no mpirun"
else
    mpi 4 batch designs.jsonl -o mpi.db --base base.json --threads 1 >out 2>err
    verdict $? "four ranks"
    says out "done               $designs"
    table mpi.db mpi.csv
    same whole.csv mpi.csv "they give the same results"
    [[ $(python3 "$helper" sql mpi.db "SELECT count(*) FROM runs WHERE rank>0 AND how='done' AND run IN (SELECT run FROM results)") -ge 2 ]]
    verdict $? "by several workers"
    # longer runs, so that there is time to kill one
    head -n 200 designs.jsonl >long.jsonl
    expect 0 "longer runs" batch long.jsonl -o long.db --base base.json --time 0.5 -q
    table long.db long.csv
    mpi 4 batch long.jsonl -o dead.db --base base.json --time 0.5 --threads 1 -q >out 2>err &
    process=$!
    victim=
    while [[ -z $victim ]] && kill -0 $process; do
        for pid in $(pgrep -f -- "^$voxelastic batch long.jsonl -o dead.db"); do
            { tr '\0' '\n' <"/proc/$pid/environ" | grep -qx OMPI_COMM_WORLD_RANK=2; } 2>/dev/null && victim=$pid
        done
    done
    while kill -0 $process && [[ $(python3 "$helper" sql dead.db 'SELECT count(*) FROM results' 2>/dev/null || echo 0) == 0 ]]; do sleep 0.05; done
    [[ -n $victim ]] && kill -KILL "$victim"
    verdict $? "a worker is killed"
    ! wait $process
    verdict $? "  MPI ends the run"
    sound dead.db
    mpi 3 batch long.jsonl -o dead.db --base base.json --time 0.5 --threads 1 -q
    verdict $? "  three ranks go on"
    table dead.db dead.csv
    same long.csv dead.csv "  and all results are there"
fi

# --- other inputs ----------------------------------------------------------------------------------------------------------

mkdir scenes
cp base.json scenes/a.json
sed 's/0.05/0.03/' base.json >scenes/b.json
echo '{"nonsense": 1}' >scenes/c.json
echo "not a scene" >scenes/readme.txt
expect 0 "a folder of scenes" batch scenes -o folder.db --json
says out '"done": 2'
says out '"failed": 1'
expect 0 "as a table" batch export folder.db
says out "c.json"
says out "c.json:1: not a scene"
expect 0 "a scene" batch base.json -o scene.db --json
says out '"done": 1'
echo '{"scene": "base.json"}' | "$voxelastic" batch - -o folder.db -q
verdict $? "lines of standard input"
[[ $(python3 "$helper" sql folder.db "SELECT count(*) FROM results") == 3 && $(python3 "$helper" sql folder.db "SELECT id FROM aliases") == 1 ]]
verdict $? "a scene is known again in a line"

mkdir overlays
"$voxelastic" convert base.json overlays/base.vxa -q 2>/dev/null
for n in 1 2; do
    cat >"overlays/bot_$n.vxd" <<END
<VXD><Structure replace="VXA.VXC.Structure" Compression="ASCII_READABLE"><X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels><Data><Layer><![CDATA[1$n]]></Layer></Data></Structure></VXD>
END
done
expect 0 "a base and overlays" batch overlays -o overlays.db --time 0.01 --json
says out '"done": 2'
expect 0 "their report" batch export overlays.db -o report.vxr
says report.vxr "<bot_2>"
says report.vxr "<bestfit>"
says report.vxr "<num_voxel>2</num_voxel>"

# --- hostile lines -----------------------------------------------------------------------------------------------------------

python3 - >hostile.jsonl <<'END'
import json, sys
out = sys.stdout.buffer
out.write(b'{"id": "good", "scene": "base.json"}\n')
out.write(b'{"id": "cut", "scene": "base.json"\n')
out.write(b'{"id": "infinite", "scene": "base.json", "time": 1e999}\n')
out.write(b'{"id": "wide", "scene": "base.json", "changes": {"lattice.pitch": 1e300}}\n')
out.write(b'{"id": "large", "scene": {"voxelastic": 1, "lattice": {"pitch": 1, "size": [1000000, 1000000, 1000000]}}}\n')
out.write(b'{"id": "many", "scene": "base.json", "voxels": [' + b",".join([b"1"] * 1000000) + b']}\n')
out.write(bytes(b for b in range(256) if b != 10) + b"\n")
out.write(b'{"id": "out", "scene": "../base.json"}\n')
out.write(b'{"id": "away", "scene": "/etc/passwd"}\n')
out.write(b'{"id": "link", "scene": "link.json"}\n')
out.write(b"[" * 100000 + b"\n")
out.write(b'{"scene": ' * 5000 + b"\n")
out.write(b'{"id": "device", "scene": "zero.json"}\n')
out.write(b"\xff\xfe{}\n")
out.write(b'{"id": "last", "scene": "base.json", "time": 0.01}')
END
ln -s /etc/passwd link.json
ln -s /dev/zero zero.json
expect 0 "hostile lines" batch hostile.jsonl -o hostile.db --json
says out '"done": 2'
says out '"failed": 13'
"$voxelastic" batch export hostile.db --format csv >out
for text in "hostile.jsonl:2: not valid JSON" "hostile.jsonl:3: not valid JSON" "hostile.jsonl:4: lattice.pitch" "hostile.jsonl:5: lattice.size" \
    "hostile.jsonl:6: voxels: 1000000 numbers" "hostile.jsonl:8: scene:" "hostile.jsonl:9: scene:" "hostile.jsonl:10: scene:"; do
    says out "$text"
done

# --- what lines can say --------------------------------------------------------------------------------------------------------

cat >lines.jsonl <<'END'
{"id": "plain", "scene": "base.json", "changes": {"signals[0].period": 0.1, "materials.soft.youngs_modulus": 2e6}, "voxels": "123123123123123123123123123"}
{"id": "twin", "voxels": "123123123123123123123123123", "scene": "base.json", "changes": {"materials.soft.youngs_modulus": 2000000, "signals[0].period": 1e-1}}
{"id": "noisy", "scene": "base.json", "voxels": "123123123123123123123123123", "repeats": 4, "spread": 0.1}
{"id": "explodes", "scene": "base.json", "voxels": "222222222222222222222222222", "changes": {"signals[0].amplitude": 1e4, "signals[0].period": 0.001, "signals[0].size_max": 3}}
{"id": "lost", "scene": "later.json"}
END
expect 0 "lines" batch lines.jsonl -o lines.db --fitness "speed_lengths - 0*cost_of_transport" --best 2 --json
says out '"skipped": 1'
says out '"failed": 1'
[[ $(python3 "$helper" sql lines.db "SELECT count(*) FROM results WHERE status='done'") -ge 5 ]]
verdict $? "repeats have results of their own"
[[ $(python3 "$helper" sql lines.db "SELECT count(DISTINCT state_hash) FROM results r JOIN designs USING(design) WHERE id='noisy'") == 4 ]]
verdict $? "which differ"
[[ $(python3 "$helper" sql lines.db "SELECT count(*) FROM files WHERE name IN ('trace.csv', 'state.vxck')") == 4 ]]
verdict $? "the best are kept"
[[ $(python3 "$helper" sql lines.db "SELECT d.id, f.cause, f.i, f.j, f.k FROM faults f JOIN designs d USING(design)") == "explodes|too fast|0|2|0" ]]
verdict $? "a fault has its voxel and cause"
expect 0 "a design by either of its names" batch show lines.db twin --json
cp out twin.json
expect 0 "is the same" batch show lines.db plain --json
cmp -s out twin.json
verdict $? "  both times"
expect 2 "no such design" batch show lines.db nobody
cp base.json later.json
expect 0 "those that could not be run, again" batch lines.jsonl -o lines.db --retry --json
says out '"done": 1'
says out '"failed": 0'
expect 0 "all again" batch lines.jsonl -o lines.db --again --json
says out '"skipped": 1'
expect 0 "the best by the mean of repeats" batch top lines.db -n 3 --json
says out '"repeats": 4'
expect 0 "by another expression" batch top lines.db --by "-strain_max" -n 2
says out "lost"
expect 2 "by nonsense" batch top lines.db --by "speeed"
says err "a name that is not known"
best=$(python3 "$helper" sql lines.db "SELECT max(fitness) FROM results")
expect 0 "another fitness" batch lines.jsonl -o lines.db --fitness "1000 + distance" -q
[[ $(python3 "$helper" sql lines.db "SELECT min(fitness) >= 1000 FROM results") == 1 && $best != 1000* ]]
verdict $? "values everything again"

# --- what is told ------------------------------------------------------------------------------------------------------------

expect 0 "status" batch status whole.db
says out "done               $designs"
expect 0 "status as JSON" batch status whole.db --json
says out '"schema": 1'
expect 0 "top" batch top whole.db -n 4
[[ $(wc -l <out) == 5 ]]
verdict $? "four lines and a head"
expect 0 "JSON lines" batch export whole.db -o whole.jsonl
python3 -c "
import json
rows = [json.loads(line) for line in open('whole.jsonl')]
assert len(rows) == $designs and all(r['metrics']['voxels'] > 0 for r in rows)"
verdict $? "are JSON"
expect 0 "the page" batch export whole.db -o page.html -n 1
says page.html "Fitness over time"
says page.html "Histogram of fitness"
says page.html "The best"
if "$voxelastic" studio --help 2>/dev/null | grep -q "port"; then
    [[ -s page-replay-1.html ]]
    verdict $? "with a replay"
fi
expect 2 "an unknown format" batch export whole.db -o whole.xyz
expect 4 "no such store" batch status nothing.db
expect 2 "no store at all" batch designs.jsonl
expect 2 "a shard that is none" batch designs.jsonl -o x.db --shard 5/4
expect 4 "no such input" batch nothing.jsonl -o x.db
expect 2 "a base that is none" batch designs.jsonl -o x.db --base scenes/c.json
python3 "$helper" sql whole.db "PRAGMA user_version=2" >/dev/null
expect 2 "a newer store" batch status whole.db
says err "made by a newer Voxelastic"
expect 2 "is not written either" batch designs.jsonl -o whole.db --base base.json
python3 "$helper" sql whole.db "PRAGMA user_version=1" >/dev/null

# --- at full size: make soak ---------------------------------------------------------------------------------------------------

# Processor time, so that other work on the machine does not count.
clocked() { # NAME SECONDS ARGUMENTS...
    local name=$1 limit=$2 cost
    shift 2
    cost=$( { TIMEFORMAT='%U %S' && time "$voxelastic" "$@" >out 2>err; } 2>&1)
    awk -v l="$limit" -v n="$name" '{ printf "      %s: %.2f s of processor time\n", n, $1 + $2; exit !($1 + $2 < l) }' <<<"$cost"
    verdict $? "$name"
}
if [[ ${VXE_SOAK-} == 1 ]]; then
    python3 "$helper" designs 100000 >many.jsonl
    # 5000 designs a second on two cores
    clocked "10^5 designs of one step" 40 batch many.jsonl -o many.db --base base.json --steps 1 --threads 2 --json
    grep designs_per_second out
    says out '"done": 100000'
    python3 "$helper" million many.db 1000000
    clocked "top of 10^6" 5 batch top many.db
    clocked "status of 10^6" 5 batch status many.db
    clocked "export of 10^6" 15 batch export many.db -o many.csv
    [[ $(wc -l <many.csv) == 1000001 ]]
    verdict $? "all of them"
    # bodies of 100 voxels for 5 s
    python3 - >robots.jsonl <<'END'
import json
scene = {"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [5, 5, 4]},
         "materials": [{"name": "a", "youngs_modulus": 1e5, "expansion": 0.01}, {"name": "b", "youngs_modulus": 1e5, "expansion": -0.01}],
         "shapes": [{"box": {"corner": [0, 0, 0], "size": [5, 5, 4]}, "material": "a"},
                    {"box": {"corner": [0, 0, 0], "size": [3, 5, 2]}, "material": "b"}],
         "environment": {"gravity": True, "floor": True}, "signals": [{"name": "beat", "amplitude": 10, "period": 0.5}],
         "stop": {"time": 5}}
for i in range(60):
    print(json.dumps({"scene": scene, "changes": {"signals[0].period": 0.4 + 0.005 * i}}))
END
    expect 0 "robots of 100 voxels" batch robots.jsonl -o robots.db --json
    store=$(sed -n 's/.*"store_seconds": \([0-9.e-]*\).*/\1/p' out)
    work=$(python3 "$helper" sql robots.db "SELECT sum(wall) FROM results")
    awk -v s="$store" -v w="$work" 'BEGIN { printf "      store %.4f s, workers %.2f s: %.3f %%\n", s, w, 100 * s / w; exit !(s < 0.01 * w) }'
    verdict $? "the store costs less than one percent"
fi

end_checks
