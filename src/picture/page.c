/* The replay's page of web/dist, taken in by the assembler: a compiler would need a minute for it as a list
 * of numbers. VXE_PAGE_REPLAY is its path, and not defined where there is none. */
#include "picture/page.h"

#include <stdint.h>

#ifdef VXE_PAGE_REPLAY

#define NAME "vxe_replay_page_data"
__asm__(".pushsection .rodata\n.balign 16\n"
        ".globl " NAME "\n.hidden " NAME "\n.globl " NAME "_end\n.hidden " NAME "_end\n" NAME
        ":\n.incbin \"" VXE_PAGE_REPLAY "\"\n" NAME "_end:\n.byte 0\n.popsection\n");

extern const unsigned char vxe_replay_page_data[];
extern const unsigned char vxe_replay_page_data_end[];

vxe_page vxe_replay_page(void)
{
    return (vxe_page){vxe_replay_page_data,
                      (size_t)((uintptr_t)vxe_replay_page_data_end - (uintptr_t)vxe_replay_page_data)};
}

#else

vxe_page vxe_replay_page(void) { return (vxe_page){NULL, 0}; }

#endif
