// Fitting the scalars of fused kernels, and judging them on rows that were not fitted.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/kernels/kernels.h"
#include "predict/time/calibrate.h"

namespace lento::predict {

struct KernelRow {
  PreparedKernel kernel;
  Measurement measured;
  // whose scalars it rests on
  std::string chip;
  std::string root;  // the relative whose constants its sheet takes, else itself
  std::string framework;
  std::string format;
  std::string name;
};

// All rows of the published tables of fused kernels in `folder`, on shipped chips.
std::vector<KernelRow> kernel_rows(const std::string& folder);

// Returns constants fitted to all rows: of every kernel on every chip, of every chip and framework over all
// kernels, of every kernel over all chips, and of the kind.
std::vector<KernelConstants> fit_kernels(
    const std::vector<KernelRow>& rows,
    const base::Progress& progress = {});

// Predicts each row with scalars fitted to three of the four parts of the rows (by a hash of the row
// number), the row being in the fourth. The roofline of three constants is fitted to the same rows of its
// chip, framework, format and kernel.
struct JudgedKernel {
  FusedKind kind = FusedKind::Decode;
  std::string chip;
  std::string framework;
  Question question;
  uint64_t index = 0;
  double measured_s = 0;
  double predicted_s = 0;
  double roofline_s = 0;
  // predicted without any row of the chip
  double stranger_s = 0;
};
std::vector<JudgedKernel> judge_kernels(
    const std::vector<KernelRow>& rows,
    const base::Progress& progress = {});

}  // namespace lento::predict
