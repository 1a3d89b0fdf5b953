#include "memory/mine/contention_scan.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "memory/mine/checkpoint.h"
#include "memory/mine/contention_records.h"

namespace lento::memory {
namespace {

constexpr uint64_t kCodePage = 256;             // bytes; stands for a function where no symbol does
constexpr size_t kMostPairs = size_t{1} << 18;  // of functions, who delays whom

void add_cost(Scan& scan, const ContentionOptions& options, const trace::AccessRecord& r, uint64_t excess) {
  if (excess == 0) return;
  scan.excess += excess;
  scan.excess_by_type[static_cast<size_t>(r.type)] += excess;
  if (r.type == trace::AccessType::Fetch) return;
  const uint64_t line = r.address / options.line_bytes;
  auto at = scan.lines.find(line);
  if (at == scan.lines.end()) {
    if (scan.lines.size() >= kMostLines) {
      ++scan.lines_dropped;
      return;
    }
    at = scan.lines.emplace(line, LineCost{}).first;
  }
  at->second.excess += excess;
  at->second.bank += r.cause == trace::DelayCause::Bank ? excess : 0;
  ++at->second.accesses;
}

class FirstPass {
 public:
  FirstPass(Scan& scan, const ContentionOptions& options, Functions& functions)
      : scan_(scan), options_(options), functions_(functions) {}

  void add(const trace::AccessRecord& r) {
    ++scan_.events;
    scan_.first_cycle = std::min(scan_.first_cycle, r.cycle);
    scan_.last_cycle = std::max(scan_.last_cycle, r.cycle);
    if (r.cpu < kMostCpus) scan_.cpus |= uint64_t{1} << r.cpu;
    scan_.service_known |= (r.flags & trace::AccessRecord::kServiceKnown) != 0;
    scan_.sampled |= (r.flags & trace::AccessRecord::kSampled) != 0;
    scan_.failed_sc += (r.flags & trace::AccessRecord::kFailed) != 0;
    if (r.latency == trace::AccessRecord::kNoLatency) {
      ++scan_.no_latency;
      return;
    }
    if (is_trivial(r)) {
      ++scan_.trivial;
    } else {
      scan_.latencies.add(r.latency);
      scan_.by_type[static_cast<size_t>(r.type)].add(r.latency);
    }
    if (r.culprit == trace::AccessRecord::kNoCpu) return;
    blame(r);
    add_cost(scan_, options_, r, r.blamed);
  }

 private:
  void blame(const trace::AccessRecord& r) {
    scan_.culprits_known = true;
    scan_.cycles_by_cause[static_cast<size_t>(r.cause)] += r.blamed;
    Blame& by_cpu = scan_.cpu_blame[{r.cpu, r.culprit}];
    by_cpu.cycles += r.blamed;
    ++by_cpu.accesses;
    std::pair<uint32_t, uint32_t> functions{functions_.of(r.pc), functions_.of(r.culprit_pc)};
    if (scan_.function_blame.size() >= kMostPairs && !scan_.function_blame.contains(functions))
      functions = {functions_.others(), functions_.others()};
    Blame& by_function = scan_.function_blame[functions];
    by_function.cycles += r.blamed;
    ++by_function.accesses;
  }

  Scan& scan_;
  const ContentionOptions& options_;
  Functions& functions_;
};

// Without blame, cost needs the baseline, known only after the first pass: a pass of its own.
void add_costs(const OpenTrace& open, const ContentionOptions& options, Functions& functions, Scan& scan) {
  base::ReadReport again;
  each_record(open, options, functions, again, "accesses costed",
              [&](const trace::AccessRecord& r) { add_cost(scan, options, r, excess_of(r, scan)); });
}

}  // namespace

uint32_t Functions::of(uint64_t pc) {
  if (pc >= low_ && pc < high_) return last_;
  const trace::Symbol* symbol = symbols_ ? symbols_->function_at(pc) : nullptr;
  low_ = symbol ? symbol->low : pc / kCodePage * kCodePage;
  high_ = symbol ? symbol->high : low_ + kCodePage;
  if (names_.size() >= kMostFunctions && !by_start_.contains(low_)) return last_ = others();
  const auto [at, is_new] = by_start_.emplace(low_, static_cast<uint32_t>(names_.size()));
  if (is_new) {
    char text[40];
    std::snprintf(text, sizeof text, "code at 0x%llx", static_cast<unsigned long long>(low_));
    names_.push_back(symbol ? symbol->name : text);
  }
  return last_ = at->second;
}

uint32_t Functions::others() {
  const auto [at, is_new] = by_start_.emplace(kOthers, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.emplace_back("other code");
  return at->second;
}

std::vector<std::pair<uint64_t, std::string>> Functions::known() const {
  std::vector<std::pair<uint64_t, std::string>> out(names_.size());
  for (const auto& [start, number] : by_start_) out[number] = {start, names_[number]};
  return out;
}

void Functions::add(uint64_t start, std::string name) {
  by_start_.emplace(start, static_cast<uint32_t>(names_.size()));
  names_.push_back(std::move(name));
}

uint32_t Items::of(Kind kind, uint32_t cpu, uint64_t value) {
  const uint64_t key =
      static_cast<uint64_t>(kind) << 60 | uint64_t{cpu} << 44 | (value & ((uint64_t{1} << 44) - 1));
  const auto [at, is_new] = ids_.emplace(key, static_cast<uint32_t>(items_.size()));
  if (is_new) items_.push_back({kind, cpu, value});
  return at->second;
}

double Scan::sampled_cycles() const {
  double sum = static_cast<double>(trivial);
  for (const auto& [latency, count] : latencies.values())
    sum += static_cast<double>(latency) * static_cast<double>(count);
  return sum;
}

bool passes(const AccessFilter& filter, const trace::AccessRecord& r, Functions& functions) {
  if (r.cycle < filter.first_cycle || r.cycle > filter.last_cycle) return false;
  if (filter.cpus != 0 && (r.cpu >= kMostCpus || !(filter.cpus >> r.cpu & 1))) return false;
  return filter.function.empty() || functions.name(functions.of(r.pc)) == filter.function;
}

Scan scan_trace(const OpenTrace& open, const ContentionOptions& options, Functions& functions,
                base::ReadReport& report) {
  Scan scan;
  PassMark mark;
  const bool keeps = !options.checkpoint.empty();
  const auto keep = [&] {
    base::write_file(options.checkpoint, pack_pass(options.checkpoint_key, mark, scan, functions));
  };
  std::error_code unreadable;
  if (keeps && std::filesystem::exists(options.checkpoint, unreadable) &&
      !unpack_pass(base::read_file(options.checkpoint), options.checkpoint, options.checkpoint_key, mark,
                   scan, functions)) {
    throw base::Error({options.checkpoint}, "the checkpoint belongs to another trace or other options",
                      "name another file, or remove it to give up what it holds");
  }
  if (!mark.finished) {
    FirstPass pass(scan, options, functions);
    uint64_t next_keep = mark.records + options.checkpoint_every;
    const auto pause = [&](uint64_t done) {
      options.progress("accesses read", static_cast<double>(done), 0);
      mark.records = done;
      if (!keeps || done < next_keep) return;
      next_keep = done + options.checkpoint_every;
      keep();
    };
    mark.finished = each_record(
        open, options, functions, report, mark.records, std::min(kPause, options.checkpoint_every),
        [&](const trace::AccessRecord& r) { pass.add(r); }, pause);
    if (keeps) keep();
  }
  if (scan.events == 0) scan.first_cycle = 0;
  for (int t = 0; t < trace::kAccessTypes; ++t) {
    scan.baseline[static_cast<size_t>(t)] =
        scan.by_type[static_cast<size_t>(t)].quantile(0.1, QuantileRule::NearestRank);
  }
  if (!scan.culprits_known) add_costs(open, options, functions, scan);
  return scan;
}

}  // namespace lento::memory
