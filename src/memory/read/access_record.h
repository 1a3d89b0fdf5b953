// One memory access of one CPU: the event of Lagraa, Termier, Petrot (cpu, cycle, pc, type, address,
// latency), with what a simulator can add (served locally, who delayed it) and what a sampler may leave out.
// Order of a trace: cycle, then cpu, then the order in which the CPU made the accesses.
#pragma once

#include <cstdint>
#include <span>

#include "program/access_type.h"

namespace lento::memory {

using program::AccessType;
using program::kAccessTypes;

// What a delayed access waited for. The culprit is the CPU (and its pc) that the waiting is charged to.
enum class DelayCause : uint8_t {
  None = 0,
  Interconnect = 1,  // the bus or a link was busy with the culprit's transaction
  Bank = 2,          // the memory bank was busy with the culprit's transaction
  Coherence = 3,     // the line was taken from this CPU's cache by the culprit's store
  WriteBuffer = 4,   // the own write buffer was full because its oldest write waited for the culprit
};
inline constexpr int kDelayCauses = 5;

// "none", "interconnect", "bank", "coherence", "writebuffer".
const char* to_string(DelayCause cause);

// Which part of the machine answered, as far as a sampler tells.
enum class Service : uint8_t {
  Unknown = 0,
  L1 = 1,
  Buffer = 2,  // a fill under way (line fill buffer)
  L2 = 3,
  L3 = 4,
  LocalMemory = 5,
  RemoteMemory = 6,  // of another node
  LocalPeer = 7,     // another CPU's cache, where the line was modified (HitM) or from where it was forwarded
  RemotePeer = 8,    // the same, on another node
};
inline constexpr int kServices = 9;

// "unknown", "L1", "buffer", "L2", "L3", "memory", "remote memory", "peer", "remote peer".
const char* to_string(Service service);

struct AccessRecord {
  static constexpr uint32_t kNoLatency = UINT32_MAX;  // the source has no latency
  static constexpr uint16_t kNoCpu = UINT16_MAX;      // no culprit, or not known

  static constexpr uint8_t kNoNode = UINT8_MAX;  // the NUMA node of the CPU is not known

  // Bits of `flags`.
  static constexpr uint8_t kLocal = 1;  // served by the own cache or write buffer without waiting: "trivial"
  static constexpr uint8_t kServiceKnown =
      2;  // the source tells local from remote; otherwise kLocal means nothing
  static constexpr uint8_t kSampled = 4;  // one of many accesses, picked by a sampler
  static constexpr uint8_t kFailed = 8;   // a store-conditional that did not store
  static constexpr uint8_t kUpdate = 16;  // an atomic that adds or sets bits: a counter's, hardly a lock's

  uint64_t cycle = 0;  // when the CPU issued the access; nanoseconds or ticks in some foreign traces
  uint64_t pc = 0;
  uint64_t address = 0;
  uint64_t culprit_pc = 0;        // pc of the culprit's access; meaningful when culprit != kNoCpu
  uint32_t latency = kNoLatency;  // cycles until the CPU could go on; 1 for a hit
  uint32_t blamed = 0;            // the part of the latency charged to `culprit`, <= latency
  uint16_t cpu = 0;
  uint16_t culprit = kNoCpu;
  AccessType type = AccessType::Load;
  uint8_t size = 0;  // bytes; 0: not known
  DelayCause cause = DelayCause::None;
  uint8_t flags = 0;
  // Who made the access, beyond the CPU; 0: the source does not tell. Processes are numbered by the reader.
  uint32_t thread = 0;
  uint16_t process = 0;
  uint8_t node = kNoNode;
  Service service = Service::Unknown;

  bool trivial() const {
    return (flags & (kLocal | kServiceKnown)) == (kLocal | kServiceKnown);
  }
  bool operator==(const AccessRecord&) const = default;

  // Threads are told apart where the source knows them, else CPUs.
  uint32_t actor() const {
    return thread != 0 ? thread : cpu;
  }
  bool writes() const {
    return type == AccessType::Store || type == AccessType::StoreConditional || type == AccessType::Atomic;
  }
  bool is_atomic() const {
    return type == AccessType::LoadLinked || type == AccessType::StoreConditional ||
           type == AccessType::Atomic;
  }
  bool has_context() const {
    return thread != 0 || process != 0 || node != kNoNode || service != Service::Unknown;
  }
};
static_assert(sizeof(AccessRecord) == 56);

// Takes records in the order of a trace, or per CPU in order where the taker says that it merges.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void record(const AccessRecord& record) = 0;
  // A promise: no later record has a smaller cycle. Takers that merge may release what lies before it.
  virtual void advance(uint64_t cycle) {
    (void)cycle;
  }
};

// Yields a trace in its order, in batches. An empty span is the end; the span is valid until the next call.
class AccessSource {
 public:
  virtual ~AccessSource() = default;
  virtual std::span<const AccessRecord> next() = 0;
};

}  // namespace lento::memory
