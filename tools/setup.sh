#!/usr/bin/env bash
# Installs the Debian packages that are missing for the groups named, and says which. Does nothing when none is missing.
# Usage: setup.sh GROUP...    groups: build studio browser clang lint docs python mpi aarch64 viewers
set -euo pipefail

# One line each: group, package, and a command that succeeds where the thing is there without the package.
packages() {
    cat <<'END'
build   gcc                      command -v cc
build   g++                      command -v c++
build   libc6-dev                test -e /usr/include/stdio.h
build   cmake                    command -v cmake
build   ninja-build              command -v ninja
build   pkg-config               command -v pkg-config
build   libjansson-dev           pkg-config --exists jansson
build   libxml2-dev              pkg-config --exists libxml-2.0
build   zlib1g-dev               pkg-config --exists zlib
build   libcmocka-dev            pkg-config --exists cmocka
build   libzip-dev               pkg-config --exists libzip
build   libpng-dev               pkg-config --exists libpng
build   libsqlite3-dev           pkg-config --exists sqlite3
build   libsuitesparse-dev       test -e /usr/include/suitesparse/cholmod.h
build   libarpack2-dev           pkg-config --exists arpack
build   libopenblas0-serial      false
build   python3                  command -v python3
studio  libwebsockets-dev        pkg-config --exists libwebsockets
studio  zlib1g-dev               pkg-config --exists zlib
studio  nodejs                   command -v node
studio  npm                      command -v npm
browser chromium                 command -v chromium
clang   clang                    false
clang   libclang-rt-dev          false
clang   llvm                     command -v llvm-symbolizer
lint    clang-format             command -v clang-format
lint    clang-tidy               command -v clang-tidy
lint    shellcheck               command -v shellcheck
docs    doxygen                  command -v doxygen
python  python3-dev              false
python  python3-numpy            false
python  python3-pytest           false
python  python3-hypothesis       false
python  python3-matplotlib       false
python  python3-mpi4py           false
python  openmpi-bin              command -v mpirun
python  python3-distributed      false
mpi     libopenmpi-dev           pkg-config --exists mpi-c
mpi     openmpi-bin              command -v mpirun
aarch64 gcc-aarch64-linux-gnu    command -v aarch64-linux-gnu-gcc
aarch64 libc6-dev-arm64-cross    test -e /usr/aarch64-linux-gnu/include/stdio.h
viewers python3-vtk9             false
viewers python3-numpy            false
viewers python3-meshio           false
END
}

installed() { # PACKAGE
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

[[ $# -gt 0 ]] || { sed -n 's/^# Usage: //p' "$0" >&2; exit 2; }

missing=()
while read -r group package probe; do
    [[ " $* " == *" $group "* ]] || continue
    installed "$package" || $probe >/dev/null 2>&1 || missing+=("$package")
done < <(packages)

[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "setup: please install the equivalents of these Debian packages: ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || {
        echo "setup: not root and no sudo; as root run: apt-get install ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi

echo "setup: installing Debian packages: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
echo "setup: installed: ${missing[*]}"
