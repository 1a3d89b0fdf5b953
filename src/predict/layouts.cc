// Enumerates the layouts of a model over the devices, times those that fit in memory with the scalars of the
// stack, and keeps the fastest of each split. Recomputation and sharding cost time, so for each layout the
// search takes the least of them that fits in memory. One layout takes about 0.1 ms.
#include "predict/layouts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/units.h"
#include "predict/time/training/training.h"

namespace lento::predict {
namespace {

constexpr int64_t kMostMicroBatch = 8;
constexpr int kMostDevices = 1 << 20;
constexpr size_t kMostTimed = 20'000;
constexpr int64_t kLeastTokens = 2048;  // fewest tokens of a sequence on one context-parallel device

// Returns the divisors of `devices` up to `most`. Those above 16 are multiples of 8, which bounds their
// number.
std::vector<int> ways(int64_t most, int devices) {
  std::vector<int> out;
  for (int w = 1; w <= most && w <= devices; w += w < 16 ? 1 : 8) {
    if (devices % w == 0)
      out.push_back(w);
  }
  return out;
}

// Returns the numbers of chunks per device to try with an interleaved pipeline: 1, 2, 4, ... and the largest
// possible.
std::vector<int> chunks_of(int64_t layers, int pipeline) {
  std::vector<int> out = {1};
  const int most = pipeline > 1 ? int(layers / pipeline) : 1;
  for (int v = 2; v < most; v *= 2)
    out.push_back(v);
  if (most > 1)
    out.push_back(most);
  return out;
}

const SoftwareScalars& scalars_for(Work work, const std::string& framework, const System& system) {
  const std::string stack = stack_on(stack_called(work, framework, {"--framework"}), system.name);
  return shipped_software().find(work, stack).scalars;
}

class Search {
 public:
  Search(const System& system, const Question& asked, int devices, size_t most)
      : system_(system),
        asked_(asked),
        devices_(devices),
        most_(most),
        work_(std::holds_alternative<TrainingRun>(asked.what) ? Work::Train : Work::Serve),
        scalars_(scalars_for(work_, asked.framework, system)),
        scaled_(with_scalars(system, scalars_)) {
  }
  LayoutSearch run();

 private:
  void train(const TrainingRun& base);
  void train_split(TrainingRun run);
  bool fits_with_recompute(TrainingRun& run) const;
  void try_training(TrainingRun run);
  void serve(const InferenceRun& base);
  void try_serving(const InferenceRun& run, const std::string& stack);
  void keep(Layout layout);

  const System& system_;
  const Question& asked_;
  int devices_;
  size_t most_;
  Work work_;
  SoftwareScalars scalars_;
  System scaled_;
  LayoutSearch out_;
};

// Keeps a layout among the best ones, one of each split of the devices.
void Search::keep(Layout layout) {
  ++out_.fitting;
  const auto same = std::ranges::find(out_.best, layout.split, &Layout::split);
  if (same != out_.best.end()) {
    if (same->seconds <= layout.seconds)
      return;
    out_.best.erase(same);
  }
  const auto at = std::ranges::upper_bound(out_.best, layout.seconds, {}, &Layout::seconds);
  out_.best.insert(at, std::move(layout));
  if (out_.best.size() > most_)
    out_.best.pop_back();
}

// Writes the layout as a value of --parallel, without degrees of 1.
std::string text_of(const TrainingRun& r) {
  std::string out;
  const auto add = [&out](const char* key, int value, int usual) {
    if (value != usual)
      out += std::string(out.empty() ? "" : ",") + key + "=" + std::to_string(value);
  };
  add("tp", r.tensor, 1);
  add("pp", r.pipeline, 1);
  add("cp", r.context, 1);
  add("ep", r.expert, 1);
  add("dp", r.data, 0);
  add("zero", r.zero, 0);
  add("interleave", r.interleave, 1);
  return out;
}

std::string recompute_text(Recompute again) {
  return again == Recompute::Full        ? ", recompute full"
         : again == Recompute::Operators ? ", recompute operators"
         : again == Recompute::Selective ? ", recompute selective"
                                         : "";
}

// Sets the least recomputation with which the run fits in memory. Returns whether it fits with any.
bool Search::fits_with_recompute(TrainingRun& run) const {
  for (const Recompute again :
       {Recompute::None, Recompute::Selective, Recompute::Operators, Recompute::Full}) {
    run.recompute = again;
    if (training_memory(run, scaled_.stack).total() + system_.chip.memory_reserve <=
        system_.chip.memory_bytes)
      return true;
  }
  return false;
}

// Times one layout of training and keeps it when it fits in memory and is among the best.
void Search::try_training(TrainingRun run) {
  ++out_.tried;
  if (out_.fitting >= kMostTimed || !fits_with_recompute(run))
    return;
  try {
    const TrainingTime t = time_training(scaled_, run, scalars_);
    if (!t.fits)
      return;
    const int64_t split = ((int64_t(run.tensor) * kMostDevices + run.pipeline) * 1024 + run.context) * 1024;
    keep(
        {text_of(run),
         "micro batch " + std::to_string(run.micro_batch) + recompute_text(run.recompute),
         {run, {}, asked_.framework},
         t.seconds,
         split + run.expert});
  } catch (const base::Error&) {
    // A parallel degree of this layout does not divide the model's sizes.
  }
}

// Tries the shardings, chunks and micro batches of one split. Sharding of the weights (stage 3) is tried
// without a pipeline, or when nothing else fits.
void Search::train_split(TrainingRun run) {
  const std::vector<int> chunks = chunks_of(run.model.layers, run.pipeline);
  const int64_t batch = run.global_batch / run.data;
  for (run.micro_batch = 1; run.micro_batch <= kMostMicroBatch; run.micro_batch *= 2) {
    if (batch % run.micro_batch != 0)
      break;
    for (const int chunk : chunks) {
      if (chunk > 1 && run.micro_batches() % run.pipeline != 0)
        break;
      run.interleave = chunk;
      const bool sharded = run.replicas() > 1;
      const size_t before = out_.fitting;
      for (const int zero : {1, 2, 3}) {
        run.zero = sharded ? zero : 0;
        if (out_.fitting == before || (zero == 3 && run.pipeline == 1))
          try_training(run);
        if (!sharded)
          break;
      }
    }
  }
}

// Tries every split of the devices into tensor, context, pipeline, expert and data parallelism for training.
void Search::train(const TrainingRun& base) {
  const Transformer& m = base.model;
  TrainingRun run = base;
  for (const int tensor : ways(std::max(1, system_.network.node_devices), devices_)) {
    if (m.heads % tensor != 0 || m.inner() % tensor != 0)
      continue;
    run.tensor = tensor;
    run.sequence_parallel = tensor > 1;
    for (const int context : ways(std::max<int64_t>(1, base.sequence / kLeastTokens), devices_ / tensor)) {
      if (context > 1 && (base.sequence % context != 0 || (context & (context - 1)) != 0))
        continue;
      run.context = context;
      for (const int pipeline : ways(m.layers, devices_ / (tensor * run.context))) {
        run.pipeline = pipeline;
        run.data = devices_ / (tensor * run.context * pipeline);
        if (run.global_batch % run.data != 0)
          continue;
        for (const int expert : ways(m.experts, run.data * run.context * tensor)) {
          run.expert = expert;
          if (m.experts % expert == 0)
            train_split(run);
        }
      }
    }
  }
}

// Times one layout of serving and keeps it when it fits in memory and is among the best.
void Search::try_serving(const InferenceRun& run, const std::string& stack) {
  ++out_.tried;
  try {
    const ServedWork work(system_, {run, stack, false});
    if (!work.fits())
      return;
    TrainingRun named;
    named.tensor = run.tensor;
    named.pipeline = run.pipeline;
    named.data = run.data;
    named.expert = run.expert;
    const int64_t split = (int64_t(run.tensor) * kMostDevices + run.pipeline) * kMostDevices + run.expert;
    keep({text_of(named), "", {run, {}, asked_.framework}, work.seconds(scalars_), split});
  } catch (const base::Error&) {
    // A parallel degree of this layout does not divide the model's sizes.
  }
}

// Tries every split of the devices for serving. Experts are split like the other weights, or spread over the
// devices of a replica, or over all replicas of one device each, whose exchange of rows is timed.
void Search::serve(const InferenceRun& base) {
  const std::string stack = stack_on(stack_called(work_, asked_.framework, {"--framework"}), system_.name);
  for (const int tensor : ways(std::max(1, system_.network.node_devices), devices_)) {
    for (const int pipeline : ways(base.model.layers, devices_ / tensor)) {
      InferenceRun run = base;
      run.tensor = tensor;
      run.pipeline = pipeline;
      run.data = devices_ / (tensor * pipeline);
      if (run.data > run.batch)
        continue;
      std::set<int> experts{1};
      if (base.model.experts > 1)
        experts.insert(tensor > 1 ? tensor : run.data);
      for (const int expert : experts) {
        run.expert = expert;
        try_serving(run, stack);
      }
    }
  }
}

// Times all layouts of the model over the devices, for training or serving as in the question.
LayoutSearch Search::run() {
  if (const auto* training = std::get_if<TrainingRun>(&asked_.what))
    train(*training);
  else if (const auto* serving = std::get_if<InferenceRun>(&asked_.what))
    serve(*serving);
  else
    throw base::Error({"--parallel"}, "layouts are searched for training and serving", "name a model");
  // The order is that of the rates that are printed, whose limit of the hardware may exceed a time.
  for (Layout& layout : out_.best)
    layout.seconds = expect_run(system_, layout.question)->seconds;
  std::ranges::stable_sort(out_.best, {}, &Layout::seconds);
  return std::move(out_);
}

}  // namespace

LayoutSearch best_layouts(const System& system, const Question& question, int devices, size_t most) {
  return Search(system, question, devices, most).run();
}

int fewest_devices_that_fit(const System& system, const Question& question, int least) {
  for (int devices = std::max(1, least); devices <= 4096; devices *= 2) {
    if (!best_layouts(system, question, devices, 1).best.empty())
      return devices;
  }
  return 0;
}

int devices_of_all(const std::string& parallel, const System& system) {
  if (parallel == "all")
    return std::max(1, system.network.node_devices);
  if (!parallel.starts_with("all="))
    return 0;
  const int64_t devices = base::parse_int(parallel.substr(4), {"--parallel"});
  if (devices < 1 || devices > kMostDevices)
    throw base::Error(
        {"--parallel"},
        std::to_string(devices) + " devices cannot be laid out",
        "from 1 to " + std::to_string(kMostDevices));
  return int(devices);
}

void state_layouts(finding::Diagnosis& d, const LayoutSearch& search, const System& system) {
  finding::TableFigure table;
  table.columns = {"layout", "besides", "tokens/s per GPU", "nine of ten", "memory (GiB)"};
  for (const Layout& layout : search.best) {
    const auto e = expect_run(system, layout.question);
    if (!e)
      continue;
    table.rows.push_back(
        {layout.parallel,
         layout.besides,
         base::format_number(e->per_device(e->seconds), 3),
         e->doubts.empty() ? base::format_number(e->per_device(e->slow_s), 3) + " to " +
                                 base::format_number(e->per_device(e->fast_s), 3)
                           : "not known",
         base::format_number(e->memory_bytes / double(1 << 30), 3)});
  }
  d.facts.insert(
      d.facts.begin(),
      {"layouts",
       std::to_string(search.fitting) + " of " + std::to_string(search.tried) +
           " fit; the best: " + search.best.front().parallel +
           (search.best.front().besides.empty() ? "" : ", " + search.best.front().besides)});
  int rank = 0;
  for (const std::vector<std::string>& row : table.rows)
    d.facts.emplace_back(
        "layout " + std::to_string(++rank),
        row[0] + (row[1].empty() ? "" : ", " + row[1]) + ": " + row[2] + " tokens/s per GPU (" + row[3] +
            "), " + row[4] + " GiB");
  d.figures.push_back({"Layouts", "The fastest that fit, as the stack leads to expect.", std::move(table)});
}

}  // namespace lento::predict
