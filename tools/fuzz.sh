#!/usr/bin/env bash
# Runs every fuzz target for some time, from its seeds and what earlier runs found; as many at once as there are
# processors. A dictionary tests/fuzz/NAME.dict is used where there is one. New inputs are kept in
# BUILD/corpus/NAME, inputs that fail in BUILD/failures, what a target printed in BUILD/NAME.log.
# Usage: fuzz.sh BUILD SECONDS
set -uo pipefail
build=$1 seconds=$2
source=$(dirname "$0")/..
mkdir -p "$build/failures"

fuzz() { # TARGET
    local name=${1##*/fuzz_}
    local corpus=$build/corpus/$name seeds=$source/tests/fuzz/corpus/$name dictionary=$source/tests/fuzz/$name.dict
    local folders=("$corpus")
    mkdir -p "$corpus"
    [[ ! -d $seeds ]] || folders+=("$seeds")
    local options=(-max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0
        -artifact_prefix="$build/failures/$name-")
    [[ ! -f $dictionary ]] || options+=(-dict="$dictionary")
    if "$1" "${options[@]}" "${folders[@]}" >"$build/$name.log" 2>&1; then
        echo "fuzz: $name, $seconds s, $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs: passed"
    else
        cat "$build/$name.log"
        echo "fuzz: $name failed; the input is in $build/failures"
    fi
}
export -f fuzz
export build seconds source

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2016 # the inner shell expands it
for target in "$build"/tests/fuzz_*; do
    [[ -f $target && -x $target ]] && printf '%s\0' "$target"
done | xargs -0 -r -n 1 -P "$(nproc)" bash -c 'fuzz "$1"' fuzz | tee "$log"
passed=$(grep -c ': passed$' "$log")
failed=$(grep -c ' failed; the input is in ' "$log")
echo "fuzz: $passed passed, $failed failed"
[[ $failed == 0 && $passed -gt 0 ]]
