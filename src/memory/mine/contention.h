// Diagnoses contention for memory: access records -> contention windows -> patterns and hot lines ->
// findings. Source: Lagraa, Termier, Petrot, "Data Mining MPSoC Simulation Traces to Identify Concurrent
// Memory Access Patterns". Deviations and resolved defects: docs/methods/contention.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/read_report.h"
#include "finding/finding.h"
#include "memory/mine/cpu_set.h"
#include "memory/read/access_record.h"
#include "program/address_space.h"

namespace lento::memory {

// Opens the trace from its start, once a pass. Records come in trace order.
using OpenTrace = std::function<std::unique_ptr<AccessSource>(base::ReadReport&)>;

enum class QuantileRule {
  NearestRank,
  Linear,
  Grouped
};

struct AccessFilter {
  // First and last cycle, both included.
  uint64_t first_cycle = 0;
  uint64_t last_cycle = UINT64_MAX;
  CpuSet cpus;           // empty: all
  std::string function;  // only accesses made in it
};

struct ContentionOptions {
  uint64_t window = 200;  // omega, cycles; even
  double support = 0;     // epsilon, least share of windows; 0: 0.05, or 0.65 with `paper`
  // Returns the least share of windows in which a pattern must occur.
  double least_support() const {
    if (support > 0)
      return support;
    if (paper)
      return 0.65;
    return 0.05;
  }
  std::optional<double> threshold;  // least high latency; default: third quartile of non-trivial accesses
  QuantileRule rule = QuantileRule::NearestRank;
  double alpha = 0.001;       // family-wise error rate of the significance tests
  double least_loss = 0.01;   // share of the working time below which nothing is reported
  uint32_t line_bytes = 0;    // 0: that of the trace, else inferred (line_size.h)
  double period = 0;          // accesses per sample; 0: that of the trace, else 1
  uint32_t bins = 10;         // width of a latency bin
  uint64_t slice = 0;         // sampled traces: width of a slice of time; 0: a hundredth of the run
  uint64_t object_bytes = 0;  // sampled traces: bytes that count as one object; 0: 128
  bool paper = false;         // items of the paper, from all events, ranked by support, no control windows
  bool literal = false;       // Algorithm 1 as printed: disjoint windows
  uint64_t max_windows = 200000;  // kept for mining; beyond, every second one is dropped
  uint64_t seed = 1;
  // A file that keeps the state of the first pass. The pass resumes from it when its key (trace and options)
  // is the same. Empty: none.
  std::string checkpoint;
  std::string checkpoint_key;
  uint64_t checkpoint_every = uint64_t{1} << 25;  // records
  AccessFilter filter;
  base::Progress progress;
};

// The bytes that a finding is about.
struct FoundObject {
  // Taken from the finding.
  std::string subject;
  std::string cause;
  uint16_t process = 0;
  // The address range [low, high).
  uint64_t low = 0;
  uint64_t high = 0;
  std::vector<uint64_t> parts;  // addresses that threads use in it, costliest first, each once
  bool polled = false;          // most of its loads wait for another value
};

struct ContentionResult {
  finding::Diagnosis diagnosis;
  std::vector<FoundObject> objects;
  std::string folded;  // "victim;culprit;cause cycles" lines for flame graphs, weight: excess cycles
};

// Diagnoses a trace. `facts` hold what the format records of the trace, and may grow while it is read. The
// trace is read two to four times: twice when its records name culprits and no levels. The outcome is "cannot
// judge" when the trace cannot hold the answer: one CPU only, no latencies, too few samples, more records
// skipped than taken. Throws base::Error when nothing passes the filter.
ContentionResult diagnose_contention(
    const OpenTrace& open,
    const program::TraceFacts& facts,
    const ContentionOptions& options);

}  // namespace lento::memory
