/* RawPrint: text that a file of voxcraft wants at the beginning of its history. It is kept with what else
 * means nothing here, as the element that it was. */
#include "io/observer.h"
#include "io/xml.h"

#include <string.h>

#define RAW_PRINT "<RawPrint"

void vxe_history_print_raw(const vxe_scene *scene, FILE *stream)
{
    const char *path = NULL;
    const char *text = NULL;
    for (int32_t i = 0; vxe_scene_foreign(scene, i, &path, &text); i++) {
        if (path[0] != '\0' || strncmp(text, RAW_PRINT, sizeof RAW_PRINT - 1) != 0) continue;
        xmlDoc *document = NULL;
        if (vxe_xml_parse(text, strlen(text), "RawPrint", &document, NULL) != VXE_OK) continue;
        xmlChar *raw = vxe_xml_text(xmlDocGetRootElement(document));
        if (raw != NULL) (void)fprintf(stream, "%s\n", (const char *)raw);
        xmlFree(raw);
        xmlFreeDoc(document);
    }
}
