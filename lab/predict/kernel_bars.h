// Compares the fused kernels with the limits that they must reach.
#pragma once

#include "lab/predict/kernel_fit.h"
#include "lab/predict/validate.h"

namespace lento::predict {

struct KernelBar {
  std::string what;
  size_t rows = 0;
  double median = 0;
  double mean = 0;
  double roofline_mean = 0;
  double limit = 0;  // of the median
  double stranger_median = 0;
  bool reached() const {
    return median <= limit && mean <= roofline_mean / 2;
  }
};

// Returns the results of each kind, for all chips together and for each chip.
std::vector<KernelBar> kernel_bars(const std::string& folder, const base::Progress& progress = {});
std::vector<KernelBar> kernel_bars(const std::vector<JudgedKernel>& judged);

// Returns the errors as answers state them: with the chip's own constants, and with those fitted to other
// chips ("relative", "generic").
std::vector<SeenError> seen_errors(const std::vector<JudgedKernel>& judged);

}  // namespace lento::predict
