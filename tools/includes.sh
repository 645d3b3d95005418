#!/usr/bin/env bash
# Checks that every folder of src/ includes only those before it, in the order that CONTRIBUTING.md states.
# Usage: includes.sh    from anywhere
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t order < <(sed -n 's#^    src/\([a-z]*\)/.*#\1#p' CONTRIBUTING.md)
[[ ${#order[@]} -gt 3 ]] || { echo "CONTRIBUTING.md does not list the folders of src/"; exit 1; }
status=0
for folder in src/*/; do
    name=$(basename "$folder")
    [[ " ${order[*]} " == *" $name "* ]] || { echo "CONTRIBUTING.md does not list $folder"; status=1; }
done
before=
for name in "${order[@]}"; do
    before="$before $name "
    while IFS=: read -r file line text; do
        target=${text#*\"}
        target=${target%%/*}
        [[ $target == voxelastic || $before == *" $target "* ]] && continue
        echo "$file:$line: src/$name comes before src/$target and must not include it"
        status=1
    done < <(grep -rnE --include='*.[ch]' '^ *# *include "[a-z_]+/' "src/$name" || true)
done
exit $status
