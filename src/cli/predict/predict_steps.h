#pragma once

#include "cli/context.h"

namespace lento::cli {

void add_predict_steps(Command& predict, Context& context);

}  // namespace lento::cli
