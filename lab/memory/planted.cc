// Generates access traces with a planted cause of contention, and the same program without the cause.
#include "lab/memory/planted.h"

#include <algorithm>

#include "base/rng.h"

namespace lento::lab {
namespace {

using memory::AccessRecord;
using memory::AccessType;
using memory::DelayCause;
using memory::Service;

constexpr uint64_t kVictim = 0x10000000;
constexpr uint64_t kPrivate = 0x200000000;
constexpr uint64_t kTable = 0x30000000;
constexpr uint64_t kPrivateBytes = 1 << 20;  // a CPU
// Data that is used once, so that no cache keeps it.
constexpr uint64_t kLarge = 0x4000000000;
constexpr uint64_t kLargeBytes = uint64_t{1} << 37;

class Planter {
 public:
  Planter(Plant cause, uint64_t seed, bool healthy)
      : cause_(cause),
        healthy_(healthy),
        rng_(seed, "memory.plant", uint64_t(cause)) {
  }

  PlantedTrace run() {
    draw_machine();
    name_things();
    size_t accesses = 6000 + 40 * size_t(out_.cpus);
    // Each CPU uses each line several times, otherwise no line could be lost from a cache.
    if (cause_ == Plant::SetConflict && out_.period == 1)
      accesses *= 4;
    const double hot = rng_.uniform(0.2, 0.4);
    uint64_t cycle = 1000;
    for (size_t i = 0; i < accesses; ++i) {
      cycle += 1 + rng_.below(8) * uint64_t(out_.period);
      AccessRecord r = fresh(cycle);
      if (rng_.uniform() < hot) {
        touch_victim(r);
      } else {
        work(r);
      }
      out_.records.push_back(r);
    }
    return std::move(out_);
  }

 private:
  void draw_machine() {
    static constexpr int kLines[] = {32, 64, 128};
    static constexpr int kPeriods[] = {1, 10, 100, 1000, 10000};
    out_.cpus = int(2 + rng_.below(rng_.below(3) == 0 ? 255 : 63));
    out_.line_bytes = kLines[rng_.below(3)];
    const bool simulator = cause_ == Plant::Bank;
    const bool hardware = cause_ == Plant::Remote || cause_ == Plant::Bandwidth;
    const uint64_t way = rng_.below(4);
    out_.by_culprit = simulator || (!hardware && out_.cpus <= 64 && way == 0);
    out_.period = kPeriods[rng_.below(5)];
    nodes_ = 1 + int(rng_.below(4));
    if (cause_ == Plant::Remote)
      nodes_ = 2 + int(rng_.below(3));
    nodes_ = std::min(nodes_, out_.cpus);
    unloaded_ = uint32_t(180 + rng_.below(80));
    words_ = 4u << rng_.below(3);
    offset_ = words_ * rng_.below(4);
    // Small enough that an unsampled trace uses each line several times, too large for any cache.
    array_lines_ = out_.period == 1 ? 128 : out_.period == 10 ? 1024 : 4096;
    array_lines_ = std::max(array_lines_, 2 * uint64_t(out_.cpus));
    stride_ = 4096ULL << rng_.below(2);
  }

  void name_things() {
    out_.variable = "engine::victim";
    out_.facts.line_bytes = uint32_t(out_.line_bytes);
    out_.facts.period = out_.period;
    if (!out_.by_culprit)
      out_.facts.time_unit = "ns";
    out_.facts.names.add_data({0, kVictim, kVictim + 0x8000000, out_.variable, ""});
    out_.facts.names.add_data({0, kLarge, kLarge + kLargeBytes, out_.variable, ""});
    out_.facts.names.add_data({0, kTable, kTable + 0x100000, "engine::table", ""});
    out_.facts.names.add_data({0, kPrivate, kPrivate + 256 * kPrivateBytes, "engine::scratch", ""});
    out_.facts.names.add_code({0, 0x1000, 0x1400, "engine::work()", ""});
    out_.facts.names.add_code({0, 0x8000, 0x8100, "engine::hot()", ""});
  }

  int node_of(int cpu) const {
    return cpu * nodes_ / out_.cpus;
  }

  AccessRecord fresh(uint64_t cycle) {
    AccessRecord r;
    r.cycle = cycle;
    r.cpu = uint16_t(rng_.below(uint64_t(out_.cpus)));
    r.size = 4;
    r.flags = AccessRecord::kServiceKnown;
    if (out_.period > 1)
      r.flags |= AccessRecord::kSampled;
    if (out_.by_culprit)
      return r;
    r.node = uint8_t(node_of(r.cpu));
    r.thread = 7000u + r.cpu;
    r.process = 1;
    return r;
  }

  void hit(AccessRecord& r) {
    r.latency = out_.by_culprit ? 1 : uint32_t(4 + rng_.below(4));
    r.flags |= AccessRecord::kLocal;
    if (!out_.by_culprit)
      r.service = Service::L1;
  }

  void answer(AccessRecord& r, Service service, uint64_t latency) {
    r.latency = uint32_t(latency);
    if (!out_.by_culprit)
      r.service = service;
  }

  // Makes the access wait for another CPU. In traces of samplers the line came out of that CPU's cache.
  void contend(AccessRecord& r, DelayCause cause) {
    const uint64_t wait = 30 + rng_.below(200);
    if (!out_.by_culprit) {
      const bool remote = nodes_ > 1 && rng_.below(2) == 0;
      return answer(r, remote ? Service::RemotePeer : Service::LocalPeer, 40 + wait * (remote ? 3 : 1));
    }
    r.latency = uint32_t(10 + wait);
    r.blamed = uint32_t(wait);
    const auto others = uint64_t(out_.cpus - 1);
    r.culprit = uint16_t((r.cpu + 1 + rng_.below(others)) % uint64_t(out_.cpus));
    r.culprit_pc = 0x8000;
    r.cause = cause;
  }

  // Private arrays and a shared read-only table: mostly hits, and the misses of any program.
  void work(AccessRecord& r) {
    r.pc = 0x1000 + 4 * rng_.below(200);
    const bool table = rng_.below(5) == 0;
    r.address =
        table ? kTable + 4 * rng_.below(2000) : kPrivate + r.cpu * kPrivateBytes + 4 * rng_.below(4000);
    r.type = !table && rng_.below(3) == 0 ? AccessType::Store : AccessType::Load;
    const uint64_t kind = rng_.below(100);
    if (kind < 93)
      return hit(r);
    if (out_.by_culprit) {
      r.latency = uint32_t(8 + rng_.below(3));
      return;
    }
    if (kind < 97)
      return answer(r, Service::L2, 14 + rng_.below(4));
    if (kind < 99)
      return answer(r, Service::L3, 45 + rng_.below(20));
    answer(r, Service::LocalMemory, unloaded_ + rng_.below(unloaded_ / 8));
  }

  void touch_victim(AccessRecord& r) {
    r.pc = 0x8000 + 4 * rng_.below(2);
    const auto line = uint64_t(out_.line_bytes);
    switch (cause_) {
      case Plant::FalseSharing:
        r.type = rng_.below(2) ? AccessType::Store : AccessType::Load;
        r.address = kVictim + offset_ + r.cpu * (healthy_ ? line : uint64_t{words_});
        if (healthy_ || rng_.below(3) == 0)
          return hit(r);
        return contend(r, DelayCause::Coherence);
      case Plant::TrueSharing:
        r.address = kVictim + offset_ + (healthy_ ? r.cpu * line : 0);
        r.type = rng_.below(2) ? AccessType::Store : AccessType::Load;
        if (healthy_ || rng_.below(3) == 0)
          return hit(r);
        return contend(r, DelayCause::Coherence);
      case Plant::Lock:
        return touch_lock(r, line);
      case Plant::Bank:
        r.address = kVictim + (healthy_ ? line : stride_) * rng_.below(64) + 0x100000 * uint64_t{r.cpu % 64u};
        if (healthy_)
          return hit(r);
        return contend(r, DelayCause::Bank);
      case Plant::SetConflict:
        r.address = kVictim + (healthy_ ? stride_ + line : stride_) * rng_.below(24);
        if (healthy_)
          return hit(r);
        return miss(r, Service::L2);
      case Plant::Capacity:
        r.address = kVictim + 128 * own_line(r, healthy_ ? 16 : array_lines_);
        if (healthy_)
          return hit(r);
        return miss(r, rng_.below(2) ? Service::L3 : Service::LocalMemory);
      case Plant::Remote:
        return touch_placed(r);
      case Plant::Bandwidth:
        r.address = kLarge + 64 * rng_.below(1 << 28);
        return answer(
            r,
            Service::LocalMemory,
            healthy_ ? unloaded_ + rng_.below(unloaded_ / 8)
                     : unloaded_ + uint64_t(rng_.exponential(2.5 * unloaded_)));
    }
  }

  // Every CPU works on lines of its own.
  uint64_t own_line(const AccessRecord& r, uint64_t lines) {
    const auto cpus = uint64_t(out_.cpus);
    return rng_.below(std::max<uint64_t>(1, lines / cpus)) * cpus + r.cpu;
  }

  void touch_lock(AccessRecord& r, uint64_t line) {
    r.address = kVictim + offset_ + (healthy_ ? r.cpu * line : 0);
    const bool release = rng_.below(3) == 0;
    r.type = release ? AccessType::Store : AccessType::Atomic;
    r.pc = release ? 0x8040 : 0x8000;
    if (healthy_)
      return hit(r);
    contend(r, release ? DelayCause::Coherence : DelayCause::Interconnect);
  }

  void miss(AccessRecord& r, Service service) {
    const uint64_t memory = unloaded_ + rng_.below(unloaded_ / 8);
    if (service == Service::L2)
      return answer(r, service, 14 + rng_.below(8) + 20);
    answer(r, service, service == Service::L3 ? 45 + rng_.below(20) : memory);
  }

  // Memory of node 0, or of each thread's own node.
  void touch_placed(AccessRecord& r) {
    r.address = kLarge + 64 * rng_.below(1 << 28) + (healthy_ ? r.node * kLargeBytes / 4 : 0);
    const bool remote = !healthy_ && r.node != 0;
    const uint64_t local = unloaded_ + rng_.below(unloaded_ / 8);
    if (rng_.below(4) == 0)
      return hit(r);
    answer(r, remote ? Service::RemoteMemory : Service::LocalMemory, remote ? local * 2 : local);
  }

  const Plant cause_;
  const bool healthy_;
  base::Rng rng_;
  PlantedTrace out_;
  int nodes_ = 1;
  uint32_t unloaded_ = 200;
  uint32_t words_ = 4;
  uint64_t offset_ = 0;
  uint64_t array_lines_ = 4096;
  uint64_t stride_ = 4096;
};

}  // namespace

const char* to_string(Plant plant) {
  static constexpr const char* kNames[kPlants] = {
      "false sharing",
      "true sharing",
      "lock",
      "bank or set conflict",
      "set conflict",
      "capacity",
      "remote memory",
      "saturation"};
  return kNames[int(plant)];
}

PlantedTrace plant(Plant cause, uint64_t seed, bool healthy) {
  return Planter(cause, seed, healthy).run();
}

}  // namespace lento::lab
