#!/usr/bin/env bash
# Files of other programs from the command line: info and its remarks, convert between formats, dialects, results that
# scripts expect, folders of overlays.
# Usage: formats.sh VOXELASTIC SOURCE_DIR
set -u
source_dir=$(realpath "$2")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" formats "$1"

hash_of() { # SCENE: of the compiled model
    "$voxelastic" info "$1" --json | sed -n 's/^  "model_hash": "\(.*\)",\{0,1\}$/\1/p'
}

same() { # A B NAME
    [[ -n $1 && $1 == "$2" ]]
    verdict $? "$3"
    [[ $1 == "$2" ]] || echo "      \"$1\" and \"$2\""
}

# A file of the VoxCAD family: SIMULATOR ENVIRONMENT
vxa() {
    cat <<END
<?xml version="1.0" encoding="ISO-8859-1"?>
<VXA Version="1.1">
<Simulator>
<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0.01</SlowDampingZ></Damping>
$1
</Simulator>
<Environment>
<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1</FloorEnabled></Gravity>
$2
</Environment>
<VXC Version="0.94"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>
<Palette><Material ID="1"><Name>Gel</Name>
<Mechanical><Elastic_Mod>1e+006</Elastic_Mod><Density>1000</Density><CTE>0.01</CTE><uStatic>1</uStatic><uDynamic>0.5</uDynamic></Mechanical>
</Material></Palette>
<Structure Compression="ASCII_READABLE"><X_Voxels>3</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>2</Z_Voxels>
<Data><Layer><![CDATA[101]]></Layer><Layer><![CDATA[111]]></Layer></Data></Structure>
</VXC></VXA>
END
}
stop='<StopCondition><StopConditionType>2</StopConditionType><StopConditionValue>0.05</StopConditionValue></StopCondition>'
vxa "$stop<GA><FitnessFileName>results/walk.xml</FitnessFileName></GA><Odd>1</Odd>" '' >walk.vxa
vxa "$stop" '' >plain.vxa

# --- info ------------------------------------------------------------------------------------------------------------

expect 0 "info of a .vxa" info walk.vxa
says out "Gel                      5 voxels"
says out "at 50 ms"
says out "dialect: evosoro, because of Simulator/GA"
says out "line 5     unknown       Simulator/Odd: no program of the family is known to read it; it is kept"
expect 0 "  in another dialect" info walk.vxa --dialect voxcraft
says out "Simulator/GA/FitnessFileName: this program does not read it"
expect 2 "  in none there is" info walk.vxa --dialect voxelcraft
says err "--dialect: \"voxelcraft\" is not one of auto, evosoro, voxcad, voxcraft"
expect 0 "  as JSON" info walk.vxa --json
says out '"kind": "unknown"'
expect 0 "check of a .vxa" check walk.vxa
says out "walk.vxa: valid"
sed 's/101/1012/' walk.vxa >long.vxa
expect 2 "a layer that is too long" check long.vxa
says err "long.vxa:16: Layer: the layer has 4 voxels, not 3"
head -c 400 walk.vxa >cut.vxa
expect 2 "a file that is cut off" check cut.vxa
says err "cut.vxa:"
"$voxelastic" info - <walk.vxa >out 2>err
verdict $? "a .vxa from standard input"

# --- convert ---------------------------------------------------------------------------------------------------------

for scene in walk.vxa plain.vxa "$source_dir"/scenes/*.json; do
    name=$(basename "$scene")
    expect 0 "convert $name to .json" convert "$scene" a.json
    expect 0 "  to .vxa" convert a.json b.vxa -q
    expect 0 "  to .json" convert b.vxa c.json -q
    expect 0 "  to .vxc" convert c.json d.vxc -q
    first=$(hash_of "$scene")
    same "$(hash_of a.json)" "$first" "  the same model as .json"
    same "$(hash_of b.vxa)" "$first" "  as .vxa"
    same "$(hash_of c.json)" "$first" "  as .json again"
    cmp -s a.json c.json
    verdict $? "  in the same words"
    same "$(hash_of d.vxc)" "$first" "  as .vxc"
    expect 0 "  to .vxl.json" convert c.json e.vxl.json
    expect 0 "  and back" convert e.vxl.json f.json
done
expect 0 "convert --json" convert walk.vxa a.json --json
says out '"status": "done"'
expect 2 "convert to a format that is only read" convert walk.vxa x.vxp
says err "write .vxc"
expect 2 "convert to an overlay" convert walk.vxa x.vxd
says err "a difference between two scenes"
expect 2 "convert to something unknown" convert walk.vxa x.doc
says err 'files of kind ".doc" are not written'
expect 2 "convert a history" convert x.history x.json
says err "a recording, not a scene"
expect 2 "convert one file" convert walk.vxa
expect 2 "convert three files" convert walk.vxa a.json b.json
expect 4 "convert into a missing folder" convert walk.vxa nowhere/a.json
[[ ! -e x.vxp && ! -e x.vxd && ! -e x.doc ]]
verdict $? "  and nothing was written"

# --- results ---------------------------------------------------------------------------------------------------------

expect 0 "run writes the fitness file into the folder" run walk.vxa -o out1 -q
grep -q '^    <NormFinalDist>' out1/results/walk.xml
verdict $? "  one element per line"
expect 0 "run without a folder writes it here" run walk.vxa
says out "results/walk.xml"
[[ -s results/walk.xml ]]
verdict $? "  as the scene says"
echo "mine" >results/walk.xml
expect 4 "but not over another file" run walk.vxa -q
says err "there is another file"
same "$(cat results/walk.xml)" mine "  which stays"
sed 's|results/walk.xml|../../escape.xml|' walk.vxa >escape.vxa
expect 0 "a path that leads out" run escape.vxa -o out2 -q
[[ -s out2/escape.xml && ! -e ../escape.xml && ! -e ../../escape.xml ]]
verdict $? "  stays in the folder"

mkdir crowd
vxa '<RecordHistory><RecordStepSize>100</RecordStepSize></RecordHistory><EnableExpansion>1</EnableExpansion>
<StopCondition><StopConditionFormula><mtSUB><mtVAR>t</mtVAR><mtCONST>0.05</mtCONST></mtSUB></StopConditionFormula></StopCondition>
<FitnessFunction><mtVAR>z</mtVAR></FitnessFunction>' '' >crowd/base.vxa
echo '<VXD></VXD>' >crowd/same.vxd
cat >crowd/one.vxd <<'END'
<VXD><Structure replace="VXA.VXC.Structure" Compression="ASCII_READABLE"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>3</Z_Voxels>
<Data><Layer>0</Layer><Layer>0</Layer><Layer>1</Layer></Data></Structure><Ignored>1</Ignored></VXD>
END
expect 0 "run a folder of overlays" run crowd -o out3
says out "one.vxd"
says out "out3/report.vxr"
for text in "<inputdir>crowd</inputdir>" "<bestfit><filename>same.vxd</filename>" "<num_voxel>5</num_voxel>" "<num_voxel>1</num_voxel>"; do
    grep -qF "$text" out3/report.vxr
    verdict $? "  the report has $text"
done
[[ -s out3/one.history && -s out3/same.history && -s out3/one/summary.json ]]
verdict $? "  histories and summaries too"
expect 0 "info of a history" info out3/one.history
says out "1 to 1 at the surface"
expect 0 "  as JSON" info out3/one.history --json
says out '"frames": 6'
expect 0 "info of an overlay" info crowd/one.vxd
says out "Ignored: of the overlay: it has no attribute replace"
expect 2 "info of a folder with several" info crowd
says err "2 overlays; name one of them, such as crowd/one.vxd"
echo '<VXD><A replace="VXA.VXC..Structure"/></VXD>' >crowd/bad.vxd
expect 2 "an overlay with a bad path" check crowd/bad.vxd
says err "is not a path of the base"
expect 2 "  spoils the run of the folder" run crowd -q
mkdir lonely
cp crowd/same.vxd lonely
expect 4 "an overlay without its base" check lonely/same.vxd
says err "base.vxa"
cp crowd/base.vxa lonely
rm lonely/same.vxd
expect 2 "a folder without overlays" run lonely
says err "nothing to run"

end_checks
