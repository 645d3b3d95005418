/* The files of web/dist, taken in by the assembler: a compiler would need a minute for them as lists of
 * numbers. VXE_PAGE_STUDIO and VXE_PAGE_REPLAY are their paths. */
#include "studio/page.h"

#include <stdint.h>

#define EMBED(name, path)                                                                                    \
    __asm__(".pushsection .rodata\n.balign 16\n.globl " name "\n.globl " name "_end\n" name                  \
            ":\n.incbin \"" path "\"\n" name "_end:\n.byte 0\n.popsection\n")

EMBED("voxelastic_page_studio", VXE_PAGE_STUDIO);
EMBED("voxelastic_page_replay", VXE_PAGE_REPLAY);

extern const unsigned char voxelastic_page_studio[];
extern const unsigned char voxelastic_page_studio_end[];
extern const unsigned char voxelastic_page_replay[];
extern const unsigned char voxelastic_page_replay_end[];

embedded_file page_studio(void)
{
    return (embedded_file){voxelastic_page_studio, (size_t)((uintptr_t)voxelastic_page_studio_end -
                                                            (uintptr_t)voxelastic_page_studio)};
}

embedded_file page_replay(void)
{
    return (embedded_file){voxelastic_page_replay, (size_t)((uintptr_t)voxelastic_page_replay_end -
                                                            (uintptr_t)voxelastic_page_replay)};
}
