// One memory access of one CPU: the event of Lagraa, Termier, Petrot (cpu, cycle, pc, type, address,
// latency). A simulator adds whether it was served locally and which CPU delayed it. A sampler may leave out
// fields. Order of a trace: cycle, then cpu, then the order in which the CPU made the accesses.
#pragma once

#include <cstdint>
#include <span>

#include "program/access_type.h"

namespace lento::memory {

using program::AccessType;
using program::kAccessTypes;

// The resource that a delayed access waited for. The culprit is the CPU (and its pc) that the wait is charged
// to.
enum class DelayCause : uint8_t {
  None = 0,
  Interconnect = 1,  // the bus or a link was busy with the culprit's transaction
  Bank = 2,          // the memory bank was busy with the culprit's transaction
  Coherence = 3,     // the line was taken from this CPU's cache by the culprit's store
  WriteBuffer = 4,   // this CPU's write buffer was full because its oldest write waited for the culprit
};
inline constexpr int kDelayCauses = 5;

// Returns "none", "interconnect", "bank", "coherence" or "writebuffer".
const char* to_string(DelayCause cause);

// The part of the machine that answered, as far as a sampler names it.
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
  PageWalk = 9,      // the page tables, which took longer than the line
};
inline constexpr int kServices = 10;

// Returns "unknown", "L1", "buffer", "L2", "L3", "memory", "remote memory", "peer", "remote peer" or "page
// walk".
const char* to_string(Service service);

struct AccessRecord {
  static constexpr uint32_t kNoLatency = UINT32_MAX;  // the source has no latency
  static constexpr uint16_t kNoCpu = UINT16_MAX;      // no culprit, or not known

  static constexpr uint8_t kNoNode = UINT8_MAX;  // the NUMA node of the CPU is not known

  // Bits of `flags`.
  static constexpr uint8_t kLocal = 1;  // served by the CPU's cache or write buffer without a wait: "trivial"
  static constexpr uint8_t kServiceKnown =
      2;  // the source separates local from remote; otherwise kLocal means nothing
  static constexpr uint8_t kSampled = 4;    // one of many accesses, picked by a sampler
  static constexpr uint8_t kFailed = 8;     // a store-conditional or compare-and-swap that did not store
  static constexpr uint8_t kUpdate = 16;    // an atomic that adds or sets bits: a counter's, hardly a lock's
  static constexpr uint8_t kCompare = 32;   // a compare-and-swap
  static constexpr uint8_t kDown = 64;      // an update that subtracts
  static constexpr uint8_t kGuarded = 128;  // made while holding a lock that several threads take

  uint64_t cycle = 0;  // when the CPU issued the access; nanoseconds or ticks in some foreign traces
  uint64_t pc = 0;
  uint64_t address = 0;
  uint64_t culprit_pc = 0;        // pc of the culprit's access; meaningful when culprit != kNoCpu
  uint32_t latency = kNoLatency;  // cycles until the CPU could continue; 1 for a hit
  uint32_t blamed = 0;            // the part of the latency charged to `culprit`, <= latency
  uint16_t cpu = 0;
  uint16_t culprit = kNoCpu;
  AccessType type = AccessType::Load;
  uint8_t size = 0;  // bytes; 0: not known
  DelayCause cause = DelayCause::None;
  uint8_t flags = 0;
  // Thread and process that made the access, 0 when the source does not name them. The reader numbers
  // processes.
  uint32_t thread = 0;
  uint16_t process = 0;
  uint8_t node = kNoNode;
  Service service = Service::Unknown;

  bool trivial() const {
    return (flags & (kLocal | kServiceKnown)) == (kLocal | kServiceKnown);
  }
  bool operator==(const AccessRecord&) const = default;

  // Identifies the thread where the source names it, else the CPU.
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

// Takes records in the order of a trace. A sink that merges takes the records of each CPU in its order.
class AccessSink {
 public:
  virtual ~AccessSink() = default;
  virtual void record(const AccessRecord& record) = 0;
  // Promises that no later record has a smaller cycle. A sink that merges may release all earlier records.
  virtual void advance(uint64_t cycle) {
    (void)cycle;
  }
};

// Yields a trace in its order, in batches. An empty span marks the end. A span is valid until the next call.
class AccessSource {
 public:
  virtual ~AccessSource() = default;
  virtual std::span<const AccessRecord> next() = 0;
};

}  // namespace lento::memory
