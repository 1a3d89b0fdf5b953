// Healthy draws with reasons are the twins of lab/memory/planted.h. Traces without reasons are drawn here:
// CPUs work on private words and on shared ones, latencies of both come from one distribution, and a fight
// adds its wait to the accesses that take a line from another CPU.
#include "lab/memory/audit.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "base/rng.h"
#include "lab/memory/planted.h"
#include "memory/mine/contention.h"

namespace lento::lab {
namespace {

using finding::Outcome;
using memory::AccessRecord;
using memory::AccessType;
using Trace = std::vector<AccessRecord>;

class WholeTrace : public memory::AccessSource {
 public:
  explicit WholeTrace(const Trace& trace)
      : left_(trace) {
  }
  std::span<const AccessRecord> next() override {
    return std::exchange(left_, {});
  }

 private:
  std::span<const AccessRecord> left_;
};

finding::Diagnosis judged(const Trace& trace, const program::TraceFacts& facts = {}) {
  const memory::OpenTrace open = [&trace](base::ReadReport&) {
    return std::make_unique<WholeTrace>(trace);
  };
  return memory::diagnose_contention(open, facts, {}).diagnosis;
}

struct PlainProgram {
  uint64_t cpus = 2;
  double shared = 0;      // share of the accesses to the common variable
  double wait_share = 0;  // of the time that its transfers shall take; 0: they cost nothing
  uint64_t accesses = 20'000;
};

// Returns accesses of which only times, places and latencies are known.
Trace plain_trace(const PlainProgram& program, base::Rng& rng) {
  Trace trace;
  uint64_t last = 0;  // CPU that has the variable
  std::vector<size_t> moved;
  for (uint64_t i = 0; i < program.accesses; ++i) {
    AccessRecord r;
    r.cycle = 40 * i;
    r.cpu = uint16_t(rng.below(program.cpus));
    r.pc = 0x1000 + 4 * rng.below(50);
    r.size = 4;
    r.type = rng.below(2) == 0 ? AccessType::Store : AccessType::Load;
    r.latency = uint32_t(4 + rng.below(3) + (rng.below(20) == 0 ? 10 + rng.below(100) : 0));
    r.address = 0x100000 + r.cpu * uint64_t{0x10000} + 128 * rng.below(100);
    if (rng.uniform() < program.shared) {
      r.address = 0x4000;
      r.type = AccessType::Store;
      if (r.cpu != last)
        moved.push_back(trace.size());
      last = r.cpu;
    }
    trace.push_back(r);
  }
  // All CPUs work for the whole time.
  const double time = double(program.cpus) * 40 * double(program.accesses);
  const double wait = moved.empty() ? 0 : program.wait_share * time / double(moved.size());
  for (const size_t i : moved)
    trace[i].latency += uint32_t(wait);
  return trace;
}

class Audit {
 public:
  Audit(const MemoryAuditOptions& options, const base::Progress& progress)
      : options_(options),
        progress_(progress),
        rng_(options.seed, "memory.audit") {
  }

  std::vector<Promise> run() {
    const memory::ContentionOptions usual;
    const double loss = 1.5 * usual.least_loss;
    return {
        count(
            "findings in healthy programs, with reasons",
            Promise::Kind::AtMost,
            usual.alpha,
            options_.healthy,
            [&] {
              const PlantedTrace twin = plant(Plant(rng_.below(kPlants)), rng_.next(), true);
              return !judged(twin.records, twin.facts).findings.empty();
            }),
        count(
            "findings in healthy programs, latencies only",
            Promise::Kind::AtMost,
            usual.alpha,
            options_.healthy,
            [&] {
              return !judged(plain_trace(drawn(0), rng_)).findings.empty();
            }),
        count(
            "losses of one and a half times the least are named",
            Promise::Kind::AtLeast,
            0.95,
            options_.detectable,
            [&] {
              const finding::Diagnosis d = judged(plain_trace(drawn(loss), rng_));
              return d.findings.size() == 1 && d.findings[0].category == "true sharing";
            }),
        count(
            "programs of nothing but a fight that are cleared",
            Promise::Kind::AtMost,
            usual.alpha,
            options_.detectable,
            [&] {
              PlainProgram program = drawn(0.3);
              program.shared = 1;
              return judged(plain_trace(program, rng_)).outcome == Outcome::Healthy;
            })};
  }

 private:
  PlainProgram drawn(double loss) {
    return {2 + rng_.below(15), rng_.uniform(0.02, 0.2), loss, 10'000 + rng_.below(20'000)};
  }

  Promise count(
      const std::string& what,
      Promise::Kind kind,
      double promised,
      int trials,
      const std::function<bool()>& hit) {
    Promise out{what, kind, promised};
    for (int i = 0; i < trials; ++i) {
      if (progress_.report)
        progress_.report(what, double(i), double(trials));
      if (progress_.stop && progress_.stop())
        break;
      out.hits += hit();
      ++out.trials;
    }
    return out;
  }

  const MemoryAuditOptions& options_;
  const base::Progress& progress_;
  base::Rng rng_;
};

}  // namespace

std::vector<Promise> audit_memory(const MemoryAuditOptions& options, const base::Progress& progress) {
  return Audit(options, progress).run();
}

}  // namespace lento::lab
