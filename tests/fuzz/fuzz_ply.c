/* Reads any bytes as a mesh in a .ply file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_mesh(data, size, "fuzz.ply"); }
