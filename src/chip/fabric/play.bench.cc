// Measures the cost of a recorded program: reading its file and simulating it. Needs the shared traces
// (LENTO_SHARED). Each iteration handles all single-chip traces, on one fabric.
#include "chip/fabric/play.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "chip/read/transfer_file.h"

namespace lento::chip {
namespace {

struct Text {
  std::string path;
  std::string text;
};

std::vector<Text> shared_traces() {
  const char* shared = std::getenv("LENTO_SHARED");
  const std::filesystem::path folder =
      std::filesystem::path(shared ? shared : "../shared") / "data/chip/noc_traces";
  std::vector<Text> out;
  if (!std::filesystem::is_directory(folder))
    return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (path.find("/noc_trace_json__") != std::string::npos)
      out.push_back({path, base::read_file(path)});
  }
  return out;
}

TransferTrace parsed(const Text& text) {
  base::ReadReport report;
  return parse_transfers(text.text, text.path, {}, report);
}

// Reads and parses the compressed files.
void BM_ReadFiles(benchmark::State& state) {
  const std::vector<Text> texts = shared_traces();
  if (texts.empty())
    return state.SkipWithError("the shared traces are not there");
  for (auto _ : state) {
    for (const Text& each : texts) {
      base::ReadReport report;
      benchmark::DoNotOptimize(read_transfers(each.path, {}, report));
    }
  }
}
BENCHMARK(BM_ReadFiles)->Unit(benchmark::kMillisecond);

// Parses the decompressed texts.
void BM_Parse(benchmark::State& state) {
  const std::vector<Text> texts = shared_traces();
  if (texts.empty())
    return state.SkipWithError("the shared traces are not there");
  int64_t bytes = 0;
  for (auto _ : state) {
    for (const Text& each : texts) {
      benchmark::DoNotOptimize(parsed(each));
      bytes += int64_t(each.text.size());
    }
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(BM_Parse)->Unit(benchmark::kMillisecond);

void BM_Play(benchmark::State& state) {
  std::vector<TransferTrace> traces;
  for (const Text& each : shared_traces())
    traces.push_back(parsed(each));
  if (traces.empty())
    return state.SkipWithError("the shared traces are not there");
  const Fabric fabric(spec::read_fabric("wormhole"));
  int64_t transfers = 0;
  for (auto _ : state) {
    for (const TransferTrace& each : traces)
      transfers += int64_t(play(fabric, each).transfers.size());
  }
  state.SetItemsProcessed(transfers);
}
BENCHMARK(BM_Play)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lento::chip
