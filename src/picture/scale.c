/* Colour scales: see scale.h. */
#include "picture/scale.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The maps of the pages. Sequential: viridis, which keeps its order in grey and for the colour-blind. */
static const uint32_t sequential[] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                      0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
static const uint32_t diverging[] = {0x2b5bb7, 0x5b8bd6, 0x9dbbe8, 0xdfe3ea, 0xf0b59b, 0xdd7456, 0xb5272d};
static const uint32_t cyclic[] = {0xc0507a, 0xc9833f, 0x8ea83d, 0x3fa57c, 0x4591c4, 0x8a6cc7, 0xc0507a};
static const uint32_t states[] = {0x9aa4b1, 0xe0a030, 0xc62f3b};

static const struct {
    const uint32_t *stops;
    int count;
} maps[] = {{sequential, 10}, {diverging, 7}, {cyclic, 7}, {states, 3}};

/* The map of a measure by name: signed ones diverge from zero, phases go round. */
static vxe_map map_of(const char *measure)
{
    static const char *const signed_ones[] = {"strain",         "stress",         "pressure",      "growth",
                                              "displacement_x", "displacement_y", "displacement_z"};
    if (strcmp(measure, "phase") == 0) return VXE_MAP_CYCLIC;
    if (strcmp(measure, "state") == 0) return VXE_MAP_STATES;
    for (size_t i = 0; i < sizeof signed_ones / sizeof signed_ones[0]; i++) {
        if (strncmp(measure, signed_ones[i], strlen(signed_ones[i])) == 0) return VXE_MAP_DIVERGING;
    }
    return VXE_MAP_SEQUENTIAL;
}

vxe_rgb vxe_map_color(vxe_map map, double part)
{
    if (!isfinite(part)) return (vxe_rgb){90, 90, 90};
    const double t = fmin(fmax(part, 0.0), 1.0) * (maps[map].count - 1);
    const int k = t >= maps[map].count - 1 ? maps[map].count - 2 : (int)t;
    const double f = t - k;
    const vxe_rgb a = vxe_rgb_of(maps[map].stops[k]);
    const vxe_rgb b = vxe_rgb_of(maps[map].stops[k + 1]);
    return (vxe_rgb){(uint8_t)lrint(a.r + f * (b.r - a.r)), (uint8_t)lrint(a.g + f * (b.g - a.g)),
                     (uint8_t)lrint(a.b + f * (b.b - a.b))};
}

vxe_rgb vxe_scale_color(const vxe_scale *s, double value)
{
    double part = (value - s->low) / (s->high - s->low);
    if (s->map == VXE_MAP_CYCLIC) part -= floor(part);
    return vxe_map_color(s->map, part);
}

double vxe_round_step(double value)
{
    if (!(value > 0.0) || !isfinite(value)) return 1.0;
    const double power = pow(10.0, floor(log10(value)));
    static const double steps[] = {1.0, 2.0, 5.0};
    for (int i = 0; i < 3; i++)
        if (steps[i] * power >= value * 0.999999) return steps[i] * power;
    return 10.0 * power;
}

/* ---- numbers with units -------------------------------------------------------------------------------------------- */

/* The multiple of a unit in which `value` is 1 to 999, as far as there is one. */
static double multiple_of(double value, const char *unit, const char **name)
{
    static const struct {
        const char *unit;
        const char *name;
        double factor;
    } multiples[] = {
        {"m", "nm", 1e-9},       {"m", "µm", 1e-6},   {"m", "mm", 1e-3},      {"m", "m", 1.0},
        {"m", "km", 1e3},        {"s", "µs", 1e-6},   {"s", "ms", 1e-3},      {"s", "s", 1.0},
        {"Pa", "mPa", 1e-3},     {"Pa", "Pa", 1.0},   {"Pa", "kPa", 1e3},     {"Pa", "MPa", 1e6},
        {"Pa", "GPa", 1e9},      {"N", "nN", 1e-9},   {"N", "µN", 1e-6},      {"N", "mN", 1e-3},
        {"N", "N", 1.0},         {"N", "kN", 1e3},    {"J", "nJ", 1e-9},      {"J", "µJ", 1e-6},
        {"J", "mJ", 1e-3},       {"J", "J", 1.0},     {"J", "kJ", 1e3},       {"m/s", "µm/s", 1e-6},
        {"m/s", "mm/s", 1e-3},   {"m/s", "m/s", 1.0}, {"J/m^3", "J/m³", 1.0}, {"J/m^3", "kJ/m³", 1e3},
        {"J/m^3", "MJ/m³", 1e6}, {"W", "mW", 1e-3},   {"W", "W", 1.0},        {"%", "%", 0.01},
    };
    double best = 0.0;
    *name = unit;
    for (size_t i = 0; i < sizeof multiples / sizeof multiples[0]; i++) {
        if (strcmp(multiples[i].unit, unit) != 0) continue;
        if (best != 0.0 && fabs(value) < multiples[i].factor * 0.99999) break;
        if (best != 0.0 && value == 0.0 && best == 1.0) break;
        best = multiples[i].factor;
        *name = multiples[i].name;
    }
    return best == 0.0 ? 1.0 : best;
}

void vxe_print_quantity(char *text, size_t size, double value, const char *unit, int digits)
{
    const char *name = "";
    char number[VXE_NUMBER_SIZE];
    const double factor = multiple_of(value, unit, &name);
    vxe_print_short(number, value / factor, digits);
    (void)snprintf(text, size, "%s%s%s", number, name[0] == '\0' ? "" : " ", name);
}

/* ---- ticks ----------------------------------------------------------------------------------------------------------- */

static void add_tick(vxe_scale *s, double value, double factor)
{
    vxe_tick *tick = &s->ticks[s->tick_count++];
    char number[VXE_NUMBER_SIZE];
    tick->part = (value - s->low) / (s->high - s->low);
    vxe_print_short(number, fabs(value) < 1e-9 * (s->high - s->low) ? 0.0 : value / factor, 4);
    if (number[0] == '-') {
        (void)snprintf(tick->text, sizeof tick->text, "−%s", number + 1); /* a minus, not a hyphen */
    } else {
        (void)snprintf(tick->text, sizeof tick->text, "%s", number);
    }
}

/* Scales end here: their length can be divided by. */
#define FARTHEST 1e300

vxe_scale vxe_scale_make(const char *name, const char *label, const char *unit, double low, double high,
                         double least, bool fixed)
{
    vxe_scale s = {.map = map_of(name)};
    const char *shown_unit = unit;
    double factor = 1.0;
    double step = 0.0;
    if (!(low <= high)) low = high = 0.0; /* no values at all */
    low = fmax(low, -FARTHEST);
    high = fmin(high, FARTHEST);
    if (strncmp(name, "strain", 6) == 0 || strcmp(name, "growth") == 0) unit = "%";
    if (s.map == VXE_MAP_STATES) {
        s.low = 0.0;
        s.high = 2.0;
        step = 1.0;
    } else if (s.map == VXE_MAP_CYCLIC) {
        s.low = 0.0;
        s.high = 1.0;
        step = 0.25;
    } else if (fixed) {
        s.low = low;
        s.high = high > low ? high : low + fmax(least, 1e-300);
        step = vxe_round_step((s.high - s.low) / 5.0);
    } else if (s.map == VXE_MAP_DIVERGING) {
        const double most = fmax(fmax(fabs(low), fabs(high)), fmax(least, 1e-300));
        step = vxe_round_step(most / 3.0);
        s.high = step * ceil(most / step - 1e-6);
        s.low = -s.high;
    } else {
        const double most = fmax(fmax(high, least), 1e-300);
        step = vxe_round_step((most - fmin(low, 0.0)) / 5.0);
        s.high = step * ceil(most / step - 1e-6);
        s.low = low < 0.0 ? step * floor(low / step + 1e-6) : 0.0;
    }
    factor = multiple_of(fmax(fabs(s.low), fabs(s.high)), unit, &shown_unit);
    (void)snprintf(s.title, sizeof s.title, "%s%s%s%s", label, shown_unit[0] != '\0' ? " [" : "", shown_unit,
                   shown_unit[0] != '\0' ? "]" : "");
    s.title[0] = (char)toupper((unsigned char)s.title[0]);
    for (double k = ceil(s.low / step - 1e-6);
         s.tick_count < VXE_TICKS_MAX && k * step <= s.high + 1e-6 * step; k += 1.0)
        add_tick(&s, k * step, factor);
    if (s.map == VXE_MAP_STATES) {
        static const char *const names[] = {"whole", "yielded", "broken"};
        for (int i = 0; i < s.tick_count && i < 3; i++)
            (void)snprintf(s.ticks[i].text, sizeof s.ticks[i].text, "%s", names[i]);
    }
    return s;
}
