/* Built without MPI: there is this process only. */
#include "cli/batch.h"

#include <stdlib.h>

bool batch_ranks_begin(batch_ranks *ranks, bool gpu)
{
    /* what the starters of MPI programs tell them */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    *ranks = (batch_ranks){.ranks = 1};
    (void)gpu;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const char *size = getenv(sizes[i]);
        if (size == NULL || strtol(size, NULL, 10) < 2) continue;
        cli_complain("batch: started by MPI, but built without it (VXE_MPI; Debian: libopenmpi-dev); "
                     "--shard K/N needs no MPI");
        return false;
    }
    return true;
}

bool batch_ranks_serve(batch_crew *crew, batch_ranks *ranks, vxe_result *result, vxe_error *error)
{
    (void)crew;
    (void)ranks;
    (void)result;
    (void)error;
    return false;
}

int batch_ranks_work(const batch_options *options)
{
    (void)options;
    return CLI_BAD_INPUT;
}

void batch_ranks_end(batch_ranks *ranks, int status)
{
    (void)ranks;
    (void)status;
}
