// Arbitrates the transactions of all harts for the bus or the banks, and charges every wait to the
// transaction that was served meanwhile. network.h states the rules. Waiting transactions are bits of a word
// per channel, so a grant costs a pass over at most 64 harts.
#include "memory/platform/network.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace lento::memory {

namespace {

// Calls use(slot) for all occupied slots of a channel, lowest hart first, its read before its write.
template <class Channel, class Use>
void each_waiting(Channel& channel, Use&& use) {
  for (uint64_t left = channel.waiting(); left; left &= left - 1) {
    const auto hart = size_t(std::countr_zero(left));
    if (channel.reads >> hart & 1)
      use(channel.slots[2 * hart]);
    if (channel.writes >> hart & 1)
      use(channel.slots[2 * hart + 1]);
  }
}

}  // namespace

Network::Network(const Platform& platform)
    : platform_(platform) {
  const bool bus = platform.topology == Topology::Bus;
  channels_.resize(bus ? 1 : size_t(platform.banks));
  for (Channel& channel : channels_)
    channel.slots.resize(2 * size_t(Platform::kMaxHarts));
  if (bus)
    banks_.resize(size_t(platform.banks));
  const int nodes = std::max(platform.harts, platform.banks);
  width_ = int(std::ceil(std::sqrt(nodes)));
  if (platform.topology == Topology::Mesh)
    link_free_.resize(size_t(width_ * width_) * 4);
}

// Routes a packet XY and returns the cycle in which its head arrives. Each link is occupied for `flits`
// cycles, and the head moves on after hop_cycles.
Cycles Network::travel(int from, int to, Cycles at, int flits) {
  int x = from % width_;
  int y = from / width_;
  const int to_x = to % width_;
  const int to_y = to / width_;
  while (x != to_x || y != to_y) {
    const int direction = x < to_x ? 0 : x > to_x ? 1 : y < to_y ? 2 : 3;
    Cycles& free = link_free_[size_t((y * width_ + x) * 4 + direction)];
    at = std::max(at, free);
    free = at + static_cast<Cycles>(flits);
    at += static_cast<Cycles>(platform_.hop_cycles);
    x += direction == 0 ? 1 : direction == 1 ? -1 : 0;
    y += direction == 2 ? 1 : direction == 3 ? -1 : 0;
  }
  return at;
}

void Network::inject(Transaction& t, Cycles at) {
  Channel& channel = channels_[channel_of(t.line)];
  t.arrival = platform_.topology == Topology::Mesh ? travel(t.hart, int(bank_of(t.line)), at, 1) : at;
  t.granted = false;
  if (t.arrival < channel.busy_until) {
    const DelayCause cause =
        platform_.topology == Topology::Bus ? DelayCause::Interconnect : DelayCause::Bank;
    t.charge(channel.owner, channel.owner_pc, channel.busy_until - t.arrival, cause);
  }
  const bool write = t.kind == Kind::Write;
  (write ? channel.writes : channel.reads) |= uint64_t{1} << t.hart;
  channel.slots[2 * size_t{t.hart} + write] = {t.arrival, &t, channel.services.size()};
  channel.next = std::min(channel.next, std::max(channel.busy_until, t.arrival));
  next_grant_ = std::min(next_grant_, channel.next);
}

// Sets the next cycle in which a channel can grant a request.
void Network::schedule(Channel& channel, Cycles earliest) {
  channel.next = earliest == kNever ? kNever : std::max(earliest, channel.busy_until);
  next_grant_ = channel.next;
  if (channels_.size() == 1)
    return;
  for (const Channel& c : channels_)
    next_grant_ = std::min(next_grant_, c.next);
}

size_t Network::pick(const Channel& channel, Cycles at) const {
  if (platform_.arbiter == Arbiter::Fcfs)
    return pick_earliest(channel);
  const auto first = unsigned(platform_.arbiter == Arbiter::Fixed ? 0 : channel.last + 1) % 64;
  for (uint64_t left = std::rotr(channel.waiting(), int(first)); left; left &= left - 1) {
    const size_t hart = (size_t(std::countr_zero(left)) + first) % 64;
    const size_t slot = 2 * hart;
    if ((channel.reads >> hart & 1) && channel.slots[slot].arrival <= at)
      return slot;
    if ((channel.writes >> hart & 1) && channel.slots[slot + 1].arrival <= at)
      return slot + 1;
  }
  LENTO_CHECK(false, "a grant was due without anybody to take it");
  return 0;
}

// Returns the slot of the request that arrived first.
size_t Network::pick_earliest(const Channel& channel) const {
  const Waiting* best = nullptr;
  each_waiting(channel, [&](const Waiting& waiting) {
    if (!best || waiting.arrival < best->arrival)
      best = &waiting;
  });
  return size_t(best - channel.slots.data());
}

// Passes a transaction through its memory bank and charges its wait to the previous one of that bank.
void Network::pass_bank(Transaction& t, Cycles arrival) {
  Bank& bank = banks_[bank_of(t.line)];
  const Cycles start = std::max(arrival, bank.free);
  t.charge(bank.owner, bank.owner_pc, start - arrival, DelayCause::Bank);
  bank.free = start + static_cast<Cycles>(platform_.bank_cycles);
  bank.owner = t.hart;
  bank.owner_pc = t.pc;
  t.done = start + static_cast<Cycles>(platform_.bank_latency);
}

// Starts the service of the transaction at `at`.
void Network::serve(Transaction& t, Channel& channel, Cycles at) {
  const bool line = t.kind == Kind::Fill || t.kind == Kind::Fetch;
  const Cycles held = static_cast<Cycles>(line ? platform_.read_cycles : platform_.write_cycles);
  channel.busy_until = at + held;
  channel.owner = channel.last = t.hart;
  channel.owner_pc = t.pc;
  busy_ += held;
  t.granted = true;
  t.granted_at = at;
  if (!banks_.empty())
    return pass_bank(t, at + held);
  t.done = at + held + static_cast<Cycles>(platform_.bank_latency);
  if (link_free_.empty())
    return;
  const int flits = line ? std::max(1, platform_.dcache.line_bytes / 8) : 1;
  t.done = travel(int(bank_of(t.line)), t.hart, t.done, flits) + static_cast<Cycles>(flits - 1);
}

void Network::grant_free(Transaction& t, Cycles at) {
  t.arrival = at;
  serve(t, channels_[channel_of(t.line)], at);
}

// Returns the earliest arrival among the waiting transactions, but at least `enough`, and kNever when none
// waits.
Cycles Network::earliest_arrival(const Channel& channel, Cycles enough) {
  Cycles earliest = kNever;
  for (uint64_t left = channel.waiting(); left && earliest > enough; left &= left - 1) {
    const auto hart = size_t(std::countr_zero(left));
    if (channel.reads >> hart & 1)
      earliest = std::min(earliest, channel.slots[2 * hart].arrival);
    if (channel.writes >> hart & 1)
      earliest = std::min(earliest, channel.slots[2 * hart + 1].arrival);
  }
  return earliest == kNever ? kNever : std::max(earliest, enough);
}

// Charges the wait of a transaction to the services of its channel since it was injected, to each the part
// that lies after the arrival.
void Network::charge_services(const Channel& channel, const Waiting& waiting) const {
  const DelayCause cause = banks_.empty() ? DelayCause::Bank : DelayCause::Interconnect;
  Transaction& t = *waiting.transaction;
  for (size_t i = waiting.first_service; i < channel.services.size(); ++i) {
    const Service& s = channel.services[i];
    const Cycles from = std::max(s.at, waiting.arrival);
    if (from < s.until)
      t.charge(s.hart, s.pc, s.until - from, cause);
  }
}

// Drops the list of services when no transaction waits, or when it has kMost entries. The waiting
// transactions are charged with it first.
void Network::forget_services(Channel& channel) const {
  constexpr size_t kMost = 1024;
  if (channel.services.size() < kMost && channel.waiting() != 0)
    return;
  each_waiting(channel, [&](Waiting& waiting) {
    charge_services(channel, waiting);
    waiting.first_service = 0;
  });
  channel.services.clear();
}

Transaction& Network::grant() {
  Channel* channel = channels_.data();
  while (channel->next != next_grant_)
    ++channel;
  const Cycles at = channel->next;
  const size_t slot = pick(*channel, at);
  const Waiting& waiting = channel->slots[slot];
  Transaction& t = *waiting.transaction;
  (slot % 2 ? channel->writes : channel->reads) &= ~(uint64_t{1} << slot / 2);
  charge_services(*channel, waiting);
  serve(t, *channel, at);
  channel->services.push_back({at, channel->busy_until, t.pc, t.hart});
  forget_services(*channel);
  schedule(*channel, earliest_arrival(*channel, channel->busy_until));
  return t;
}

}  // namespace lento::memory
