#!/usr/bin/env bash
# Format, order of includes, clang-tidy on what the build compiles of src/ and examples/, shellcheck on the scripts, one version everywhere.
# Reports everything, then fails if anything failed.
# Usage: lint.sh BUILD    the build folder that holds compile_commands.json
set -uo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/.." || exit
status=0

echo "lint: clang-format"
tools/format.sh --check || status=1

echo "lint: includes"
tools/includes.sh || status=1

echo "lint: clang-tidy"
sed -n 's/^ *"file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" |
    grep -E "^$PWD/(src|examples)/" | sort -u | tr '\n' '\0' |
    xargs -0 -r -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet 2> >(grep -v 'warnings\? generated' >&2) || status=1

echo "lint: shellcheck"
find .ci tools tests -type f \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 -r shellcheck -x -P SCRIPTDIR || status=1

echo "lint: version"
version=$(sed -n 's/^#define VXE_VERSION "\([^"]*\)".*/\1/p' include/voxelastic/base.h)
grep -qx "version: $version" CITATION.cff || { echo "CITATION.cff does not say version: $version"; status=1; }

[[ $status == 0 ]] && echo "lint: clean"
exit $status
