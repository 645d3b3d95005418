#!/usr/bin/env bash
# Runs the scripts of docs/cluster.md as they are printed, with the Slurm of this machine. Skipped where there is none, so
# always but where somebody has set one up: Debian's slurm-wlm and munge, one node of two processors.
# Usage: slurm.sh VOXELASTIC SOURCE
set -u
source=$(realpath "$2")
helper=$(realpath "$(dirname "$0")/batch.py")
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" slurm "$1"

if ! command -v sbatch >/dev/null || ! sinfo --noheader --states=idle,mixed --format=%D 2>/dev/null | grep -q .; then
    echo "skipped: no Slurm with an idle node here"
    exit 77
fi
if "$voxelastic" batch --help | grep -q "built without it"; then
    echo "skipped: built without SQLite (VXE_BATCH)"
    exit 77
fi
mkdir bin && ln -s "$voxelastic" bin/voxelastic
export PATH=$PWD/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# The blocks of the guide, in their order.
awk '/^```bash$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > ("block" n) }' "$source/docs/cluster.md"
mv block1 array.sh && mv block2 merge.sh && mv block3 submit && mv block4 mpi.sh
verdict $? "four blocks"
cp "$source/tests/slurm_base.json" base.json
python3 "$helper" designs 400 >designs.jsonl

table() { # STORE FILE
    voxelastic batch export "$1" --format csv | cut -d, -f1,2,4-9,11 | sort >"$2"
}
settle() { # waits until the queue of this user is empty
    while squeue --noheader --user="$(id -u)" | grep -q .; do sleep 1; done
}
voxelastic batch designs.jsonl --base base.json -o alone.db -q
verdict $? "one process"
table alone.db alone.csv

bash submit
verdict $? "the array is submitted"
settle
cat merge.log
table runs.db array.csv
cmp -s alone.csv array.csv
verdict $? "array and merge give the same table"

rm -f runs.db
sbatch --parsable mpi.sh
verdict $? "MPI is submitted"
settle
cat mpi.log
table runs.db mpi.csv
cmp -s alone.csv mpi.csv
verdict $? "MPI gives the same table"
end_checks
