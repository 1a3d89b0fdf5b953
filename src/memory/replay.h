// Computes latencies for address traces with a model of caches and bus.
#pragma once

#include "base/progress.h"
#include "memory/access_traces.h"
#include "memory/platform/platform.h"

namespace lento::memory {

struct MemoryReplayOptions {
  AccessTraces traces;
  std::string platform;  // YAML; empty: the defaults with room for 64 harts
  int harts = 0;         // 0: as the platform says
  std::string output;    // an access trace
  bool strict = false;
  base::Progress progress;
};

// Returns a diagnosis with outcome "answer". Throws base::Error, and writes no output file, when nothing
// could be read.
finding::Diagnosis replay_memory(const MemoryReplayOptions& options);

}  // namespace lento::memory
