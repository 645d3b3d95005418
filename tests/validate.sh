#!/usr/bin/env bash
# voxelastic validate, from outside: the quick cases pass, and options, messages and files are as promised.
# Usage: validate.sh VOXELASTIC SOURCE_DIR
set -u
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh" validate "$1"
subcommand=(validate)

expect 0 "help" --help
says out "Usage: voxelastic validate"
expect 0 "list" --list
says out "table1-thin"
says out "The continuum"
expect 0 "list as JSON" --list --json
says out '"name": "elastica"'
expect 2 "a case that is not there" elastika
says err 'did you mean "elastica"?'
expect 2 "an option that is not there" --refin
says err 'did you mean "--refine"?'
expect 2 "JSON and Markdown at once" --json --markdown link
expect 4 "a folder that cannot be made" link -o /dev/null/x

expect 0 "one case" link
says out "pass  stretch of a link"
says out "reference: exact: one beam"
expect 0 "the first part of names" table1 -o page
says out "table1-thin"
says out "table1-thick"
says out "written: page/report.html, page/validation.json"
says page/report.html "<svg"
says page/report.html "</html>"
says page/validation.json '"status": "done"'
expect 0 "Markdown" --markdown link
says out "| stretch of a link"

# Sanitizers make everything many times slower; the cases they would reach are those above.
if [[ -z ${VXE_QUICK-} ]]; then
    expect 0 "every quick case" --quick --json
    says out '"fail": 0,'
    [[ ! -s err ]]
    verdict $? "  nothing in err"
fi
expect 0 "quietly" link -q
says out "0 fail"

end_checks
