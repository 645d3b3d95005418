#!/usr/bin/env bash
# Tests and measures the GPU backend. The machine with the GPU needs the driver only: the kit brings programs and libraries.
# Usage: gpu.sh kit            builds, and puts the kit into build/gpu-kit (50 MB)
#        gpu.sh test [KIT]     compares the GPU with the CPU, bit by bit; also under compute-sanitizer, where that is installed
#        gpu.sh bench [KIT]    measures speed; results as text, and as JSON in $OUT (default: here)
set -uo pipefail
here=$(realpath "$(dirname "$0")")
[[ -x $here/test_gpu ]] && default=$here || default=$here/../build/gpu-kit # the kit has this script, too

kit() {
    local build=build/gpu kit=build/gpu-kit program
    cd "$here/.." || exit
    cmake --preset gpu >/dev/null && cmake --build --preset gpu || exit
    rm -rf "$kit"
    mkdir -p "$kit/lib"
    cp "$build/voxelastic" "$build/tests/test_gpu" "$kit/" || exit
    for program in voxelastic test_gpu; do
        ldd "$kit/$program" | awk '$3 ~ /^\// { print $3 }'
    done | sort -u | grep -Ev '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' | xargs -I{} cp -L {} "$kit/lib/"
    strip "$kit/voxelastic" "$kit/test_gpu"
    cp tools/gpu.sh "$kit/"
    du -sh "$kit"
}

# Runs a program of the kit.
of_kit() {
    local program=$1
    shift
    LD_LIBRARY_PATH=$KIT/lib "$KIT/$program" "$@"
}

test_gpu() {
    local status=0
    nvidia-smi || true
    of_kit voxelastic devices
    VXE_TEST_DEVICE=cuda of_kit test_gpu || status=1
    if command -v compute-sanitizer >/dev/null; then
        VXE_QUICK=1 VXE_TEST_DEVICE=cuda LD_LIBRARY_PATH=$KIT/lib \
            compute-sanitizer --tool memcheck --error-exitcode 1 "$KIT/test_gpu" || status=1
        # slow: one robot that may touch itself, on few steps
        VXE_QUICK=1 VXE_ONLY=test_robots VXE_TEST_DEVICE=cuda LD_LIBRARY_PATH=$KIT/lib \
            compute-sanitizer --tool racecheck --error-exitcode 1 "$KIT/test_gpu" || status=1
    else
        echo "compute-sanitizer is not installed here: not run"
    fi
    return $status
}

bench_gpu() {
    local status=0 precision
    of_kit voxelastic devices
    for precision in single double; do
        # shellcheck disable=SC2086
        of_kit voxelastic bench ${BENCH:-population16384 population16384-explicit population16384-explicit-beam cube100 cube100-solid-implicit} \
            --device cuda --precision $precision --repeat 3 --json >"${OUT:-.}/bench-$precision.json" || status=1
        python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    print("%-32s %s %8d voxels %10.4g voxel steps/s, %.4g simulated s/s, walls %s, best %.4g s of which kernels %s s, %d steps" % (
          c["name"], c["precision"], c["voxels"], c["voxel_steps_per_second"], c["simulated_seconds_per_second"], c["repeats"],
          c["wall_seconds"], c.get("device_seconds"), c["steps"]))' "${OUT:-.}/bench-$precision.json" ||
            cat "${OUT:-.}/bench-$precision.json"
    done
    return $status
}

KIT=$(realpath -m "${2:-$default}")
case ${1:-} in
kit) kit ;;
test) test_gpu ;;
bench) bench_gpu ;;
all) test_gpu; bench_gpu ;;
*) sed -n '2,5s/^# //p' "$0"; exit 2 ;;
esac
