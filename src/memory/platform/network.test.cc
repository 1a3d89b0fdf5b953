// The invariants at the head of network.h, over drawn traffic of all harts.
#include "memory/platform/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "base/rng.h"

namespace lento::memory {
namespace {

Platform bus(Arbiter arbiter) {
  Platform p;
  p.harts = 8;
  p.banks = 1;
  p.bank_cycles = 0;
  p.bank_latency = 4;
  p.read_cycles = 5;
  p.write_cycles = 2;
  p.arbiter = arbiter;
  return p;
}

// One transaction a hart at a time; what was granted, in order.
class Traffic {
 public:
  Traffic(const Platform& platform, uint64_t seed, int count)
      : network_(platform) {
    base::Rng rng(seed, "traffic");
    std::vector<Cycles> free(size_t(platform.harts), 0);
    Cycles now = 0;
    for (int i = 0; i < count; ++i) {
      const auto hart = uint16_t(rng.below(uint64_t(platform.harts)));
      now += rng.below(5);
      while (network_.next_grant() < now)
        grant();
      if (waits(hart))
        continue;
      Transaction& t = all_.emplace_back();
      t.hart = hart;
      t.pc = 0x1000u + hart;
      t.line = uint32_t(rng.below(64));
      t.kind = rng.below(2) ? Kind::Fill : Kind::Write;
      network_.inject(t, now);
    }
    while (network_.next_grant() != Network::kNever)
      grant();
  }

  const std::deque<Transaction>& all() const {
    return all_;
  }
  const std::vector<const Transaction*>& order() const {
    return order_;
  }
  const Network& network() const {
    return network_;
  }

 private:
  bool waits(uint16_t hart) const {
    return std::ranges::any_of(all_, [&](const Transaction& t) {
      return t.hart == hart && !t.granted;
    });
  }
  void grant() {
    const Cycles at = network_.next_grant();
    const Transaction& t = network_.grant();
    EXPECT_EQ(t.granted_at, at);
    order_.push_back(&t);
  }
  Network network_;
  std::deque<Transaction> all_;
  std::vector<const Transaction*> order_;
};

Cycles held(const Platform& p, const Transaction& t) {
  return Cycles(t.kind == Kind::Fill ? p.read_cycles : p.write_cycles);
}

TEST(Bus, ServesOneAtATimeAndNeverIdlesWhileSomeoneWaits) {
  for (const Arbiter arbiter : {Arbiter::RoundRobin, Arbiter::Fixed, Arbiter::Fcfs}) {
    const Platform p = bus(arbiter);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Traffic traffic(p, seed, 300);
      ASSERT_EQ(traffic.order().size(), traffic.all().size());
      Cycles free = 0;
      Cycles busy = 0;
      for (const Transaction* t : traffic.order()) {
        EXPECT_GE(t->granted_at, free);
        EXPECT_GE(t->granted_at, t->arrival);
        // Granted when the bus was free and somebody had arrived.
        Cycles earliest = t->arrival;
        for (const Transaction& other : traffic.all()) {
          if (other.granted_at >= t->granted_at)
            earliest = std::min(earliest, other.arrival);
        }
        EXPECT_EQ(t->granted_at, std::max(free, earliest));
        EXPECT_EQ(t->done, t->granted_at + held(p, *t) + 4);
        free = t->granted_at + held(p, *t);
        busy += held(p, *t);
      }
      EXPECT_EQ(traffic.network().busy(), busy);
    }
  }
}

TEST(Bus, EveryCycleOfWaitingIsChargedToWhoWasServed) {
  for (const Arbiter arbiter : {Arbiter::RoundRobin, Arbiter::Fixed, Arbiter::Fcfs}) {
    const Platform p = bus(arbiter);
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Traffic traffic(p, seed, 300);
      for (const Transaction& t : traffic.all()) {
        Cycles charged = 0;
        Cycles own = 0;
        t.each_charge([&](const Charge& c) {
          charged += c.cycles;
          EXPECT_NE(c.hart, t.hart);
          EXPECT_EQ(c.pc, 0x1000u + c.hart);
          EXPECT_EQ(c.cause, memory::DelayCause::Interconnect);
        });
        // Behind a transaction of its own hart that still held the bus.
        for (const Transaction& other : traffic.all()) {
          if (&other == &t || other.hart != t.hart || other.granted_at >= t.granted_at)
            continue;
          const Cycles end = other.granted_at + held(p, other);
          own += end > t.arrival ? std::min(end, t.granted_at) - std::max(other.granted_at, t.arrival) : 0;
        }
        EXPECT_EQ(charged + own, t.granted_at - t.arrival) << seed;
      }
    }
  }
}

// Those that had arrived and were not served when `t` was.
std::vector<const Transaction*> rivals(const Traffic& traffic, const Transaction& t) {
  std::vector<const Transaction*> out;
  for (const Transaction& other : traffic.all()) {
    if (&other != &t && other.arrival <= t.granted_at && other.granted_at > t.granted_at)
      out.push_back(&other);
  }
  return out;
}

TEST(Arbiter, FirstComeIsFirstServed) {
  const Traffic traffic(bus(Arbiter::Fcfs), 1, 500);
  for (const Transaction* t : traffic.order()) {
    for (const Transaction* other : rivals(traffic, *t))
      EXPECT_LE(std::pair(t->arrival, t->hart), std::pair(other->arrival, other->hart));
  }
}

TEST(Arbiter, FixedTakesTheLowestHart) {
  const Traffic traffic(bus(Arbiter::Fixed), 2, 500);
  size_t decided = 0;
  for (const Transaction* t : traffic.order()) {
    for (const Transaction* other : rivals(traffic, *t)) {
      EXPECT_LT(t->hart, other->hart);
      ++decided;
    }
  }
  EXPECT_GT(decided, 100u);
}

TEST(Arbiter, RoundRobinTakesTheNextHartAfterTheLast) {
  const Platform p = bus(Arbiter::RoundRobin);
  const Traffic traffic(p, 3, 500);
  int last = -1;
  for (const Transaction* t : traffic.order()) {
    const auto turn = [&](const Transaction& of) {
      return last < 0 ? int{of.hart} : (of.hart - last - 1 + p.harts) % p.harts;
    };
    for (const Transaction* other : rivals(traffic, *t))
      EXPECT_LT(turn(*t), turn(*other));
    last = t->hart;
  }
}

TEST(Arbiter, RoundRobinIsFair) {
  const Traffic traffic(bus(Arbiter::RoundRobin), 4, 4000);
  std::vector<int> served(8);
  for (const Transaction* t : traffic.order())
    ++served[t->hart];
  EXPECT_GT(*std::ranges::min_element(served) * 3, *std::ranges::max_element(served) * 2);
}

TEST(Crossbar, DifferentBanksDoNotMeet) {
  Platform p = bus(Arbiter::Fcfs);
  p.topology = Topology::Crossbar;
  p.banks = 4;
  Network network(p);
  EXPECT_EQ(network.channels(), 4);
  std::deque<Transaction> all(5);
  for (uint16_t i = 0; i < 5; ++i) {
    all[i].hart = i;
    all[i].line = i;  // banks 0, 1, 2, 3 and 0 again
    all[i].kind = Kind::Fill;
    network.inject(all[i], 100);
  }
  while (network.next_grant() != Network::kNever)
    network.grant();
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(all[i].granted_at, 100u) << i;
  EXPECT_EQ(all[4].granted_at, 105u);
  ASSERT_NE(all[4].main_charge(), nullptr);
  EXPECT_EQ(all[4].main_charge()->hart, 0);
  EXPECT_EQ(all[4].main_charge()->cycles, 5u);
  EXPECT_EQ(all[4].main_charge()->cause, memory::DelayCause::Bank);
}

TEST(Mesh, ALoneReadTakesItsHopsBothWays) {
  Platform p = bus(Arbiter::Fcfs);
  p.topology = Topology::Mesh;
  p.harts = 9;
  p.banks = 8;
  p.hop_cycles = 3;
  const int flits = p.dcache.line_bytes / 8;
  for (uint16_t hart = 0; hart < 9; ++hart) {
    for (uint32_t bank = 0; bank < 8; ++bank) {
      Network network(p);
      Transaction t;
      t.hart = hart;
      t.line = bank;
      t.kind = Kind::Fill;
      network.inject(t, 50);
      network.grant();
      const int hops = std::abs(int(hart % 3) - int(bank % 3)) + std::abs(int(hart / 3) - int(bank / 3));
      EXPECT_EQ(t.arrival, 50u + unsigned(3 * hops));
      EXPECT_EQ(t.done, t.arrival + 5 + 4 + unsigned(3 * hops + flits - 1)) << hart << " " << bank;
    }
  }
}

TEST(Transaction, TheMainChargeIsTheLargestAndNobodyBlamesHimself) {
  Transaction t;
  t.hart = 2;
  EXPECT_EQ(t.main_charge(), nullptr);
  t.charge(2, 1, 100, memory::DelayCause::Bank);
  t.charge(5, 1, 0, memory::DelayCause::Bank);
  EXPECT_EQ(t.main_charge(), nullptr);
  t.charge(1, 0x10, 4, memory::DelayCause::Interconnect);
  t.charge(3, 0x30, 3, memory::DelayCause::Interconnect);
  t.charge(3, 0x31, 5, memory::DelayCause::Bank);
  t.charge(3, 0x32, 1, memory::DelayCause::Interconnect);
  ASSERT_NE(t.main_charge(), nullptr);
  EXPECT_EQ(t.main_charge()->hart, 3);
  EXPECT_EQ(t.main_charge()->cycles, 9u);
  EXPECT_EQ(t.main_charge()->pc, 0x31u) << "of the longest single wait";
  EXPECT_EQ(t.main_charge()->cause, memory::DelayCause::Bank);
}

}  // namespace
}  // namespace lento::memory
