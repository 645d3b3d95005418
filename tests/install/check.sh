#!/usr/bin/env bash
# Installs the libraries, static and shared, into a folder here and uses them as a stranger would: with find_package, with
# pkg-config, and as a subproject of another build. Checks that exported symbols start with vxe_, that the public ones
# are those of the headers, and that the core needs the C library and the maths library only.
# Usage: check.sh SOURCE COMPILER GENERATOR VERSION BUILD KIND
# KIND is static, shared or none: what the finished build in BUILD has, which is installed instead of built again.
set -euo pipefail
[[ ${VXE_QUICK-} != 1 ]] || { echo "skipped: VXE_QUICK=1" && exit 77; }
source=$1 compiler=$2 generator=$3 version=$4 finished=$5 finished_kind=$6
work=$PWD/install
rm -rf "$work"
mkdir -p "$work"
unset DESTDIR CMAKE_PREFIX_PATH PKG_CONFIG_PATH

configure() { # SOURCE BUILD OPTIONS...
    cmake -S "$1" -B "$2" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DVXE_CUDA=OFF "${@:3}" >"$2.log" 2>&1 ||
        { cat "$2.log"; return 1; }
}

build() { # BUILD ARGUMENTS...
    cmake --build "$1" --parallel 2 "${@:2}" >>"$1.log" 2>&1 || { cat "$1.log"; return 1; }
}

expect_version() { # PROGRAM
    local said
    said=$("$1")
    echo "$1: $said"
    [[ $said == "voxelastic $version"* ]] || { echo "expected: voxelastic $version"; return 1; }
}

for kind in static shared; do
    shared=OFF
    [[ $kind == static ]] || shared=ON
    prefix=$work/$kind
    echo "== $kind library"
    made=$finished
    if [[ $kind != "$finished_kind" ]]; then
        made=$work/build-$kind
        configure "$source" "$made" -DBUILD_SHARED_LIBS=$shared -DVXE_TESTS=OFF -DVXE_EXAMPLES=OFF -DVXE_PYTHON=OFF \
            -DCMAKE_INSTALL_PREFIX="$prefix-elsewhere"
        build "$made"
    fi
    cmake --install "$made" --prefix "$prefix" >>"$work/build-$kind.log"
    "$prefix/bin/voxelastic" --version
    pc=$(find "$prefix" -name voxelastic.pc)
    end=a
    [[ $kind == static ]] || end=so
    library=$(find "$prefix" -name "libvoxelastic.$end")
    folder=${library%/*}

    echo "== exported symbols, $kind"
    if [[ $kind == shared ]]; then symbols=(nm -D --with-symbol-versions --defined-only); else symbols=(nm -g --defined-only); fi
    for part in voxelastic voxelastic-io voxelastic-solve; do "${symbols[@]}" "$folder/lib$part.$end"; done |
        awk 'NF == 3 && $2 != "A" { print $3 }' | sort -u >"$work/$kind-symbols"
    if [[ $kind == shared ]]; then # all that is not private
        grep -v '@@VOXELASTIC_PRIVATE$' "$work/$kind-symbols" | sed 's/@.*//' >"$work/public-symbols"
        sed -i 's/@.*//' "$work/$kind-symbols"
    fi
    echo "$(wc -l <"$work/$kind-symbols") symbols"
    grep -q '^vxe_version$' "$work/$kind-symbols" || { echo "vxe_version is not exported"; exit 1; }
    if grep -v '^vxe_' "$work/$kind-symbols"; then
        echo "these symbols do not start with vxe_"
        exit 1
    fi

    echo "== find_package, $kind"
    configure "$source/tests/install/consumer" "$work/cmake-$kind" -DCMAKE_PREFIX_PATH="$prefix" -DVOXELASTIC_VERSION="$version"
    build "$work/cmake-$kind"
    expect_version "$work/cmake-$kind/consumer"
    "$work/cmake-$kind/reader"
    if ldd "$work/cmake-$kind/consumer" | grep -Ev '(linux-vdso|ld-linux-[^ ]*|libc|libm|libvoxelastic)\.so'; then
        echo "a program that only steps must not load these"
        exit 1
    fi

    echo "== pkg-config, $kind"
    export PKG_CONFIG_PATH=${pc%/*}
    [[ $(pkg-config --modversion voxelastic) == "$version" ]]
    read -ra flags <<<"$(pkg-config --cflags --libs voxelastic)"
    "$compiler" -std=c17 "$source/tests/install/consumer/consumer.c" -o "$work/pkgconfig-$kind" "${flags[@]}" \
        -Wl,-rpath,"$folder"
    expect_version "$work/pkgconfig-$kind"
    read -ra flags <<<"$(pkg-config --cflags --libs voxelastic-io voxelastic-solve)"
    "$compiler" -std=c17 "$source/tests/install/consumer/reader.c" -o "$work/reader-$kind" "${flags[@]}" -Wl,-rpath,"$folder"
    "$work/reader-$kind"
    unset PKG_CONFIG_PATH
done

echo "== what every public header declares is exported, and nothing else is public"
sed -n 's/^VXE_API .*[ *]\(vxe_[a-z0-9_]*\)(.*/\1/p' "$work"/shared/include/voxelastic/*.h | sort -u >"$work/declared"
if comm -3 "$work/declared" "$work/public-symbols" | grep .; then
    echo "these functions are declared and not defined, or public and not declared"
    exit 1
fi

echo "== what the core needs"
needed=$(readelf -d "$(find "$work/shared" -name libvoxelastic.so)" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "needs: ${needed//$'\n'/ }"
if grep -Ev '^(libc|libm|ld-linux-[^ ]*)\.so' <<<"$needed"; then
    echo "the core must need the C library and the maths library only"
    exit 1
fi

echo "== subproject, core only"
configure "$source/tests/install/consumer" "$work/sub" -DVOXELASTIC_SUBPROJECT="$source" -DVXE_JSON=OFF -DBUILD_SHARED_LIBS=ON
build "$work/sub"
expect_version "$work/sub/consumer"
rm -rf "$work"
echo "install: good"
