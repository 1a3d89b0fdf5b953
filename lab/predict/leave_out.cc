// Removes a chip's rows, fits constants to its relatives, and compares the predictions with a roofline of
// the chip's own.
#include "lab/predict/leave_out.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/predict/training_runs.h"
#include "predict/time/hold_out.h"
#include "predict/time/question.h"

namespace lento::predict {
namespace {

constexpr const char* kTables[] = {
    "gemm_bf16_aiconfigurator_sample.csv.gz",
    "gemm_lowprec_aiconfigurator.csv.gz",
    "gemm_linear_neusight.csv.gz",
    "gemm_amd_aiter.csv.gz",
    "gemm_tpu_v6e_v7.csv",
    "gemm_v100_dgx1_deepbench.csv"};
constexpr double kHostDispatch = 100e-6;  // in the TPU rows that are timed from the host

using Rows = std::vector<Measurement>;

Rows all_rows(const std::string& folder) {
  Rows out;
  for (const char* table : kTables) {
    const Rows rows = published_rows(folder, table);
    out.insert(out.end(), rows.begin(), rows.end());
  }
  return out;
}

const std::string& root_of(const System& s) {
  return s.similar_chip.empty() ? s.name : s.similar_chip;
}

bool related(const System& a, const System& b) {
  return a.name != b.name &&
         (root_of(a) == root_of(b) || a.similar_chip == b.name || b.similar_chip == a.name);
}

const Gemm* product(const Measurement& m, Precision p) {
  const Gemm* g = std::get_if<Gemm>(&m.question.what);
  const bool host_launched = m.question.framework.ends_with("eager");
  return g && g->precision == p && !host_launched ? g : nullptr;
}

Rows rows_where(const Rows& rows, Precision p, const auto& keep) {
  Rows out;
  for (const Measurement& m : rows) {
    const System* device = find_shipped(m.question.device);
    if (device && product(m, p) && keep(*device))
      out.push_back(m);
  }
  return out;
}

// Returns the names of the chip's relatives and puts their constants into the chip's sheet.
std::string fit_relatives(const Rows& rows, Precision p, System& system, const base::Progress& progress) {
  const Rows near = rows_where(rows, p, [&](const System& s) {
    return related(system, s);
  });
  system.chip.calibration.fill(std::nullopt);
  system.chip.by_framework.clear();
  system.stack = Stack{};
  system.frameworks.clear();
  // An array is determined by its sheet, and few rows of a relative are worse than none (MI355X with 18 rows
  // of MI300X: 63 % off, 30 % without).
  if (near.size() < kFewestRows || system.chip.array > 0)
    return "none: generic";
  std::string names;
  std::set<std::string> seen;
  const System* base = nullptr;
  for (const Measurement& m : near) {
    const System* device = find_shipped(m.question.device);
    if (!seen.insert(device->name).second)
      continue;
    names += (names.empty() ? "" : ", ") + device->name;
    if (!base || device->name == root_of(system))
      base = device;
  }
  GemmFitOptions options;
  options.precision = p;
  options.all_rows = true;
  const GemmFit fit = calibrate_gemm(*base, near, options, progress);
  Calibration constants = lent(fit.constants, base->chip, system.chip, p);
  constants.measured_on = names;
  constants.launch_s = fit.launch_s;
  system.chip.calibration[size_t(p)] = constants;
  return names;
}

LeftOut judge(const System& system, const Rows& rows, const std::string& what, const std::string& constants) {
  LeftOut out{what, constants, {}, 0, 0};
  std::vector<double> predicted;
  std::vector<double> measured;
  size_t inside = 0;
  for (const Measurement& m : rows) {
    const Answer a = answer(system, m.question);
    const double host = m.host_timed ? kHostDispatch : 0;
    predicted.push_back(a.seconds + host);
    measured.push_back(m.seconds);
    inside += std::abs(predicted.back() / m.seconds - 1) <= a.p90;
  }
  out.ours = summarise(predicted, measured);
  out.inside_p90 = rows.empty() ? 0 : double(inside) / double(rows.size());
  out.roofline = roofline_error(*find_shipped(system.name), rows);
  return out;
}

}  // namespace

std::vector<LeftOut>
leave_out(const std::string& folder, const std::string& chip, const base::Progress& progress) {
  const System* shipped = find_shipped(chip);
  if (!shipped)
    throw base::Error({"--leave-out"}, "no system is called '" + chip + "'");
  const Rows rows = all_rows(folder);
  std::vector<LeftOut> out;
  for (size_t i = 0; i < kPrecisions; ++i) {
    const auto p = static_cast<Precision>(i);
    Rows own = rows_where(rows, p, [&](const System& s) {
      return s.name == shipped->name;
    });
    if (own.empty())
      continue;
    System system = *shipped;
    const std::string constants = fit_relatives(rows, p, system, progress);
    const std::string kind = std::string(name(p)) + " products";
    out.push_back(judge(system, own, kind, constants));
    std::erase_if(own, [p](const Measurement& m) {
      return product(m, p)->m < 1024;
    });
    if (!own.empty())
      out.push_back(judge(system, own, kind + ", m from 1024", constants));
  }
  if (out.empty())
    throw base::Error({folder}, "no table measures products on '" + shipped->name + "'");
  return out;
}

}  // namespace lento::predict
