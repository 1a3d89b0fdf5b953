// Predicts the gain of a fix by replaying the trace on a platform with the object's data moved to other
// addresses. The predictor first replays the trace unchanged, and is only valid where that reproduces the
// trace's own time within kAgrees. Cost: one replay to check, one per prediction, and all records in memory.
#include "memory/move.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "memory/mine/tuning.h"

namespace lento::memory {
namespace {

constexpr uint64_t kMovedData = uint64_t{0xc000'0000};  // where moved data goes: no platform has memory there
constexpr double kAgrees = 0.1;  // the replayed time may differ so much from the trace's own
constexpr uint64_t kWord = 4;    // bytes of a word, the smallest piece that moves alone
constexpr uint64_t kWidestLine = 128;
constexpr double kOneUser = 0.5;  // share of a word's accesses above which the word goes to that CPU's area

// Passes records on with moved addresses, and drops the iterations of loops that poll for another CPU's
// store: loads that repeat, with only loads and fetches between. The next record counts their time in
// `blamed`.
class MovedSource : public AccessSource {
 public:
  MovedSource(std::unique_ptr<AccessSource> from, std::function<uint64_t(const AccessRecord&)> move)
      : from_(std::move(from)),
        move_(std::move(move)) {
  }

  std::span<const AccessRecord> next() override {
    out_.clear();
    while (out_.empty()) {
      const auto batch = from_->next();
      if (batch.empty())
        return {};
      for (const AccessRecord& r : batch)
        take(r);
    }
    return out_;
  }

 private:
  struct Cpu {
    std::set<std::pair<uint64_t, uint64_t>> loads;  // pc and address of loads since the last store or atomic
    bool spinning = false;                          // the last data access repeated one of them
    uint64_t since = 0;                             // end of the last record handed on
  };

  // Passes an access on, without those that only wait in a spin loop.
  void take(const AccessRecord& r) {
    Cpu& cpu = cpus_[r.cpu];
    if (r.type == AccessType::Fetch) {
      if (!cpu.spinning)
        pass_on(r, cpu);
      return;
    }
    cpu.spinning = repeats(r, cpu);
    if (!cpu.spinning)
      pass_on(r, cpu);
  }

  // Returns whether a load repeats one made since the CPU's last store or atomic, as in a polling loop.
  static bool repeats(const AccessRecord& r, Cpu& cpu) {
    constexpr size_t kMostLoads = 64;  // no polling loop has more
    if (r.type != AccessType::Load || cpu.loads.size() > kMostLoads)
      cpu.loads.clear();
    return r.type == AccessType::Load && !cpu.loads.emplace(r.pc, r.address).second;
  }

  // Passes an access on with its address in the changed layout. Time dropped before it counts as waiting.
  void pass_on(AccessRecord r, Cpu& cpu) {
    r.blamed = 0;
    if (dropped_since(cpu, r))
      r.blamed = uint32_t(std::min<uint64_t>(UINT32_MAX, r.cycle - cpu.since));
    cpu.since = r.cycle + (r.latency == AccessRecord::kNoLatency ? 0 : r.latency);
    if (r.type != AccessType::Fetch)
      r.address = move_(r);
    out_.push_back(r);
  }

  // Returns whether the gap before the record is longer than any instruction takes. In such a gap, iterations
  // of a polling loop were dropped, or the CPU waited for a device.
  static bool dropped_since(const Cpu& cpu, const AccessRecord& r) {
    constexpr uint64_t kLongest = 64;  // cycles between two records of a CPU that works: a division and more
    return cpu.since > 0 && r.cycle > cpu.since + kLongest;
  }

  std::unique_ptr<AccessSource> from_;
  std::function<uint64_t(const AccessRecord&)> move_;
  std::unordered_map<uint16_t, Cpu> cpus_;
  std::vector<AccessRecord> out_;
};

class NullSink : public AccessSink {
 public:
  void record(const AccessRecord&) override {
  }
};

uint64_t keep_address(const AccessRecord& r) {
  return r.address;
}

// Returns the start of the area that receives a CPU's part of the object.
uint64_t own_piece(const FoundObject& object, uint64_t cpu) {
  constexpr uint64_t kStagger = 128;  // so that pieces do not all fall into one set
  const uint64_t bytes = (object.high - object.low + 4095) / 4096 * 4096 + kStagger;
  return kMovedData + cpu * bytes;
}

}  // namespace

MovePredictor::MovePredictor(OpenTrace open, const Platform& platform)
    : open_(std::move(open)),
      platform_(platform) {
  base::ReadReport report;
  const auto source = open_(report);
  uint64_t accesses = 0;
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    accesses += batch.size();
    if (accesses > kMostAccesses) {
      reason_ = "the trace has more than " + std::to_string(kMostAccesses) + " accesses";
      return;
    }
    first = std::min(first, batch.front().cycle);
    last = std::max(last, batch.back().cycle);
  }
  before_ = play(keep_address);
  const double recorded = double(last - std::min(first, last) + 1);
  const double played = double(before_ - std::min<uint64_t>(before_, first) + 1);
  if (std::abs(played - recorded) > kAgrees * recorded)
    reason_ = "as it is the trace takes " + base::format_number(played, 4) +
              " cycles on this platform, and " + base::format_number(recorded, 4) + " by its own account";
}

// Replays the trace with the data moved. Returns the cycles.
Cycles MovePredictor::play(const Move& move) const {
  base::ReadReport report;
  MovedSource source(open_(report), move);
  NullSink sink;
  return replay(source, platform_, sink, {}, ReplayGaps::WithoutWaits).cycles;
}

struct WordUse {
  std::map<uint16_t, uint64_t> by_cpu;
  uint64_t all = 0;
  uint64_t writes = 0;
};

// Moves each word that one CPU mostly uses to an area of that CPU, at the same offset as in the object. Words
// that several CPUs read move to a common area, and each word that several write to a line of its own.
MovePredictor::Move MovePredictor::apart(const FoundObject& object) const {
  std::map<uint64_t, WordUse> uses;
  uint64_t cpus = 0;
  base::ReadReport report;
  const auto source = open_(report);
  for (auto batch = source->next(); !batch.empty(); batch = source->next()) {
    for (const AccessRecord& r : batch) {
      if (r.type == AccessType::Fetch || r.address < object.low || r.address >= object.high)
        continue;
      WordUse& use = uses[r.address / kWord];
      ++use.by_cpu[r.cpu];
      cpus = std::max<uint64_t>(cpus, r.cpu + uint64_t{1});
      ++use.all;
      use.writes += r.writes();
    }
  }
  std::unordered_map<uint64_t, uint64_t> to;  // by word
  // The area of words that several CPUs read follows the areas of the CPUs. Words that several CPUs write
  // come last, each on a line of its own.
  const uint64_t read = own_piece(object, cpus);
  uint64_t shared = own_piece(object, cpus + 1);
  for (const auto& [word, use] : uses) {
    const auto most = std::ranges::max_element(use.by_cpu, [](const auto& a, const auto& b) {
      return a.second < b.second;
    });
    const uint64_t distance = word * kWord - object.low / kWord * kWord;
    if (double(most->second) > kOneUser * double(use.all)) {
      to[word] = own_piece(object, most->first) + distance;
    } else if (double(use.writes) >= memory::tuning::kWriteShare * double(use.all)) {
      to[word] = shared;
      shared += kWidestLine;
    } else {
      to[word] = read + distance;
    }
  }
  return [to = std::move(to)](const AccessRecord& r) {
    const auto moved = to.find(r.address / kWord);
    if (moved == to.end())
      return r.address;
    return moved->second + r.address % kWord;
  };
}

std::optional<double> MovePredictor::gain(const FoundObject& object) const {
  const bool apart_helps = object.cause == "false sharing";
  const bool copies_help = object.cause == "true sharing";
  if (!fits() || (!apart_helps && !copies_help))
    return {};
  const Move copies = [&](const AccessRecord& r) {
    const bool inside = r.address >= object.low && r.address < object.high;
    if (inside)
      return own_piece(object, r.cpu) + (r.address - object.low);
    return r.address;
  };
  const Cycles after = play(apart_helps ? apart(object) : copies);
  if (after == 0)
    return std::optional<double>();
  return double(before_) / double(after);
}

}  // namespace lento::memory
