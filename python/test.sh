#!/usr/bin/env bash
# Tests the Python package that was built in a folder. Usage: test.sh FOLDER TESTS [PYTEST-OPTION...]
# Skipped (77) where NumPy, pytest or hypothesis are missing.
set -euo pipefail
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import numpy, pytest, hypothesis' 2>/dev/null || { echo "NumPy, pytest or hypothesis are missing"; exit 77; }
folder=$1
tests=$2
shift 2
export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -p no:cacheprovider -W error::pytest.PytestUnraisableExceptionWarning "$tests" "$@"
