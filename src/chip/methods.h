// Lists the methods by which `chip diagnose` can judge a sketch: Lento's own, and the tracer of the SLOTH
// paper.
#pragma once

#include <vector>

#include "chip/detect/method.h"

namespace lento::chip {

const std::vector<Method>& chip_methods();

}  // namespace lento::chip
