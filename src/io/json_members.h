/* Members of structs as members of objects in a scene file, once: what the reader knows, what it reads, and
 * what the writer writes in which order follow the same tables. */
#ifndef IO_JSON_MEMBERS_H
#define IO_JSON_MEMBERS_H

#include "io/json_text.h"
#include "scene/rules.h"
#include "voxelastic/world.h"

typedef enum vxe_json_type {
    VXE_JSON_NUMBER,  /* double */
    VXE_JSON_VECTOR,  /* double[3] */
    VXE_JSON_FLAG,    /* bool */
    VXE_JSON_INTEGER, /* int32_t */
    VXE_JSON_CELLS,   /* int32_t[3] */
    VXE_JSON_LONG,    /* int64_t */
    VXE_JSON_COUNT,   /* int64_t, not negative */
    VXE_JSON_TEXT,    /* char[size] */
    VXE_JSON_CHOICE,  /* an enumeration, by its words */
    VXE_JSON_OTHER    /* read and written by hand */
} vxe_json_type;

typedef struct vxe_json_row {
    const char *key;
    vxe_json_type type;
    bool always;  /* written even if it is what the struct begins with */
    size_t place; /* in the struct, bytes */
    size_t size;  /* of the member */
    const vxe_choice *words;
} vxe_json_row;

/* Tables end with a key NULL. */
extern const vxe_json_row vxe_json_material[], vxe_json_signal[], vxe_json_part[], vxe_json_region[],
    vxe_json_environment[], vxe_json_stop[], vxe_json_output[], vxe_json_experiment[], vxe_json_water[],
    vxe_json_start[];

void vxe_json_read_row(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const vxe_json_row *row, void *def);
void vxe_json_read_members(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                           const vxe_json_row *rows, void *def);
/* `standard` is what the struct begins with. */
void vxe_json_write_row(vxe_json_writer *w, const vxe_json_row *row, const void *def, const void *standard);
/* Up to what is written by hand; gives the row after that. */
const vxe_json_row *vxe_json_write_members(vxe_json_writer *w, const vxe_json_row *rows, const void *def,
                                           const void *standard);
/* A member of rules. */
vxe_json_row vxe_json_rule_row(const rule_member *member);

#endif
