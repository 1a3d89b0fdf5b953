// Time of one insertion: the records of 16 cores, in the order in which a simulated chip makes them, into
// recorders planned as campaigns plan them.
#include <benchmark/benchmark.h>

#include "chip/detect/path.h"
#include "chip/map/binary_tree.h"
#include "chip/map/plan/mapper.h"
#include "chip/sim/simulate.h"
#include "chip/sketch/sketch.h"
#include "spec/network.h"

namespace lento::chip {
namespace {

class Keep : public RecordSink {
 public:
  Outcome record(const ProbeRecord& r) override {
    records.push_back(r);
    return {};
  }
  std::vector<ProbeRecord> records;
};

Mapping mapping_of(const std::string& name, const spec::Chip& chip) {
  if (name == "binary_tree")
    return map_binary_tree(
        {
            .depth = 4,
            .size = 512,
            .passes = 256,
        },
        chip);
  base::ReadReport report;
  MapOptions options;
  options.batch = name == "vgg19" ? 32 : 64;
  const std::string model = "examples/models/" + name + ".onnx";
  return map_network(lower(spec::read_onnx(model, {}, report), model), chip, options, model);
}

void insert_on_16_cores(benchmark::State& state, const char* name) {
  const spec::Chip chip;
  const Program program = expand(mapping_of(name, chip), chip, name);
  Keep keep;
  Options run;
  run.inferences = 16;
  simulate(Model(chip, program), {}, run, &keep);
  const std::vector<PatternCount> patterns = count_patterns(program, chip);
  SketchOptions options;
  options.ops_per_cycle = chip.core.ops_per_cycle;
  const std::vector<SketchShape> shapes = plan_shapes(patterns, options);
  for (auto _ : state) {
    Sketch sketch(shapes, options);
    RecordSink& sink = sketch;
    for (const ProbeRecord& r : keep.records)
      benchmark::DoNotOptimize(sink.record(r));
  }
  state.counters["ns_per_insertion"] = benchmark::Counter(
      double(state.iterations() * keep.records.size()) / 1e9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(insert_on_16_cores, darknet19, "darknet19")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert_on_16_cores, googlenet, "googlenet")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert_on_16_cores, vgg19, "vgg19")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert_on_16_cores, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert_on_16_cores, binary_tree, "binary_tree")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lento::chip
