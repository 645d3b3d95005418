/* Built without SQLite: there is no batch. */
#include "cli/cli.h"

#include <string.h>

void cli_help_batch(void)
{
    printf("Usage: voxelastic batch INPUT -o STORE [options]\n\n"
           "Runs very many designs with results in a database. This voxelastic was built "
           "without it:\nit needs SQLite (Debian: libsqlite3-dev) and the option VXE_BATCH.\n");
}

int cli_command_batch(int count, char **arguments)
{
    if (count > 0 && strcmp(arguments[0], "--help") == 0) {
        cli_help_batch();
        return cli_finish_output(CLI_DONE);
    }
    cli_complain("batch: built without SQLite (Debian: libsqlite3-dev; option VXE_BATCH)");
    return CLI_BAD_INPUT;
}
