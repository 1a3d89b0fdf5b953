// Access records by hand, and sources that yield them: for the tests of this folder.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "memory/mine/contention.h"
#include "memory/mine/contention_names.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory::test {

using Trace = std::vector<AccessRecord>;

// Yields a trace in batches of `batch` records.
class BatchSource : public AccessSource {
 public:
  explicit BatchSource(const Trace& trace, size_t batch = SIZE_MAX)
      : left_(trace),
        batch_(batch) {
  }
  std::span<const AccessRecord> next() override {
    const auto part = left_.first(std::min(batch_, left_.size()));
    left_ = left_.subspan(part.size());
    return part;
  }

 private:
  std::span<const AccessRecord> left_;
  const size_t batch_;
};

// `trace` outlives the result.
inline OpenTrace open_of(const Trace& trace, size_t batch = SIZE_MAX) {
  return [&trace, batch](base::ReadReport&) {
    return std::make_unique<BatchSource>(trace, batch);
  };
}

// A load of 4 bytes that its own cache served, as a simulator records it.
inline AccessRecord hit(uint64_t cycle, uint16_t cpu, uint64_t address) {
  AccessRecord r;
  r.cycle = cycle;
  r.cpu = cpu;
  r.pc = 0x1000;
  r.address = address;
  r.size = 4;
  r.latency = 1;
  r.flags = memory::AccessRecord::kServiceKnown | memory::AccessRecord::kLocal;
  return r;
}

// A load that its own cache did not serve and nobody delayed.
inline AccessRecord miss(uint64_t cycle, uint16_t cpu, uint64_t address, uint32_t latency) {
  AccessRecord r = hit(cycle, cpu, address);
  r.flags = memory::AccessRecord::kServiceKnown;
  r.latency = latency;
  return r;
}

// A store that waited `blamed` of its cycles for `culprit`.
inline AccessRecord delayed(
    uint64_t cycle,
    uint16_t cpu,
    uint64_t address,
    uint32_t latency,
    uint32_t blamed,
    uint16_t culprit,
    DelayCause cause = memory::DelayCause::Coherence) {
  AccessRecord r = miss(cycle, cpu, address, latency);
  r.type = memory::AccessType::Store;
  r.blamed = blamed;
  r.culprit = culprit;
  r.culprit_pc = 0x2000;
  r.cause = cause;
  return r;
}

// A sample that a level answered.
inline AccessRecord
answered(uint64_t cycle, uint16_t cpu, uint64_t address, Service service, uint32_t latency) {
  AccessRecord r;
  r.cycle = cycle;
  r.cpu = cpu;
  r.pc = 0x1000;
  r.address = address;
  r.size = 8;
  r.latency = latency;
  r.thread = 100u + cpu;
  r.service = service;
  r.flags = memory::AccessRecord::kServiceKnown | memory::AccessRecord::kSampled;
  if (service == memory::Service::L1)
    r.flags |= memory::AccessRecord::kLocal;
  return r;
}

// In the order of a trace.
inline void sort(Trace& trace) {
  std::ranges::stable_sort(trace, [](const AccessRecord& a, const AccessRecord& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
  });
}

// Two CPUs, each on a line of its own: `cycles` of calm time.
inline Trace calm(uint64_t cycles) {
  Trace trace;
  for (uint64_t c = 0; c < cycles; c += 10) {
    trace.push_back(hit(c, 0, 0x10000));
    trace.push_back(hit(c, 1, 0x20000));
  }
  return trace;
}

// `meetings` stores of two CPUs to words of one line, `distance` bytes apart, that wait `wait` cycles each.
inline void
add_meetings(Trace& trace, int meetings, uint32_t wait, uint64_t distance, uint64_t address = 0x4000) {
  for (int i = 0; i < meetings; ++i) {
    const auto cpu = uint16_t(i % 2);
    trace.push_back(
        delayed(uint64_t(100 * i), cpu, address + distance * cpu, wait + 1, wait, uint16_t(1 - cpu)));
  }
  sort(trace);
}

// Both passes over a trace, with what names its code and data.
struct Passes {
  explicit Passes(
      const Trace& trace,
      const ContentionOptions& options = {},
      const std::vector<program::NamedRange>& code = {})
      : functions(space) {
    for (const program::NamedRange& range : code)
      space.add_code(range);
    base::ReadReport report;
    scan = scan_trace(open_of(trace), options, functions, report);
    windows = scan_windows(open_of(trace), options, scan, functions, report);
  }
  program::AddressSpace space;
  Functions functions;
  Scan scan;
  WindowScan windows;
};

// Names without a trace: for lines, objects and patterns by hand.
struct Naming {
  ContentionOptions options;
  program::AddressSpace space;
  WindowScan windows;
  Functions functions{space};
  ContentionNames names{options, space, windows, functions};
};

inline finding::Diagnosis
diagnose(const Trace& trace, const program::TraceFacts& facts, const ContentionOptions& options = {}) {
  return diagnose_contention(open_of(trace), facts, options).diagnosis;
}
inline finding::Diagnosis diagnose(const Trace& trace, const ContentionOptions& options = {}) {
  return diagnose(trace, program::TraceFacts{}, options);
}

inline std::string text_of(const finding::Diagnosis& d) {
  return base::write_json(finding::to_json(d));
}

// The value of the first evidence whose text holds `part`; -1: there is none.
inline double evidence(const finding::Finding& f, const std::string& part) {
  for (const finding::Evidence& e : f.evidence) {
    if (e.text.find(part) != std::string::npos)
      return e.value.value_or(-1);
  }
  return -1;
}

}  // namespace lento::memory::test
