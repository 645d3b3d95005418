#!/usr/bin/env bash
# In the place of other programs: their names, exit codes and files; what a failed run leaves; where files go; and what hostile input
# and surroundings do.
# Usage: dropin.sh VOXELASTIC SOURCE
set -u
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" dropin "$1"

same() { # A B NAME
    [[ -n $1 && $1 == "$2" ]]
    verdict $? "$3"
    [[ $1 == "$2" ]] || echo "      \"$1\" and \"$2\""
}

ln -s "$voxelastic" voxelyze
ln -s "$voxelastic" voxcraft-sim

# robot FILE RESULT: a file of evosoro with two voxels on a floor
robot() {
    cat >"$1" <<END
<?xml version="1.0" encoding="ISO-8859-1"?>
<VXA Version="1.0"><Simulator><Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0.01</SlowDampingZ></Damping>
<StopCondition><StopConditionType>2</StopConditionType><StopConditionValue>0.05</StopConditionValue></StopCondition>
<GA><FitnessFileName>$2</FitnessFileName></GA></Simulator>
<Environment><Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled></Gravity></Environment>
<VXC Version="0.93"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice><Palette><Material><Name>a</Name><Mechanical>
<Elastic_Mod>1e5</Elastic_Mod><Density>1000</Density><uStatic>1</uStatic><uDynamic>0.5</uDynamic></Mechanical></Material></Palette>
<Structure Compression="ASCII_READABLE"><X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>
<Data><Layer><![CDATA[11]]></Layer></Data></Structure></VXC></VXA>
END
}
# answers STATUS TITLE COMMAND...: like expect, for any program
answers() {
    local status=$1 title=$2 got=0
    shift 2
    "$@" >out 2>err || got=$?
    [[ $got == "$status" ]]
    verdict $? "$title (status $got)"
}

# --- voxelyze --------------------------------------------------------------------------------------------------------

mkdir results
robot walk.vxa results/walk.xml
answers 1 "voxelyze -f" ./voxelyze -f walk.vxa
is_empty out
is_empty err
grep -q '<Status>done</Status>' results/walk.xml && grep -q '^    <NormFinalDist>' results/walk.xml
verdict $? "  writes the file where the scene says"
answers 1 "voxelyze -p" ./voxelyze -f walk.vxa -p
says out "Ended at: 0.05"
answers 0 "voxelyze without a file" ./voxelyze
says out "Input file required. Quitting."
answers 0 "voxelyze with a file that is not there" ./voxelyze -f nothing.vxa
robot lost.vxa nowhere/walk.xml
answers 1 "voxelyze with a folder that is not there" ./voxelyze -f lost.vxa
[[ ! -e nowhere ]]
verdict $? "  makes none"

# --- as the original ---------------------------------------------------------------------------------------------------

robot original.vxa original.xml
sed -i 's|<Environment>|<Environment><Thermal><TempEnabled>1</TempEnabled><TempAmplitude>20</TempAmplitude><TempPeriod>0.02</TempPeriod></Thermal>|
    s|<uStatic>|<CTE>0.01</CTE><uStatic>|; s|<X_Voxels>2|<X_Voxels>3|; s|<Y_Voxels>1|<Y_Voxels>3|
    s|\[11\]|[111100110]|; s|</Data>|</Data><PhaseOffset><Layer><![CDATA[0,0.1,0.2,0.3,0,0,0.7,0.8,0]]></Layer></PhaseOffset>|' original.vxa
answers 1 "voxelyze on a body that bends" ./voxelyze -f original.vxa
mv original.xml theirs.xml
expect 0 "run --as-original" run original.vxa -q --as-original
same "$(cat original.xml)" "$(cat theirs.xml)" "  does the same"
expect 0 "run with links in balance and shorter steps" run original.vxa -q --dt-fraction 0.7 --bond-damping explicit
! cmp -s original.xml theirs.xml
verdict $? "  does not"

# --- a run that fails ------------------------------------------------------------------------------------------------

# a force field, which a file of voxcraft may have, tears the two voxels apart
mkdir -p torn results2
cat >torn/base.vxa <<'END'
<VXA Version="1.1"><Simulator><Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0.01</SlowDampingZ></Damping>
<StopCondition><StopConditionFormula><mtSUB><mtVAR>t</mtVAR><mtCONST>0.05</mtCONST></mtSUB></StopConditionFormula></StopCondition>
<FitnessFunction><mtCONST>7</mtCONST></FitnessFunction><AttachDetach><EnableCollision>0</EnableCollision></AttachDetach>
<ForceField><x_forcefield><mtMUL><mtSUB><mtVAR>x</mtVAR><mtCONST>0.005</mtCONST></mtSUB><mtCONST>0</mtCONST></mtMUL></x_forcefield></ForceField>
</Simulator><Environment><Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled></Gravity></Environment>
<VXC Version="0.94"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice><Palette><Material><Name>a</Name><Mechanical>
<Elastic_Mod>1e5</Elastic_Mod><Density>1000</Density><Cilia>1</Cilia></Mechanical></Material></Palette>
<Structure Compression="ASCII_READABLE"><X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</Z_Voxels>
<Data><Layer><![CDATA[11]]></Layer></Data></Structure></VXC></VXA>
END
pull='<ForceField replace="VXA.Simulator.ForceField"><x_forcefield><mtMUL><mtSUB><mtVAR>x</mtVAR><mtCONST>0.005</mtCONST></mtSUB><mtCONST>-1e7</mtCONST></mtMUL></x_forcefield></ForceField>'
echo '<VXD></VXD>' >torn/good.vxd
echo "<VXD>$pull</VXD>" >torn/bad.vxd
echo '<VXD><a></VXD>' >torn/broken.vxd
expect 2 "check of a folder, in which one overlay cannot be read" check torn
says out "torn/bad.vxd: valid"
says out "torn/good.vxd: valid"
says err "torn/broken.vxd:2: "
mkdir bare
cp torn/base.vxa bare
expect 2 "check of a folder without overlays" check bare
says err "bare: there is no overlay (.vxd) in it"
expect 3 "a folder with a robot that fails and one that cannot be read" run torn -o torn-out -q
says torn-out/report.vxr "<bestfit><filename>good.vxd</filename><fitness_score>7</fitness_score></bestfit>"
says torn-out/report.vxr "<bad><currentTime>"
says torn-out/report.vxr "<status>failed</status><message>"
says torn-out/report.vxr "<broken><fitness_score>-1000000</fitness_score><status>failed</status><message>torn/broken.vxd:2: "
rm torn/good.vxd
expect 3 "all fail" run torn -o torn-all -q
says torn-all/report.vxr "<fitness_score>-1000000</fitness_score></bestfit>"
answers 0 "voxcraft-sim: all fail" ./voxcraft-sim -i torn -o all.xml
says all.xml "<status>failed</status>"
"$voxelastic" convert torn/bad.vxd crushed.json >/dev/null 2>&1
sed 's/"dialect": "voxcraft"/"dialect": "evosoro", "result_file": "crushed.xml"/' crushed.json >crushed2.json
expect 3 "evosoro's file of a run that fails" run crushed2.json -q
says crushed.xml "<NormFinalDist>-1000000</NormFinalDist>"
says crushed.xml "<Status>failed</Status>"

# --- voxcraft-sim ----------------------------------------------------------------------------------------------------

mkdir bots
sed 's/<FitnessFunction>/<RecordHistory><RecordStepSize>100<\/RecordStepSize><\/RecordHistory>&/' torn/base.vxa >bots/base.vxa
echo '<VXD></VXD>' >bots/one.vxd
answers 0 "voxcraft-sim" ./voxcraft-sim -i bots -o bots.xml
says bots.xml "<detail><one><currentTime>"
says out "<<<Step"
says out "{{{setting}}}<rescale>0.001</rescale>"
answers 1 "voxcraft-sim with a report that is there" ./voxcraft-sim -i bots -o bots.xml
says out "Error: output file exists."
answers 0 "voxcraft-sim -f" ./voxcraft-sim -i bots -o bots.xml -f
answers 1 "voxcraft-sim without a folder" ./voxcraft-sim
answers 1 "voxcraft-sim with a folder without base.vxa" ./voxcraft-sim -i results
expect 2 "a folder without base.vxa" run results
says err "results: is a folder, and there is no base.vxa in it"

# --- reading ---------------------------------------------------------------------------------------------------------

layers='<BaseCiliaForce><Layer>1,0</Layer></BaseCiliaForce>'
sed "s|<AttachDetach>|<EnableCilia>1</EnableCilia><SelfReplication>1</SelfReplication><WorldSize>9</WorldSize>&|; s|</Data>|&$layers|" torn/base.vxa >short.vxa
expect 0 "short layers" info short.vxa
says out "BaseCiliaForce: layer 1 has 2 numbers, not 6: the rest is as if it were not there"
says out "Simulator/SelfReplication: rules of kind remove"
says out "Simulator/WorldSize: with SelfReplication and WallForce"
grep -q unknown out
verdict $((1 - $?)) "  and no tag is unknown"
sed "s/<Cilia>1/<LockZ>1<\/LockZ>&/; s/<AttachDetach>/<EnableCilia>1<\/EnableCilia>&/; s/<\/Data>/&<BaseCiliaForce><Layer>1,0,-9,1,0,-9<\/Layer><\/BaseCiliaForce>/" torn/base.vxa >lock.vxa
expect 0 "LockZ" info lock.vxa
says out "holds z rx ry"
grep -q cilia_z out
verdict $((1 - $?)) "  and takes the cilia's force along z"
mkdir empty-base
sed 's/<Data>.*<\/Data>/<Data><\/Data>/' torn/base.vxa >empty-base/base.vxa
sed -n 's/.*\(<Structure.*\)/\1/p; /<Structure/,/<\/Structure>/p' torn/base.vxa | tail -n 2 >part
{ echo; echo '<VXD>'; sed 's/<Structure /<Structure replace="VXA.VXC.Structure" /; s/<\/VXC><\/VXA>//' part; echo '</VXD>'; } >empty-base/filled.vxd
expect 0 "a base without voxels, and an overlay with some" run empty-base -q
sed 's/\[11\]/[111]/' empty-base/filled.vxd >empty-base/long.vxd
expect 2 "an error in an overlay" check empty-base/long.vxd
says err "empty-base/long.vxd:4: Layer: the layer has 3 voxels, not 2"
sed -i 's/<Elastic_Mod>1e5/<Elastic_Mod>-1/; s/<X_Voxels>2/<X_Voxels>0/' empty-base/base.vxa
rm empty-base/*.vxd
echo '<VXD></VXD>' >empty-base/as-it-is.vxd
expect 2 "an error in the base of an overlay" check empty-base/as-it-is.vxd
says err "empty-base/base.vxa:"

# --- where files go --------------------------------------------------------------------------------------------------

mkdir -p below
robot away.vxa "$PWD/results2/away.xml"
(cd below && "$voxelastic" run ../away.vxa -q >out 2>err)
verdict $? "results that are wanted elsewhere"
says below/err "wants its results at \"$PWD/results2/away.xml\"; they go to away.xml (--outputs-anywhere puts them there)"
[[ -e below/away.xml && ! -e results2/away.xml ]]
verdict $? "  are written here"
(cd below && "$voxelastic" run ../away.vxa -q --outputs-anywhere >out 2>err)
verdict $? "--outputs-anywhere"
[[ -e results2/away.xml && ! -s below/err ]]
verdict $? "  writes them there"
expect 0 "and a conversion keeps the path" convert away.vxa again.vxa
says again.vxa "<FitnessFileName>$PWD/results2/away.xml</FitnessFileName>"
echo precious >results2/away.xml
expect 4 "a file that is no result" run away.vxa -q --outputs-anywhere
same "$(cat results2/away.xml)" precious "  is not replaced"

# --- what is no plain file -------------------------------------------------------------------------------------------

mkfifo pipe
ln -s /dev/null null
mkdir odd
mkfifo odd/summary.json
mkfifo odd2 && mkdir odd3 && ln -s ../odd2 odd3/trace.csv
for place in pipe null /dev/null; do
    expect 4 "--checkpoint $place" run walk.vxa -q --checkpoint "$place"
    says err "is no plain file"
done
expect 4 "-o with a pipe for a summary" run walk.vxa -q -o odd
expect 4 "-o with a link to a pipe for a trace" run walk.vxa -q -o odd3
[[ -p pipe && -L null && -c /dev/null && -p odd/summary.json && -p odd2 ]]
verdict $? "  all are what they were"
echo old >target
ln -s target link
expect 0 "a link to a file" run walk.vxa -q --checkpoint link
[[ -L link && $(head -c 3 target) != old ]]
verdict $? "  stays a link"

# --- signals and limits ----------------------------------------------------------------------------------------------

cat >long.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [10, 10, 10]}, "materials": [{"name": "a"}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [10, 10, 10]}, "material": "a"}],
 "environment": {"gravity": true, "floor": true}, "stop": {"time": 10000}}
END
for name in HUP TERM INT; do
    "$voxelastic" run long.json -q -o "on-$name" >out 2>err &
    child=$!
    for _ in $(seq 200); do if [[ -s on-$name/trace.csv ]]; then break; fi; sleep 0.02; done
    kill -s "$name" $child
    got=0
    wait $child || got=$?
    same "$got" 130 "SIG$name"
    [[ -s on-$name/state.vxck && -s on-$name/summary.json ]]
    verdict $? "  saves"
done
: >"on-HUP/.vxe-abcdef.tmp" # of a run that was killed
expect 0 "going on" run long.json -q -o on-HUP --resume on-HUP/state.vxck --steps 1
[[ ! -e on-HUP/.vxe-abcdef.tmp ]]
verdict $? "  removes what a kill left"
(ulimit -f 8 && exec "$voxelastic" run long.json -q -o full --steps 5000) >out 2>err
same $? 4 "a limit on the size of files"
says err "File too large"
(ulimit -s 128 && exec "$voxelastic" check walk.vxa) >out 2>err
same $? 4 "a small stack"
says err "the stack is limited to 128 kB"
{
    printf '<VXA'
    for ((i = 0; i < 3000; i++)); do printf ' a%d=""' $i; done
    printf '></VXA>'
} >attributes.vxa
expect 2 "an element with many attributes" check attributes.vxa
says err "more than 256 attributes"

# --- memory ----------------------------------------------------------------------------------------------------------

# refused STATUS TITLE COMMAND...: within 200 MB of address space beyond what it has, so before anything is read
refused() {
    local status=$1 title=$2 got=0
    shift 2
    (ulimit -v 1500000 && exec "$@") >out 2>err || got=$?
    [[ $got == "$status" ]]
    verdict $? "$title (status $got)"
}
if [[ ${VXE_QUICK-} != 1 ]]; then # sanitizers need address space of their own
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (1600, 1600, 1600), }" >sparse.npy
    truncate -s 4096000128 sparse.npy
    refused 4 "a sparse array of 4 GB" "$voxelastic" check sparse.npy
    says err "not enough memory"
    truncate -s 5000000000 sparse.npy
    refused 4 "one of 5 GB" "$voxelastic" check sparse.npy
    rm sparse.npy
    cat >many.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [1000, 1000, 400]}, "materials": [{"name": "a"}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [1000, 1000, 400]}, "material": "a"}]}
END
    refused 4 "400 million voxels" "$voxelastic" check many.json
    says err "there is not enough memory for 400000000 voxels"
    cat >many.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [1000, 1000, 400]}, "materials": [{"name": "a"}],
 "layers": {"legend": {"a": "a"}, "layers": [{"repeat": 400, "rows": ["1000*1000a"]}]}}
END
    refused 4 "and in layers" "$voxelastic" check many.json
    refused 2 "a device that never ends" "$voxelastic" check /dev/zero
    says err "/dev/zero: larger than 67108864 bytes"
    (ulimit -v 1500000 && exec "$voxelastic" check - </dev/zero) >out 2>err
    same $? 2 "and on standard input"
fi
cat >wide.json <<'END'
{"voxelastic": 1, "lattice": {"pitch": 0.01, "size": [300, 300, 200]}, "materials": [{"name": "a"}],
 "shapes": [{"box": {"corner": [0, 0, 0], "size": [2, 2, 2]}, "material": "a"}], "actuation": {"phase": 0.25}, "stop": {"steps": 1}}
END
"$voxelastic" check wide.json >out 2>err &
child=$!
wait $child
verdict $? "the actuation of a wide, empty space"

end_checks
