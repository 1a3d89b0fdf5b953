// Every comparison with a published figure: the rows, the limit and the error that the predictor reaches.
#include "lab/predict/validate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "base/units.h"
#include "evidence/sample.h"
#include "lab/predict/training_runs.h"

namespace lento::predict {
namespace {

using Keep = std::function<bool(const Measurement&)>;
using Rows = std::vector<Measurement>;

// Returns the predicted time, or nothing for a run that cannot be divided (uneven stages).
std::optional<double> ask(const System& system, const Question& question) {
  try {
    return answer(system, question).seconds;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

class Validator {
 public:
  explicit Validator(const std::string& folder)
      : folder_(folder) {
  }

  const Rows& table(const std::string& file) {
    const auto [at, fresh] = tables_.try_emplace(file);
    if (fresh)
      at->second = published_rows(folder_, file);
    return at->second;
  }

  struct Case {
    const char* what;
    const char* file;
    const char* system;
    const char* published;
    double limit;
    Keep keep;
    bool median = false;
    const char* note = "held-out half";
  };

  void judge(const Case& c) {
    std::vector<double> predicted;
    std::vector<double> measured;
    const System system = read_system(c.system);
    for (const Measurement& m : table(c.file)) {
      if (!c.keep(m))
        continue;
      const std::optional<double> seconds = ask(specialised(system, m.question), m.question);
      if (!seconds)
        continue;
      predicted.push_back(*seconds);
      measured.push_back(m.seconds);
      out.residuals.push_back({c.what, m.index, predicted.back(), m.seconds});
    }
    if (predicted.empty())
      return;
    const ErrorSummary s = summarise(predicted, measured);
    const double ours = c.median ? s.median : s.mean;
    out.bars.push_back(
        {c.what,
         s.rows,
         c.published,
         c.limit,
         ours,
         ours <= c.limit,
         std::string(c.note) + (c.median ? "; median" : "") + "; log-correlation " +
             base::format_number(s.log_correlation, 4) + ", bias " + base::format_number(100 * s.bias, 2) +
             " %"});
  }

  Validation out;

 private:
  std::string folder_;
  std::map<std::string, Rows> tables_;
};

bool is_device(const Measurement& m, const char* system) {
  const System* s = find_shipped(m.question.device);
  return s && s->name == system;
}

Keep held_out(const char* system, int64_t min_m = 1) {
  return [=](const Measurement& m) {
    const Gemm* g = std::get_if<Gemm>(&m.question.what);
    return g && g->m >= min_m && is_device(m, system) && !is_training_row(m);
  };
}

Keep deepbench(Precision precision) {
  return [=](const Measurement& m) {
    const Gemm* g = std::get_if<Gemm>(&m.question.what);
    return g && g->precision == precision && !is_training_row(m);
  };
}

// Adds a limit that is reached only when the prediction also beats the three-constant roofline fitted to the
// same half.
void against_roofline(Validator& v, Validator::Case c) {
  c.keep = held_out(c.system);
  const size_t before = v.out.bars.size();
  v.judge(c);
  if (v.out.bars.size() == before)
    return;
  Rows rows = v.table(c.file);
  std::erase_if(rows, [&](const Measurement& m) {
    return !std::holds_alternative<Gemm>(m.question.what) || !is_device(m, c.system);
  });
  const double roofline = roofline_error(read_system(c.system), rows);
  Bar& bar = v.out.bars.back();
  bar.reached = bar.reached && bar.ours < roofline;
  bar.note += "; roofline " + base::format_number(100 * roofline, 3) + " % on the same rows";
}

void products(Validator& v) {
  const char* linear = "gemm_linear_neusight.csv.gz";
  const char* bf16 = "gemm_bf16_aiconfigurator_sample.csv.gz";
  v.judge({"fp32 GEMM, P4", linear, "p4", "DeepFlow 14.9 %", 0.089, held_out("p4")});
  v.judge({"fp32 GEMM, V100 PCIe", linear, "v100", "DeepFlow 6.9 %", 0.05, held_out("v100-pcie")});
  v.judge(
      {"fp32 GEMM, V100 in a DGX-1",
       "gemm_v100_dgx1_deepbench.csv",
       "v100",
       "-",
       0.15,
       deepbench(Precision::Fp32)});
  v.judge(
      {"tensor-core GEMM, V100 in a DGX-1",
       "gemm_v100_dgx1_deepbench.csv",
       "v100",
       "DeepFlow 18.2 %, roofline 14.6 %",
       0.12,
       deepbench(Precision::Fp16)});
  v.judge(
      {"bf16 GEMM m >= 1024, A100",
       bf16,
       "a100",
       "roofline 8.3 %, DeepFlow 7.2 %",
       0.07,
       held_out("a100", 1024)});
  v.judge(
      {"bf16 GEMM m >= 1024, H100",
       bf16,
       "h100",
       "roofline 6.5 %, DeepFlow 10.5 %",
       0.05,
       held_out("h100", 1024)});
  v.judge({"bf16 GEMM m >= 1024, H200", bf16, "h200", "roofline 8.6 %", 0.07, held_out("h200", 1024)});
  against_roofline(v, {"bf16 GEMM all m, A100", bf16, "a100", "roofline 12.4 %", 0.10, {}});
  against_roofline(v, {"bf16 GEMM all m, H100", bf16, "h100", "roofline 9.1 %", 0.08, {}});
  against_roofline(v, {"bf16 GEMM all m, H200", bf16, "h200", "roofline 11.1 %", 0.09, {}});
}

void links(Validator& v) {
  const System system = read_system("v100");
  double worst = 0;
  double five = 0;
  size_t rows = 0;
  std::string path;
  for (const Measurement& m : v.table("allreduce_nccl_v100_a100_vtrain_pow2.csv")) {
    const Collective* c = std::get_if<Collective>(&m.question.what);
    if (!c || m.question.device != "v100" || c->bytes != double(1 << 30))
      continue;
    const CollectiveTime t = predict_collective(system, *c);
    const double error = std::abs(t.seconds / m.seconds - 1);
    ++rows;
    if (c->devices == 5) {
      five = error;
      path = t.algorithm;
    } else {
      worst = std::max(worst, error);
    }
  }
  if (!rows)
    return;
  v.out.bars.push_back(
      {"all-reduce of 1 GiB on 2, 3, 4, 6, 7, 8 V100s of a DGX-1, worst",
       rows - 1,
       "DeepFlow up to 13 times low",
       0.10,
       worst,
       worst <= 0.10,
       "link graph only"});
  v.out.bars.push_back({"all-reduce of 1 GiB on 5 V100s of a DGX-1", 1, "-", 0.25, five, five <= 0.25, path});
}

// Compares counted and predicted bytes of memory traffic on A100s with 108 units.
void traffic(Validator& v, const std::string& folder) {
  const std::string path = folder + "/gemm_ncu_counters_rapidllm.csv";
  if (!std::filesystem::exists(path))
    return;
  base::ReadReport report;
  base::CsvReader table(path, report);
  const int read = table.require("dram_read");
  const int write = table.require("dram_write");
  const System system = read_system("a100");
  std::vector<double> ratios;
  while (table.next()) {
    const Gemm g = std::get<Gemm>(parse_question(Dialect::Gemm, table).what);
    const double counted = table.number(read) + table.number(write);
    if (counted > 0)
      ratios.push_back(predict_gemm(system, g).memory_bytes / counted);
  }
  if (ratios.empty())
    return;
  const double middle = evidence::median(ratios);
  const double low = evidence::quantile(ratios, 0.25);
  const double high = evidence::quantile(ratios, 0.75);
  v.out.bars.push_back(
      {"DRAM bytes of 48 GEMMs, distance of the median ratio from 1",
       ratios.size(),
       "DeepFlow 0.39",
       0.10,
       std::abs(middle - 1),
       std::abs(middle - 1) <= 0.10,
       "median predicted / counted " + base::format_number(middle, 3)});
  v.out.bars.push_back(
      {"DRAM bytes of 48 GEMMs, middle half outside 0.7 to 1.4",
       ratios.size(),
       "DeepFlow 0.13 to 0.93",
       0,
       std::max({0.0, 0.7 - low, high - 1.4}),
       low >= 0.7 && high <= 1.4,
       "quartiles " + base::format_number(low, 3) + " and " + base::format_number(high, 3)});
}

void layers(Validator& v) {
  const auto lstm = [](const Measurement& m) {
    const LstmLayer* l = std::get_if<LstmLayer>(&m.question.what);
    return l && l->gates == 4;
  };
  v.judge(
      {"LSTM layers forward, V100",
       "rnn_v100_dgx1_deepbench.csv",
       "v100",
       "paper's LM 16 %",
       0.16,
       lstm,
       false,
       "all rows; GEMM constants, one step constant"});
}

bool any(const Measurement&) {
  return true;
}

void training(Validator& v) {
  v.judge(
      {"training, Korthikanti 8",
       "train_korthikanti_a100.csv",
       "a100",
       "Calculon 3.65 % (fitted)",
       0.06,
       any,
       false,
       "out of sample"});
  v.judge(
      {"training, Narayanan 10",
       "train_megatron_a100_narayanan.csv",
       "a100",
       "Calculon 9.4 %",
       0.07,
       any,
       false,
       "out of sample"});
  v.judge(
      {"training, Megatron-Core H100 9",
       "train_megatron_core_h100.csv",
       "h100",
       "-",
       0.08,
       any,
       false,
       "fitted; models apart: --training"});
  v.judge(
      {"training, vTrain single node",
       "train_a100_vtrain_single.csv.gz",
       "a100",
       "vTrain 8.37 % (with profiling)",
       0.12,
       [](const Measurement& m) {
         return !is_training_row(m);
       }});
  v.judge(
      {"training, vTrain multi node",
       "train_a100_vtrain_multi.csv",
       "a100",
       "vTrain 14.73 % (with profiling)",
       0.12,
       any,
       false,
       "out of sample"});
  const auto narrow = [](const Measurement& m) {
    const TrainingRun* r = std::get_if<TrainingRun>(&m.question.what);
    return r && r->tensor <= 8 && !is_training_row(m);
  };
  v.judge(
      {"throughput, nanotron H100, tp <= 8",
       "train_h100_nanotron.csv.gz",
       "h100",
       "-",
       0.12,
       narrow,
       true,
       "held-out half, early pipelines with their own stack"});
}

// Fits two scalars of the stack to all rows but the predicted one.
void left_out(Validator& v) {
  struct Set {
    const char* what;
    const char* file;
    const char* system;
    const char* published;
    double limit;
  };
  std::vector<const StackScalar*> scalars;
  for (const StackScalar& s : stack_scalars()) {
    if (std::string_view(s.name) == "library" || std::string_view(s.name) == "pointwise")
      scalars.push_back(&s);
  }
  for (const Set& set :
       {Set{"leave one out, Korthikanti 8",
            "train_korthikanti_a100.csv",
            "a100",
            "Calculon 3.65 % (fitted)",
            0.035},
        Set{"leave one out, Narayanan 10",
            "train_megatron_a100_narayanan.csv",
            "a100",
            "Calculon 9.4 %",
            0.05},
        Set{"leave one out, Megatron-Core H100 9", "train_megatron_core_h100.csv", "h100", "-", 0.06}}) {
    const Rows& rows = v.table(set.file);
    if (rows.size() < 4)
      continue;
    const ErrorSummary s = leave_one_out(read_system(set.system), rows, scalars);
    v.out.bars.push_back(
        {set.what,
         s.rows,
         set.published,
         set.limit,
         s.mean,
         s.mean <= set.limit,
         "library and pointwise fitted to the other rows; bias " + base::format_number(100 * s.bias, 2) +
             " %"});
  }
}

// Compares runs that ended with "OOM" with runs that finished, and those apart whose count lies farther from
// the size of the memory than counts err.
void out_of_memory(Validator& v, const std::string& folder) {
  const std::string path = folder + "/train_h100_nanotron.csv.gz";
  if (!std::filesystem::exists(path))
    return;
  base::ReadReport report;
  base::CsvReader table(path, report);
  const int status = table.require("status");
  const System system = read_system("h100");
  size_t rows = 0;
  size_t right = 0;
  size_t sure = 0;
  size_t sure_right = 0;
  while (table.next()) {
    const bool failed = table.text(status) == "OOM";
    if (!failed && table.text(status) != "Success")
      continue;
    const Question question = parse_question(Dialect::TrainNanotron, table);
    const auto& run = std::get<TrainingRun>(question.what);
    const double bytes =
        training_memory(run, specialised(system, question).stack).total() + system.chip.memory_reserve;
    ++rows;
    right += (bytes > system.chip.memory_bytes) == failed;
    if (std::abs(std::log(bytes / system.chip.memory_bytes)) <= std::log1p(memory_error()))
      continue;
    ++sure;
    sure_right += (bytes > system.chip.memory_bytes) == failed;
  }
  if (!rows)
    return;
  const auto add = [&v](const std::string& what, size_t of, size_t of_right) {
    const double wrong = 1 - double(of_right) / double(std::max<size_t>(1, of));
    v.out.bars.push_back({what, of, "about 5 %", 0.05, wrong, wrong <= 0.05, "all rows"});
  };
  add("out of memory wrongly told, nanotron H100", rows, right);
  add("the same, not at the edge of memory", sure, sure_right);
}

}  // namespace

Validation validate(const std::string& folder, const base::Progress& progress) {
  Validator v(folder);
  progress("parts", 0, 5);
  products(v);
  progress("parts", 1, 5);
  links(v);
  traffic(v, folder);
  layers(v);
  progress("parts", 2, 5);
  training(v);
  left_out(v);
  out_of_memory(v, folder);
  progress("parts", 5, 5);
  return std::move(v.out);
}

}  // namespace lento::predict
