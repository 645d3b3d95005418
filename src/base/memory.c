/* How much memory there is: what the system says, and the limits that a process and its group have. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A number in a small file, after `name` (or at the beginning, if that is empty); SIZE_MAX: there is none. */
static size_t number_in(const char *path, const char *name, size_t unit)
{
    char text[4096];
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return SIZE_MAX;
    const size_t size = fread(text, 1, sizeof text - 1, stream);
    (void)fclose(stream);
    text[size] = '\0';
    const char *at = strstr(text, name);
    if (at == NULL) return SIZE_MAX;
    at += strlen(name);
    char *end = NULL;
    const unsigned long long number = strtoull(at, &end, 10);
    return end == at || number > SIZE_MAX / unit ? SIZE_MAX : (size_t)number * unit;
}

size_t vxe_memory_free(void)
{
    size_t most = number_in("/proc/meminfo", "MemAvailable:", 1024);
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (most == SIZE_MAX && pages > 0 && page > 0) most = (size_t)pages * (size_t)page;
    const size_t group = number_in("/sys/fs/cgroup/memory.max", "", 1);
    const size_t used = number_in("/sys/fs/cgroup/memory.current", "", 1);
    if (group != SIZE_MAX && used != SIZE_MAX) {
        const size_t left = group > used ? group - used : 0;
        if (left < most) most = left;
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < most)
        most = (size_t)limit.rlim_cur;
    return most;
}

bool vxe_memory_holds(size_t bytes) { return bytes <= vxe_memory_free(); }
