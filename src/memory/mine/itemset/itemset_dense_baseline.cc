// The dense core for any processor.
#include <algorithm>
#include <bit>
#include <vector>

#include "memory/mine/itemset/itemset_dense.h"

#define LENTO_ISA baseline
#include "memory/mine/itemset/itemset_dense.inc"
