/* Every public function, called with NULL and nonsense: an error, or nothing; never a crash. The calls are
 * made from the headers by api.py when the test is built. */
#include "support.h"

#include "api_calls.h"

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the calls make of nonsense that happens to be right is never freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

static fixture made;

static void make_fixture(fixture *f)
{
    vxe_error error = {VXE_OK, ""};
    f->scene = new_scene(0.01, 3, 2, 2);
    fill_all(f->scene, add_material(f->scene, 1e6, 0.3, 1000.0));
    (void)add_fixed(f->scene, "held", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    f->model = compile_scene(f->scene);
    const vxe_sim_def def = vxe_default_sim_def();
    f->sim = new_sim(f->model, &def);
    static const char *const names[] = {"energy", "dt"};
    require(vxe_trace_create(f->sim, names, 2, &f->trace, &error), &error);
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    require(vxe_mesh_create(corners, 4, faces, 4, &f->mesh, &error), &error);
    require(vxe_observer_create(f->scene, f->sim, NULL, &f->observer, &error), &error);
    require(vxe_skin_create(f->sim, &f->skin, &error), &error);
    require(vxe_trajectory_create(f->sim, "way.npz", &f->trajectory, &error), &error);
    static const char text[] = "<<<Step0 Time:0.1>>>0,0,0,0,0,0,0,-5,-5,-5,5,5,5,1,0,;<<<>>>\n";
    require(vxe_history_parse(text, sizeof text - 1, "a.history", &f->history, &error), &error);
    static const char scene[] = "<VXA><VXC><Structure><Data><Layer>1</Layer></Data></Structure><Palette>"
                                "<Material><Odd>1</Odd></Material></Palette></VXC></VXA>";
    vxe_scene *other = NULL;
    (void)vxe_scene_parse(scene, sizeof scene - 1, "a.vxa", ".", NULL, &other, &f->notes, &error);
    vxe_scene_destroy(other);
    if (vxe_solve_available()) {
        const vxe_linear_def linear = vxe_default_linear_def();
        const vxe_modes_def modes = vxe_default_modes_def();
        require(vxe_solve_linear(f->sim, &linear, &f->linear, &error), &error);
        require(vxe_solve_modes(f->sim, &modes, &f->modes, &error), &error);
    }
}

static void free_fixture(fixture *f)
{
    vxe_modes_destroy(f->modes);
    vxe_linear_destroy(f->linear);
    vxe_notes_destroy(f->notes);
    vxe_history_destroy(f->history);
    vxe_trajectory_destroy(f->trajectory);
    vxe_skin_destroy(f->skin);
    vxe_observer_destroy(f->observer);
    vxe_mesh_destroy(f->mesh);
    vxe_trace_destroy(f->trace);
    vxe_sim_destroy(f->sim);
    vxe_model_destroy(f->model);
    vxe_scene_destroy(f->scene);
    memset(f, 0, sizeof *f);
}

/* Each in a process of its own, with a fresh fixture: some change what they are given, and all that crash
 * shall be told. */
static void test_every_function(void **state)
{
    (void)state;
    int crashed = 0;
    assert_true(api_call_count > 150);
    for (int i = 0; i < api_call_count; i++) {
        (void)fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
            (void)signal(SIGFPE, SIG_DFL);
            (void)signal(SIGBUS, SIG_DFL);
            (void)signal(SIGILL, SIG_DFL);
            make_fixture(&made);
            api_calls[i].call(&made);
            free_fixture(&made);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        print_message("%s: %s %d\n", api_calls[i].name, WIFSIGNALED(status) ? "signal" : "status",
                      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        crashed++;
    }
    assert_int_equal(crashed, 0);
}

/* Two threads would step the same simulation. */
static void test_batch_twice(void **state)
{
    (void)state;
    make_fixture(&made);
    vxe_batch_item items[3] = {{.sim = made.sim, .steps = 1}, {.sim = NULL}, {.sim = made.sim, .steps = 1}};
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_batch_run(items, 3, 2, NULL, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "twice"));
    items[2].sim = NULL;
    assert_int_equal(vxe_batch_run(items, 3, 2, NULL, NULL, &error), VXE_OK);
    free_fixture(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_function),
                                       cmocka_unit_test(test_batch_twice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
