// The limits of the fused kernels by kind and chip, and the errors that answers state for them.
#include "lab/predict/kernel_bars.h"

#include <cmath>
#include <map>

#include "evidence/sample.h"

namespace lento::predict {
namespace {

struct Group {
  std::string what;
  double limit;
};

Group group_of(FusedKind kind) {
  switch (kind) {
    case FusedKind::Experts:
      return {"layer of experts", 0.15};
    case FusedKind::Prefill:
      return {"attention, prefill", 0.12};
    case FusedKind::Decode:
      return {"attention, decode", 0.12};
    default:
      return {"latent attention", 0.15};
  }
}

struct Errors {
  std::vector<double> ours;
  std::vector<double> roofline;
  std::vector<double> stranger;
};

double off(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

}  // namespace

std::vector<KernelBar> kernel_bars(const std::vector<JudgedKernel>& judged) {
  std::map<std::pair<std::string, std::string>, std::pair<Errors, double>> groups;
  for (const JudgedKernel& j : judged) {
    const Group group = group_of(j.kind);
    for (const std::string& chip : {std::string(), j.chip}) {
      auto& [errors, limit] = groups[{group.what, chip}];
      limit = group.limit;
      errors.ours.push_back(off(j.predicted_s, j.measured_s));
      errors.roofline.push_back(off(j.roofline_s, j.measured_s));
      if (j.stranger_s > 0)
        errors.stranger.push_back(off(j.stranger_s, j.measured_s));
    }
  }
  std::vector<KernelBar> out;
  for (auto& [name, group] : groups) {
    auto& [errors, limit] = group;
    KernelBar bar;
    bar.what = name.first + (name.second.empty() ? "" : ", " + name.second);
    bar.rows = errors.ours.size();
    bar.median = evidence::median(errors.ours);
    bar.mean = evidence::mean(errors.ours);
    bar.roofline_mean = evidence::mean(errors.roofline);
    bar.limit = limit;
    bar.stranger_median = errors.stranger.empty() ? 0 : evidence::median(errors.stranger);
    out.push_back(bar);
  }
  return out;
}

std::vector<KernelBar> kernel_bars(const std::string& folder, const base::Progress& progress) {
  return kernel_bars(judge_kernels(kernel_rows(folder), progress));
}

std::vector<SeenError> seen_errors(const std::vector<JudgedKernel>& judged) {
  std::vector<SeenError> out;
  for (const JudgedKernel& j : judged) {
    const std::string kind = kind_of(j.question);
    const double own = off(j.predicted_s, j.measured_s);
    const std::string regime = regime_of(j.question, j.predicted_s);
    out.push_back({kind, j.chip, regime, own});
    out.push_back({kind, j.chip + "/" + j.framework, regime, own});
    out.push_back({kind, kFittedChip, regime, own});
    if (j.stranger_s <= 0)
      continue;
    const double stranger = off(j.stranger_s, j.measured_s);
    const std::string there = regime_of(j.question, j.stranger_s);
    for (const char* chip : {kRelativeChip, kGenericChip})
      out.push_back({kind, chip, there, stranger});
  }
  return out;
}

}  // namespace lento::predict
