/* Tags without effect: everything in a file that no reader has looked at is told, once each with its line,
 * and kept for when such a file is written. The table says why a tag has no effect; what is not in it is not
 * known. */
#include "io/vxa.h"

#include <stdlib.h>
#include <string.h>

enum { C = 1, E = 2, V = 4, ALL = 7 };

/* A tag, as a path below the root; "*" at the end stands for anything below. */
typedef struct tag_rule {
    const char *path;
    int dialects;
    vxe_note_kind kind;
    const char *text;
    const char *neutral; /* this value is not worth a remark: it asks for what happens anyway */
} tag_rule;

#define NOBODY "no program of the family reads it"
#define NOTHING "the programs read it and do nothing with it"
#define DISPLAY "it is for display only"
#define ANOTHER "this program does not read it"
#define STORED "evosoro keeps it without effect"
#define BRAIN "it counts only with a controller of its own, and such robots are refused"
#define ZEROS "its numbers are all zero: it does nothing"
#define WATER "evosoro's engine for land and water does not read it"

static const tag_rule rules[] = {
    {"GPU/*", V, VXE_NOTE_IGNORED, "it is about memory of a graphics card", NULL},
    {"RawPrint", V, VXE_NOTE_READ, "text at the beginning of the history", NULL},
    {"Simulator/Integration/Integrator", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/Integration/DtFrac", ALL, VXE_NOTE_READ,
     "the largest stable time step is found here; --dt-fraction sets the part of it that is used", NULL},
    {"Simulator/Collisions/SelfColEnabled", C, VXE_NOTE_IGNORED,
     "VoxCAD reads it and switches collisions off all the same", NULL},
    {"Simulator/Collisions/SelfColEnabled", V, VXE_NOTE_IGNORED, "voxcraft uses AttachDetach/EnableCollision",
     NULL},
    {"Simulator/Collisions/*", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/Features/MaxVelLimitEnabled", E, VXE_NOTE_READ,
     "no movement is cut off: the step is shortened until no voxel goes further than a quarter of a pitch in "
     "it",
     "0"},
    {"Simulator/Features/MaxVelLimitEnabled", C | V, VXE_NOTE_IGNORED,
     "the program reads it and forces it off", NULL},
    {"Simulator/Features/MaxVoxVelLimit", ALL, VXE_NOTE_IGNORED, "it counts only with MaxVelLimitEnabled",
     NULL},
    {"Simulator/Features/BlendingEnabled", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/MixRadius", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/XMixRadius", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/YMixRadius", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/ZMixRadius", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/BlendModel", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/PolyExp", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/FluidDampEnabled", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/EnforceLatticeEnabled", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/Features/PoissonKickBackEnabled", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/StopCondition/StopConditionType", V, VXE_NOTE_IGNORED,
     "voxcraft reads it and does not use it", NULL},
    {"Simulator/StopCondition/StopConditionValue", V, VXE_NOTE_IGNORED,
     "voxcraft reads it and does not use it", NULL},
    {"Simulator/StopCondition/AfterlifeTime", E, VXE_NOTE_IGNORED, "it counts only with StopConditionType 2",
     NULL},
    {"Simulator/StopCondition/MidLifeFreezeTime", E, VXE_NOTE_READ,
     "where voxels grow, growth pauses for so long in the middle of life", "0"},
    {"Simulator/StopCondition/*", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/EquilibriumMode/*", V, VXE_NOTE_IGNORED, "voxcraft reads it without effect", NULL},
    {"Simulator/SurfMesh/*", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Simulator/SimStop/*", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/GA/WriteFitnessFile", E, VXE_NOTE_IGNORED, "evosoro writes the file whatever it says", NULL},
    {"Simulator/GA/QhullTmpFile", E, VXE_NOTE_IGNORED, "no scratch file is needed", NULL},
    {"Simulator/GA/CurvaturesTmpFile", E, VXE_NOTE_IGNORED, "no scratch file is needed", NULL},
    {"Simulator/GA/*", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/GA/*", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/MinTempFact", E, VXE_NOTE_IGNORED, WATER, NULL},
    {"Simulator/MaxTempFactChange", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/MaxStiffnessChange", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/MinElasticMod", E, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Simulator/MaxElasticMod", E, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Simulator/MaxKP", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/MaxKI", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/MaxANTIWINDUP", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Simulator/ParentLifetime", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"Simulator/ErrorThreshold", E, VXE_NOTE_IGNORED, "the pointing error is 0, as in evosoro", "0"},
    {"Simulator/ThresholdTime", E, VXE_NOTE_IGNORED, "it counts only with StopConditionType 8", "0"},
    {"Simulator/SelfReplication", V, VXE_NOTE_READ,
     "rules of kind remove, become and supply, with SecondaryExperiment", "0"},
    {"Simulator/SettleTimeBeforeNextRoundOfReplication", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/WorldSize", V, VXE_NOTE_READ, "with SelfReplication and WallForce", NULL},
    {"Simulator/BotMat", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/RemoveMat", V, VXE_NOTE_IGNORED, "piles that are too small go at once", NULL},
    {"Simulator/DebrisMat", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/SpaceBetweenDebris", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/DebrisHeight", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/DebrisConcentration", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/ReplenishDebrisEvery", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/MaxNewVoxelsAddedMidSim", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/MinimumBotSize", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/CiliaFracAfterFirstRound", V, VXE_NOTE_READ, "with SelfReplication", NULL},
    {"Simulator/ComputeLargestSitckyGroupForFirstRound", V, VXE_NOTE_READ,
     "largestStickyGroupSize of the report is that at the end of the first generation", "0"},
    {"Simulator/WallForce", V, VXE_NOTE_READ, "rules of kind push, with WorldSize", "0"},
    {"Simulator/DetachStringyBodiesEvery", V, VXE_NOTE_READ, "rules of kind cut, with DetachProbability",
     "0"},
    {"Simulator/DetachProbability", V, VXE_NOTE_READ, "with DetachStringyBodiesEvery", "0"},
    {"Simulator/nonStickyTimeAfterStringyBodyDetach", V, VXE_NOTE_READ, "rest of the rules of kind bond",
     "0"},
    {"Simulator/EnableDisintegration", V, VXE_NOTE_READ,
     "rules of kind remove, for materials with Detachable", "0"},
    {"Simulator/RandomizeCiliaEvery", V, VXE_NOTE_READ, "rules of kind cilia, with EnableCilia", "0"},
    {"Simulator/RandomSeed", V, VXE_NOTE_READ,
     "the seed of what is random; the numbers are not those of voxcraft", NULL},
    {"Simulator/SurfaceGrowth/EnableGrowth", V, VXE_NOTE_READ,
     "a rule of kind grow: within the lattice of the file, and joined to what they grow from", "0"},
    {"Simulator/SurfaceGrowth/*", V, VXE_NOTE_READ, "a rule of kind grow", NULL},
    {"Simulator/AttachDetach/CollisionMode", V, VXE_NOTE_IGNORED,
     "pairs are found in another way, with the same result", NULL},
    {"Simulator/AttachDetach/ForceAttachment", V, VXE_NOTE_READ, "voxels stick in any pose, and keep it",
     "0"},
    {"Simulator/RecordHistory/RecordFixedVoxels", V, VXE_NOTE_READ,
     "voxels of materials with Fixed are left out, with RecordStepSize", "1"},
    {"Simulator/RecordHistory/SurfaceVoxelsOnly", V, VXE_NOTE_READ,
     "voxels inside are recorded too, with RecordStepSize", "1"},
    {"Simulator/RecordHistory/RecordCoMTraceOfEachVoxelGroupfOfThisMaterial", V, VXE_NOTE_READ,
     "in every frame, with RecordStepSize: the middle of each body with such a voxel", "0"},
    {"Simulator/RecordHistory/RecordVoxel", V, VXE_NOTE_IGNORED, "it counts only with RecordStepSize", NULL},
    {"Simulator/RecordHistory/RecordLink", V, VXE_NOTE_IGNORED, "it counts only with RecordStepSize", NULL},
    {"Simulator/ThoroughTest/*", V, VXE_NOTE_IGNORED, "it checks the program itself", NULL},
    {"Simulator/UsingLightSource", V, VXE_NOTE_READ, "rules of kind light, control and cilia", "0"},
    {"Simulator/TurnOnLightAfterThisManySeconds", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightAPosX", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightAPosY", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightAPosZ", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightBPosX", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightBPosY", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/LightBPosZ", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/RandomizeLightA", V, VXE_NOTE_READ,
     "with UsingLightSource: whenever its function rises above 0 the lamp lights with a chance of 1/2, by "
     "RandomSeed",
     "0"},
    {"Simulator/RandomizeLightB", V, VXE_NOTE_READ,
     "with UsingLightSource: whenever its function rises above 0 the lamp lights with a chance of 1/2, by "
     "RandomSeed",
     "0"},
    {"Simulator/LightSensitiveTime", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/CiliaFactorInLight", V, VXE_NOTE_READ, "with UsingLightSource", NULL},
    {"Simulator/OnlySurfVoxOcclude", V, VXE_NOTE_IGNORED,
     "voxels inside are behind those at the surface anyway", NULL},
    {"Simulator/UsingVolvox", V, VXE_NOTE_READ, "rules of kind control, with UsingLightSource", "0"},
    {"Simulator/LightAFunction/*", V, VXE_NOTE_READ, "when lamp A is on, with UsingLightSource", NULL},
    {"Simulator/LightBFunction/*", V, VXE_NOTE_READ, "when lamp B is on, with UsingLightSource", NULL},
    {"Simulator/HighDebrisConcentration", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/LightPosX", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/LightPosY", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/LightPosZ", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/CiliaDelayInLight", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/CiliaDecayInDark", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/TrackCOM", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/LightFunction/*", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/AttachDetach/KeepJustOneIfManyHaveSameGroupPosition", V, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"CPPN/*", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"DNA/*", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Genotype/*", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/SlowDampingFrac", V, VXE_NOTE_READ,
     "factor of the damping against the world", "1"},
    {"VXC/Palette/Material/Mechanical/WaterLevel", V, VXE_NOTE_READ, "a rule of kind push", "0"},
    {"VXC/Palette/Material/Mechanical/Buoyancy", V, VXE_NOTE_READ,
     "a rule of kind push that cancels the weight", "0"},
    {"VXC/Palette/Material/Mechanical/EndSimIfCompletelyRemoved", V, VXE_NOTE_READ,
     "a rule of kind end, with SecondaryExperiment", "0"},
    {"VXC/Palette/Material/Mechanical/FailStressAddedStrengthPerNeighbor", V, VXE_NOTE_IGNORED, NOTHING,
     NULL},
    {"VXC/Palette/Material/Mechanical/Detachable", V, VXE_NOTE_READ,
     "a rule of kind remove, with EnableDisintegration", "0"},
    {"VXC/Palette/Material/Mechanical/Transparent", V, VXE_NOTE_READ, "its voxels keep no light off others",
     "0"},
    {"VXC/Palette/Material/Mechanical/lightSensitive", V, VXE_NOTE_READ,
     "a rule of kind control, with UsingLightSource", "0"},
    {"VXC/Palette/Material/Mechanical/isLightSourceA", V, VXE_NOTE_IGNORED,
     "such voxels only show whether the lamp is on", "0"},
    {"VXC/Palette/Material/Mechanical/isLightSourceB", V, VXE_NOTE_IGNORED,
     "such voxels only show whether the lamp is on", "0"},
    {"VXC/Palette/Material/Mechanical/isLightSource", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/cilia_X", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/cilia_Y", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/LockZ", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/Mechanical/NoSpin", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/ActivationTimeConstant/*", V, VXE_NOTE_READ, "a field: trait1 to trait4", NULL},
    {"VXC/Structure/RecoveryTimeConstant/*", V, VXE_NOTE_READ, "a field: trait1 to trait4", NULL},
    {"VXC/Structure/DownregulationConstant/*", V, VXE_NOTE_READ, "a field: trait1 to trait4", NULL},
    {"VXC/Structure/DetachTime/*", V, VXE_NOTE_READ, "a field: trait1 to trait4", NULL},
    {"Simulator/AttachDetach/EnableAttach", V, VXE_NOTE_READ,
     "voxels of materials with Sticky stick to their kind: rules of kind bond", "0"},
    {"Simulator/AttachDetach/watchDistance", V, VXE_NOTE_IGNORED, "voxcraft overwrites it", NULL},
    {"Simulator/AttachDetach/boundingRadius", V, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"Simulator/AttachDetach/SafetyGuard", V, VXE_NOTE_IGNORED, "not needed: a new bond begins without load",
     NULL},
    {"Simulator/AttachDetach/AttachCondition/*", V, VXE_NOTE_READ, "the condition of the rules of kind bond",
     NULL},
    {"Simulator/EnableSignals", V, VXE_NOTE_READ, "signals spread: rules of kind conduct and pace", "0"},
    {"Simulator/ReinitializeInitialPositionAfterThisManySeconds", V, VXE_NOTE_IGNORED,
     "it counts only with SecondaryExperiment", NULL},
    {"Simulator/EnableTargetCloseness", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"Simulator/Condition/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/FitnessFunction/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/ForceField/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/RecordHistory/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/AttachDetach/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/SavePositionOfAllVoxels", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/MaxDistInVoxelLengthsToCountAsPair", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/EnableCilia", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/EnableSignals", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/EnableExpansion", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/SecondaryExperiment", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Simulator/MinTempFact", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"GPU/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"RawPrint", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/Fixed_Regions/*", ALL, VXE_NOTE_IGNORED, "Boundary_Conditions is there and counts", NULL},
    {"Environment/Forced_Regions/*", ALL, VXE_NOTE_IGNORED, "Boundary_Conditions is there and counts", NULL},
    {"Environment/Boundary_Conditions/FRegion/R", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Environment/Boundary_Conditions/FRegion/G", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Environment/Boundary_Conditions/FRegion/B", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Environment/Boundary_Conditions/FRegion/alpha", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"Environment/Gravity/FloorSlope", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/Gravity/AlterGravityHalfway", E, VXE_NOTE_READ,
     "a rule of kind push from the middle of life on", "1"},
    {"Environment/NeuralNet/*", E, VXE_NOTE_IGNORED, "evosoro reads it; its network is switched off", NULL},
    {"Environment/GrowthModel", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"Environment/GrowthAmplitude", E, VXE_NOTE_IGNORED, WATER, NULL},
    {"Environment/MinGrowthTime", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"Environment/OnsetRelative", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"Environment/TerminationRelative", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"Environment/TimeBetweenTraces", E, VXE_NOTE_IGNORED, "it counts only with SaveTraces", NULL},
    {"Environment/FallingProhibited", E, VXE_NOTE_READ,
     "a fall ends the run and costs its distance, with StopConditionType 2", "0"},
    {"Environment/BallisticSlowdownFact", E, VXE_NOTE_READ,
     "where voxels grow, with NumTimeStepsInWindow: how fast growth goes on in the window after one in which "
     "the robot lost speed",
     NULL},
    {"Environment/MaxSlowdownPermitted", E, VXE_NOTE_READ,
     "where voxels grow, with NumTimeStepsInWindow: the part of its speed that a robot may lose from a "
     "window "
     "to the next",
     NULL},
    {"Environment/NumTimeStepsInWindow", E, VXE_NOTE_READ,
     "where voxels grow: how long a window is in which the speed of the robot is measured", "0"},
    {"Environment/NeedleInHaystack", E, VXE_NOTE_READ,
     "FoundNeedleInHaystack is 1 when voxels of others have touched one of material 7; without collisions "
     "nothing touches",
     "0"},
    {"Environment/Sources/*", E, VXE_NOTE_READ,
     "rules of kind light and heat, which can be sensed; as in evosoro nothing feels them by itself", NULL},
    {"Environment/RegenerationModel/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"Environment/ForwardModel/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"Environment/Controller/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"Environment/Signaling/*", E, VXE_NOTE_READ,
     "rules of kind conduct and pace, for materials with IsConductive and IsPacemaker", NULL},
    {"Environment/LightSource/*", E, VXE_NOTE_READ,
     "a rule of kind light at this place, in m; nothing feels it by itself", NULL},
    {"Environment/GrowthSpeedLimit", E, VXE_NOTE_READ,
     "where voxels grow, their size changes by no more than this part of itself in 1 s", "0"},
    {"Environment/GreedyGrowth", E, VXE_NOTE_IGNORED, BRAIN, "0"},
    {"Environment/GreedyThreshold", E, VXE_NOTE_IGNORED, BRAIN, "0"},
    {"Environment/SavePassiveData", E, VXE_NOTE_IGNORED, "run -o and --results write all there is", "0"},
    {"Environment/DampEvolvedStiffness", E, VXE_NOTE_READ,
     "links are damped by the stiffness that their voxels have", "0"},
    {"Environment/BlockPushing", E, VXE_NOTE_READ,
     "PushDist is how far the block's last voxel was pushed along the floor; the block is no part of the "
     "robot's distance",
     "0"},
    {"Environment/BlockMaterial", E, VXE_NOTE_READ, "with BlockPushing", "0"},
    {"Environment/StickyFloor", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/FloorRadius", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/FluidEnvironment", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/AggregateDragCoefficient", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/GrowthAmplitude", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/NormDistByVol", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"Environment/SaveTraces", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Lattice/Y_Dim_Adj", ALL, VXE_NOTE_IGNORED, "voxels are cubes of Lattice_Dim times X_Dim_Adj", NULL},
    {"VXC/Lattice/Z_Dim_Adj", ALL, VXE_NOTE_IGNORED, "voxels are cubes of Lattice_Dim times X_Dim_Adj", NULL},
    {"VXC/Lattice/X_Line_Offset", ALL, VXE_NOTE_IGNORED, "the engines do not shift rows", NULL},
    {"VXC/Lattice/Y_Line_Offset", ALL, VXE_NOTE_IGNORED, "the engines do not shift rows", NULL},
    {"VXC/Lattice/X_Layer_Offset", ALL, VXE_NOTE_IGNORED, "the engines do not shift layers", NULL},
    {"VXC/Lattice/Y_Layer_Offset", ALL, VXE_NOTE_IGNORED, "the engines do not shift layers", NULL},
    {"VXC/Voxel/*", ALL, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"VXC/Palette/Material/Mechanical/MatModel", ALL, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"VXC/Palette/Material/Mechanical/SSData/*", ALL, VXE_NOTE_IGNORED, "it belongs to MatModel 3", NULL},
    {"VXC/Palette/Material/Mechanical/Elastic_Mod", ALL, VXE_NOTE_IGNORED, "MatModel 3 has it from its data",
     NULL},
    {"VXC/Palette/Material/Mechanical/Plastic_Mod", ALL, VXE_NOTE_IGNORED, "it belongs to MatModel 2", NULL},
    {"VXC/Palette/Material/Mechanical/Yield_Stress", ALL, VXE_NOTE_IGNORED, "it belongs to MatModel 2", NULL},
    {"VXC/Palette/Material/Mechanical/FailModel", E, VXE_NOTE_IGNORED, "it belongs to MatModel 1 and 2",
     NULL},
    {"VXC/Palette/Material/Mechanical/Fail_Stress", ALL, VXE_NOTE_IGNORED, "it belongs to MatModel 1 and 2",
     NULL},
    {"VXC/Palette/Material/Mechanical/Fail_Strain", E, VXE_NOTE_IGNORED, "it belongs to MatModel 1 and 2",
     NULL},
    {"VXC/Palette/Material/Mechanical/FailModel", C | V, VXE_NOTE_IGNORED, "failure is always by stress",
     NULL},
    {"VXC/Palette/Material/Mechanical/Fail_Strain", C | V, VXE_NOTE_IGNORED, "failure is always by stress",
     NULL},
    {"VXC/Palette/Material/Mechanical/MaterialTempPhase", ALL, VXE_NOTE_IGNORED,
     "the programs compute it and do not use it", NULL},
    {"VXC/Palette/Material/Mechanical/IsConductive", E, VXE_NOTE_READ,
     "a rule of kind conduct, with Environment/Signaling", "0"},
    {"VXC/Palette/Material/Mechanical/IsPacemaker", E, VXE_NOTE_READ,
     "a rule of kind pace, with Environment/Signaling", "0"},
    {"VXC/Palette/Material/Mechanical/IsConductive", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/IsPacemaker", ALL, VXE_NOTE_IGNORED, NOBODY, NULL},
    {"VXC/Palette/Material/Mechanical/Sticky", V, VXE_NOTE_READ, "a rule of kind bond, with EnableAttach",
     "0"},
    {"VXC/Palette/Material/Mechanical/Cilia", V, VXE_NOTE_IGNORED, "it counts only with EnableCilia", "0"},
    {"VXC/Palette/Material/Mechanical/isPaceMaker", V, VXE_NOTE_READ,
     "a rule of kind pace, with EnableSignals", "0"},
    {"VXC/Palette/Material/Mechanical/PaceMakerPeriod", V, VXE_NOTE_READ,
     "a rule of kind pace, with EnableSignals", "0"},
    {"VXC/Palette/Material/Mechanical/signalValueDecay", V, VXE_NOTE_READ,
     "a rule of kind conduct, with EnableSignals", NULL},
    {"VXC/Palette/Material/Mechanical/signalTimeDelay", V, VXE_NOTE_READ,
     "a rule of kind conduct, with EnableSignals", NULL},
    {"VXC/Palette/Material/Mechanical/inactivePeriod", V, VXE_NOTE_READ,
     "a rule of kind conduct, with EnableSignals", NULL},
    {"VXC/Palette/Material/Mechanical/isElectricalActive", V, VXE_NOTE_IGNORED, NOTHING, NULL},
    {"VXC/Palette/Material/Mechanical/RemoveFromSimulationAfterThisManySeconds", V, VXE_NOTE_READ,
     "a rule of kind remove, with SecondaryExperiment", "0"},
    {"VXC/Palette/Material/Mechanical/TurnOnCiliaAfterThisManySeconds", V, VXE_NOTE_READ,
     "a rule of kind cilia", "0"},
    {"VXC/Palette/Material/Mechanical/isTarget", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/Mechanical/isMeasured", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/Mechanical/Fixed", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/Mechanical/Sticky", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/Mechanical/Cilia", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Palette/Material/File", ALL, VXE_NOTE_IGNORED, "materials from other files are obsolete", NULL},
    {"VXC/Structure/PhaseOffset/*", C, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/Stiffness/MinElasticMod", E, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"VXC/Structure/Stiffness/MaxElasticMod", E, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"VXC/Structure/Stiffness/*", C | V, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/FinalPhaseOffset/*", ALL, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/TempAmpDamp/*", ALL, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/FinalTempAmpDamp/*", ALL, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/InitialVoxelSize/*", ALL, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/FinalVoxelSize/*", ALL, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/StartGrowthTime/*", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"VXC/Structure/GrowthTime/*", E, VXE_NOTE_IGNORED, "it counts only where voxels grow", NULL},
    {"VXC/Structure/StiffnessPlasticityRate/*", E, VXE_NOTE_IGNORED, DISPLAY, NULL},
    {"VXC/Structure/KP/*", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"VXC/Structure/KI/*", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"VXC/Structure/ANTIWINDUP/*", E, VXE_NOTE_IGNORED, STORED, NULL},
    {"VXC/Structure/BaseCiliaForce/*", V, VXE_NOTE_IGNORED, "it counts only with EnableCilia", NULL},
    {"VXC/Structure/BaseCiliaForce/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/ShiftCiliaForce/*", V, VXE_NOTE_READ,
     "fields shift_x, shift_y and shift_z, with EnableCilia and EnableSignals", NULL},
    {"VXC/Structure/ShiftCiliaForce/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/Amplitude/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/Frequency/*", C | E, VXE_NOTE_IGNORED, ANOTHER, NULL},
    {"VXC/Structure/VestibularContribution/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/StressContribution/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/PressureContribution/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/PreDamageRoll/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/PreDamagePitch/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/PreDamageYaw/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/PreDamageStress/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/PreDamagePressure/*", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/StressAdaptationRate/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/PressureAdaptationRate/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/ControllerSynapseWeights/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/ForwardModelSynapseWeights/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/RegenerationModelSynapseWeights/*", E, VXE_NOTE_IGNORED, ZEROS, NULL},
    {"VXC/Structure/numControllerSynapses", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/numForwardModelSynapses", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/numRegenerationModelSynapses", E, VXE_NOTE_IGNORED, BRAIN, NULL},
    {"VXC/Structure/NumNeurons", E, VXE_NOTE_IGNORED, "evosoro's network is switched off", NULL},
    {"VXC/Structure/Weights/*", E, VXE_NOTE_IGNORED, "evosoro's network is switched off", NULL},
};

static int dialect_bit(vxe_dialect dialect)
{
    return dialect == VXE_DIALECT_EVOSORO ? E : dialect == VXE_DIALECT_VOXCRAFT ? V : C;
}

/* Whether a path is that of a rule, or below it. */
static bool fits(const char *rule, const char *path)
{
    const size_t length = strlen(rule);
    if (length < 2 || strcmp(rule + length - 2, "/*") != 0) return strcmp(rule, path) == 0;
    return strncmp(rule, path, length - 2) == 0 && (path[length - 2] == '\0' || path[length - 2] == '/');
}

static const tag_rule *find_rule(const char *path, vxe_dialect dialect)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if ((rules[i].dialects & dialect_bit(dialect)) != 0 && fits(rules[i].path, path)) return &rules[i];
    }
    return NULL;
}

/* Path below the root, with a .vxc's root standing for VXC. */
static char *plain_path(const xmlNode *node, bool object_is_root)
{
    char *path = vxe_xml_path(node);
    if (path == NULL) return NULL;
    const char *rest = strchr(path, '/');
    rest = rest == NULL ? "" : rest + 1;
    const bool dmf = strncmp(rest, "DMF/", 4) == 0;
    if (dmf) rest += 4;
    const bool prefix = object_is_root || dmf;
    const size_t size = strlen(rest) + 5;
    char *plain = malloc(size);
    if (plain != NULL) (void)snprintf(plain, size, "%s%s", prefix ? "VXC/" : "", rest);
    free(path);
    return plain;
}

static bool is_neutral(const xmlNode *node, const char *neutral)
{
    if (neutral == NULL) return false;
    xmlChar *text = vxe_xml_text(node);
    const char *end = NULL;
    const char *unused = NULL;
    const bool same = text == NULL ||
                      vxe_xml_scan_number((const char *)text, &end) == vxe_xml_scan_number(neutral, &unused);
    xmlFree(text);
    return same;
}

static void tell(vxa_reader *r, const xmlNode *node, const char *path)
{
    const tag_rule *rule = find_rule(path, r->dialect);
    if (rule != NULL && is_neutral(node, rule->neutral)) return;
    if (rule != NULL)
        vxe_notes_add(r->notes, rule->kind, vxe_xml_line(node), path, "%s", rule->text);
    else
        vxe_notes_add(r->notes, VXE_NOTE_UNKNOWN, vxe_xml_line(node), path,
                      "no program of the family is known to read it; it is kept");
}

/* Whether rules speak of things below a path. */
static bool is_group(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (strncmp(rules[i].path, path, length) == 0 && rules[i].path[length] == '/' &&
            strcmp(rules[i].path + length, "/*") != 0)
            return true;
    }
    return false;
}

/* Below an element that was not looked at: its leaves are told, or itself where a rule is about all of it. */
static void tell_all(vxa_reader *r, const xmlNode *node, const char *path)
{
    const tag_rule *rule = find_rule(path, r->dialect);
    const bool whole =
        (rule == NULL && !is_group(path)) ||
        (rule != NULL && strlen(rule->path) > 2 && strncmp(rule->path, path, strlen(rule->path) - 2) == 0 &&
         strlen(path) == strlen(rule->path) - 2 && !is_group(path));
    if (whole || vxe_xml_first(node) == NULL) {
        tell(r, node, path);
        return;
    }
    for (const xmlNode *child = vxe_xml_first(node); child != NULL; child = vxe_xml_after(child)) {
        const size_t size = strlen(path) + strlen((const char *)child->name) + 2;
        char *below = malloc(size);
        if (below == NULL) return;
        (void)snprintf(below, size, "%s/%s", path, (const char *)child->name);
        tell_all(r, child, below);
        free(below);
    }
}

/* A region of the palette repeated many times need not be kept: only pieces whose place is unique are. */
static bool is_repeated(const char *path)
{
    return strstr(path, "/Material/") != NULL || strstr(path, "/FRegion/") != NULL ||
           strstr(path, "/Layer") != NULL;
}

static int material_number(const xmlNode *node)
{
    const xmlNode *at = node;
    while (at != NULL && at->type == XML_ELEMENT_NODE && !vxe_xml_is(at, "Material") &&
           !vxe_xml_is(at, "FRegion"))
        at = at->parent;
    if (at == NULL || at->type != XML_ELEMENT_NODE) return 0;
    int number = 1;
    for (const xmlNode *before = at->prev; before != NULL; before = before->prev)
        number += before->type == XML_ELEMENT_NODE && vxe_xml_is(before, (const char *)at->name);
    return number;
}

/* What vxa_write.c writes into every file although it means nothing here: not worth keeping. */
static bool is_standard(const xmlNode *node, const char *path)
{
    static const char *const standard[][2] = {
        {"Simulator/Integration/Integrator", "0"},
        {"Simulator/Integration/DtFrac", "0.9"},
        {"Simulator/Collisions/SelfColEnabled", "0"},
        {"Simulator/Collisions/ColSystem", "3"},
        {"Simulator/Collisions/CollisionHorizon", "2"},
        {"Simulator/StopCondition/StopConditionType", "0"},
        {"Simulator/StopCondition/StopConditionValue", "0"},
        {"Simulator/EquilibriumMode/EquilibriumModeEnabled", "0"},
        {"Simulator/GA/WriteFitnessFile", "1"},
        {"VXC/Lattice/Y_Dim_Adj", "1"},
        {"VXC/Lattice/Z_Dim_Adj", "1"},
        {"VXC/Lattice/X_Line_Offset", "0"},
        {"VXC/Lattice/Y_Line_Offset", "0"},
        {"VXC/Lattice/X_Layer_Offset", "0"},
        {"VXC/Lattice/Y_Layer_Offset", "0"},
        {"VXC/Voxel/Vox_Name", "BOX"},
        {"VXC/Palette/Material/Mechanical/Elastic_Mod", NULL},
        {"VXC/Palette/Material/Mechanical/Plastic_Mod", "0"},
        {"VXC/Palette/Material/Mechanical/Yield_Stress", "0"},
        {"VXC/Palette/Material/Mechanical/FailModel", "0"},
        {"VXC/Palette/Material/Mechanical/Fail_Stress", "0"},
        {"VXC/Palette/Material/Mechanical/Fail_Strain", "0"},
        {"VXC/Palette/Material/Mechanical/MaterialTempPhase", "0"},
    };
    if (vxe_xml_first(node) == NULL) {
        xmlChar *text = vxe_xml_text(node);
        bool found = false;
        for (size_t i = 0; i < sizeof standard / sizeof standard[0] && !found; i++) {
            found =
                strcmp(standard[i][0], path) == 0 &&
                (standard[i][1] == NULL || (text != NULL && strcmp(standard[i][1], (const char *)text) == 0));
        }
        xmlFree(text);
        return found;
    }
    for (const xmlNode *child = vxe_xml_first(node); child != NULL; child = vxe_xml_after(child)) {
        char below[256];
        if ((size_t)snprintf(below, sizeof below, "%s/%s", path, (const char *)child->name) >= sizeof below ||
            !is_standard(child, below))
            return false;
    }
    return true;
}

static void keep(vxa_reader *r, xmlNode *node, const char *path)
{
    char *text = vxe_xml_print(node);
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    char *parent = malloc(length + 24);
    vxe_error cause;
    if (text == NULL || parent == NULL) {
        r->result = vxe_fail_memory(r->error, "what is not known", length);
    } else {
        /* "VXC/Palette/Material#2/Mechanical": the second one */
        const int number = is_repeated(path) ? material_number(node) : 0;
        memcpy(parent, path, length);
        parent[length] = '\0';
        if (number > 1) (void)snprintf(parent + length, 24, "#%d", number);
        if (vxe_scene_add_foreign(r->scene, parent, text, &cause) != VXE_OK) vxe_vxa_refused(r, node, &cause);
    }
    free(parent);
    free(text);
}

static void visit(vxa_reader *r, xmlNode *node, bool object_is_root)
{
    for (xmlNode *child = vxe_xml_first(node); child != NULL && r->result == VXE_OK;
         child = vxe_xml_after(child)) {
        if (vxe_xml_is_marked(child)) {
            visit(r, child, object_is_root);
            continue;
        }
        char *path = plain_path(child, object_is_root);
        if (path == NULL) {
            r->result = vxe_fail_memory(r->error, "a path", 1);
            return;
        }
        tell_all(r, child, path);
        if (!is_standard(child, path)) keep(r, child, path);
        free(path);
    }
}

void vxe_vxa_read_rest(vxa_reader *r, xmlNode *root) { visit(r, root, r->object == root); }
