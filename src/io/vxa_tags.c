/* Tags without effect: everything in a file that no reader has looked at is told, once each with its line,
 * and kept for when such a file is written. The table says why a tag has no effect; what is not in it is not
 * known. */
#include "io/vxa.h"

#include <stdlib.h>
#include <string.h>

enum { C = 1, E = 2, V = 4, ALL = 7 };

enum { IGNORED = VXE_NOTE_IGNORED, READ = VXE_NOTE_READ };

/* What holds for some tags below an element, whose path is one below the root. */
typedef struct tag_rule {
    const char *parent; /* "": the root */
    const char *tags;   /* separated by blanks; a slash and a star after one: also all below it */
    int dialects;
    int kind; /* vxe_note_kind */
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
#define MECHANICAL "VXC/Palette/Material/Mechanical"

static const tag_rule rules[] = {
    {"", "GPU/*", V, IGNORED, "it is about memory of a graphics card", NULL},
    {"", "RawPrint", V, READ, "text at the beginning of the history", NULL},
    {"Simulator/Integration", "Integrator", ALL, IGNORED, NOBODY, NULL},
    {"Simulator/Integration", "DtFrac", ALL, READ,
     "the largest stable time step is found here; --dt-fraction sets the part of it that is used", NULL},
    {"Simulator/Collisions", "SelfColEnabled", C, IGNORED,
     "VoxCAD reads it and switches collisions off all the same", NULL},
    {"Simulator/Collisions", "SelfColEnabled", V, IGNORED, "voxcraft uses AttachDetach/EnableCollision",
     NULL},
    {"Simulator", "Collisions/*", C | V, IGNORED, ANOTHER, NULL},
    {"Simulator/Features", "MaxVelLimitEnabled", E, READ,
     "no movement is cut off: the step is shortened until no voxel goes further than a quarter of a pitch in "
     "it",
     "0"},
    {"Simulator/Features", "MaxVelLimitEnabled", C | V, IGNORED, "the program reads it and forces it off",
     NULL},
    {"Simulator/Features", "MaxVoxVelLimit", ALL, IGNORED, "it counts only with MaxVelLimitEnabled", NULL},
    {"Simulator/Features",
     "BlendingEnabled MixRadius XMixRadius YMixRadius ZMixRadius BlendModel PolyExp FluidDampEnabled "
     "EnforceLatticeEnabled",
     ALL, IGNORED, NOTHING, NULL},
    {"Simulator/Features", "PoissonKickBackEnabled", ALL, IGNORED, NOBODY, NULL},
    {"Simulator/StopCondition", "StopConditionType StopConditionValue", V, IGNORED,
     "voxcraft reads it and does not use it", NULL},
    {"Simulator/StopCondition", "ActuationStartTime", E, READ, "no voxel changes its size before it", "0"},
    {"Simulator/StopCondition", "AfterlifeTime", E, IGNORED, "it counts only with StopConditionType 2", NULL},
    {"Simulator/StopCondition", "MidLifeFreezeTime", E, READ,
     "where voxels grow, growth pauses for so long in the middle of life", "0"},
    {"Simulator", "StopCondition/* GA/* MinTempFact", C | V, IGNORED, ANOTHER, NULL},
    {"Simulator", "EquilibriumMode/*", V, IGNORED, "voxcraft reads it without effect", NULL},
    {"Simulator", "SurfMesh/*", ALL, IGNORED, DISPLAY, NULL},
    {"Simulator",
     "SimStop/* HighDebrisConcentration LightPosX LightPosY LightPosZ CiliaDelayInLight CiliaDecayInDark "
     "TrackCOM LightFunction/* EnableTargetCloseness",
     ALL, IGNORED, NOBODY, NULL},
    {"Simulator/GA", "WriteFitnessFile", E, IGNORED, "evosoro writes the file whatever it says", NULL},
    {"Simulator/GA", "QhullTmpFile CurvaturesTmpFile", E, IGNORED, "no scratch file is needed", NULL},
    {"Simulator", "GA/* MaxTempFactChange MaxStiffnessChange MaxKP MaxKI MaxANTIWINDUP", E, IGNORED, STORED,
     NULL},
    {"Simulator", "MinTempFact", E, IGNORED, WATER, NULL},
    {"Simulator", "MinElasticMod MaxElasticMod", E, IGNORED, DISPLAY, NULL},
    {"Simulator", "ParentLifetime", E, IGNORED, "it counts only where voxels grow", NULL},
    {"Simulator", "ErrorThreshold", E, IGNORED, "the pointing error is 0, as in evosoro", "0"},
    {"Simulator", "ThresholdTime", E, IGNORED, "it counts only with StopConditionType 8", "0"},
    {"Simulator", "SelfReplication", V, READ,
     "rules of kind remove, become and supply, with SecondaryExperiment", "0"},
    {"Simulator",
     "SettleTimeBeforeNextRoundOfReplication BotMat DebrisMat SpaceBetweenDebris DebrisHeight "
     "DebrisConcentration ReplenishDebrisEvery MaxNewVoxelsAddedMidSim MinimumBotSize "
     "CiliaFracAfterFirstRound",
     V, READ, "with SelfReplication", NULL},
    {"Simulator", "WorldSize", V, READ, "with SelfReplication and WallForce", NULL},
    {"Simulator", "RemoveMat", V, IGNORED, "piles that are too small go at once", NULL},
    {"Simulator", "ComputeLargestSitckyGroupForFirstRound", V, READ,
     "largestStickyGroupSize of the report is that at the end of the first generation", "0"},
    {"Simulator", "WallForce", V, READ, "rules of kind push, with WorldSize", "0"},
    {"Simulator", "DetachStringyBodiesEvery", V, READ, "rules of kind cut, with DetachProbability", "0"},
    {"Simulator", "DetachProbability", V, READ, "with DetachStringyBodiesEvery", "0"},
    {"Simulator", "nonStickyTimeAfterStringyBodyDetach", V, READ, "rest of the rules of kind bond", "0"},
    {"Simulator", "EnableDisintegration", V, READ, "rules of kind remove, for materials with Detachable",
     "0"},
    {"Simulator", "EnableCilia", V, READ, "cilia push: by their fields, and rules of kind cilia", "0"},
    {"Simulator", "SecondaryExperiment", V, READ,
     "with SelfReplication, RemoveFromSimulationAfterThisManySeconds and "
     "ReinitializeInitialPositionAfterThisManySeconds",
     "0"},
    {"Simulator", "RandomizeCiliaEvery", V, READ, "rules of kind cilia, with EnableCilia", "0"},
    {"Simulator", "RandomSeed", V, READ, "the seed of what is random; the numbers are not those of voxcraft",
     NULL},
    {"Simulator/SurfaceGrowth", "EnableGrowth", V, READ,
     "a rule of kind grow: within the lattice of the file, and joined to what they grow from", "0"},
    {"Simulator", "SurfaceGrowth/*", V, READ, "a rule of kind grow", NULL},
    {"Simulator/AttachDetach", "CollisionMode", V, IGNORED,
     "pairs are found in another way, with the same result", NULL},
    {"Simulator/AttachDetach", "ForceAttachment", V, READ, "voxels stick in any pose, and keep it", "0"},
    {"Simulator/RecordHistory", "RecordFixedVoxels", V, READ,
     "voxels of materials with Fixed are left out, with RecordStepSize", "1"},
    {"Simulator/RecordHistory", "SurfaceVoxelsOnly", V, READ,
     "voxels inside are recorded too, with RecordStepSize", "1"},
    {"Simulator/RecordHistory", "RecordCoMTraceOfEachVoxelGroupfOfThisMaterial", V, READ,
     "in every frame, with RecordStepSize: the middle of each body with such a voxel", "0"},
    {"Simulator/RecordHistory", "RecordVoxel RecordLink", V, IGNORED, "it counts only with RecordStepSize",
     NULL},
    {"Simulator", "ThoroughTest/*", V, IGNORED, "it checks the program itself", NULL},
    {"Simulator", "UsingLightSource", V, READ, "rules of kind light, control and cilia", "0"},
    {"Simulator",
     "TurnOnLightAfterThisManySeconds LightAPosX LightAPosY LightAPosZ LightBPosX LightBPosY LightBPosZ "
     "LightSensitiveTime CiliaFactorInLight",
     V, READ, "with UsingLightSource", NULL},
    {"Simulator", "RandomizeLightA RandomizeLightB", V, READ,
     "with UsingLightSource: whenever its function rises above 0 the lamp lights with a chance of 1/2, by "
     "RandomSeed",
     "0"},
    {"Simulator", "OnlySurfVoxOcclude", V, IGNORED, "voxels inside are behind those at the surface anyway",
     NULL},
    {"Simulator", "UsingVolvox", V, READ, "rules of kind control, with UsingLightSource", "0"},
    {"Simulator", "LightAFunction/*", V, READ, "when lamp A is on, with UsingLightSource", NULL},
    {"Simulator", "LightBFunction/*", V, READ, "when lamp B is on, with UsingLightSource", NULL},
    {"Simulator/AttachDetach", "KeepJustOneIfManyHaveSameGroupPosition", V, IGNORED, NOBODY, NULL},
    {"", "CPPN/* DNA/* Genotype/*", ALL, IGNORED, NOBODY, NULL},
    {MECHANICAL, "LockZ", V, READ, "voxels of such materials are held: z, and turning about x and y", "0"},
    {MECHANICAL, "NoSpin", V, READ, "voxels of such materials are held: turning", "0"},
    {MECHANICAL, "SlowDampingFrac", V, READ, "factor of the damping against the world", "1"},
    {MECHANICAL, "WaterLevel", V, READ, "a rule of kind push", "0"},
    {MECHANICAL, "Buoyancy", V, READ, "a rule of kind push that cancels the weight", "0"},
    {MECHANICAL, "isLightSource cilia_X cilia_Y", ALL, IGNORED, NOBODY, NULL},
    {MECHANICAL, "LockZ NoSpin isTarget isMeasured Fixed Sticky Cilia", C | E, IGNORED, ANOTHER, NULL},
    {"VXC/Structure", "ActivationTimeConstant/* RecoveryTimeConstant/* DownregulationConstant/* DetachTime/*",
     V, READ, "a field: trait1 to trait4", NULL},
    {"Simulator/AttachDetach", "EnableAttach", V, READ,
     "voxels of materials with Sticky stick to their kind: rules of kind bond", "0"},
    {"Simulator/AttachDetach", "watchDistance", V, IGNORED, "voxcraft overwrites it", NULL},
    {"Simulator/AttachDetach", "boundingRadius", V, IGNORED, NOTHING, NULL},
    {"Simulator/AttachDetach", "SafetyGuard", V, IGNORED, "not needed: a new bond begins without load", NULL},
    {"Simulator/AttachDetach", "AttachCondition/*", V, READ, "the condition of the rules of kind bond", NULL},
    {"Simulator", "EnableSignals", V, READ, "signals spread: rules of kind conduct and pace", "0"},
    {"Simulator", "ReinitializeInitialPositionAfterThisManySeconds", V, IGNORED,
     "it counts only with SecondaryExperiment", NULL},
    {"Simulator",
     "Condition/* FitnessFunction/* ForceField/* RecordHistory/* AttachDetach/* SavePositionOfAllVoxels "
     "MaxDistInVoxelLengthsToCountAsPair EnableCilia EnableSignals EnableExpansion SecondaryExperiment",
     C | E, IGNORED, ANOTHER, NULL},
    {"", "GPU/* RawPrint", C | E, IGNORED, ANOTHER, NULL},
    {"Environment", "Fixed_Regions/* Forced_Regions/*", ALL, IGNORED,
     "Boundary_Conditions is there and counts", NULL},
    {"Environment/Boundary_Conditions/FRegion", "R G B alpha", ALL, IGNORED, DISPLAY, NULL},
    {"Environment/Gravity", "FloorSlope", C | V, IGNORED, ANOTHER, NULL},
    {"Environment/Gravity", "AlterGravityHalfway", E, READ, "a rule of kind push from the middle of life on",
     "1"},
    {"Environment", "NeuralNet/*", E, IGNORED, "evosoro reads it; its network is switched off", NULL},
    {"Environment", "GrowthModel", E, IGNORED, STORED, NULL},
    {"Environment", "GrowthAmplitude", E, IGNORED, WATER, NULL},
    {"Environment", "MinGrowthTime OnsetRelative TerminationRelative", E, IGNORED,
     "it counts only where voxels grow", NULL},
    {"Environment", "SaveTraces", E, IGNORED, "it counts only with TimeBetweenTraces", "0"},
    {"Environment", "AggregateDragCoefficient", E, IGNORED, "it counts only with FluidEnvironment", "0"},
    {"Environment", "TimeBetweenTraces", E, IGNORED, "it counts only with SaveTraces", NULL},
    {"Environment", "FallingProhibited", E, READ,
     "a fall ends the run and costs its distance, with StopConditionType 2", "0"},
    {"Environment", "BallisticSlowdownFact", E, READ,
     "where voxels grow, with NumTimeStepsInWindow: how fast growth goes on in the window after one in which "
     "the robot lost speed",
     NULL},
    {"Environment", "MaxSlowdownPermitted", E, READ,
     "where voxels grow, with NumTimeStepsInWindow: the part of its speed that a robot may lose from a "
     "window to the next",
     NULL},
    {"Environment", "NumTimeStepsInWindow", E, READ,
     "where voxels grow: how long a window is in which the speed of the robot is measured", "0"},
    {"Environment", "NeedleInHaystack", E, READ,
     "FoundNeedleInHaystack is 1 when voxels of others have touched one of material 7; without collisions "
     "nothing touches",
     "0"},
    {"Environment", "Sources/*", E, READ,
     "rules of kind light and heat, which can be sensed; as in evosoro nothing feels them by itself", NULL},
    {"Environment", "RegenerationModel/* ForwardModel/* Controller/*", E, IGNORED, BRAIN, NULL},
    {"Environment", "Signaling/*", E, READ,
     "rules of kind conduct and pace, for materials with IsConductive and IsPacemaker", NULL},
    {"Environment", "LightSource/*", E, READ,
     "a rule of kind light at this place, in m; nothing feels it by itself", NULL},
    {"Environment", "GrowthSpeedLimit", E, READ,
     "where voxels grow, their size changes by no more than this part of itself in 1 s", "0"},
    {"Environment", "GreedyGrowth GreedyThreshold", E, IGNORED, BRAIN, "0"},
    {"Environment", "SavePassiveData", E, IGNORED, "run -o and --results write all there is", "0"},
    {"Environment", "DampEvolvedStiffness", E, READ,
     "links are damped by the stiffness that their voxels have", "0"},
    {"Environment", "BlockPushing", E, READ,
     "PushDist is how far the block's last voxel was pushed along the floor; the block is no part of the "
     "robot's distance",
     "0"},
    {"Environment", "BlockMaterial", E, READ, "with BlockPushing", "0"},
    {"Environment",
     "StickyFloor FloorRadius FluidEnvironment AggregateDragCoefficient GrowthAmplitude NormDistByVol "
     "SaveTraces",
     C | V, IGNORED, ANOTHER, NULL},
    {"VXC/Lattice", "Y_Dim_Adj Z_Dim_Adj", ALL, IGNORED, "voxels are cubes of Lattice_Dim times X_Dim_Adj",
     NULL},
    {"VXC/Lattice", "X_Line_Offset Y_Line_Offset", ALL, IGNORED, "the engines do not shift rows", NULL},
    {"VXC/Lattice", "X_Layer_Offset Y_Layer_Offset", ALL, IGNORED, "the engines do not shift layers", NULL},
    {"VXC", "Voxel/*", ALL, IGNORED, DISPLAY, NULL},
    {MECHANICAL, "MatModel", ALL, IGNORED, NOTHING, NULL},
    {MECHANICAL, "SSData/*", ALL, IGNORED, "it belongs to MatModel 3", NULL},
    {MECHANICAL, "Elastic_Mod", ALL, IGNORED, "MatModel 3 has it from its data", NULL},
    {MECHANICAL, "Plastic_Mod Yield_Stress", ALL, IGNORED, "it belongs to MatModel 2", NULL},
    {MECHANICAL, "FailModel Fail_Strain", E, IGNORED, "it belongs to MatModel 1 and 2", NULL},
    {MECHANICAL, "Fail_Stress", ALL, IGNORED, "it belongs to MatModel 1 and 2", NULL},
    {MECHANICAL, "FailModel Fail_Strain", C | V, IGNORED, "failure is always by stress", NULL},
    {MECHANICAL, "MaterialTempPhase", ALL, IGNORED, "the programs compute it and do not use it", NULL},
    {MECHANICAL, "IsConductive", E, READ, "a rule of kind conduct, with Environment/Signaling", "0"},
    {MECHANICAL, "IsPacemaker", E, READ, "a rule of kind pace, with Environment/Signaling", "0"},
    {MECHANICAL, "IsConductive IsPacemaker", ALL, IGNORED, NOBODY, NULL},
    {MECHANICAL, "Sticky", V, READ, "a rule of kind bond, with EnableAttach", "0"},
    {MECHANICAL, "Cilia", V, READ, "factor of the force of cilia, with EnableCilia", "0"},
    {MECHANICAL, "isPaceMaker PaceMakerPeriod", V, READ, "a rule of kind pace, with EnableSignals", "0"},
    {MECHANICAL, "signalValueDecay signalTimeDelay inactivePeriod", V, READ,
     "a rule of kind conduct, with EnableSignals", NULL},
    {MECHANICAL, "RemoveFromSimulationAfterThisManySeconds", V, READ,
     "a rule of kind remove, with SecondaryExperiment", "0"},
    {MECHANICAL, "TurnOnCiliaAfterThisManySeconds", V, READ, "a rule of kind cilia", "0"},
    {"VXC/Palette/Material", "File", ALL, IGNORED, "materials from other files are obsolete", NULL},
    {"VXC/Structure", "PhaseOffset/*", C, IGNORED, ANOTHER, NULL},
    {"VXC/Structure/Stiffness", "MinElasticMod MaxElasticMod", E, IGNORED, DISPLAY, NULL},
    {"VXC/Structure", "Stiffness/*", C | V, IGNORED, ANOTHER, NULL},
    {"VXC/Structure", "InitialVoxelSize/* FinalVoxelSize/*", E, IGNORED,
     "it counts only with GrowthAmplitude", NULL},
    {"VXC/Structure",
     "FinalPhaseOffset/* TempAmpDamp/* FinalTempAmpDamp/* InitialVoxelSize/* FinalVoxelSize/*", ALL, IGNORED,
     ANOTHER, NULL},
    {"VXC/Structure", "StartGrowthTime/* GrowthTime/*", E, IGNORED, "it counts only where voxels grow", NULL},
    {"VXC/Structure", "StiffnessPlasticityRate/*", E, IGNORED, DISPLAY, NULL},
    {"VXC/Structure", "KP/* KI/* ANTIWINDUP/*", E, IGNORED, STORED, NULL},
    {"VXC/Structure", "BaseCiliaForce/*", V, IGNORED, "it counts only with EnableCilia", NULL},
    {"VXC/Structure", "BaseCiliaForce/* ShiftCiliaForce/* Amplitude/* Frequency/*", C | E, IGNORED, ANOTHER,
     NULL},
    {"VXC/Structure", "ShiftCiliaForce/*", V, READ,
     "fields shift_x, shift_y and shift_z, with EnableCilia and EnableSignals", NULL},
    {"VXC/Structure",
     "VestibularContribution/* StressContribution/* PressureContribution/* StressAdaptationRate/* "
     "PressureAdaptationRate/* ControllerSynapseWeights/* ForwardModelSynapseWeights/* "
     "RegenerationModelSynapseWeights/*",
     E, IGNORED, ZEROS, NULL},
    {"VXC/Structure",
     "PreDamageRoll/* PreDamagePitch/* PreDamageYaw/* PreDamageStress/* PreDamagePressure/* "
     "numControllerSynapses numForwardModelSynapses numRegenerationModelSynapses",
     E, IGNORED, BRAIN, NULL},
    {"VXC/Structure", "NumNeurons Weights/*", E, IGNORED, "evosoro's network is switched off", NULL},
};

static int dialect_bit(vxe_dialect dialect)
{
    return dialect == VXE_DIALECT_EVOSORO ? E : dialect == VXE_DIALECT_VOXCRAFT ? V : C;
}

/* The rule for a path; *whole: it is about all that is below it, too. NULL: there is none. */
static const tag_rule *find_rule(const char *path, vxe_dialect dialect, bool *whole)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t above = strlen(rules[i].parent);
        if ((rules[i].dialects & dialect_bit(dialect)) == 0) continue;
        if (strncmp(path, rules[i].parent, above) != 0 || (above > 0 && path[above] != '/')) continue;
        const char *name = path + above + (above > 0 ? 1 : 0);
        for (const char *tag = rules[i].tags; *tag != '\0';) {
            const size_t length = strcspn(tag, " /");
            const bool all = tag[length] == '/';
            if (strncmp(name, tag, length) == 0 && (name[length] == '\0' || (all && name[length] == '/'))) {
                *whole = all && name[length] == '\0';
                return &rules[i];
            }
            tag += strcspn(tag, " ");
            tag += strspn(tag, " ");
        }
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
    char *plain = vxe_text("%s%s", object_is_root || dmf ? "VXC/" : "", rest);
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
    bool whole = false;
    const tag_rule *rule = find_rule(path, r->dialect, &whole);
    if (rule != NULL && is_neutral(node, rule->neutral)) return;
    if (rule != NULL)
        vxe_notes_add(r->notes, (vxe_note_kind)rule->kind, vxe_xml_line(node), path, "%s", rule->text);
    else
        vxe_notes_add(r->notes, VXE_NOTE_UNKNOWN, vxe_xml_line(node), path,
                      "no program of the family is known to read it; it is kept");
}

/* Whether rules speak of things below a path. */
static bool is_group(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const char *parent = rules[i].parent;
        if (strncmp(parent, path, length) == 0 && (parent[length] == '\0' || parent[length] == '/'))
            return true;
    }
    return false;
}

/* Below an element that was not looked at: its leaves are told, or itself where a rule is about all of it. */
static void tell_all(vxa_reader *r, const xmlNode *node, const char *path)
{
    bool whole = false;
    const tag_rule *rule = find_rule(path, r->dialect, &whole);
    if (((rule == NULL || whole) && !is_group(path)) || vxe_xml_first(node) == NULL) {
        tell(r, node, path);
        return;
    }
    for (const xmlNode *child = vxe_xml_first(node); child != NULL; child = vxe_xml_after(child)) {
        char *below = vxe_text("%s/%s", path, (const char *)child->name);
        if (below == NULL) return;
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
        {MECHANICAL "/Elastic_Mod", NULL},
        {MECHANICAL "/Plastic_Mod", "0"},
        {MECHANICAL "/Yield_Stress", "0"},
        {MECHANICAL "/FailModel", "0"},
        {MECHANICAL "/Fail_Stress", "0"},
        {MECHANICAL "/Fail_Strain", "0"},
        {MECHANICAL "/MaterialTempPhase", "0"},
    };
    if (vxe_xml_first(node) == NULL) {
        xmlChar *text = vxe_xml_text(node);
        bool found = false;
        for (size_t i = 0; i < sizeof standard / sizeof standard[0] && !found; i++) {
            found =
                strcmp(standard[i][0], path) == 0 &&
                (standard[i][1] == NULL || (text != NULL && strcmp(standard[i][1], (const char *)text) == 0));
        }
        /* written where voxels collide, which the element Voxelastic says to those who know it */
        if (!found && strcmp(path, "Simulator/Collisions/SelfColEnabled") == 0)
            found = vxe_xml_peek(xmlDocGetRootElement(node->doc), "Voxelastic") != NULL;
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
