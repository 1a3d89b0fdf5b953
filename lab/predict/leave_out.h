// Measures the prediction of a chip without its own rows: the rows are removed, and constants are fitted to
// its relatives' rows, or none where it has no measured relative.
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

// Returns the errors for products of every precision measured on `chip`, over all rows. Throws base::Error
// when the chip is not shipped or no table in `folder` measures it.
std::vector<LeftOut>
leave_out(const std::string& folder, const std::string& chip, const base::Progress& progress);

}  // namespace lento::predict
