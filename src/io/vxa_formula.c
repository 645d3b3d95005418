/* Math trees of voxcraft: elements as operations, their children as operands. Read as formulas of a scene,
 * written back from them. */
#include "io/vxa.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static const char *const tags[VXE_OP_COUNT] = {
    [VXE_OP_NUMBER] = "mtCONST",
    [VXE_OP_VARIABLE] = "mtVAR",
    [VXE_OP_ADD] = "mtADD",
    [VXE_OP_SUBTRACT] = "mtSUB",
    [VXE_OP_MULTIPLY] = "mtMUL",
    [VXE_OP_DIVIDE] = "mtDIV",
    [VXE_OP_POWER] = "mtPOW",
    [VXE_OP_GREATER] = "mtGREATERTHAN",
    [VXE_OP_LESS] = "mtLESSTHAN",
    [VXE_OP_AND] = "mtAND",
    [VXE_OP_OR] = "mtOR",
    [VXE_OP_SQRT] = "mtSQRT",
    [VXE_OP_SIN] = "mtSIN",
    [VXE_OP_COS] = "mtCOS",
    [VXE_OP_TAN] = "mtTAN",
    [VXE_OP_ATAN] = "mtATAN",
    [VXE_OP_LOG] = "mtLOG",
    [VXE_OP_ROUND] = "mtINT",
    [VXE_OP_ABS] = "mtABS",
    [VXE_OP_NOT] = "mtNOT",
    [VXE_OP_NORMAL_CDF] = "mtNORMALCDF",
};

/* --- reading --- */

typedef struct tree {
    vxe_token tokens[VXE_FORMULA_TOKENS_MAX];
    int32_t count;
    double shift;
} tree;

static void push(vxa_reader *r, tree *t, const xmlNode *node, vxe_token token)
{
    if (t->count >= VXE_FORMULA_TOKENS_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, node, "a formula of more than %d parts", VXE_FORMULA_TOKENS_MAX);
        return;
    }
    t->tokens[t->count++] = token;
}

static void push_variable(vxa_reader *r, tree *t, const xmlNode *node)
{
    xmlChar *text = vxe_xml_text(node);
    int found = -1;
    for (int i = 0; text != NULL && i < VXE_VARIABLE_COUNT; i++) {
        if (strcmp((const char *)text, vxe_formula_variables[i]) == 0) found = i;
    }
    if (found < 0) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, node, "the variable \"%.32s\" is not known",
                       text == NULL ? "" : (const char *)text);
    } else {
        push(r, t, node, (vxe_token){VXE_OP_VARIABLE, found, 0.0});
        if (found <= VXE_VARIABLE_Z && t->shift != 0.0) {
            push(r, t, node, (vxe_token){VXE_OP_NUMBER, 0, t->shift});
            push(r, t, node, (vxe_token){VXE_OP_SUBTRACT, 0, 0.0});
        }
    }
    xmlFree(text);
}

static void push_node(vxa_reader *r, tree *t, xmlNode *node);

static void push_operation(vxa_reader *r, tree *t, xmlNode *node, vxe_operation operation)
{
    int operands = 0;
    for (xmlNode *child = vxe_xml_first(node); child != NULL && r->result == VXE_OK;
         child = vxe_xml_after(child)) {
        push_node(r, t, child);
        operands++;
    }
    if (r->result == VXE_OK && operands != vxe_operation_arity(operation))
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, node, "%d operands, not %d", operands,
                       vxe_operation_arity(operation));
    push(r, t, node, (vxe_token){operation, 0, 0.0});
}

static void push_node(vxa_reader *r, tree *t, xmlNode *node)
{
    vxe_xml_mark(node);
    if (vxe_xml_is(node, "mtE")) {
        push(r, t, node, (vxe_token){VXE_OP_NUMBER, 0, 2.718281828459045235360287471353});
        return;
    }
    if (vxe_xml_is(node, "mtPI")) {
        push(r, t, node, (vxe_token){VXE_OP_NUMBER, 0, 3.141592653589793238462643383279});
        return;
    }
    if (vxe_xml_is(node, "mtVAR")) {
        push_variable(r, t, node);
        return;
    }
    if (vxe_xml_is(node, "mtCONST")) {
        xmlChar *text = vxe_xml_text(node);
        const char *end = NULL;
        const double value = text == NULL ? 0.0 : vxe_xml_scan_number((const char *)text, &end);
        if (text == NULL || end == (const char *)text)
            vxe_vxa_refuse(r, VXE_ERROR_INPUT, node, "it is not a finite number");
        xmlFree(text);
        push(r, t, node, (vxe_token){VXE_OP_NUMBER, 0, value});
        return;
    }
    for (int i = VXE_OP_ADD; i < VXE_OP_COUNT; i++) {
        if (!vxe_xml_is(node, tags[i])) continue;
        push_operation(r, t, node, (vxe_operation)i);
        return;
    }
    vxe_vxa_refuse(r, VXE_ERROR_INPUT, node, "not an operation of a formula");
}

char *vxe_vxa_read_formula(vxa_reader *r, xmlNode *holder, double shift)
{
    xmlNode *top = vxe_xml_first(holder);
    if (r->result != VXE_OK || top == NULL) return NULL;
    tree *t = calloc(1, sizeof *t);
    char *text = NULL;
    if (t == NULL) {
        r->result = vxe_fail_memory(r->error, "a formula", sizeof *t);
        return NULL;
    }
    t->shift = shift;
    push_node(r, t, top);
    const vxe_formula formula = {t->count, t->tokens};
    if (r->result == VXE_OK && !vxe_formula_is_sound(&formula))
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, holder, "the formula is too deep");
    if (r->result == VXE_OK) {
        text = vxe_formula_print(&formula);
        if (text == NULL) r->result = vxe_fail_memory(r->error, "a formula", (size_t)t->count);
    }
    free(t);
    return text;
}

/* --- writing --- */

/* Whether the token at `i` is x, y or z with the shift taken from it: what reading made of the plain
 * variable. */
static bool is_shifted(const vxe_formula *f, int32_t i, double shift)
{
    return shift != 0.0 && i + 2 < f->count && f->tokens[i].operation == VXE_OP_VARIABLE &&
           f->tokens[i].variable <= VXE_VARIABLE_Z && f->tokens[i + 1].operation == VXE_OP_NUMBER &&
           f->tokens[i + 1].number == shift && f->tokens[i + 2].operation == VXE_OP_SUBTRACT;
}

static xmlNode *new_leaf(const char *tag, const char *text)
{
    xmlNode *node = xmlNewNode(NULL, (const xmlChar *)tag);
    if (node != NULL && text != NULL) xmlNodeAddContent(node, (const xmlChar *)text);
    return node;
}

static xmlNode *new_number(double value)
{
    char number[VXE_NUMBER_SIZE];
    vxe_print_number(number, value);
    return new_leaf("mtCONST", number);
}

static xmlNode *new_operation(vxe_operation operation, xmlNode *first, xmlNode *second)
{
    xmlNode *node = new_leaf(tags[operation], NULL);
    if (node == NULL || first == NULL || (vxe_operation_arity(operation) == 2 && second == NULL)) {
        xmlFreeNode(node);
        xmlFreeNode(first);
        xmlFreeNode(second);
        return NULL;
    }
    (void)xmlAddChild(node, first);
    if (second != NULL) (void)xmlAddChild(node, second);
    return node;
}

bool vxe_vxa_write_formula(xmlNode *holder, const char *text, double shift)
{
    vxe_formula f;
    if (vxe_formula_parse(text, &f, NULL) != VXE_OK) return false;
    xmlNode *stack[VXE_FORMULA_DEPTH_MAX + 1] = {NULL};
    int32_t used = 0;
    bool good = true;
    for (int32_t i = 0; i < f.count && good; i++) {
        const vxe_token *t = &f.tokens[i];
        xmlNode *made = NULL;
        if (t->operation == VXE_OP_NUMBER) {
            made = new_number(t->number);
        } else if (t->operation == VXE_OP_VARIABLE) {
            made = new_leaf("mtVAR", vxe_formula_variables[t->variable]);
            if (is_shifted(&f, i, shift))
                i += 2;
            else if (t->variable <= VXE_VARIABLE_Z && shift != 0.0)
                made = new_operation(VXE_OP_ADD, made, new_number(shift));
        } else {
            const int arity = vxe_operation_arity(t->operation);
            xmlNode *second = arity == 2 ? stack[--used] : NULL;
            xmlNode *first = stack[--used];
            made = new_operation(t->operation, first, second);
        }
        good = made != NULL;
        if (good) stack[used++] = made;
    }
    good = good && used == 1 && xmlAddChild(holder, stack[0]) != NULL;
    if (good) used = 0;
    while (used > 0) xmlFreeNode(stack[--used]);
    vxe_formula_free(&f);
    return good;
}
