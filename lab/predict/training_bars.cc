// Compares predicted with published training times, peaks and failures, by table, chip and model size.
#include <algorithm>
#include <cmath>
#include <optional>

#include "evidence/sample.h"
#include "lab/predict/training_fit.h"

namespace lento::predict {
namespace {

struct Group {
  std::string what;
  double limit = 0;
};

// Returns the groups of a run: the whole tables, for which the limits were set, and their parts.
std::vector<Group> groups_of(const PublishedRun& run) {
  const bool mixture = run.run().model.experts > 1;
  if (run.table == "torchtitan")
    return {{"torchtitan", 0.12}};
  if (run.table == "Megatron Bridge") {
    const Group group = run.run().model.is_hybrid() ? Group{"Megatron Bridge, hybrids", 0}
                        : mixture                   ? Group{"Megatron Bridge, mixtures", 0.18}
                                                    : Group{"Megatron Bridge, dense", 0.12};
    return {group, {group.what + ", " + run.chip, 0}};
  }
  if (run.table == "MPT")
    return {{"MPT, " + run.measured.question.device, 0.10}};
  if (run.table == "MaxText")
    return {{"MaxText", 0.15}, {"MaxText, " + run.chip, 0}};
  if (run.table == "Megatron-Core")
    return {{"Megatron-Core H100", 0.08}};
  if (run.framework() == "megatron" && run.chip == "h100")
    return {{"Llama 3 405B, 8,192 and 16,384 H100", 0.05}};
  if (run.run().schedule == Schedule::DualPipe)
    return {{"DeepSeek-V3, 2,048 H800", 0.12}};
  return {{std::string("published, ") + (mixture ? "mixtures, " : "dense, ") + run.chip, 0}};
}

}  // namespace

std::vector<TrainingBar> training_bars(const std::vector<JudgedRun>& judged) {
  struct Errors {
    double limit = 0;
    std::vector<double> ours;
    std::vector<double> flat;
    double bias = 0;
  };
  std::map<std::string, Errors> groups;
  for (const JudgedRun& j : judged) {
    const double measured = j.run->measured.seconds;
    for (const Group& group : groups_of(*j.run)) {
      Errors& errors = groups[group.what];
      errors.limit = group.limit;
      errors.ours.push_back(std::abs(j.time.seconds / measured - 1));
      errors.flat.push_back(std::abs(j.flat_s / measured - 1));
      errors.bias += j.time.seconds / measured - 1;
    }
  }
  std::vector<TrainingBar> out;
  for (const auto& [what, errors] : groups) {
    TrainingBar bar;
    bar.what = what;
    bar.rows = errors.ours.size();
    bar.mean = evidence::mean(errors.ours);
    bar.median = evidence::median(errors.ours);
    bar.bias = errors.bias / double(bar.rows);
    bar.flat_mean = evidence::mean(errors.flat);
    bar.limit = errors.limit;
    out.push_back(bar);
  }
  return out;
}

namespace {

// Returns the error of the counted memory, or nothing where no peak is stated. Stated peaks are an
// allocator's, without the context of the driver.
std::optional<double> memory_error_of(const JudgedRun& j) {
  if (j.run->peak_bytes <= 0)
    return std::nullopt;
  const double reserve = find_shipped(j.run->chip)->chip.memory_reserve;
  return (j.time.memory_bytes - reserve) / j.run->peak_bytes - 1;
}

TrainingBar peak_memory(const std::vector<JudgedRun>& judged) {
  TrainingBar bar;
  bar.what = "memory of the fullest device, torchtitan";
  bar.limit = 0.10;
  std::vector<double> errors;
  for (const JudgedRun& j : judged) {
    const std::optional<double> error = memory_error_of(j);
    if (!error)
      continue;
    errors.push_back(std::abs(*error));
    bar.bias += *error;
  }
  bar.rows = errors.size();
  if (errors.empty())
    return bar;
  bar.bias /= double(bar.rows);
  bar.mean = evidence::mean(errors);
  bar.median = evidence::median(errors);
  return bar;
}

// Returns the share of finished runs that are predicted not to fit.
TrainingBar said_too_large(const std::vector<JudgedRun>& judged) {
  TrainingBar bar;
  bar.what = "runs wrongly said not to fit, share";
  bar.limit = 0.05;
  bar.rows = judged.size();
  const auto wrong = std::ranges::count_if(judged, [](const JudgedRun& j) {
    return !j.time.fits;
  });
  bar.mean = judged.empty() ? 0 : double(wrong) / double(judged.size());
  bar.bias = bar.mean;
  return bar;
}

}  // namespace

std::vector<TrainingBar> memory_bars(const std::vector<JudgedRun>& judged) {
  return {peak_memory(judged), said_too_large(judged)};
}

std::vector<SeenError> seen_errors(const std::vector<JudgedRun>& judged) {
  std::vector<SeenError> out;
  for (const JudgedRun& j : judged) {
    const Question& q = j.run->measured.question;
    const double error = std::abs(j.time.seconds / j.run->measured.seconds - 1);
    const std::string regime = regime_of(q, j.time.seconds);
    out.push_back({kind_of(q), j.run->chip + "/" + q.framework, regime, error});
    if (const auto of_memory = memory_error_of(j))
      out.push_back({kTrainingMemory, kFittedChip, "", std::abs(*of_memory)});
    if (j.run->software != q.framework)
      out.push_back({kind_of(q), j.run->chip + "/" + j.run->software, regime, error});
  }
  return out;
}

}  // namespace lento::predict
