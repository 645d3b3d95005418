/** @file voxelastic.h
 *  The whole public interface of Voxelastic. */
#ifndef VOXELASTIC_H
#define VOXELASTIC_H

#include "base.h"
#include "io.h"
#include "model.h"
#include "scene.h"
#include "sim.h"
#include "skin.h"
#include "solve.h"

#endif
