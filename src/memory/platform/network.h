// The interconnect between harts and memory: channels with one arbiter each. Every cycle that a transaction
// waits is charged to the transaction that caused it.
//
// Every transaction is arbitrated once, at its channel: the bus, or the port of its bank (crossbar, mesh).
//   1. A channel serves one transaction at a time, for read_cycles or write_cycles, then at once the next.
//   2. The arbiter picks among those that have arrived: round robin by hart after the last one served, the
//      lowest hart, or the first come. A hart's read comes before its write.
//   3. Behind the bus a bank serves in the order of the bus and is busy for bank_cycles.
//   4. Mesh links are reserved in the order of injection. A packet holds a link for its flits.
//   5. While X is served, every waiting transaction of another hart is charged to X, cycle by cycle. The
//      charges of a transaction and its waits behind its own hart add up to its waiting time exactly.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "memory/platform/platform.h"

namespace lento::memory {

enum class Kind : uint8_t {
  Fill,
  Fetch,
  Uncached,
  Write,
  Atomic
};

struct Charge {
  uint32_t pc = 0;
  uint32_t cycles = 0;
  uint32_t largest = 0;  // the longest single wait, which `pc` and `cause` belong to
  uint16_t hart = 0;
  DelayCause cause = memory::DelayCause::None;
};

struct Transaction {
  uint32_t line = 0;
  uint32_t address = 0;
  uint32_t pc = 0;
  uint16_t hart = 0;
  Kind kind = Kind::Write;
  bool granted = false;
  bool blocking = false;  // the hart waits for it
  Cycles issue = 0;
  Cycles arrival = 0;
  Cycles granted_at = 0;
  Cycles done = 0;
  uint64_t charged = 0;                             // bit c: charges[c] is in use
  uint64_t main = 0;                                // culprit of most cycles: cycles << 6 | (63 - hart)
  std::array<Charge, Platform::kMaxHarts> charges;  // by culprit

  // Adds `cycles` of waiting that another core caused.
  void charge(uint16_t culprit, uint32_t culprit_pc, Cycles cycles, DelayCause cause) {
    if (culprit == hart || culprit == UINT16_MAX || cycles == 0)
      return;
    Charge& slot = charges[culprit];
    const uint64_t bit = uint64_t{1} << culprit;
    const uint32_t amount = uint32_t(cycles);
    if (!(charged & bit)) {
      charged |= bit;
      slot = {culprit_pc, amount, amount, culprit, cause};
    } else {
      slot.cycles += amount;
      if (amount > slot.largest) {
        slot.largest = amount;
        slot.pc = culprit_pc;
        slot.cause = cause;
      }
    }
    main = std::max(main, uint64_t{slot.cycles} << 6 | (63u - culprit));
  }
  void forget_charges() {
    charged = main = 0;
  }
  // Calls use(charge) for each culprit, lowest hart first.
  template <class Use>
  void each_charge(Use&& use) const {
    for (uint64_t left = charged; left; left &= left - 1)
      use(charges[size_t(std::countr_zero(left))]);
  }
  // Returns the culprit of most cycles, the lowest hart in a tie, or nullptr.
  const Charge* main_charge() const {
    return charged == 0 ? nullptr : &charges[63 - main % 64];
  }
};

class Network {
 public:
  static constexpr Cycles kNever = UINT64_MAX;

  explicit Network(const Platform& platform);

  // Enters a transaction that leaves its hart at cycle `at`. The object must stay at its address until
  // grant() returns it.
  void inject(Transaction& transaction, Cycles at);

  // Returns the cycle of the next grant if nothing else is injected, and kNever when no transaction waits.
  Cycles next_grant() const {
    return next_grant_;
  }

  // Performs the grant of cycle next_grant(): sets `granted` and `done`, and returns the transaction.
  Transaction& grant();

  // Returns whether the line's channel is free at cycle `at` and no transaction waits for it.
  bool is_free(uint32_t line, Cycles at) const {
    const Channel& channel = channels_[channel_of(line)];
    return channel.busy_until <= at && channel.waiting() == 0 && link_free_.empty();
  }
  // Does inject() and grant() in one for a transaction that arrives at a free channel at `at`. The caller
  // guarantees that nothing else arrives up to then.
  void grant_free(Transaction& transaction, Cycles at);

  Cycles busy() const {
    return busy_;
  }
  int channels() const {
    return int(channels_.size());
  }

 private:
  struct Waiting {
    Cycles arrival = 0;
    Transaction* transaction = nullptr;
    size_t first_service = 0;  // earlier entries of Channel::services ended before it
  };
  // The channel served a transaction of `hart` from cycle `at` to `until`.
  struct Service {
    Cycles at = 0;
    Cycles until = 0;
    uint32_t pc = 0;
    uint16_t hart = 0;
  };
  struct Channel {
    // Two slots per hart: its read and its write. A bit of `reads` or `writes` marks a hart whose slot is in
    // use.
    std::vector<Waiting> slots;
    uint64_t reads = 0;
    uint64_t writes = 0;
    uint64_t waiting() const {
      return reads | writes;
    }
    std::vector<Service> services;  // those during which a transaction waited
    Cycles busy_until = 0;
    uint32_t owner_pc = 0;
    uint16_t owner = UINT16_MAX;
    uint16_t last = UINT16_MAX;
    Cycles next = kNever;
  };
  struct Bank {
    Cycles free = 0;
    uint32_t owner_pc = 0;
    uint16_t owner = UINT16_MAX;
  };

  uint32_t bank_of(uint32_t line) const {
    return line & uint32_t(platform_.banks - 1);
  }
  size_t channel_of(uint32_t line) const {
    return platform_.topology == Topology::Bus ? 0 : bank_of(line);
  }
  // Returns the slot that the arbiter serves next among those that have arrived by `at`. At most one read and
  // one write of a hart wait.
  size_t pick(const Channel& channel, Cycles at) const;
  size_t pick_earliest(const Channel& channel) const;
  static Cycles earliest_arrival(const Channel& channel, Cycles enough);
  void charge_services(const Channel& channel, const Waiting& waiting) const;
  void forget_services(Channel& channel) const;
  void serve(Transaction& transaction, Channel& channel, Cycles at);
  void schedule(Channel& channel, Cycles earliest);
  void pass_bank(Transaction& transaction, Cycles arrival);
  Cycles travel(int from, int to, Cycles at, int flits);

  const Platform platform_;
  std::vector<Channel> channels_;
  std::vector<Bank> banks_;        // bus only
  std::vector<Cycles> link_free_;  // mesh: node * 4 + direction
  int width_ = 1;                  // nodes per row of the mesh
  Cycles next_grant_ = kNever;
  Cycles busy_ = 0;
};

}  // namespace lento::memory
