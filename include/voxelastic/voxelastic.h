/** @file voxelastic.h
 *  The whole public interface of Voxelastic. */
#ifndef VOXELASTIC_H
#define VOXELASTIC_H

#include "base.h"
#include "batch.h"
#include "drive.h"
#include "figures.h"
#include "io.h"
#include "mesh.h"
#include "model.h"
#include "picture.h"
#include "replay.h"
#include "results.h"
#include "rules.h"
#include "run.h"
#include "scene.h"
#include "sim.h"
#include "skin.h"
#include "solve.h"
#include "world.h"

#endif
