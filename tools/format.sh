#!/usr/bin/env bash
# Formats all C files in place; with --check, only says which lines differ and fails if any does.
set -euo pipefail
cd "$(dirname "$0")/.."
options=(-i)
[[ ${1-} != --check ]] || options=(--dry-run -Werror)
find include src tests examples -name '*.[ch]' -print0 | xargs -0 -r clang-format "${options[@]}"
