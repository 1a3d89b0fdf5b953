// The table of hold-out errors from the measured tables.
#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/number.h"
#include "base/scan/csv.h"
#include "evidence/sample.h"
#include "lab/predict/training_runs.h"
#include "lab/predict/validate.h"

namespace lento::predict {
namespace {

struct Source {
  const char* file;
  const char* system;   // of rows that name no shipped device
  bool fitted = false;  // to every other row: only the rest counts, but for generic constants
  bool whole = false;   // constants were fitted to all rows, too few to spare half of them
};

constexpr Source kSources[] = {
    {"gemm_linear_neusight.csv.gz", nullptr, true},
    {"gemm_bmm_neusight.csv.gz", nullptr, true},
    {"gemm_lowprec_aiconfigurator.csv.gz", nullptr, false, true},
    {"gemm_amd_aiter.csv.gz", nullptr, false, true},
    {"gemm_tpu_v6e_v7.csv", nullptr, false, true},
    {"gemm_traces_mi300x_h100_tracelens.csv", nullptr},
    {"gemm_v100_dgx1_deepbench.csv", "v100", true},
    {"gemm_bf16_aiconfigurator_sample.csv.gz", nullptr, true},
    {"rnn_v100_dgx1_deepbench.csv", "v100"},
    {"allreduce_nccl_v100_a100_vtrain_pow2.csv", nullptr},
    {"collectives_nccl_aiconfigurator.csv.gz", nullptr, true},
    {"train_korthikanti_a100.csv", "a100"},
    {"train_megatron_a100_narayanan.csv", "a100"},
    {"train_a100_vtrain_single.csv.gz", "a100", true},
    {"train_a100_vtrain_multi.csv", "a100"},
    {"train_h100_nanotron.csv.gz", "h100", true},
    {"infer_llama33_70b_nim_4xH100_fp16_Llama3_3-70B.csv", "h100"},
    {"infer_llama33_70b_nim_8xA100_bf16_Llama3_3-70B.csv", "a100"}};

using Key = std::tuple<std::string, std::string, std::string>;

// Ratio of the mean errors of rows outside and inside a fit, over the low-precision tables
// (predict_fits.txt). Errors on fitted rows are stretched by this factor.
constexpr double kUnseen = 1.3;

// Launch time in rows timed from the host, by the note of their table.
constexpr double kHostDispatch = 100e-6;

class Errors {
 public:
  void add(const std::string& chip, const System& system, const Measurement& m, double stretch = 1) {
    double seconds = 0;
    try {
      seconds = answer(system, m.question).seconds;
    } catch (const base::Error&) {
      return;  // a precision that the chip lacks, a run that cannot be laid out
    }
    if (m.host_timed)
      seconds += kHostDispatch;
    add({kind_of(m.question),
         chip,
         regime_of(m.question, seconds),
         stretch * std::abs(seconds / m.seconds - 1)},
        system.name);
  }

  void add(const SeenError& e, const std::string& measured_on) {
    errors_[{e.kind, e.chip, ""}][measured_on].push_back(e.error);
    if (!e.regime.empty())
      errors_[{e.kind, e.chip, e.regime}][measured_on].push_back(e.error);
  }

  std::vector<HoldOutCell> cells() const {
    std::vector<HoldOutCell> out;
    for (const auto& [key, by_chip] : errors_) {
      const auto& [kind, chip, regime] = key;
      const std::vector<double> errors = together(by_chip);
      if (errors.size() < (regime.empty() ? kFewestOfAll : kFewestRows))
        continue;
      const bool stranger = (chip == kGenericChip || chip == kRelativeChip) && by_chip.size() > 1;
      const double p50 = stranger ? quantile_of_chips(by_chip, 0.5) : evidence::median(errors);
      const double p90 = stranger ? quantile_of_chips(by_chip, 0.9) : unseen_quantile(errors, 0.9);
      out.push_back({kind, chip, regime, errors.size(), p50, p90});
    }
    return out;
  }

 private:
  static constexpr size_t kFewestOfAll = 8;

  static std::vector<double> together(const ErrorsByChip& by_chip) {
    std::vector<double> out;
    for (const auto& [chip, errors] : by_chip)
      out.insert(out.end(), errors.begin(), errors.end());
    return out;
  }

  // Returns the error that a share `share` of new rows stays within, from n errors: the quantile at (n + 1)
  // / n of the share (split conformal prediction).
  static double unseen_quantile(const std::vector<double>& errors, double share) {
    const double n = double(errors.size());
    return evidence::quantile(errors, std::min(1.0, share * (n + 1) / n));
  }

  std::map<Key, ErrorsByChip> errors_;
};

// Returns the sheet of a chip as if it had never been measured: with its relative's constants, or without
// any.
System unmeasured(System s, bool relative) {
  s.chip.calibration.fill(std::nullopt);
  s.chip.by_framework.clear();
  s.stack = Stack{};
  s.own_stack = false;
  s.frameworks.clear();
  if (relative)
    inherit(s);
  return s;
}

// Adds backward passes of recurrent layers, which are in the rows of the forward ones.
void add_backward_layers(const std::string& folder, Errors& errors) {
  const std::string path = folder + "/rnn_v100_dgx1_deepbench.csv";
  if (!std::filesystem::exists(path))
    return;
  using Pass = LstmLayer::Pass;
  constexpr std::pair<const char*, Pass> kPasses[] = {
      {"bwd_inputs_ms", Pass::BackwardInputs},
      {"bwd_weights_ms", Pass::BackwardWeights}};
  const System& v100 = *find_shipped("v100");
  const System stranger = unmeasured(v100, false);
  base::ReadReport report;
  base::CsvReader row(path, report);
  while (row.next()) {
    for (const auto& [column, pass] : kPasses) {
      const double ms = base::try_double(row.text(row.find(column))).value_or(0);
      if (ms <= 0)
        continue;
      Measurement m;
      m.question = parse_question(Dialect::Lstm, row);
      std::get<LstmLayer>(m.question.what).pass = pass;
      m.seconds = ms * 1e-3;
      errors.add(v100.name, v100, m);
      errors.add(kFittedChip, v100, m);
      errors.add(kGenericChip, stranger, m);
    }
  }
}

bool across_nodes(const Measurement& m, const System& s) {
  const TrainingRun* r = std::get_if<TrainingRun>(&m.question.what);
  return r && r->tensor > s.network.node_devices;
}

}  // namespace

double quantile_of_chips(const ErrorsByChip& errors, double share) {
  std::vector<std::pair<double, double>> weighted;  // error, weight
  double all = 0;
  for (const auto& [chip, of_chip] : errors) {
    const double weight = std::min(1.0, double(of_chip.size()) / double(kFewestRows));
    all += weight;
    for (const double e : of_chip)
      weighted.emplace_back(e, weight / double(of_chip.size()));
  }
  std::ranges::sort(weighted);
  double below = 0;
  for (const auto& [error, weight] : weighted) {
    below += weight;
    if (below >= share * all)
      return error;
  }
  return weighted.empty() ? 0 : weighted.back().first;
}

std::vector<HoldOutCell> hold_out_cells(const std::string& folder) {
  Errors errors;
  for (const Source& source : kSources) {
    for (const Measurement& m : published_rows(folder, source.file)) {
      const System* device = find_shipped(m.question.device);
      if (!device && source.system)
        device = find_shipped(source.system);
      if (!device || across_nodes(m, *device))
        continue;
      const bool link = std::holds_alternative<Collective>(m.question.what);
      const auto without = [&](bool relative) {
        return with_framework(unmeasured(*device, relative), m.question.framework);
      };
      if (!link)
        errors.add(kGenericChip, without(false), m);
      if (!link && !device->similar_chip.empty())
        errors.add(kRelativeChip, without(true), m);
      if (source.fitted && is_training_row(m))
        continue;
      const System own = specialised(*device, m.question);
      const double stretch = source.whole ? kUnseen : 1;
      errors.add(device->name, own, m, stretch);
      errors.add(kFittedChip, own, m, stretch);
      if (!m.question.framework.empty())
        errors.add(device->name + "/" + m.question.framework, own, m, stretch);
    }
  }
  add_backward_layers(folder, errors);
  return errors.cells();
}

std::vector<HoldOutCell> cells_of(const std::vector<SeenError>& seen) {
  Errors errors;
  for (const SeenError& e : seen)
    errors.add(e, "");
  return errors.cells();
}

}  // namespace lento::predict
