// Times one prediction of the paper's language model on 512 nodes from the design point, machine included.
#include "predict/crossflow/language_model.h"

#include <benchmark/benchmark.h>

#include "predict/crossflow/machine.h"
#include "predict/crossflow/placement.h"

namespace lento::predict {
namespace {

// Places one node a package, as the searches do.
CrossFlowConfig on_512_nodes(const Parallelism& p) {
  CrossFlowConfig c = read_crossflow("examples/search/node.yaml");
  const ParallelShape shape{p.kernel_rows, p.kernel_columns, p.dp, p.layer_ways};
  const PlacementResult placed = place(shape, distinct_orders(shape).front(), 1);
  c.parallelism = p;
  c.workers = 512;
  c.nodes_per_wafer = 1;
  c.inter_derate = std::max(1, placed.derate.inter);
  c.crosses = placed.derate.crosses;
  return c;
}

void predict_on_512(benchmark::State& state, const Parallelism& p) {
  const CrossFlowConfig c = on_512_nodes(p);
  double seconds = 0;
  for (auto _ : state) {
    const Machine m = generate(c, BelowMargin::FewerUnits);
    seconds = language_model_time(m, c, ElementTraffic::Dram).seconds;
    benchmark::DoNotOptimize(seconds);
  }
  state.counters["iteration_s"] = seconds;
}

BENCHMARK_CAPTURE(predict_on_512, row_column, Parallelism{16, 2, 4, 4, Split::RowColumn})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict_on_512, column_row, Parallelism{64, 1, 8, 1, Split::ColumnRow})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lento::predict
