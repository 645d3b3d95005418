/* Reads any bytes as a grid in a .png file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_grid(data, size, "fuzz.png"); }
