// The ways that `chip diagnose` knows to judge a sketch: ours, and the tracer of the SLOTH paper.
#pragma once

#include <vector>

#include "chip/detect/method.h"

namespace lento::chip {

const std::vector<Method>& chip_methods();

}  // namespace lento::chip
