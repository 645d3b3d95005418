/* Ctrl-C that saves: the only state of the program that is not in a variable of some function. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void cli_accept_interrupts(void)
{
    /* A shell makes the jobs that a script starts in the background ignore SIGINT; `kill -INT` shall reach
     * them. */
    (void)signal(SIGINT, SIG_DFL);
    /* A file that grows beyond its limit shall be an error of the write, not the end of the program. */
    (void)signal(SIGXFSZ, SIG_IGN);
}

void cli_catch_interrupts(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_interrupt;
    (void)sigemptyset(&action.sa_mask);
    /* The first signal asks for an orderly end; a second one, which finds the default handler again, ends the
     * program at once. */
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    struct sigaction hangup; /* whoever asked for hang-ups to be ignored (nohup) gets that */
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &action, NULL);
    }
}

bool cli_interrupted(void) { return interrupted != 0; }

double cli_clock(void) { return vxe_seconds(VXE_CLOCK_STEADY); }
