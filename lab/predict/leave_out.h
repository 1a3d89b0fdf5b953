// How well a chip is predicted that was never measured: its rows removed, constants fitted to its relatives'
// rows, none where it has no measured relative.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/time/calibrate.h"

namespace lento::predict {

struct LeftOut {
  std::string what;       // "bf16 products, m from 1024"
  std::string constants;  // whose rows the constants were fitted to
  ErrorSummary ours;
  double roofline = 0;    // mean error of one fitted to half of the chip's own rows, on the other half
  double inside_p90 = 0;  // share of rows within the stated nine-tenths error
};

// Products of every precision measured on `chip`, all rows. Throws base::Error when it is not shipped or no
// table in `folder` measures it.
std::vector<LeftOut>
leave_out(const std::string& folder, const std::string& chip, const base::Progress& progress);

}  // namespace lento::predict
