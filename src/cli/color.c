/* Colours on terminals. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* https://no-color.org: any text that is not empty means none. */
static bool colored(FILE *stream)
{
    const char *none = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return (none == NULL || none[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(stream)) != 0;
}

const char *cli_style(FILE *stream, cli_style_kind kind)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",    "\033[36m",
                                        "\033[32m", "\033[1;31m", "\033[2m"};
    return colored(stream) ? codes[kind] : "";
}
