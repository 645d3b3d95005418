/* Classes of links. */
#ifndef MODEL_CLASSES_H
#define MODEL_CLASSES_H

#include "model/model.h"

/* Fills `classes` and `link_kind`. Needs materials, neighbours, regions, clamps and rollers. */
vxe_result vxe_build_classes(vxe_model *model, const vxe_scene *scene, vxe_error *error);

#endif
