/* voxelastic called by the name of another program. */
#ifndef CLI_PEERS_H
#define CLI_PEERS_H

#include "cli/cli.h"

/* Runs as the program whose name `program` (the zeroth argument) is; false: it is none of them. */
bool cli_peer(const char *program, int count, char **arguments, int *status);

#endif
