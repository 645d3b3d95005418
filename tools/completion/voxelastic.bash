# Bash completion for voxelastic. Installed as .../bash-completion/completions/voxelastic, or sourced from ~/.bashrc.

_voxelastic() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]-}
    local run_options='--output --time --steps --precision --isa --device --threads --dt-fraction --bond-damping --collisions --dialect --trace --every
        --write --write-every --checkpoint
        --checkpoint-every --resume --no-audit --no-replay --report --no-report --outputs-anywhere --as-original --json --quiet --help'
    local bench_options='--precision --isa --device --threads --repeat --audit --large --quick --compare --list --json --help'
    local solve_options='--output --json --dialect --time --tolerance --solver --help'
    local equilibrium_options='--output --json --dialect --time --tolerance --solver --slide --keep-unstable --relax --help'
    local modes_options='--output --json --dialect --count --equilibrium --time --tolerance --slide --help'
    local studio_options='--port --no-open --help'
    local validate_options='--list --quick --refine --output --json --markdown --quiet --help'
    local quantities='center_of_mass momentum angular_momentum displacement_max strain_max speed_max dt contacts broken
        yielded voxels bonds energy energy.kinetic energy.elastic energy.gravity energy.total energy.load_work energy.actuation_work
        energy.motion_work energy.dissipated energy.error'
    local words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words='run batch info check convert voxelize demo solve equilibrium modes picture video studio validate bench devices help --help --version'
    elif [[ $previous == --dialect ]]; then
        words='auto evosoro voxcad voxcraft'
    elif [[ $command == help ]]; then
        words='run batch info check convert voxelize demo solve equilibrium modes picture video studio validate bench devices'
    elif [[ $command == run || $command == demo ]]; then
        case $previous in
        --precision) words='double fast single' ;;
        --bond-damping) words='auto explicit implicit' ;;
        --collisions) words='off grid all_every surface_every all_horizon surface_horizon' ;;
        --trace) words=$quantities ;;
        -o | --output)
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
            ;;
        --checkpoint | --resume)
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
        --write) words='vtu npz csv stl obj ply' ;;
        --time | --steps | --dt-fraction | --every | --write-every | --checkpoint-every) return ;;
        *)
            if [[ $current == -* ]]; then
                words=$run_options
            elif [[ $command == demo ]]; then
                words=$("${COMP_WORDS[0]}" demo 2>/dev/null | awk '/^  / { print $1 }')
            fi
            ;;
        esac
    elif [[ $command == batch ]]; then
        case $previous in
        --precision) words='double fast single' ;;
        --bond-damping) words='auto explicit implicit' ;;
        --collisions) words='off grid all_every surface_every all_horizon surface_horizon' ;;
        --isa) words='auto plain portable avx2 avx512' ;;
        --device) words='cpu cuda auto' ;;
        --format) words='table csv jsonl vxr html' ;;
        --time | --steps | --threads | --shard | --best | --fitness | --by | --dt-fraction | --repeat | -n | --count) return ;;
        *)
            if [[ $current == -* ]]; then
                case ${COMP_WORDS[2]-} in
                status) words='--json --help' ;;
                top) words='--count --by --json --help' ;;
                show) words='--repeat --scene --trace --checkpoint --replay --json --help' ;;
                export) words='--output --format --count --help' ;;
                merge) words='--help' ;;
                *) words='--output --base --fitness --time --steps --threads --device --shard --best --again --retry --anywhere --no-designs --no-audit --precision
                    --isa --dt-fraction --bond-damping --collisions --dialect --json --quiet --help' ;;
                esac
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                ((COMP_CWORD == 2)) && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'status top show export merge' -- "$current")
                return
            fi
            ;;
        esac
    elif [[ $command == solve || $command == equilibrium || $command == modes ]]; then
        if [[ $previous == -o || $previous == --output ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
        elif [[ $previous == --solver ]]; then
            words='auto direct iterative'
        elif [[ $current == -* ]]; then
            case $command in
            solve) words=$solve_options ;;
            equilibrium) words=$equilibrium_options ;;
            modes) words=$modes_options ;;
            esac
        fi
    elif [[ $command == voxelize ]]; then
        case $previous in
        --unit) words='um mm cm m in' ;;
        --pitch | --voxels | --color | --coarsen) return ;;
        *)
            if [[ $current == -* ]]; then
                words='--output --pitch --voxels --unit --material --palette --color --coarsen --json --quiet --help'
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                return
            fi
            ;;
        esac
    elif [[ $command == picture || $command == video ]]; then
        case $previous in
        -c | --color) words=$("${COMP_WORDS[0]}" picture --help 2>/dev/null | awk '/^Measures/ { on = 1; next } /^$/ { on = 0 } on') ;;
        --view) words='iso front back left right top' ;;
        --camera) words='auto fixed follow' ;;
        --time | --range | --size | --zoom | --title | --from | --fps | --speed | --threads) return ;;
        *)
            if [[ $current == -* ]]; then
                words='--output --time --color --range --size --view --zoom --camera --title --dark --no-floor --no-edges --no-legend --scene --dialect --quiet --help'
                [[ $command == picture ]] || words+=' --from --fps --speed --threads'
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                return
            fi
            ;;
        esac
    elif [[ $command == studio ]]; then
        if [[ $previous == --port ]]; then
            return
        elif [[ $current == -* ]]; then
            words=$studio_options
        fi
    elif [[ $command == validate ]]; then
        if [[ $previous == -o || $previous == --output ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
        elif [[ $current == -* ]]; then
            words=$validate_options
        else
            words=$("${COMP_WORDS[0]}" validate --list 2>/dev/null | awk '/^  / { print $1 }')
        fi
    elif [[ $command == bench ]]; then
        case $previous in
        --precision) words='double fast single' ;;
        --isa) words='auto plain portable avx2 avx512' ;;
        --device) words='cpu cuda auto' ;;
        --compare)
            mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$current"; compgen -d -S / -- "$current")
            return
            ;;
        --repeat) return ;;
        *)
            if [[ $current == -* ]]; then
                words=$bench_options
            else
                words=$("${COMP_WORDS[0]}" bench --list 2>/dev/null | awk '/^  / { print $1 }')
            fi
            ;;
        esac
    elif [[ $current == -* ]]; then
        [[ $command == info ]] && words='--json --dialect --help'
        [[ $command == convert ]] && words='--json --coarsen --dialect --quiet --help'
        [[ $command == check ]] && words='--dialect --help'
    fi
    if [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    elif [[ $command == run || $command == info || $command == check || $command == convert ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _voxelastic voxelastic
