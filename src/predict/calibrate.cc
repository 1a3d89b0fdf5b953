// Selects the rows of a measurement table that belong to the system, and fits either the constants of matrix
// products for each precision or the scalars of one software stack.
#include "predict/calibrate.h"

#include <algorithm>

#include "predict/hardware/system.h"

namespace lento::predict {
namespace {

// Converts the names of scalars to fit into StackScalar entries. Throws base::Error for an unknown name.
TrainingFitOptions training_options(const CalibrateOptions& options) {
  TrainingFitOptions out = options.training;
  std::vector<std::string> known;
  for (const StackScalar& s : stack_scalars())
    known.emplace_back(s.name);
  for (const std::string& name : options.scalars) {
    if (std::ranges::find(known, name) == known.end())
      throw base::Error({}, "'" + name + "' is no scalar of a stack", base::suggestion(name, known));
  }
  for (const StackScalar& s : stack_scalars()) {
    if (std::ranges::find(options.scalars, s.name) != options.scalars.end())
      out.scalars.push_back(&s);
  }
  return out;
}

// Reads the measurements and keeps those of a device of the system's family, and those of a device that no
// shipped data sheet names.
std::vector<Measurement>
rows_of(const CalibrateOptions& options, const System& system, base::ReadReport& report) {
  std::vector<Measurement> rows;
  for (const std::string& path : options.measurements) {
    for (const Measurement& m : read_measurements(path, report)) {
      const System* exact = m.question.device.empty() ? nullptr : find_shipped(m.question.device);
      if (!exact || exact->family == system.family || exact->similar_chip == system.name)
        rows.push_back(m);
    }
  }
  return rows;
}

bool asks(const Measurement& m, Precision precision, const std::string& framework) {
  const Gemm* g = std::get_if<Gemm>(&m.question.what);
  return g && g->precision == precision && (framework.empty() || m.question.framework == framework);
}

}  // namespace

// Fits the constants of a chip or of a training stack to the measured rows, and reports the error on fitted
// and on held-out rows. Throws base::Error without a measured row.
CalibrateResult calibrate(const CalibrateOptions& options, const base::Progress& progress) {
  CalibrateResult result;
  result.report.strict = options.strict;
  const System system = read_system(options.system);
  const std::vector<Measurement> rows = rows_of(options, system, result.report);
  if (rows.empty())
    throw base::Error(
        {options.system},
        "no row measures this system",
        "rows name their device in a column 'device' or 'gpu'");
  if (std::holds_alternative<TrainingRun>(rows[0].question.what)) {
    result.training.push_back(calibrate_training(system, rows, training_options(options), progress));
    return result;
  }
  for (size_t i = 0; i < kPrecisions; ++i) {
    const auto precision = static_cast<Precision>(i);
    if (std::ranges::none_of(rows, [&](const Measurement& m) {
          return asks(m, precision, options.training.framework);
        }))
      continue;
    result.products.emplace_back(
        precision,
        calibrate_gemm(
            system,
            rows,
            {precision, options.launch_s, options.training.framework, options.all_rows},
            progress));
  }
  return result;
}

}  // namespace lento::predict
