/* Resumes a small scene (contacts, friction, floor, yielding and breaking links, actuation, regions) from
 * checkpoints that are wrong in any way, and steps on with what is accepted. The input is either a whole
 * checkpoint, or edits of a good one whose size and hash are then put right, so that they get past the
 * header:
 *
 *   byte 0         0: the rest is the checkpoint; else: the rest are edits, and bit 1 chooses the precision
 *   each edit      offset in the payload (3 bytes, modulo its size), count (1 byte, modulo 9), the bytes;
 * count 0 cuts the payload there
 */
#include "base/base.h"
#include "sim/sim.h"
#include "voxelastic/voxelastic.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One precision's simulation and a good checkpoint of it; made once. */
typedef struct subject {
    vxe_model *model;
    vxe_sim *sim;
    unsigned char *good;
    size_t size;
    size_t header; /* bytes before the payload */
} subject;

static void must(vxe_result result)
{
    if (result != VXE_OK) abort();
}

static vxe_shape box(double x, double y, double z, double sx, double sy, double sz)
{
    return (vxe_shape){
        .kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .corner = {x, y, z}, .sides = {sx, sy, sz}};
}

static vxe_model *make_model(void)
{
    vxe_scene *scene = NULL;
    must(vxe_scene_create(0.01, 4, 2, 5, &scene, NULL));
    vxe_material_def def = vxe_default_material_def();
    int32_t materials[2];
    def.expansion = 0.01;
    def.failure_stress = 3e4;
    must(vxe_scene_add_material(scene, &def, &materials[0], NULL));
    def.failure_stress = 0.0;
    def.law = VXE_LAW_BILINEAR;
    def.yield_stress = 5e3;
    def.plastic_modulus = 1e5;
    must(vxe_scene_add_material(scene, &def, &materials[1], NULL));
    vxe_shape shape = box(0, 0, 0, 4, 2, 2);
    must(vxe_scene_fill(scene, &shape, materials[0], NULL));
    shape = box(1, 0, 3, 2, 2, 2);
    must(vxe_scene_fill(scene, &shape, materials[1], NULL));
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 20.0;
    signal.period = 0.01;
    int32_t number = 0;
    must(vxe_scene_add_signal(scene, &signal, &number, NULL));
    vxe_region_def region = vxe_default_region_def();
    memcpy(region.name, "grip", 5);
    region.shape = box(0, 0, 0, 1, 2, 1);
    region.fixed = VXE_DOF_ALL;
    region.displacement[0] = 0.002;
    region.ramp = 0.01;
    must(vxe_scene_add_region(scene, &region, &number, NULL));
    memcpy(region.name, "load", 5);
    region.shape = box(3, 0, 0, 1, 2, 1);
    region.fixed = 0;
    region.displacement[0] = 0.0;
    region.force[0] = 0.5;
    must(vxe_scene_add_region(scene, &region, &number, NULL));
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -50.0;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    must(vxe_scene_set_environment(scene, &e, NULL));
    vxe_model *model = NULL;
    must(vxe_compile(scene, &model, NULL));
    vxe_scene_destroy(scene);
    return model;
}

static subject make_subject(vxe_precision precision)
{
    subject s = {make_model(), NULL, NULL, 0, 0};
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = precision;
    must(vxe_sim_create(s.model, &def, &s.sim, NULL));
    must(vxe_sim_step(s.sim, 300, NULL)); /* the upper block has landed, links have yielded */
    const double force[3] = {0.0, 0.1, 0.0};
    must(vxe_sim_pull(s.sim, 5, force, NULL));
    s.size = vxe_sim_save_size(s.sim);
    s.good = malloc(s.size);
    if (s.good == NULL) abort();
    must(vxe_sim_save(s.sim, s.good, s.size, NULL));
    /* the header ends with the size and the hash of what follows */
    for (size_t h = 16; h < 256 && h < s.size && s.header == 0; h += 8) {
        uint64_t hash;
        memcpy(&hash, s.good + h - 8, sizeof hash);
        if (hash == vxe_hash_bytes(VXE_HASH_START, s.good + h, s.size - h)) s.header = h;
    }
    if (s.header == 0) abort();
    return s;
}

/* Uses everything that reads the state. */
static void read_all(vxe_sim *sim)
{
    const vxe_links *links = NULL;
    const vxe_voxels *voxels = NULL;
    int64_t events = 0;
    double a[3];
    double b[3];
    (void)vxe_sim_state(sim);
    (void)vxe_sim_links(sim, &links, NULL);
    (void)vxe_sim_voxels(sim, &voxels, NULL);
    (void)vxe_sim_events(sim, &events);
    (void)vxe_sim_energy(sim);
    (void)vxe_sim_hash(sim);
    (void)vxe_sim_signal(sim, 0);
    (void)vxe_sim_displacement_max(sim, NULL);
    vxe_sim_momentum(sim, a, b);
    for (int32_t r = 0; r < 2; r++) (void)vxe_sim_region_reaction(sim, r, a, b, NULL);
}

static void load_and_step(vxe_sim *sim, const unsigned char *bytes, size_t size)
{
    const uint64_t before = vxe_sim_hash(sim);
    vxe_error error = {VXE_OK, ""};
    if (vxe_sim_load(sim, bytes, size, &error) != VXE_OK) {
        if (error.code != VXE_ERROR_INPUT || error.message[0] == '\0' || vxe_sim_hash(sim) != before)
            abort(); /* refused: unchanged */
        return;
    }
    read_all(sim);
    (void)vxe_sim_step(sim, 3, NULL);
    const vxe_stop stop = {.time = 1e9, .steps = sim->step + 3, .kinetic_energy = 1e-9, .speed = 1e-9};
    (void)vxe_sim_run(sim, &stop, 20);
    read_all(sim);
    (void)vxe_sim_save_size(sim);
}

static void load_edited(const subject *s, const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(s->size);
    if (bytes == NULL) abort();
    memcpy(bytes, s->good, s->size);
    const size_t payload = s->size - s->header;
    size_t left = payload;
    while (size >= 4) {
        const size_t offset = ((size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % payload;
        size_t count = data[3] % 9;
        data += 4;
        size -= 4;
        if (count == 0) left = offset;
        if (count > size) count = size;
        if (count > payload - offset) count = payload - offset;
        memcpy(bytes + s->header + offset, data, count);
        data += count;
        size -= count;
    }
    const uint64_t length = left;
    const uint64_t hash = vxe_hash_bytes(VXE_HASH_START, bytes + s->header, left);
    memcpy(bytes + s->header - 16, &length, sizeof length);
    memcpy(bytes + s->header - 8, &hash, sizeof hash);
    load_and_step(s->sim, bytes, s->header + left);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static subject subjects[2];
    if (subjects[0].sim == NULL) {
        subjects[0] = make_subject(VXE_PRECISION_DOUBLE);
        subjects[1] = make_subject(VXE_PRECISION_SINGLE);
    }
    if (size == 0 || size > 100000) return 0;
    const subject *s = &subjects[data[0] >> 1 & 1];
    if (data[0] == 0) {
        load_and_step(s->sim, data + 1, size - 1);
    } else {
        load_edited(s, data + 1, size - 1);
    }
    /* back to where it was: every input is on its own */
    if (vxe_sim_load(s->sim, s->good, s->size, NULL) != VXE_OK) abort();
    return 0;
}
