// Checks whether a run looks healthy apart from the parts that are reported as slow.
#pragma once

#include <string>

#include "chip/model/model.h"

namespace lento::chip {

// Returns the reason why the run does not look like one of the file's chip with these slow parts, or an empty
// string. `fit` is that of the run beside simulations in which all reported parts are slow, among them `part`
// by at least its factor.
std::string
not_explained(const ChipModel& model, const ModelVerdict& verdict, const Solution& fit, const SlowPart& part);

}  // namespace lento::chip
