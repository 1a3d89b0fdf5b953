// The table of hold-out errors from the measured tables.
#include <filesystem>
#include <map>
#include <tuple>

#include "lab/predict/validate.h"

namespace lento::predict {
namespace {

struct Source {
  const char* file;
  const char* system;   // of rows that name no shipped device
  bool fitted = false;  // to every other row: only the rest counts, but for generic constants
};

constexpr Source kSources[] = {{"gemm_linear_neusight.csv.gz", nullptr, true},
                               {"gemm_bmm_neusight.csv.gz", nullptr, true},
                               {"gemm_v100_dgx1_deepbench.csv", "v100", true},
                               {"gemm_bf16_aiconfigurator_sample.csv.gz", nullptr, true},
                               {"rnn_v100_dgx1_deepbench.csv", "v100"},
                               {"allreduce_nccl_v100_a100_vtrain_pow2.csv", nullptr},
                               {"collectives_nccl_aiconfigurator.csv.gz", nullptr, true},
                               {"train_korthikanti_a100.csv", "a100"},
                               {"train_megatron_a100_narayanan.csv", "a100"},
                               {"train_megatron_core_h100.csv", "h100"},
                               {"train_a100_vtrain_single.csv.gz", "a100", true},
                               {"train_a100_vtrain_multi.csv", "a100"},
                               {"train_h100_nanotron.csv.gz", "h100", true},
                               {"infer_llama33_70b_nim_4xH100_fp16_Llama3_3-70B.csv", "h100"},
                               {"infer_llama33_70b_nim_8xA100_bf16_Llama3_3-70B.csv", "a100"}};

using Key = std::tuple<std::string, std::string, std::string>;

class Errors {
 public:
  void add(const std::string& chip, const System& system, const Measurement& m) {
    double seconds = 0;
    try {
      seconds = answer(system, m.question).seconds;
    } catch (const base::Error&) {
      return;  // a precision that the chip lacks, a run that cannot be laid out
    }
    const double error = std::abs(seconds / m.seconds - 1);
    const std::string kind = kind_of(m.question), regime = regime_of(m.question, seconds);
    sums_[{kind, chip, ""}].add(error);
    if (!regime.empty()) sums_[{kind, chip, regime}].add(error);
  }

  std::vector<HoldOutCell> cells() const {
    std::vector<HoldOutCell> out;
    for (const auto& [key, sum] : sums_) {
      if (sum.rows < kFewestRows) continue;
      out.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), sum.rows, sum.error / sum.rows});
    }
    return out;
  }

 private:
  struct Sum {
    size_t rows = 0;
    double error = 0;
    void add(double e) {
      ++rows;
      error += e;
    }
  };
  std::map<Key, Sum> sums_;
};

// What is known of a chip that was never measured.
System unmeasured(System s) {
  s.chip.calibration.fill(std::nullopt);
  s.stack = Stack{};
  s.frameworks.clear();
  return s;
}

bool across_nodes(const Measurement& m, const System& s) {
  const TrainingRun* r = std::get_if<TrainingRun>(&m.question.what);
  return r && r->tensor > s.network.node_devices;
}

}  // namespace

std::vector<HoldOutCell> hold_out_cells(const std::string& folder) {
  Errors errors;
  for (const Source& source : kSources) {
    const std::string path = folder + "/" + source.file;
    if (!std::filesystem::exists(path)) continue;
    base::ReadReport report;
    for (const Measurement& m : read_measurements(path, report)) {
      const System* device = find_shipped(m.question.device);
      if (!device && source.system) device = find_shipped(source.system);
      if (!device || across_nodes(m, *device)) continue;
      const bool link = std::holds_alternative<Collective>(m.question.what);
      if (!link) errors.add(kGenericChip, unmeasured(*device), m);
      if (source.fitted && is_training_row(m)) continue;
      const System own = specialised(*device, m.question);
      errors.add(device->name, own, m);
      errors.add(kFittedChip, own, m);
    }
  }
  return errors.cells();
}

}  // namespace lento::predict
