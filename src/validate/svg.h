/* Pictures as SVG: plots of series and projections of deformed voxels. */
#ifndef VALIDATE_SVG_H
#define VALIDATE_SVG_H

#include "validate/validate.h"

void svg_plot(FILE *out, const val_plot *plot);
/* Bodies that are drawn side by side share scale, view and colours: `all` of `count`, of which number `index`
 * is drawn. */
void svg_body(FILE *out, const val_body *all, int count, int index);

#endif
