/* How many threads a body gets at most: cores, within what a control group leaves. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"
#include "support.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH = 600 };

/* Writes a file below a root, and the folders above it. */
static void put_file(const char *root, const char *path, const char *text)
{
    char name[LENGTH];
    (void)snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *c = name + strlen(root) + 1; *c != '\0'; c++) {
        if (*c != '/') continue;
        *c = '\0';
        (void)mkdir(name, 0700); /* it may be there */
        *c = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Tells of each processor which share its core: neighbours by twos, as `form` says it. */
static void put_pairs(const char *root, const cpu_set_t *set, const char *form)
{
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET((size_t)i, set)) continue;
        char path[LENGTH];
        char text[64];
        (void)snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
        (void)snprintf(text, sizeof text, form, i / 2 * 2, i / 2 * 2 + 1);
        put_file(root, path, text);
    }
}

static void test_cores(void **state)
{
    (void)state;
    char root[] = "pool-XXXXXX";
    assert_non_null(mkdtemp(root));
    cpu_set_t set;
    CPU_ZERO(&set);
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    int pairs = 0;
    for (size_t i = 0; i < CPU_SETSIZE; i += 2) pairs += CPU_ISSET(i, &set) || CPU_ISSET(i + 1, &set);

    assert_int_equal(vxe_cores(root), CPU_COUNT(&set)); /* nothing is known: all by themselves */
    put_pairs(root, &set, "%d,%d\n");
    assert_int_equal(vxe_cores(root), pairs);
    put_pairs(root, &set, "%d-%d\n");
    assert_int_equal(vxe_cores(root), pairs);
    put_file(root, "sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_int_equal(vxe_cores(root), pairs);
    put_file(root, "sys/fs/cgroup/cpu.max", "50000 100000\n");
    assert_int_equal(vxe_cores(root), 1);
    put_file(root, "sys/fs/cgroup/cpu.max", "150000 100000\n");
    assert_int_equal(vxe_cores(root), pairs < 2 ? pairs : 2);

    char command[LENGTH];
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void test_here(void **state)
{
    (void)state;
    assert_true(vxe_cores("") >= 1);
    assert_true(vxe_cores("") <= vxe_processors());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cores), cmocka_unit_test(test_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
