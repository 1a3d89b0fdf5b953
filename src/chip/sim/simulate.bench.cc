// Measures the speed of the event core and of the whole simulator. The second needs the shared mappings
// (LENTO_SHARED).
#include "chip/sim/simulate.h"

#include <benchmark/benchmark.h>

#include "chip/map/file/map_file.h"
#include "chip/map/test_data.h"
#include "chip/sim/mesh_workload.h"

namespace lento::chip {
namespace {

// Simulates one of the five runs of the SimPy comparison (mesh_workload.h). The items that the benchmark
// counts are hops of messages over links.
void BM_EventCore(benchmark::State& state) {
  const reference::MeshWorkload runs[] = {
      {.batches = 8},
      {.batches = 64},
      {
          .batches = 64,
          .fail_core = 5,
      },
      {
          .batches = 64,
          .fail_from = 5,
          .fail_to = 6,
      },
      {
          .k = 8,
          .batches = 16,
      }};
  int64_t hops = 0;
  for (auto _ : state) {
    const auto out = reference::MeshRun(runs[state.range(0)]).run();
    hops += int64_t(out.hops);
    benchmark::DoNotOptimize(out.task_sum);
  }
  state.SetItemsProcessed(hops);
}
BENCHMARK(BM_EventCore)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

// Simulates 16 inferences with probes but without a sink for their records. The mapping is expanded once.
void BM_Inference(benchmark::State& state, const char* name, int side) {
  const std::string path = test::shared_chip("gemini/") + name + ".map.json";
  if (!test::readable(path)) {
    state.SkipWithError("the shared mapping is not there");
    return;
  }
  spec::Chip chip;
  chip.width = chip.height = side;
  const Program program = expand(read_map(path), chip, path);
  const Model model(chip, program);
  Options options;
  options.inferences = 16;
  uint64_t events = 0;
  for (auto _ : state)
    events += simulate(model, {}, options).events;
  state.SetItemsProcessed(int64_t(events));
  state.counters["s_per_inference"] = benchmark::Counter(
      16.0 * double(state.iterations()),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(BM_Inference, darknet19_4x4, "darknet19.4x4", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Inference, googlenet_4x4, "googlenet.4x4", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Inference, vgg19_4x4, "vgg19.4x4", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Inference, resnet50_4x4, "resnet50.4x4", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Inference, resnet50_8x8, "resnet50.8x8", 8)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lento::chip
