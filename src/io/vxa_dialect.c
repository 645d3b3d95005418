/* Whose rules a file of the VoxCAD family follows. */
#include "io/vxa.h"

#include <string.h>

/* An element that only one program knows, as a path below the root. */
typedef struct mark_of {
    const char *path;
    vxe_dialect dialect;
} mark_of;

static const mark_of marks[] = {
    {"GPU", VXE_DIALECT_VOXCRAFT},
    {"RawPrint", VXE_DIALECT_VOXCRAFT},
    {"Simulator/RecordHistory", VXE_DIALECT_VOXCRAFT},
    {"Simulator/AttachDetach", VXE_DIALECT_VOXCRAFT},
    {"Simulator/StopCondition/StopConditionFormula", VXE_DIALECT_VOXCRAFT},
    {"Simulator/Condition", VXE_DIALECT_VOXCRAFT},
    {"Simulator/FitnessFunction", VXE_DIALECT_VOXCRAFT},
    {"Simulator/ForceField", VXE_DIALECT_VOXCRAFT},
    {"Simulator/SavePositionOfAllVoxels", VXE_DIALECT_VOXCRAFT},
    {"Simulator/MaxDistInVoxelLengthsToCountAsPair", VXE_DIALECT_VOXCRAFT},
    {"Simulator/EnableCilia", VXE_DIALECT_VOXCRAFT},
    {"Simulator/EnableSignals", VXE_DIALECT_VOXCRAFT},
    {"Simulator/EnableExpansion", VXE_DIALECT_VOXCRAFT},
    {"Simulator/SecondaryExperiment", VXE_DIALECT_VOXCRAFT},
    {"VXC/Structure/BaseCiliaForce", VXE_DIALECT_VOXCRAFT},
    {"VXC/Structure/ShiftCiliaForce", VXE_DIALECT_VOXCRAFT},
    {"VXC/Structure/Amplitude", VXE_DIALECT_VOXCRAFT},
    {"VXC/Structure/Frequency", VXE_DIALECT_VOXCRAFT},
    {"Simulator/GA", VXE_DIALECT_EVOSORO},
    {"Simulator/StopCondition/InitCmTime", VXE_DIALECT_EVOSORO},
    {"Simulator/StopCondition/AfterlifeTime", VXE_DIALECT_EVOSORO},
    {"Simulator/StopCondition/MidLifeFreezeTime", VXE_DIALECT_EVOSORO},
    {"Simulator/StopCondition/ActuationStartTime", VXE_DIALECT_EVOSORO},
    {"Simulator/MinTempFact", VXE_DIALECT_EVOSORO},
    {"Simulator/SimStop", VXE_DIALECT_EVOSORO},
    {"Environment/FluidEnvironment", VXE_DIALECT_EVOSORO},
    {"Environment/AggregateDragCoefficient", VXE_DIALECT_EVOSORO},
    {"Environment/NeuralNet", VXE_DIALECT_EVOSORO},
    {"Environment/GrowthAmplitude", VXE_DIALECT_EVOSORO},
    {"Environment/StickyFloor", VXE_DIALECT_EVOSORO},
    {"Environment/FloorRadius", VXE_DIALECT_EVOSORO},
    {"Environment/FallingProhibited", VXE_DIALECT_EVOSORO},
    {"Environment/SaveTraces", VXE_DIALECT_EVOSORO},
    {"Environment/Gravity/FloorSlope", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/PhaseOffset", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/FinalPhaseOffset", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/Stiffness", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/InitialVoxelSize", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/FinalVoxelSize", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/TempAmpDamp", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/ControllerSynapseWeights", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/ForwardModelSynapseWeights", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/RegenerationModelSynapseWeights", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/VestibularContribution", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/StressContribution", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/PressureContribution", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/StressAdaptationRate", VXE_DIALECT_EVOSORO},
    {"VXC/Structure/PressureAdaptationRate", VXE_DIALECT_EVOSORO},
};

static const xmlNode *find_path(const xmlNode *root, const char *path)
{
    const xmlNode *at = root;
    while (at != NULL && *path != '\0') {
        char name[64];
        const size_t length = strcspn(path, "/");
        if (length >= sizeof name) return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        const xmlNode *next = vxe_xml_peek(at, name);
        if (next == NULL && strcmp(name, "VXC") == 0) next = vxe_xml_peek(at, "DMF");
        at = next;
        path += length + (path[length] == '/' ? 1 : 0);
    }
    return at;
}

vxe_dialect vxe_vxa_find_dialect(const xmlNode *root, vxe_notes *notes)
{
    const xmlNode *own = vxe_xml_peek(root, "Voxelastic");
    if (own != NULL) {
        xmlChar *word = xmlGetProp(own, (const xmlChar *)"Dialect");
        vxe_dialect said = VXE_DIALECT_AUTO;
        for (int d = VXE_DIALECT_VOXCAD; d <= VXE_DIALECT_VOXCRAFT; d++) {
            if (word != NULL && strcmp((const char *)word, vxe_dialect_name((vxe_dialect)d)) == 0)
                said = (vxe_dialect)d;
        }
        xmlFree(word);
        if (said != VXE_DIALECT_AUTO) {
            vxe_notes_add(notes, VXE_NOTE_READ, vxe_xml_line(own), "dialect", "%s, as the file says",
                          vxe_dialect_name(said));
            return said;
        }
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const xmlNode *found = find_path(root, marks[i].path);
        if (found == NULL) continue;
        vxe_notes_add(notes, VXE_NOTE_READ, vxe_xml_line(found), "dialect", "%s, because of %s",
                      vxe_dialect_name(marks[i].dialect), marks[i].path);
        return marks[i].dialect;
    }
    vxe_notes_add(notes, VXE_NOTE_READ, 0, "dialect",
                  "voxcad, because nothing in the file belongs to another one");
    return VXE_DIALECT_VOXCAD;
}
