#!/usr/bin/env bash
# The studio in a browser: the tests of web/e2e. Skipped (77) where there is no browser.
# Usage: e2e.sh VOXELASTIC SOURCE
set -euo pipefail
export VOXELASTIC=$1
web=$2/web

skip() {
    echo "skipped: $1"
    exit 77
}
[[ ${VXE_QUICK-} != 1 ]] || skip "VXE_QUICK=1"
CHROMIUM=${CHROMIUM-$(command -v chromium || true)}
[[ -n $CHROMIUM ]] || skip "there is no chromium; tools/setup.sh browser installs it"
[[ -d $web/node_modules ]] || skip "web/node_modules is not there; npm ci in web/ makes it"
export CHROMIUM
cd "$web"
exec npm test --silent
