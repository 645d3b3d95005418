# Checks of the command line, for the scripts beside this one: `. checks.sh NAME VOXELASTIC`. Goes into a folder NAME.work
# of its own, which it replaces. Prints ok or FAIL per check; end with `end_checks`, which fails if any check failed.
# shellcheck shell=bash
voxelastic=$(realpath "$2")
rm -rf "$1.work"
mkdir "$1.work" && cd "$1.work" || exit 1
failures=0
subcommand=() # put before the arguments of expect

verdict() { # TRUE_OR_FALSE NAME
    if [[ $1 == 0 ]]; then
        echo "ok    $2"
    else
        echo "FAIL  $2"
        failures=$((failures + 1))
    fi
}

expect() { # STATUS NAME ARGUMENTS...: runs voxelastic; its output goes to out and err
    local status=$1 name=$2 actual=0
    shift 2
    "$voxelastic" "${subcommand[@]}" "$@" >out 2>err </dev/null || actual=$?
    [[ $actual == "$status" ]]
    verdict $? "$name"
    [[ $actual == "$status" ]] || { echo "      exit status $actual instead of $status: voxelastic ${subcommand[*]} $*" && sed 's/^/      /' err; }
}

says() { # FILE TEXT: the last run's output or errors contain this
    grep -qF -e "$2" "$1"
    local found=$?
    verdict $found "  $1 says: $2"
    [[ $found == 0 ]] || sed 's/^/      /' "$1"
}

is_empty() { # FILE
    [[ ! -s $1 ]]
    verdict $? "  nothing in $1"
}

end_checks() {
    echo
    [[ $failures == 0 ]] && echo "all checks passed" || echo "$failures checks failed"
    exit $((failures > 0))
}
