#!/usr/bin/env bash
# Runs every fuzz target for some time, from its seeds and what earlier runs found.
# A dictionary tests/fuzz/NAME.dict is used where there is one. New inputs are kept in BUILD/corpus/NAME, inputs
# that fail in BUILD/failures.
# Usage: fuzz.sh BUILD SECONDS
set -uo pipefail
build=$1 seconds=$2
source=$(dirname "$0")/..
mkdir -p "$build/failures"
passed=0 failed=0
for target in "$build"/tests/fuzz_*; do
    [[ -f $target && -x $target ]] || continue
    name=${target##*/fuzz_}
    corpus=$build/corpus/$name seeds=$source/tests/fuzz/corpus/$name
    mkdir -p "$corpus"
    folders=("$corpus")
    [[ ! -d $seeds ]] || folders+=("$seeds")
    options=(-max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0
        -artifact_prefix="$build/failures/$name-")
    dictionary=$source/tests/fuzz/$name.dict
    [[ ! -f $dictionary ]] || options+=(-dict="$dictionary")
    echo "fuzz: $name, $seconds s"
    if "$target" "${options[@]}" "${folders[@]}"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "fuzz: $name failed; the input is in $build/failures"
    fi
done
echo "fuzz: $passed passed, $failed failed"
[[ $failed == 0 && $passed -gt 0 ]]
