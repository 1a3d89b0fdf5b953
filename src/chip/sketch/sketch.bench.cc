// Measures the time of one insertion with 16 interleaved core streams, at the shapes that a DarkNet-19
// mapping needs.
#include "chip/sketch/sketch.h"

#include <benchmark/benchmark.h>

#include "base/rng.h"

namespace lento::chip {
namespace {

std::vector<ProbeRecord> stream(size_t count) {
  base::Rng rng(1, "sketch.bench");
  std::vector<ProbeRecord> out(count);
  std::vector<uint64_t> now(16);
  for (size_t i = 0; i < count; ++i) {
    ProbeRecord& r = out[i];
    r.core = uint16_t(i % 16);
    const bool compute = rng.below(2) == 0;
    r.kind = compute ? chip::ProbeKind::Compute : chip::ProbeKind::Message;
    r.layer = uint32_t(rng.below(14));
    r.peer = uint16_t(rng.below(8));
    r.work = compute ? 4'000'000 : 1000 << rng.below(3);
    const double ideal = compute ? 4000 : double(r.work) / 16;
    r.begin = now[r.core];
    r.end = r.begin + uint64_t(ideal * (compute ? rng.gamma(4096, 1.0 / 4096) : rng.gamma(8, 1.0 / 8))) + 1;
    now[r.core] = r.end + 1000;
    r.inference = uint32_t(i * 16 / count);
  }
  return out;
}

void insert_on_16_cores(benchmark::State& state) {
  const std::vector<ProbeRecord> records = stream(1 << 18);
  const SketchOptions options;
  const std::vector<SketchShape> shapes = plan_shapes(std::vector<PatternCount>(16, {14, 24}), options);
  for (auto _ : state) {
    Sketch sketch(shapes, options);
    RecordSink& sink = sketch;
    for (const ProbeRecord& r : records)
      benchmark::DoNotOptimize(sink.record(r));
  }
  state.SetItemsProcessed(int64_t(state.iterations() * records.size()));
  state.counters["ns_per_insertion"] = benchmark::Counter(
      double(state.iterations() * records.size()) / 1e9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(insert_on_16_cores)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lento::chip
