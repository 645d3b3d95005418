/* Scenes of the Voxelyze library (.vxl.json). */
#ifndef IO_VXL_H
#define IO_VXL_H

#include "io/formats.h"

bool vxe_vxl_is_json(const char *text, size_t size);
vxe_format_parse vxe_vxl_parse_json;
vxe_format_save vxe_vxl_save_json;

#endif
