/* Overlays of voxcraft: a folder with base.vxa and any number of .vxd files, each of which replaces parts of
 * the base. */
#ifndef IO_VXD_H
#define IO_VXD_H

#include "io/formats.h"

#define VXD_FILES_MAX 100000

/* The same from two texts. */
vxe_result vxe_vxd_merge_texts(const vxe_source *base, const vxe_source *overlay, const vxe_load_def *def,
                               vxe_scene **scene, vxe_notes *notes, vxe_error *error);
/* A .vxd file or such a folder, for the table of formats. */
vxe_format_load vxe_vxd_load;

#endif
