// Enumerates the layouts of a model over the devices by powers of two and divisors, times each that fits in
// memory with the scalars of the stack, and keeps the fastest. 1,000 devices have a few thousand layouts,
// and one takes about 0.1 ms.
#include "predict/layouts.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/units.h"
#include "predict/time/training/training.h"

namespace lento::predict {
namespace {

constexpr int64_t kMostMicroBatch = 8;
constexpr int kMostDevices = 1 << 20;

// Returns the powers of two that divide both `divided` and `devices`, up to `most`.
std::vector<int> ways(int64_t most, int64_t divided, int devices) {
  std::vector<int> out;
  for (int w = 1; w <= most && w <= devices; w *= 2) {
    if (divided % w == 0 && devices % w == 0)
      out.push_back(w);
  }
  return out;
}

const SoftwareScalars& scalars_for(Work work, const std::string& framework) {
  return shipped_software().find(work, stack_called(work, framework, {"--framework"})).scalars;
}

class Search {
 public:
  Search(const System& system, const Question& asked, int devices, size_t most)
      : system_(system),
        asked_(asked),
        devices_(devices),
        most_(most) {
  }
  LayoutSearch run();

 private:
  void train(const TrainingRun& base);
  void try_training(TrainingRun run);
  void serve(const InferenceRun& base);
  void keep(Layout layout);

  const System& system_;
  const Question& asked_;
  int devices_;
  size_t most_;
  LayoutSearch out_;
};

// Keeps a layout among the best ones.
void Search::keep(Layout layout) {
  ++out_.fitting;
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
  add("ep", r.expert, 1);
  add("dp", r.data, 0);
  add("zero", r.zero, 0);
  return out;
}

// Times one layout of training and keeps it when it fits in memory and is among the best.
void Search::try_training(TrainingRun run) {
  ++out_.tried;
  try {
    const TrainingMemory memory = training_memory(run, system_.stack);
    if (memory.total() + system_.chip.memory_reserve > system_.chip.memory_bytes)
      return;
    const TrainedWork work(system_, run);
    const TrainingTime t = work.time(scalars_for(Work::Train, asked_.framework));
    if (!t.fits)
      return;
    const std::string besides = "micro batch " + std::to_string(run.micro_batch) +
                                (run.recompute == Recompute::Full ? ", recompute full" : "");
    keep({text_of(run), besides, {run, {}, asked_.framework}, t.seconds});
  } catch (const base::Error&) {
    // The layout does not divide the model.
  }
}

// Tries every split of the devices into tensor, pipeline and data parallelism for training.
void Search::train(const TrainingRun& base) {
  const Transformer& m = base.model;
  for (const int tensor : ways(std::max(1, system_.network.node_devices), m.heads, devices_)) {
    for (const int pipeline : ways(m.layers, m.layers, devices_ / tensor)) {
      TrainingRun run = base;
      run.tensor = tensor;
      run.pipeline = pipeline;
      run.data = devices_ / (tensor * pipeline);
      run.context = 1;
      run.sequence_parallel = tensor > 1;
      if (run.global_batch % run.data != 0)
        continue;
      for (const int expert : ways(m.experts, m.experts, run.data * tensor)) {
        run.expert = expert;
        for (const int zero : {1, 3}) {
          run.zero = run.data > 1 ? zero : 0;
          if ((zero == 3 && (pipeline > 1 || run.data == 1)))
            continue;
          for (const Recompute again : {Recompute::None, Recompute::Full}) {
            run.recompute = again;
            for (run.micro_batch = 1; run.micro_batch <= kMostMicroBatch; run.micro_batch *= 2) {
              if (run.global_batch % (run.data * run.micro_batch) == 0)
                try_training(run);
            }
          }
        }
      }
    }
  }
}

// Tries every split of the devices for serving.
void Search::serve(const InferenceRun& base) {
  const std::string stack = stack_called(Work::Serve, asked_.framework, {"--framework"});
  for (const int tensor : ways(std::max(1, system_.network.node_devices), base.model.heads, devices_)) {
    for (const int pipeline : ways(base.model.layers, base.model.layers, devices_ / tensor)) {
      InferenceRun run = base;
      run.tensor = tensor;
      run.pipeline = pipeline;
      run.data = devices_ / (tensor * pipeline);
      run.expert = 1;
      if (run.data > run.batch)
        continue;
      ++out_.tried;
      try {
        const ServedWork work(system_, {run, stack, false});
        if (!work.fits())
          continue;
        TrainingRun named;
        named.tensor = tensor;
        named.pipeline = pipeline;
        named.data = run.data;
        keep(
            {text_of(named),
             "",
             {run, {}, asked_.framework},
             work.seconds(scalars_for(Work::Serve, asked_.framework))});
      } catch (const base::Error&) {
        // The layout does not divide the model.
      }
    }
  }
}

// Times all divisions of the model over the devices that fit the question.
LayoutSearch Search::run() {
  if (const auto* training = std::get_if<TrainingRun>(&asked_.what))
    train(*training);
  else if (const auto* serving = std::get_if<InferenceRun>(&asked_.what))
    serve(*serving);
  else
    throw base::Error({"--parallel"}, "layouts are searched for training and serving", "name a model");
  return std::move(out_);
}

}  // namespace

LayoutSearch best_layouts(const System& system, const Question& question, int devices, size_t most) {
  return Search(system, question, devices, most).run();
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
  table.columns = {"layout", "besides", "tokens/s per GPU", "nine of ten", "memory (GB)"};
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
         base::format_number(e->memory_bytes / 1e9, 3)});
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
            "), " + row[4] + " GB");
  d.figures.push_back({"Layouts", "The fastest that fit, as the stack leads to expect.", std::move(table)});
}

}  // namespace lento::predict
