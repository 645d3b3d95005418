/* Whether two scenes are equal, number by number and bit by bit; the first difference fails the test. Include
 * after cmocka.h. */
#ifndef TESTS_SAME_SCENE_H
#define TESTS_SAME_SCENE_H

#include <string.h>

#include "voxelastic/scene.h"

static inline void same_number(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%.17g is not %.17g", a, b);
}

static inline void same_numbers(const double *a, const double *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++) same_number(a[i], b[i]);
}

static inline void same_material(const vxe_material_def *a, const vxe_material_def *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->signal, b->signal);
    assert_memory_equal(a->color, b->color, 4);
    assert_int_equal(a->law, b->law);
    same_number(a->youngs_modulus, b->youngs_modulus);
    same_number(a->poissons_ratio, b->poissons_ratio);
    same_number(a->density, b->density);
    same_number(a->expansion, b->expansion);
    same_number(a->static_friction, b->static_friction);
    same_number(a->dynamic_friction, b->dynamic_friction);
    same_number(a->yield_stress, b->yield_stress);
    same_number(a->plastic_modulus, b->plastic_modulus);
    same_number(a->failure_stress, b->failure_stress);
    assert_int_equal(a->table_count, b->table_count);
    same_numbers(a->table_strain, b->table_strain, a->table_count);
    same_numbers(a->table_stress, b->table_stress, a->table_count);
}

static inline void same_region(const vxe_region_def *a, const vxe_region_def *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->shape.kind, b->shape.kind);
    assert_int_equal(a->shape.units, b->shape.units);
    same_number(a->shape.thickness, b->shape.thickness);
    if (a->shape.kind == VXE_SHAPE_BOX) {
        same_numbers(a->shape.corner, b->shape.corner, 3);
        same_numbers(a->shape.sides, b->shape.sides, 3);
    } else {
        same_numbers(a->shape.center, b->shape.center, 3);
        same_numbers(a->shape.radius, b->shape.radius, a->shape.kind == VXE_SHAPE_ELLIPSOID ? 3 : 1);
    }
    if (a->shape.kind == VXE_SHAPE_CYLINDER) {
        assert_int_equal(a->shape.axis, b->shape.axis);
        same_number(a->shape.length, b->shape.length);
    }
    assert_int_equal(a->fixed, b->fixed);
    same_numbers(a->displacement, b->displacement, 3);
    same_numbers(a->rotation, b->rotation, 3);
    assert_int_equal(a->has_pivot, b->has_pivot);
    if (a->has_pivot) same_numbers(a->pivot, b->pivot, 3);
    same_numbers(a->force, b->force, 3);
    same_numbers(a->torque, b->torque, 3);
    same_number(a->ramp, b->ramp);
}

static inline void same_signal(const vxe_signal_def *a, const vxe_signal_def *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->waveform, b->waveform);
    same_number(a->base, b->base);
    same_number(a->reference, b->reference);
    same_number(a->amplitude, b->amplitude);
    same_number(a->period, b->period);
    same_number(a->phase, b->phase);
    same_number(a->start, b->start);
    assert_int_equal(a->contract_only, b->contract_only);
    assert_int_equal(a->table_count, b->table_count);
    same_numbers(a->table_time, b->table_time, a->table_count);
    same_numbers(a->table_value, b->table_value, a->table_count);
}

static inline void same_rest(const vxe_scene *a, const vxe_scene *b)
{
    const vxe_environment e = vxe_scene_environment(a);
    const vxe_environment f = vxe_scene_environment(b);
    same_numbers(e.gravity, f.gravity, 3);
    assert_int_equal(e.floor, f.floor);
    same_number(e.damping_stretch, f.damping_stretch);
    same_number(e.damping_rotation, f.damping_rotation);
    same_number(e.damping_contact, f.damping_contact);
    same_number(e.damping_ground, f.damping_ground);
    assert_int_equal(e.elasticity, f.elasticity);
    assert_int_equal(e.plane, f.plane);
    assert_int_equal(e.collisions, f.collisions);
    same_number(e.collision_horizon, f.collision_horizon);
    same_number(e.collision_distance, f.collision_distance);
    same_number(e.damping_turning, f.damping_turning);
    assert_int_equal(e.collision_smooth, f.collision_smooth);
    assert_int_equal(e.links_unbalanced, f.links_unbalanced);
    const vxe_stop s = vxe_scene_stop(a);
    const vxe_stop t = vxe_scene_stop(b);
    same_number(s.time, t.time);
    assert_true(s.steps == t.steps);
    same_number(s.cycles, t.cycles);
    same_number(s.kinetic_energy, t.kinetic_energy);
    same_number(s.speed, t.speed);
    same_number(s.settle, t.settle);
    const vxe_output_def *o = vxe_scene_output(a);
    const vxe_output_def *p = vxe_scene_output(b);
    assert_int_equal(o->trace_count, p->trace_count);
    for (int32_t i = 0; i < o->trace_count; i++) assert_string_equal(o->trace[i], p->trace[i]);
    same_number(o->every, p->every);
    same_number(o->checkpoint_every, p->checkpoint_every);
}

static inline void same_scene(const vxe_scene *a, const vxe_scene *b)
{
    int32_t m[3];
    int32_t n[3];
    vxe_scene_size(a, m);
    vxe_scene_size(b, n);
    assert_memory_equal(m, n, sizeof m);
    same_number(vxe_scene_pitch(a), vxe_scene_pitch(b));
    assert_string_equal(vxe_scene_name(a), vxe_scene_name(b));
    assert_string_equal(vxe_scene_description(a), vxe_scene_description(b));
    assert_memory_equal(vxe_scene_voxels(a), vxe_scene_voxels(b),
                        (size_t)m[0] * (size_t)m[1] * (size_t)m[2] * sizeof(uint16_t));
    assert_int_equal(vxe_scene_has_actuation(a), vxe_scene_has_actuation(b));
    for (int32_t k = 0; vxe_scene_has_actuation(a) && k < m[2]; k++) {
        for (int32_t j = 0; j < m[1]; j++) {
            for (int32_t i = 0; i < m[0]; i++) {
                const vxe_actuation x = vxe_scene_actuation(a, i, j, k);
                const vxe_actuation y = vxe_scene_actuation(b, i, j, k);
                same_number(x.phase, y.phase);
                same_number(x.amplitude, y.amplitude);
                same_number(x.period, y.period);
            }
        }
    }
    assert_int_equal(vxe_scene_material_count(a), vxe_scene_material_count(b));
    for (int32_t i = 1; i <= vxe_scene_material_count(a); i++)
        same_material(vxe_scene_material(a, i), vxe_scene_material(b, i));
    assert_int_equal(vxe_scene_region_count(a), vxe_scene_region_count(b));
    for (int32_t i = 0; i < vxe_scene_region_count(a); i++)
        same_region(vxe_scene_region(a, i), vxe_scene_region(b, i));
    assert_int_equal(vxe_scene_signal_count(a), vxe_scene_signal_count(b));
    for (int32_t i = 0; i < vxe_scene_signal_count(a); i++)
        same_signal(vxe_scene_signal(a, i), vxe_scene_signal(b, i));
    same_rest(a, b);
}

#endif
