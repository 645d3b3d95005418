/* JSON scenes that are refused: each kind of error with its exact message, and files that are broken, hostile
 * or too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "voxelastic/voxelastic.h"

/* Refused with this code and exactly this message, and nothing is given out. */
static void refuse_bytes(const char *text, size_t size, vxe_result code, const char *message)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_parse_json(text, size, "s.json", NULL, &scene, &error);
    assert_string_equal(error.message, message);
    assert_int_equal(result, code);
    assert_int_equal(error.code, code);
    assert_null(scene);
    assert_int_equal(vxe_scene_parse_json(text, size, "s.json", NULL, &scene, NULL), code);
}

static void refuse(const char *text, const char *message)
{
    refuse_bytes(text, strlen(text), VXE_ERROR_INPUT, message);
}

/* Lines 1 and 2; line 3; line 4. */
#define HEAD "{\"voxelastic\": 1,\n\"lattice\": {\"pitch\": 0.001, \"size\": [4, 3, 2]},\n"
#define SOFT "\"materials\": [{\"name\": \"soft\"}],\n"
#define BODY                                                                                                 \
    HEAD SOFT                                                                                                \
        "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [4, 3, 2]}, \"material\": \"soft\"}],\n"

static void test_version(void **state)
{
    (void)state;
    refuse("[]", "s.json:1: must be an object, not an array");
    refuse("\n\n[]", "s.json:3: must be an object, not an array");
    refuse("{}", "s.json:1: not a scene: \"voxelastic\": 1, the version of the format, is missing");
    refuse("{\n\"voxelastic\": 2, \"new\": 0}",
           "s.json:2: voxelastic: version 2 of the format is not known; this program reads version 1");
    refuse("{\"voxelastic\": \"1\"}", "s.json:1: voxelastic: must be a whole number, not a string");
    refuse("{\"voxelastic\": 1.5}", "s.json:1: voxelastic: must be a whole number from 1 to 2147483647");
    refuse("{\"voxelastic\": 1}", "s.json:1: \"lattice\" is missing");
}

static void test_keys(void **state)
{
    (void)state;
    refuse(HEAD "\"material\": []}", "s.json:3: material: unknown key; did you mean \"materials\"?");
    refuse(HEAD "\"materials\": [\n{\"name\": \"a\"},\n{\"name\": \"b\",\n\"youngs_modulos\": 1}]}",
           "s.json:6: materials[1].youngs_modulos: unknown key; did you mean \"youngs_modulus\"?");
    refuse(HEAD "\"materials\": [{\"name\": \"a\",\n\"friction\": {\"kinetic\": 1}}]}",
           "s.json:4: materials[0].friction.kinetic: unknown key");
    refuse(HEAD "\"environment\": {\"damping\": {\"bond\":\n{\"twist\": 1}}}}",
           "s.json:4: environment.damping.bond.twist: unknown key");
    refuse(HEAD "\"\\u0065nvironment\": {\n\"Floor\": true}}",
           "s.json:4: environment.Floor: unknown key; did you mean \"floor\"?");
    refuse(HEAD "\"a\\nb\\u007f\\\"\": 1}", "s.json:3: a?b?\": unknown key");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"size\": [1, 1, 1]}}",
           "s.json:1: lattice: \"pitch\" is missing");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 1}}", "s.json:1: lattice: \"size\" is missing");
    refuse(HEAD "\"materials\": [\n{}]}", "s.json:4: materials[0]: \"name\" is missing");
    refuse(HEAD "\"regions\": [{}]}", "s.json:3: regions[0]: \"name\" is missing");
    refuse(HEAD "\"signals\": [{}]}", "s.json:3: signals[0]: \"name\" is missing");
    refuse(HEAD "\"name\": \"a\",\n\"name\": \"b\"}",
           "s.json:4: not valid JSON: duplicate object key near '\"name\"'");
}

static void test_types_and_ranges(void **state)
{
    (void)state;
    refuse(HEAD "\"materials\": {}}", "s.json:3: materials: must be an array, not an object");
    refuse(HEAD "\"materials\": [7]}", "s.json:3: materials[0]: must be an object, not a number");
    refuse(HEAD "\"name\": 1.5}", "s.json:3: name: must be a string, not a number");
    refuse(HEAD "\"signals\": [{\"name\": \"t\", \"waveform\": \"table\", \"table\": true}]}",
           "s.json:3: signals[0].table: must be an array of points or the name of a CSV file, not true");
    refuse(HEAD "\"materials\": [{\"name\": \"a\", \"table\": 1}]}",
           "s.json:3: materials[0].table: must be an array, not a number");
    refuse(HEAD "\"materials\": [{\"name\": null}]}",
           "s.json:3: materials[0].name: must be a string, not null");
    refuse(HEAD "\"materials\": [{\"name\": \"a\",\n\"density\": \"1\"}]}",
           "s.json:4: materials[0].density: must be a number, not a string");
    refuse(HEAD "\"materials\": [{\"name\": \"a\",\n\"color\": \"red\"}]}",
           "s.json:4: materials[0].color: \"red\" is not a color; write \"#rrggbb\" or \"#rrggbbaa\"");
    refuse(HEAD "\"materials\": [{\"name\": \"a\", \"color\": \"#12345g\"}]}",
           "s.json:3: materials[0].color: \"#12345g\" is not a color; write \"#rrggbb\" or \"#rrggbbaa\"");
    refuse(HEAD "\"materials\": [{\"name\": \"a\", \"table\": [[0, 0], [1]]}]}",
           "s.json:3: materials[0].table[1]: must be an array of 2 numbers");
    refuse(
        HEAD
        "\"materials\": [{\"name\": \"0123456789012345678901234567890123456789012345678901234567890123\"}]}",
        "s.json:3: materials[0].name: longer than 63 bytes");
    refuse(HEAD "\"environment\": {\"floor\": 1}}",
           "s.json:3: environment.floor: must be true or false, not a number");
    refuse(HEAD "\"environment\": {\"gravity\": \"down\"}}",
           "s.json:3: environment.gravity: must be an array of 3 numbers, a number, true or false, not a "
           "string");
    refuse(HEAD "\"environment\": {\"gravity\": [0, 1]}}",
           "s.json:3: environment.gravity: must be an array of 3 numbers");
    refuse(HEAD "\"environment\": {\"gravity\": [0, 0,\n false]}}",
           "s.json:4: environment.gravity[2]: must be a number, not false");
    refuse(HEAD "\"environment\": {\"damping\": {\"bond\": true}}}",
           "s.json:3: environment.damping.bond: must be a number or an object, not true");
    refuse(HEAD "\"stop\": {\"steps\": 1.5}}",
           "s.json:3: stop.steps: must be a whole number from 0 to 9223372036854775807");
    refuse(HEAD "\"output\": {\"trace\": [\"dt\", 1]}}",
           "s.json:3: output.trace[1]: must be a string, not a number");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 1, \"size\": [1, 2.5, 1]}}",
           "s.json:1: lattice.size[1]: must be a whole number from -2147483648 to 2147483647");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 1, \"size\": [1, 1, 2147483648]}}",
           "s.json:1: lattice.size[2]: must be a whole number from -2147483648 to 2147483647");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 1, \"size\": 5}}",
           "s.json:1: lattice.size: must be an array of 3 whole numbers");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 1e999, \"size\": [1, 1, 1]}}",
           "s.json:1: not valid JSON: real number overflow near '1e999'");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": 99999999999999999999, \"size\": [1, 1, 1]}}",
           "s.json:1: not valid JSON: too big integer near '99999999999999999999'");
    refuse("{\"voxelastic\": 1, \"lattice\": {\"pitch\": NaN}}",
           "s.json:1: not valid JSON: invalid token near 'NaN'");
}

/* What the scene refuses gets the place, as exactly as the message tells. */
static void test_refused_by_the_scene(void **state)
{
    (void)state;
    refuse("{\"voxelastic\": 1,\n\"lattice\": {\n\"pitch\": 0,\n\"size\": [1, 1, 1]}}",
           "s.json:3: lattice.pitch: workspace: pitch 0 is not within 1e-09 to 1000 m");
    refuse("{\"voxelastic\": 1,\n\"lattice\": {\n\"pitch\": 1,\n\"size\": [1, 0, 1]}}",
           "s.json:4: lattice.size: workspace: side y has 0 voxels, fewer than 1");
    const char *huge =
        "{\"voxelastic\": 1,\n\"lattice\": {\"pitch\": 1, \"size\": [1000000, 1000000, 1000000]}}";
    refuse_bytes(huge, strlen(huge), VXE_ERROR_LIMIT,
                 "s.json:2: lattice.size: workspace: 1000000 x 1000000 x 1000000 are 1000000000000000000 "
                 "cells, more than "
                 "2000000000");
    refuse(HEAD "\"materials\": [{\"name\": \"gel\",\n\"density\": 1,\n\"poissons_ratio\": 0.6}]}",
           "s.json:5: materials[0].poissons_ratio: material \"gel\": Poisson's ratio 0.6 is not within 0 to "
           "0.49");
    refuse(HEAD "\"materials\": [{\"name\": \"density\",\n\"density\": 1,\n\"youngs_modulus\": -1}]}",
           "s.json:5: materials[0].youngs_modulus: material \"density\": Young's modulus -1 is not within "
           "0.001 to 1e+15 Pa");
    refuse(HEAD "\"materials\": [{\"name\": \"gel\",\n\"friction\": {\"static\": 0.1}}]}",
           "s.json:4: materials[0].friction: material \"gel\": static friction 0.1 is below dynamic friction "
           "0.5");
    refuse(
        HEAD "\"materials\": [{\"name\": \"gel\",\n\"table\": [[0, 0], [1, 1]]}]}",
        "s.json:4: materials[0].table: material \"gel\": a table of 2 points belongs to the table law only");
    refuse(HEAD "\"materials\": [\n{\"name\": \"\"}]}",
           "s.json:4: materials[0].name: material: the name is empty");
    refuse(BODY "\"regions\": [{\"name\": \"r\", \"box\":\n{\"corner\": [0, 0, 0],\n\"size\": [1, -1, 1]}}]}",
           "s.json:7: regions[0].box.size: shape: size y -1 is not within 0 to 1e+09 voxels");
    refuse(BODY "\"regions\": [{\"name\": \"r\", \"sphere\": {\"center\": [0, 0, 0], \"radius\": "
                "1},\n\"thickness\": -1}]}",
           "s.json:6: regions[0].thickness: shape: thickness -1 is not within 0 to 1e+09 voxels");
    refuse(HEAD "\"signals\": [{\"name\": \"t\"},\n{\"name\": \"t\"}]}",
           "s.json:4: signals[1].name: signal \"t\": the name is already in use");
    refuse(HEAD "\"signals\": [{\"name\": \"t\",\n\"period\": 0}]}",
           "s.json:4: signals[0].period: signal \"t\": period 0 is not within 1e-09 to 1e+12 s");
    refuse(HEAD "\"environment\": {\"floor\": true,\n\"damping\": {\"bond\": -1}}}",
           "s.json:4: environment.damping: environment: stretch damping -1 is not within 0 to 1000");
    refuse(HEAD "\"stop\": {\"time\": 1,\n\"kinetic_energy\": -1}}",
           "s.json:4: stop.kinetic_energy: stop: kinetic energy -1 is not within 0 to 1e+30 J");
    refuse(HEAD "\"output\": {\"trace\": [\n\"\"]}}",
           "s.json:3: output.trace: output: trace name 1 is empty");
}

/* The check of the whole scene comes last; its messages get the line of what they begin with. */
static void test_refused_as_a_whole(void **state)
{
    (void)state;
    refuse(HEAD SOFT "\"name\": \"empty\"}", "s.json: the scene has no voxels");
    refuse(BODY "\"regions\": [\n{\"name\": \"a\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}},\n"
                "{\"name\": \"b\", \"box\": {\"corner\": [9, 0, 0], \"size\": [1, 1, 1]}}]}",
           "s.json:7: regions[1]: region \"b\": it touches no voxel");
    refuse(BODY
           "\"regions\": [\n"
           "{\"name\": \"a\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"fixed\": \"all\"},\n"
           "{\"name\": \"a\", \"box\": {\"corner\": [1, 0, 0], \"size\": [1, 1, 1]}}]}",
           "s.json:7: regions[1].name: region \"a\": the name is already in use");
    refuse(
        BODY "\"regions\": [\n"
             "{\"name\": \"a\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"fixed\": \"all\"},\n"
             "{\"name\": \"b\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"fixed\": [\"x\"],\n"
             "\"displacement\": [1, 0, 0]}]}",
        "s.json:6: regions[0]: regions \"a\" and \"b\" prescribe different motions of voxel (0,0,0) along x");
    refuse(BODY "\"stop\": {\"cycles\": 2}}",
           "s.json: stop: cycles 2 needs a first signal with a period above 0");
    refuse(
        BODY
        "\"environment\": {\"plane\": \"xz\"}, \"regions\": [\n"
        "{\"name\": \"a\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]},\n\"force\": [0, 1, 0]}]}",
        "s.json:7: regions[0].force: region \"a\": force y 1 N leads out of the plane xz");
}

/* Ground, solids, water, starts: what would be ignored or mean nothing is refused, and where it stands. */
static void test_world_members(void **state)
{
    (void)state;
    static const struct {
        const char *members; /* from line 5 on */
        const char *message;
    } cases[] = {
        {"\"ground\": {\"kind\": \"slope\", \"points\": [2, 2], \"spacing\": 1, \"length\": 1, \"height\": "
         "1,\n\"heights\": [[4, 0]]}",
         "s.json:6: ground.heights: ground of kind slope has none"},
        {"\"ground\": {\"kind\": \"gap\", \"points\": [2, 2], \"spacing\": 1, \"length\": 1, \"height\": 1,\n"
         "\"seed\": 1}",
         "s.json:6: ground.seed: ground of kind gap has none"},
        {"\"ground\": {\"kind\": \"slope\", \"points\": [2, 2], \"spacing\": 1, \"length\": 1}",
         "s.json:5: ground: \"height\" is missing"},
        {"\"ground\": {\"kind\": \"slope\", \"points\": [2, 2], \"spacing\": 1, \"height\": 1}",
         "s.json:5: ground: \"length\" is missing"},
        {"\"ground\": {\"heights\": \"hills.png\", \"spacing\": 1}",
         "s.json:5: ground: \"height\" is missing"},
        {"\"ground\": {\"heights\": \"hills.png\", \"spacing\": 1, \"height\": 1,\n\"length\": 1}",
         "s.json:6: ground.length: ground from an image has none"},
        {"\"ground\": {\"points\": [2, 2], \"spacing\": 1, \"heights\": [[4, 0]],\n\"height\": 1}",
         "s.json:6: ground.height: ground from an array of heights has none"},
        {"\"ground\": {\"points\": [2, 2], \"spacing\": 1,\n\"heights\": [0, 0, 0, 1e9]}",
         "s.json:6: ground.heights: ground: heights: number 3 is not within -1e+06 to 1e+06 m"},
        {"\"ground\": {\"points\": [2, 2], \"spacing\": 1,\n\"heights\": [0, [4, 1]]}",
         "s.json:6: ground.heights: does not have the 4 numbers that it must have"},
        {"\"solids\": [{\"name\": \"a\", \"cells\": {\"center\": [0, 0, 0], \"pitch\": 1, \"size\": [1, 1, "
         "2],\n"
         "\"filled\": [[3, 1]]}}]",
         "s.json:6: solids[0].cells.filled: does not have the 2 numbers that it must have"},
        {"\"solids\": [{\"name\": \"a\", \"cells\": {\"center\": [0, 0, 0], \"pitch\": 1, \"size\": [1, 1, "
         "2],\n"
         "\"filled\": [1, 2]}}]",
         "s.json:6: solids[0].cells.filled: cell 1 is 2, neither 0 nor 1"},
        {"\"solids\": [{\"name\": \"a\", \"cells\": {\"center\": [0, 0, 0], \"pitch\": 1, \"size\": [1, 1, "
         "2],\n"
         "\"filled\": [[2, 0]]}}]",
         "s.json:5: solids[0].cells: solid \"a\": none of its cells is filled"},
        {"\"solids\": [{\"name\": \"a\", \"mesh\": {\"center\": [0, 0, 0], \"file\": \"a.obj\",\n\"pitch\": "
         "0}}]",
         "s.json:6: solids[0].mesh.pitch: 0 m is not above 0"},
        {"\"water\": {\"flow\": [\"0\",\n\"vx\", \"0\"]}",
         "s.json:6: water.flow[1]: formula: the flow of water knows x, y, z and t, and not vx"},
        {"\"start\": [{\"velocity\": [1, 0, 0]},\n{\"part\": \"b\", \"velocity\": [1, 0, 0]}]",
         "s.json:6: start[1].part: start: there is no part \"b\""},
        {"\"start\": [{\"displacement\": [1, 0, 0]}]",
         "s.json:5: start[0]: only a part can be displaced or rotated"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s%s}", BODY, cases[i].members);
        refuse(text, cases[i].message);
    }
}

/* The place of what is wrong with a rule, with a name and without one. */
static void test_rule_members(void **state)
{
    (void)state;
    static const struct {
        const char *rule; /* in line 6 */
        const char *message;
    } cases[] = {
        {"{\"kind\": \"remove\",\n\"chance\": 2}",
         "s.json:7: rules[1].chance: rule of kind remove: chance 2 is not within 0 to 1"},
        {"{\"kind\": \"remove\", \"name\": \"gone\",\n\"chance\": 2}",
         "s.json:7: rules[1].chance: rule \"gone\": chance 2 is not within 0 to 1"},
        {"{\"kind\": \"conduct\",\n\"delay\": -1}",
         "s.json:7: rules[1].delay: rule of kind conduct: delay -1 is not within 0 to 1e+09"},
        {"{\"kind\": \"remove\",\n\"region\": \"no\"}",
         "s.json:7: rules[1].region: rule 1 of kind remove: there is no region \"no\""},
        {"{\"kind\": \"remove\",\n\"material\": \"no\"}",
         "s.json:7: rules[1].material: rule 1 of kind remove: there is no material \"no\""},
        {"{\"kind\": \"bond\"}",
         "s.json:6: rules[1]: rule 1 of kind bond: voxels stick where they touch, but collisions are off"},
        {"{\"kind\": \"grow\", \"other\": \"soft\",\n\"size\": [9, 1, 1]}",
         "s.json:7: rules[1].size: rule 1 of kind grow: corner and size: cells beyond the workspace along x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s\"rules\": [{\"kind\": \"end\"},\n%s]}", BODY, cases[i].rule);
        refuse(text, cases[i].message);
    }
    refuse(
        HEAD
        "\"materials\": [{\"name\": \"soft\"}, {\"name\": \"hard\"}], \"rules\": [{\"kind\": \"grow\", "
        "\"other\": \"soft\", \"size\": [3, 1, 1]}, {\"kind\": \"supply\",\n\"other\": \"hard\", \"corner\": "
        "[2, 0, 0], \"size\": [2, 1, 1]}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, "
        "1, 1]}, \"material\": \"soft\"}]}",
        "s.json:4: rules[1].other: rule 1 of kind supply: other: cell (2,0,0) is also of rule 0 of kind "
        "grow, whose new voxels are of another material");
}

static void test_names(void **state)
{
    (void)state;
    refuse(HEAD "\"materials\": [{\"name\": \"gel\"}],\n\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], "
                "\"size\": [1, 1, 1]},\n"
                "\"material\": \"gell\"}]}",
           "s.json:5: shapes[0].material: unknown material \"gell\"; did you mean \"gel\"?");
    refuse(HEAD "\"materials\": [{\"name\": \"gel\"}, {\"name\": \"bone\"}],\n\"shapes\": [{\"box\": "
                "{\"corner\": [0, 0, 0], "
                "\"size\": [1, 1, 1]},\n\"material\": \"something\"}]}",
           "s.json:5: shapes[0].material: unknown material \"something\"; there is \"gel\", \"bone\"");
    refuse(HEAD
           "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"material\": \"gel\"}]}",
           "s.json:3: shapes[0].material: unknown material \"gel\"");
    refuse(HEAD "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"material\": 1}]}",
           "s.json:3: shapes[0].material: must be the name of a material or null, not a number");
    refuse(HEAD "\"materials\": [{\"name\": \"gel\"},\n{\"name\": \"gel\"}]}",
           "s.json:4: materials[1].name: \"gel\" is the name of materials[0] already");
    refuse(HEAD "\"materials\": [{\"name\": \"gel\",\n\"signal\": \"temprature\"}], \"signals\": [{\"name\": "
                "\"temperature\"}]}",
           "s.json:4: materials[0].signal: unknown signal \"temprature\"; did you mean \"temperature\"?");
    refuse(HEAD "\"environment\": {\"plane\": \"xw\"}}",
           "s.json:3: environment.plane: unknown word \"xw\"; did you mean \"xy\"?");
    refuse(HEAD "\"environment\": {\"elasticity\": \"hyperelastic\"}}",
           "s.json:3: environment.elasticity: unknown word \"hyperelastic\"; there is \"solid\", \"beam\"");
    refuse(BODY "\"regions\": [{\"name\": \"r\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, "
                "1]},\n\"fixed\": \"x\"}]}",
           "s.json:6: regions[0].fixed: must be \"all\", \"clamp\" or an array of \"x\", \"y\", \"z\", "
           "\"rx\", \"ry\", "
           "\"rz\"");
    refuse(BODY "\"regions\": [{\"name\": \"r\", \"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, "
                "1]},\n\"fixed\": [\"x\",\n"
                "\"w\"]}]}",
           "s.json:7: regions[0].fixed[1]: must be \"x\", \"y\", \"z\", \"rx\", \"ry\" or \"rz\"");
}

static void test_shapes(void **state)
{
    (void)state;
    refuse(HEAD "\"shapes\": [{\"material\": null}]}",
           "s.json:3: shapes[0]: \"box\", \"sphere\", \"cylinder\" or \"ellipsoid\" is missing");
    refuse(HEAD "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}}]}",
           "s.json:3: shapes[0]: \"material\" is missing");
    refuse(HEAD "\"shapes\": [{\"box\": {}, \"sphere\": {}, \"material\": null}]}",
           "s.json:3: shapes[0]: has both \"box\" and \"sphere\"; one shape at a time");
    refuse(HEAD "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0]}, \"material\": null}]}",
           "s.json:3: shapes[0].box: \"size\" is missing");
    refuse(
        HEAD
        "\"shapes\": [{\"cylinder\": {\"center\": [0, 0, 0], \"radius\": 1, \"axis\": \"w\", \"length\": 1}, "
        "\"material\": null}]}",
        "s.json:3: shapes[0].cylinder.axis: unknown word \"w\"; did you mean \"x\"?");
    refuse(HEAD "\"shapes\": [{\"ellipsoid\": {\"center\": [0, 0, 0], \"radius\": 1}, \"material\": null}]}",
           "s.json:3: shapes[0].ellipsoid.radius: must be an array of 3 numbers");
    refuse(HEAD "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"units\": \"mm\", "
                "\"material\": null}]}",
           "s.json:3: shapes[0].units: unknown word \"mm\"; there is \"voxels\", \"metres\", \"fraction\"");
    refuse(HEAD "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]},\n\"actuation\": "
                "{\"period\": 0}}]}",
           "s.json:4: shapes[0].actuation.period: voxel (0,0,0): actuation period 0 is not within 1e-09 to "
           "1e+09");
}

#define LAYERS(rest) HEAD SOFT "\"layers\": {\"legend\": {\"a\": \"soft\"},\n\"layers\": " rest "}}"

static void test_layers(void **state)
{
    (void)state;
    refuse(HEAD SOFT "\"layers\": {}}", "s.json:4: layers: \"layers\" is missing");
    refuse(LAYERS("[7]"), "s.json:5: layers.layers[0]: must be an array, not a number");
    refuse(LAYERS("[[7]]"), "s.json:5: layers.layers[0][0]: must be a string, not a number");
    refuse(LAYERS("[[\"aa\",\n\"ab\"]]"),
           "s.json:6: layers.layers[0][1]: the character \"b\" is not in the legend");
    refuse(LAYERS("[[\"aa\",\n\"a\"]]"),
           "s.json:6: layers.layers[0][1]: a row of 1 voxels, but the first row has 2");
    refuse(LAYERS("[[\"a\", \"a\"],\n{\"rows\": [\"a\"]}]"),
           "s.json:6: layers.layers[1].rows: a layer of 1 rows, but the first layer has 2");
    refuse(LAYERS("[[\"\"]]"), "s.json:5: layers.layers[0][0]: a row without voxels");
    refuse(LAYERS("[[]]"), "s.json:5: layers.layers[0]: a layer without rows");
    refuse(LAYERS("[[\"aaaaa\"]]"),
           "s.json:5: layers.layers[0][0]: the row is longer than the 4 voxels that are in the workspace");
    refuse(LAYERS("[[\"99999999999999999999a\"]]"),
           "s.json:5: layers.layers[0][0]: the count before \"a\" is not within 1 to 1000000");
    refuse(LAYERS("[[\"0a\"]]"),
           "s.json:5: layers.layers[0][0]: the count before \"a\" is not within 1 to 1000000");
    refuse(LAYERS("[[\"0*a\"]]"),
           "s.json:5: layers.layers[0][0]: the count before * is not within 1 to 1000000");
    refuse(LAYERS("[[\"a3\"]]"), "s.json:5: layers.layers[0][0]: ends in a count without a character");
    refuse(LAYERS("[[\"a\\u007f\"]]"),
           "s.json:5: layers.layers[0][0]: the character \"?\" is not in the legend");
    refuse(LAYERS("[[\"a*\"]]"), "s.json:5: layers.layers[0][0]: the character \"*\" is not in the legend");
    refuse(LAYERS("[[\"4*a\"]]"),
           "s.json:5: layers.layers[0][0]: the layer has more than the 3 rows that are in the workspace");
    refuse(LAYERS("[{\"repeat\": 3, \"rows\": [\"a\"]}]"),
           "s.json:5: layers.layers[0]: more than the 2 layers that are in the workspace");
    refuse(LAYERS("[{\"repeat\": 0, \"rows\": [\"a\"]}]"),
           "s.json:5: layers.layers[0].repeat: must be a whole number from 1 to 1000000");
    refuse(LAYERS("[{\"repeat\": 1}]"), "s.json:5: layers.layers[0]: \"rows\" is missing");
    refuse(LAYERS("[], \"origin\": [0, 3, 0]"), "s.json:5: layers.origin: is outside of the workspace");
    refuse(LAYERS("[], \"origin\": [-1, 0, 0]"),
           "s.json:5: layers.origin[0]: must be a whole number from 0 to 2147483647");
    refuse(HEAD SOFT "\"layers\": {\"legend\": {\"ab\": \"soft\"}, \"layers\": []}}",
           "s.json:4: layers.legend.ab: a key of the legend is one character, but no digit, blank or *");
    refuse(HEAD SOFT "\"layers\": {\"legend\": {\"3\": \"soft\"}, \"layers\": []}}",
           "s.json:4: layers.legend.3: a key of the legend is one character, but no digit, blank or *");
    refuse(HEAD SOFT "\"layers\": {\"legend\": {\"a\":\n\"sofd\"}, \"layers\": []}}",
           "s.json:4: layers.legend.a: unknown material \"sofd\"; did you mean \"soft\"?");
    refuse(HEAD SOFT "\"layers\": {\"legend\": [], \"layers\": []}}",
           "s.json:4: layers.legend: must be an object, not an array");
}

static void test_actuation(void **state)
{
    (void)state;
    refuse(BODY "\"actuation\": {\"phase\": [1, 2]}}",
           "s.json:5: actuation.phase: has 2 numbers for 24 voxels");
    refuse(BODY "\"actuation\": {\"phase\": [[25, 2], 1, 1]}}",
           "s.json:5: actuation.phase: has at least 25 numbers for 24 voxels");
    refuse(BODY "\"actuation\": {\"phase\": [[1]]}}",
           "s.json:5: actuation.phase[0]: a run has two numbers: how many, and which");
    refuse(BODY "\"actuation\": {\"phase\": [[0, 1]]}}",
           "s.json:5: actuation.phase[0][0]: must be a whole number from 1 to 2000000000");
    refuse(BODY "\"actuation\": {\"amplitude\": \"1\"}}",
           "s.json:5: actuation.amplitude: must be a number or an array, not a string");
    refuse(BODY "\"actuation\": {\"phase\": 1,\n\"period\": [[23, 1], 0]}}",
           "s.json:6: actuation.period: voxel (3,2,1): actuation period 0 is not within 1e-09 to 1e+09");
    refuse(BODY "\"actuation\": {\"origin\": [2, 0, 0], \"size\": [3, 1, 1]}}",
           "s.json:5: actuation.size: reaches out of the workspace");
    refuse(BODY "\"actuation\": {\"origin\": [9, 0, 0]}}",
           "s.json:5: actuation.origin: is outside of the workspace");
}

static void test_broken_files(void **state)
{
    (void)state;
    refuse("", "s.json: the file is empty");
    refuse("\xef\xbb\xbf", "s.json: the file is empty");
    refuse(" \n", "s.json:2: not valid JSON: '[' or '{' expected near end of file");
    refuse("{\"voxelastic\": 1,\n \"latt", "s.json:2: not valid JSON: premature end of input near '\"latt'");
    refuse("{}\v", "s.json:1: not valid JSON: end of file expected near '?'");
    refuse("{\"voxelastic\": 1}\n{}", "s.json:2: not valid JSON: end of file expected near '{'");
    refuse("{\"voxelastic\": 1,\n}", "s.json:2: not valid JSON: string or '}' expected near '}'");
    refuse("{\"name\":\n\"\xff\"}", "s.json:2: not valid JSON: unable to decode byte 0xff near '\"'");
    refuse("{\"name\": \"\\ud800\"}",
           "s.json:1: not valid JSON: invalid Unicode '\\uD800' near '\"\\ud800\"'");
    refuse("{\"name\": \"\\u0000\"}",
           "s.json:1: not valid JSON: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'");
    refuse_bytes("{\"voxelastic\"\0: 1}", 18, VXE_ERROR_INPUT, "s.json:1: not valid JSON: a zero byte");
    static const char binary[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    refuse_bytes(binary, sizeof binary - 1, VXE_ERROR_INPUT,
                 "s.json:1: not valid JSON: unable to decode byte 0x89");
    refuse(HEAD "\"name\": \"a\\u0001\"}",
           "s.json:3: name: scene: the name is not valid UTF-8 or has control characters");
    /* Cut anywhere, nothing crashes and nothing loads. */
    const char *whole = BODY "\"stop\": {\"time\": 1}}";
    for (size_t size = 0; size < strlen(whole); size++) {
        char *part = malloc(size + 1); /* its own block, so that AddressSanitizer sees a read past the end */
        assert_non_null(part);
        memcpy(part, whole, size);
        vxe_scene *scene = NULL;
        assert_int_equal(vxe_scene_parse_json(part, size, "s.json", NULL, &scene, NULL), VXE_ERROR_INPUT);
        free(part);
    }
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum { depth = 100000 };
    char *text = malloc(2 * depth + 32);
    assert_non_null(text);
    memset(text, '[', depth);
    refuse_bytes(text, depth, VXE_ERROR_INPUT, "s.json:1: too many brackets inside each other");
    memset(text + depth, ']', depth);
    refuse_bytes(text, 2 * depth, VXE_ERROR_INPUT, "s.json:1: too many brackets inside each other");
    for (size_t i = 0; i + 5 <= depth; i += 5) memcpy(text + i, "{\"a\":", 5);
    refuse_bytes(text, depth, VXE_ERROR_INPUT, "s.json:1: too many brackets inside each other");
    /* Deep but within the limit of the parser: refused for what it is. */
    static const char start[] = "{\"voxelastic\": 1,\n\"lattice\": ";
    memcpy(text, start, sizeof start - 1);
    memset(text + sizeof start - 1, '[', 2000);
    memset(text + sizeof start - 1 + 2000, ']', 2000);
    text[sizeof start - 1 + 4000] = '}';
    refuse_bytes(text, sizeof start + 4000, VXE_ERROR_INPUT,
                 "s.json:2: lattice: must be an object, not an array");
    free(text);
}

static void test_parts_of_voxels(void **state)
{
    (void)state;
    refuse(BODY "\"fields\": {\n\"part\": {\"values\": 3}}}",
           "s.json:6: fields.part: voxel (0,0,0): part 3 is none of the scene's 0");
}

static void test_limits(void **state)
{
    (void)state;
    char points[2000] = HEAD "\"materials\": [{\"name\": \"a\", \"table\": [[0, 0]";
    for (int i = 0; i < VXE_TABLE_MAX; i++) memcpy(points + strlen(points), ", [0, 0]", 9);
    memcpy(points + strlen(points), "]}]}", 5);
    refuse_bytes(points, strlen(points), VXE_ERROR_LIMIT,
                 "s.json:3: materials[0].table: more than 64 points");
    const size_t count = (size_t)VXE_JSON_VALUES_MAX + 1;
    char *text = malloc(2 * count + 2);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < count; i++) memcpy(text + 1 + 2 * i, "0,", 2);
    refuse_bytes(text, 1 + 2 * count, VXE_ERROR_LIMIT, "s.json: more than 20000000 values");
    refuse_bytes(text, VXE_SCENE_BYTES_MAX + 1, VXE_ERROR_LIMIT, "s.json: larger than 1073741824 bytes");
    static const char shapes[] = HEAD "\"shapes\": [0";
    memcpy(text, shapes, sizeof shapes - 1);
    for (size_t i = 0; i < VXE_JSON_SHAPES_MAX; i++) memcpy(text + sizeof shapes - 1 + 2 * i, ",0", 2);
    memcpy(text + sizeof shapes - 1 + 2 * VXE_JSON_SHAPES_MAX, "]}", 3);
    refuse_bytes(text, strlen(text), VXE_ERROR_LIMIT, "s.json:3: shapes: more than 100000 shapes");
    free(text);
    /* Cells visited by shapes: as if many large ones had come before. */
    static const char one[] =
        "{\n\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [4, 4, 1]}, \"material\": null}]}";
    json_t *root = json_loads(one, 0, NULL);
    vxe_error error;
    vxe_json_reader reader = {one, sizeof one - 1,         "s.json", NULL,   NULL,
                              0,   VXE_JSON_FILL_MAX - 15, VXE_OK,   &error, NULL};
    assert_int_equal(vxe_scene_create(1.0, 9, 9, 9, &reader.scene, NULL), VXE_OK);
    vxe_json_read_shapes(&reader, json_object_get(root, "shapes"), false);
    assert_int_equal(reader.result, VXE_ERROR_LIMIT);
    assert_string_equal(
        error.message,
        "s.json:2: shapes[0]: shapes and actuation so far cover more than 10000000000 voxels in all");
    vxe_scene_destroy(reader.scene);
    json_decref(root);
}

/* A message stays one line of UTF-8 whatever the file says. */
static void test_long_texts(void **state)
{
    (void)state;
    char text[6000] = HEAD "\"";
    for (int i = 0; i < 1000; i++) memcpy(text + strlen(text), "\xe2\x82\xac", 4);
    memcpy(text + strlen(text), "\": 1}", 6);
    vxe_scene *scene = NULL;
    vxe_error error;
    assert_int_equal(vxe_scene_parse_json(text, strlen(text), "s.json", NULL, &scene, &error),
                     VXE_ERROR_INPUT);
    assert_true(vxe_valid_text(error.message));
    assert_non_null(strstr(error.message, "\xe2\x82\xac...: unknown key"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_types_and_ranges),
        cmocka_unit_test(test_refused_by_the_scene),
        cmocka_unit_test(test_refused_as_a_whole),
        cmocka_unit_test(test_world_members),
        cmocka_unit_test(test_rule_members),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_actuation),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_parts_of_voxels),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
