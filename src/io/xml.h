/* XML in: a document without network, entities or DTD, found wanting with its line, and elements by name the
 * way the programs of the VoxCAD family look for them. Elements that were looked at are marked, so that the
 * others can be told at the end and none is dropped in silence. */
#ifndef IO_XML_H
#define IO_XML_H

#include "io/formats.h"

#include <libxml/tree.h>

#define VXE_XML_BYTES_MAX ((size_t)1 << 28) /* largest XML file that is read */
#define VXE_XML_DEPTH_MAX 200               /* elements inside each other */

/* Parses. VXE_ERROR_INPUT with `NAME:LINE: ...`. Freed by xmlFreeDoc(). */
vxe_result vxe_xml_parse(const char *text, size_t size, const char *name, xmlDoc **document,
                         vxe_error *error);

/* Line of an element, from 1. */
int32_t vxe_xml_line(const xmlNode *node);
/* Tells that an element, which is a copy of `from` of another document (or `from` itself), and all below it
 * came from the file `name`, which must live as long; and the file that was told for an element, or NULL. */
void vxe_xml_set_origin(xmlNode *copy, const xmlNode *from, const char *name);
const char *vxe_xml_origin(const xmlNode *node);
bool vxe_xml_is(const xmlNode *node, const char *name);
/* First element below `parent` (may be NULL) with this name, and the next one of the same name; NULL: none.
 * Both mark what they give. */
xmlNode *vxe_xml_child(const xmlNode *parent, const char *name);
xmlNode *vxe_xml_next(const xmlNode *node);
/* The same without marking. */
xmlNode *vxe_xml_peek(const xmlNode *parent, const char *name);
/* First child element, and the next one, whatever the name. */
xmlNode *vxe_xml_first(const xmlNode *parent);
xmlNode *vxe_xml_after(const xmlNode *node);

void vxe_xml_mark(xmlNode *node);     /* this element only */
void vxe_xml_mark_all(xmlNode *node); /* and all below it */
bool vxe_xml_is_marked(const xmlNode *node);
void vxe_xml_unmark(xmlNode *node);

/* Text of an element without elements, blanks around it removed; freed by xmlFree(). NULL: no element, empty,
 * or no memory. An empty leaf counts as absent. */
xmlChar *vxe_xml_text(const xmlNode *leaf);

/* "VXA/Simulator/Damping", for messages; freed by free(). NULL: no memory. */
char *vxe_xml_path(const xmlNode *node);
/* The element and all below it as text; freed by free(). NULL: no memory. */
char *vxe_xml_print(xmlNode *node);

/* A number at the beginning of a text, in any locale: blanks are skipped; *end is where it ends, the text
 * itself if there is none. */
double vxe_xml_scan_number(const char *text, const char **end);

#endif
