// Lists all methods of judging a sketch: those of the product and five published baselines.
#pragma once

#include <vector>

#include "chip/detect/method.h"

namespace lento::chip {

const std::vector<Method>& all_methods();

}  // namespace lento::chip
