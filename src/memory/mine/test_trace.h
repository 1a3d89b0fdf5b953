// Access records by hand, and sources that yield them: for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "memory/mine/contention.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory::test {

using Trace = std::vector<trace::AccessRecord>;

class VectorSource : public trace::AccessSource {
 public:
  explicit VectorSource(const Trace& trace)
      : trace_(trace) {
  }
  std::span<const trace::AccessRecord> next() override {
    const std::span<const trace::AccessRecord> all = trace_;
    const bool first = !done_;
    done_ = true;
    return first ? all : std::span<const trace::AccessRecord>();
  }

 private:
  const Trace& trace_;
  bool done_ = false;
};

// `trace` outlives the result.
inline OpenTrace open_of(const Trace& trace) {
  return [&trace](base::ReadReport&) {
    return std::make_unique<VectorSource>(trace);
  };
}

// A load of 4 bytes that its own cache served, as a simulator tells of it.
inline trace::AccessRecord hit(uint64_t cycle, uint16_t cpu, uint64_t address) {
  trace::AccessRecord r;
  r.cycle = cycle;
  r.cpu = cpu;
  r.pc = 0x1000;
  r.address = address;
  r.size = 4;
  r.latency = 1;
  r.flags = trace::AccessRecord::kServiceKnown | trace::AccessRecord::kLocal;
  return r;
}

// A load that its own cache did not serve and nobody delayed.
inline trace::AccessRecord miss(uint64_t cycle, uint16_t cpu, uint64_t address, uint32_t latency) {
  trace::AccessRecord r = hit(cycle, cpu, address);
  r.flags = trace::AccessRecord::kServiceKnown;
  r.latency = latency;
  return r;
}

// A store that waited `blamed` of its cycles for `culprit`.
inline trace::AccessRecord delayed(
    uint64_t cycle,
    uint16_t cpu,
    uint64_t address,
    uint32_t latency,
    uint32_t blamed,
    uint16_t culprit,
    trace::DelayCause cause = trace::DelayCause::Coherence) {
  trace::AccessRecord r = miss(cycle, cpu, address, latency);
  r.type = trace::AccessType::Store;
  r.blamed = blamed;
  r.culprit = culprit;
  r.culprit_pc = 0x2000;
  r.cause = cause;
  return r;
}

// A sample that a level answered.
inline trace::AccessRecord
answered(uint64_t cycle, uint16_t cpu, uint64_t address, trace::Service service, uint32_t latency) {
  trace::AccessRecord r;
  r.cycle = cycle;
  r.cpu = cpu;
  r.pc = 0x1000;
  r.address = address;
  r.size = 8;
  r.latency = latency;
  r.thread = 100u + cpu;
  r.service = service;
  r.flags = trace::AccessRecord::kServiceKnown | trace::AccessRecord::kSampled;
  if (service == trace::Service::L1)
    r.flags |= trace::AccessRecord::kLocal;
  return r;
}

inline finding::Diagnosis
diagnose(const Trace& trace, const trace::TraceFacts& facts, const ContentionOptions& options = {}) {
  return diagnose_contention(open_of(trace), facts, options).diagnosis;
}
inline finding::Diagnosis diagnose(const Trace& trace, const ContentionOptions& options = {}) {
  return diagnose(trace, trace::TraceFacts{}, options);
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
