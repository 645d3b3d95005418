/* Formulas: a recursive-descent parser, a printer and a stack machine. See expression.h. */
#include "scene/expression.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const vxe_formula_variables[VXE_VARIABLE_COUNT] = {
#define VARIABLE(name, text) text,
    VXE_VARIABLES(VARIABLE)
#undef VARIABLE
};

static const char *const signs[VXE_OP_COUNT] = {
#define OPERATION(name, text) [VXE_OP_##name] = (text),
    VXE_OPERATIONS(OPERATION)
#undef OPERATION
};

int vxe_operation_arity(vxe_operation operation)
{
    return operation >= VXE_OP_SQRT ? 1 : operation >= VXE_OP_ADD ? 2 : 0;
}

void vxe_formula_free(vxe_formula *formula)
{
    free(formula->tokens);
    *formula = (vxe_formula){0, NULL};
}

bool vxe_formula_is_sound(const vxe_formula *formula)
{
    int32_t waiting = 0;
    for (int32_t i = 0; i < formula->count; i++) {
        const int arity = vxe_operation_arity(formula->tokens[i].operation);
        if (waiting < arity) return false;
        waiting += 1 - arity;
        if (waiting > VXE_FORMULA_DEPTH_MAX) return false;
    }
    return formula->count == 0 || waiting == 1;
}

/* --- parsing --- */

typedef struct parser {
    const char *text;
    const char *at;
    const char *const *names; /* of variables */
    int32_t name_count;
    int depth;
    vxe_formula made;
    vxe_result result;
    vxe_error *error;
} parser;

static void refuse(parser *p, vxe_result code, const char *what)
{
    if (p->result != VXE_OK) return;
    p->result = vxe_fail(p->error, code, "formula: %s at character %d", what, (int)(p->at - p->text) + 1);
}

static void emit(parser *p, vxe_token token)
{
    if (p->result != VXE_OK) return;
    if (p->made.count == VXE_FORMULA_TOKENS_MAX) {
        refuse(p, VXE_ERROR_LIMIT, "too long");
        return;
    }
    p->made.tokens[p->made.count++] = token;
}

static void emit_operation(parser *p, vxe_operation operation) { emit(p, (vxe_token){operation, 0, 0.0}); }
static void emit_number(parser *p, double number) { emit(p, (vxe_token){VXE_OP_NUMBER, 0, number}); }

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

static bool take(parser *p, const char *sign)
{
    skip_blanks(p);
    const size_t length = strlen(sign);
    if (p->result != VXE_OK || strncmp(p->at, sign, length) != 0) return false;
    p->at += length;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* The number at the place, with its sign if `negative`. */
static void parse_number(parser *p, bool negative)
{
    const char *end = p->at;
    while (is_digit(*end) || *end == '.') end++;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        if (*exponent == '+' || *exponent == '-') exponent++;
        if (is_digit(*exponent)) {
            while (is_digit(*exponent)) exponent++;
            end = exponent;
        }
    }
    double number = 0.0;
    if (!vxe_read_number(p->at, (size_t)(end - p->at), &number)) {
        refuse(p, VXE_ERROR_INPUT, "a number that is none");
        return;
    }
    p->at = end;
    emit_number(p, negative ? -number : number);
}

static void parse_or(parser *p);
static void parse_unary(parser *p);

static void parse_name(parser *p)
{
    const char *end = p->at;
    while (is_letter(*end) || is_digit(*end)) end++;
    const size_t length = (size_t)(end - p->at);
    for (int32_t i = 0; i < p->name_count; i++) {
        if (strlen(p->names[i]) != length || strncmp(p->names[i], p->at, length) != 0) continue;
        p->at = end;
        emit(p, (vxe_token){VXE_OP_VARIABLE, i, 0.0});
        return;
    }
    if (length == 2 && strncmp(p->at, "pi", 2) == 0) {
        p->at = end;
        emit_number(p, 3.141592653589793238462643383279);
        return;
    }
    if (length == 1 && *p->at == 'e') {
        p->at = end;
        emit_number(p, 2.718281828459045235360287471353);
        return;
    }
    for (int i = VXE_OP_SQRT; i < VXE_OP_COUNT; i++) {
        if (strlen(signs[i]) != length || strncmp(signs[i], p->at, length) != 0) continue;
        p->at = end;
        if (!take(p, "(")) {
            refuse(p, VXE_ERROR_INPUT, "a bracket is missing after the name of a function");
            return;
        }
        parse_or(p);
        if (!take(p, ")")) refuse(p, VXE_ERROR_INPUT, "a closing bracket is missing");
        emit_operation(p, (vxe_operation)i);
        return;
    }
    refuse(p, VXE_ERROR_INPUT, "a name that is not known");
}

static void parse_atom(parser *p)
{
    skip_blanks(p);
    if (is_digit(*p->at) || *p->at == '.') {
        parse_number(p, false);
    } else if (is_letter(*p->at)) {
        parse_name(p);
    } else if (take(p, "(")) {
        parse_or(p);
        if (!take(p, ")")) refuse(p, VXE_ERROR_INPUT, "a closing bracket is missing");
    } else {
        refuse(p, VXE_ERROR_INPUT, *p->at == '\0' ? "something is missing" : "something unexpected");
    }
}

static void parse_unary(parser *p)
{
    if (p->result != VXE_OK) return;
    if (++p->depth > VXE_FORMULA_DEPTH_MAX) refuse(p, VXE_ERROR_LIMIT, "too many brackets inside each other");
    if (p->result == VXE_OK) {
        if (take(p, "-")) {
            skip_blanks(p);
            if (is_digit(*p->at) || *p->at == '.') {
                parse_number(p, true);
                if (take(p, "^")) refuse(p, VXE_ERROR_INPUT, "a power of a negative number needs brackets");
            } else {
                emit_number(p, 0.0);
                parse_unary(p);
                emit_operation(p, VXE_OP_SUBTRACT);
            }
        } else if (take(p, "!")) {
            parse_unary(p);
            emit_operation(p, VXE_OP_NOT);
        } else {
            parse_atom(p);
            if (take(p, "^")) {
                parse_unary(p);
                emit_operation(p, VXE_OP_POWER);
            }
        }
    }
    p->depth--;
}

/* Operations of one rank, from the left. */
static void parse_rank(parser *p, int rank)
{
    static const struct {
        int rank;
        vxe_operation operation;
    } all[] = {{0, VXE_OP_OR},  {1, VXE_OP_AND},      {2, VXE_OP_GREATER},  {2, VXE_OP_LESS},
               {3, VXE_OP_ADD}, {3, VXE_OP_SUBTRACT}, {4, VXE_OP_MULTIPLY}, {4, VXE_OP_DIVIDE}};
    if (rank == 5) {
        parse_unary(p);
        return;
    }
    parse_rank(p, rank + 1);
    for (bool found = true; found && p->result == VXE_OK;) {
        found = false;
        for (size_t i = 0; i < sizeof all / sizeof all[0] && !found; i++) {
            if (all[i].rank != rank || !take(p, signs[all[i].operation])) continue;
            found = true;
            parse_rank(p, rank + 1);
            emit_operation(p, all[i].operation);
        }
    }
}

static void parse_or(parser *p)
{
    if (p->result != VXE_OK) return;
    if (++p->depth > VXE_FORMULA_DEPTH_MAX) refuse(p, VXE_ERROR_LIMIT, "too many brackets inside each other");
    if (p->result == VXE_OK) parse_rank(p, 0);
    p->depth--;
}

vxe_result vxe_formula_parse(const char *text, vxe_formula *formula, vxe_error *error)
{
    return vxe_formula_parse_names(text, vxe_formula_variables, VXE_VARIABLE_COUNT, formula, error);
}

vxe_result vxe_formula_parse_names(const char *text, const char *const *names, int32_t count,
                                   vxe_formula *formula, vxe_error *error)
{
    parser p = {
        .text = text, .at = text, .names = names, .name_count = count, .result = VXE_OK, .error = error};
    *formula = (vxe_formula){0, NULL};
    skip_blanks(&p);
    if (*p.at == '\0') return VXE_OK;
    p.made.tokens = malloc(VXE_FORMULA_TOKENS_MAX * sizeof *p.made.tokens);
    if (p.made.tokens == NULL) return vxe_fail_memory(error, "a formula", sizeof *p.made.tokens);
    parse_or(&p);
    skip_blanks(&p);
    if (*p.at != '\0') refuse(&p, VXE_ERROR_INPUT, "something unexpected");
    if (p.result == VXE_OK && !vxe_formula_is_sound(&p.made)) refuse(&p, VXE_ERROR_LIMIT, "too deep");
    if (p.result != VXE_OK) {
        vxe_formula_free(&p.made);
        return p.result;
    }
    vxe_token *fitting = realloc(p.made.tokens, (size_t)p.made.count * sizeof *fitting);
    if (fitting != NULL) p.made.tokens = fitting;
    *formula = p.made;
    return VXE_OK;
}

/* --- printing --- */

/* Text that grows. */
typedef struct printer {
    const vxe_formula *formula;
    char *text;
    size_t used;
    size_t room;
    bool failed;
} printer;

static void put(printer *p, const char *piece)
{
    const size_t length = strlen(piece);
    char *text = p->failed ? NULL : vxe_grow(p->text, p->used + length + 1, &p->room, 1);
    p->failed = text == NULL;
    if (p->failed) return;
    p->text = text;
    memcpy(p->text + p->used, piece, length + 1);
    p->used += length;
}

/* Where the part of a program that ends at a token begins. */
static int32_t begin_of(const vxe_formula *formula, int32_t end)
{
    int32_t wanted = 1; /* numbers that must still be made */
    for (int32_t i = end; i >= 0; i--) {
        wanted += vxe_operation_arity(formula->tokens[i].operation) - 1;
        if (wanted == 0) return i;
    }
    return 0;
}

/* The part that ends at a token; as deep as the program is long at most. */
static void put_part(printer *p, int32_t end, bool brackets)
{
    const vxe_token *t = &p->formula->tokens[end];
    const int arity = vxe_operation_arity(t->operation);
    if (t->operation == VXE_OP_NUMBER) {
        char number[VXE_NUMBER_SIZE];
        vxe_print_number(number, t->number);
        if (number[0] == '-') put(p, "(");
        put(p, number);
        if (number[0] == '-') put(p, ")");
    } else if (t->operation == VXE_OP_VARIABLE) {
        put(p, vxe_formula_variables[t->variable]);
    } else if (arity == 1) {
        put(p, signs[t->operation]);
        put(p, "(");
        put_part(p, end - 1, true);
        put(p, ")");
    } else {
        if (brackets) put(p, "(");
        put_part(p, begin_of(p->formula, end - 1) - 1, true);
        put(p, " ");
        put(p, signs[t->operation]);
        put(p, " ");
        put_part(p, end - 1, true);
        if (brackets) put(p, ")");
    }
}

char *vxe_formula_print(const vxe_formula *formula)
{
    printer p = {.formula = formula};
    put(&p, "");
    if (formula->count > 0) put_part(&p, formula->count - 1, false);
    if (!p.failed) return p.text;
    free(p.text);
    return NULL;
}

/* --- evaluating --- */

static double apply_one(vxe_operation operation, double a)
{
    switch (operation) {
    case VXE_OP_SQRT: return sqrt(a);
    case VXE_OP_SIN: return sin(a);
    case VXE_OP_COS: return cos(a);
    case VXE_OP_TAN: return tan(a);
    case VXE_OP_ATAN: return atan(a);
    case VXE_OP_LOG: return log(a);
    case VXE_OP_ROUND: return round(a);
    case VXE_OP_ABS: return fabs(a);
    case VXE_OP_NOT: return a == 0.0 ? 1.0 : 0.0;
    case VXE_OP_NORMAL_CDF: return 0.5 * erfc(-a * 0.70710678118654752440);
    default: return 0.0;
    }
}

static double apply_two(vxe_operation operation, double a, double b)
{
    switch (operation) {
    case VXE_OP_ADD: return a + b;
    case VXE_OP_SUBTRACT: return a - b;
    case VXE_OP_MULTIPLY: return a * b;
    case VXE_OP_DIVIDE: return a / b;
    case VXE_OP_POWER: return pow(a, b);
    case VXE_OP_GREATER: return a > b ? 1.0 : 0.0;
    case VXE_OP_LESS: return a < b ? 1.0 : 0.0;
    case VXE_OP_AND: return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case VXE_OP_OR: return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    default: return 0.0;
    }
}

double vxe_formula_value(const vxe_formula *formula, const double *variables)
{
    double stack[VXE_FORMULA_DEPTH_MAX + 1] = {0.0};
    int32_t used = 0;
    for (int32_t i = 0; i < formula->count; i++) {
        const vxe_token *t = &formula->tokens[i];
        if (t->operation == VXE_OP_NUMBER) {
            stack[used++] = t->number;
        } else if (t->operation == VXE_OP_VARIABLE) {
            stack[used++] = variables[t->variable];
        } else if (t->operation >= VXE_OP_SQRT) {
            stack[used - 1] = apply_one(t->operation, stack[used - 1]);
        } else {
            used--;
            stack[used - 1] = apply_two(t->operation, stack[used - 1], stack[used]);
        }
    }
    return used > 0 ? stack[0] : 0.0;
}
