/* The studio's page of web/dist, taken in by the assembler: a compiler would need a minute for it as a list
 * of numbers. VXE_PAGE_STUDIO is its path. */
#include "studio/page.h"

#include <stdint.h>

#define NAME "voxelastic_page_studio"
__asm__(".pushsection .rodata\n.balign 16\n.globl " NAME "\n.globl " NAME "_end\n" NAME
        ":\n.incbin \"" VXE_PAGE_STUDIO "\"\n" NAME "_end:\n.byte 0\n.popsection\n");

extern const unsigned char voxelastic_page_studio[];
extern const unsigned char voxelastic_page_studio_end[];

embedded_file page_studio(void)
{
    return (embedded_file){voxelastic_page_studio, (size_t)((uintptr_t)voxelastic_page_studio_end -
                                                            (uintptr_t)voxelastic_page_studio)};
}
