// Compiles the dense core for any processor of the architecture.
#include <algorithm>
#include <bit>
#include <vector>

#include "memory/mine/itemset/itemset_dense.h"

#define LENTO_ISA baseline
#include "memory/mine/itemset/itemset_dense.inc"
