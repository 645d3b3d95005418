/* Built without SQLite: there is no batch. */
#include "cli/cli.h"

void cli_help_batch(void)
{
    printf("voxelastic batch runs very many designs with results in a database. This voxelastic was built "
           "without it:\nit needs SQLite (Debian: libsqlite3-dev) and the option VXE_BATCH.\n");
}

int cli_command_batch(int count, char **arguments)
{
    (void)count;
    (void)arguments;
    cli_complain("batch: built without SQLite (Debian: libsqlite3-dev; option VXE_BATCH)");
    return CLI_BAD_INPUT;
}
