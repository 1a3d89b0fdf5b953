#include "memory/platform/network.h"

#include <algorithm>
#include <cmath>

namespace lento::memory {

using trace::DelayCause;

void Transaction::charge(uint16_t culprit, uint32_t culprit_pc, Cycles cycles, DelayCause cause) {
  if (culprit == hart || culprit == UINT16_MAX || cycles == 0) return;
  const uint32_t amount = static_cast<uint32_t>(cycles);
  Charge* slot = nullptr;
  for (uint32_t i = 0; i < charges_used && !slot; ++i) {
    if (charges[i].hart == culprit) slot = &charges[i];
  }
  if (!slot && charges_used < charges.size()) {
    slot = &charges[charges_used++];
    *slot = {};
  }
  if (!slot) {
    slot = &*std::min_element(charges.begin(), charges.end(),
                              [](const Charge& a, const Charge& b) { return a.cycles < b.cycles; });
    if (slot->cycles >= amount) return;
    *slot = {};
  }
  slot->hart = culprit;
  slot->cycles += amount;
  if (amount > slot->largest) slot->largest = amount, slot->pc = culprit_pc, slot->cause = cause;
}

const Charge* Transaction::main_charge() const {
  const Charge* best = nullptr;
  for (uint32_t i = 0; i < charges_used; ++i) {
    const Charge& c = charges[i];
    if (!best || c.cycles > best->cycles || (c.cycles == best->cycles && c.hart < best->hart)) best = &c;
  }
  return best;
}

Network::Network(const Platform& platform) : platform_(platform) {
  const bool bus = platform.topology == Topology::Bus;
  channels_.resize(bus ? 1 : static_cast<size_t>(platform.banks));
  for (Channel& channel : channels_) channel.waiting.reserve(2 * static_cast<size_t>(platform.harts));
  if (bus) banks_.resize(static_cast<size_t>(platform.banks));
  const int nodes = std::max(platform.harts, platform.banks);
  width_ = static_cast<int>(std::ceil(std::sqrt(nodes)));
  if (platform.topology == Topology::Mesh) link_free_.resize(static_cast<size_t>(width_ * width_) * 4);
}

// XY route: one link a step, each held for `flits` cycles; the head moves on after hop_cycles.
Cycles Network::travel(int from, int to, Cycles at, int flits) {
  int x = from % width_, y = from / width_;
  const int to_x = to % width_, to_y = to / width_;
  while (x != to_x || y != to_y) {
    const int direction = x < to_x ? 0 : x > to_x ? 1 : y < to_y ? 2 : 3;
    Cycles& free = link_free_[static_cast<size_t>((y * width_ + x) * 4 + direction)];
    at = std::max(at, free);
    free = at + static_cast<Cycles>(flits);
    at += static_cast<Cycles>(platform_.hop_cycles);
    x += direction == 0 ? 1 : direction == 1 ? -1 : 0;
    y += direction == 2 ? 1 : direction == 3 ? -1 : 0;
  }
  return at;
}

void Network::inject(Transaction& t, Cycles at) {
  const uint32_t bank = t.line & static_cast<uint32_t>(platform_.banks - 1);
  Channel& channel = channels_[platform_.topology == Topology::Bus ? 0 : bank];
  t.arrival = platform_.topology == Topology::Mesh ? travel(t.hart, static_cast<int>(bank), at, 1) : at;
  t.granted = false;
  if (t.arrival < channel.busy_until) {
    const DelayCause cause =
        platform_.topology == Topology::Bus ? DelayCause::Interconnect : DelayCause::Bank;
    t.charge(channel.owner, channel.owner_pc, channel.busy_until - t.arrival, cause);
  }
  channel.waiting.push_back(&t);
  channel.next = std::min(channel.next, std::max(channel.busy_until, t.arrival));
  next_grant_ = std::min(next_grant_, channel.next);
}

void Network::reschedule(Channel& channel) {
  Cycles earliest = kNever;
  for (const Transaction* t : channel.waiting) earliest = std::min(earliest, t->arrival);
  channel.next = earliest == kNever ? kNever : std::max(earliest, channel.busy_until);
  next_grant_ = kNever;
  for (const Channel& c : channels_) next_grant_ = std::min(next_grant_, c.next);
}

size_t Network::pick(const Channel& channel, Cycles at) const {
  const auto rank = [&](const Transaction& t) -> uint64_t {
    const uint64_t write = t.kind == Kind::Write;
    if (platform_.arbiter == Arbiter::Fcfs) return (t.arrival << 7) | (uint64_t{t.hart} << 1) | write;
    const unsigned turn =
        platform_.arbiter == Arbiter::Fixed ? t.hart : (t.hart - channel.last - 1u) & 0xffff;
    return uint64_t{turn} << 1 | write;
  };
  size_t best = SIZE_MAX;
  uint64_t best_rank = UINT64_MAX;
  for (size_t i = 0; i < channel.waiting.size(); ++i) {
    if (channel.waiting[i]->arrival > at) continue;
    const uint64_t r = rank(*channel.waiting[i]);
    if (r < best_rank) best_rank = r, best = i;
  }
  return best;
}

void Network::pass_bank(Transaction& t, Cycles arrival) {
  Bank& bank = banks_[t.line & static_cast<uint32_t>(platform_.banks - 1)];
  const Cycles start = std::max(arrival, bank.free);
  t.charge(bank.owner, bank.owner_pc, start - arrival, DelayCause::Bank);
  bank.free = start + static_cast<Cycles>(platform_.bank_cycles);
  bank.owner = t.hart, bank.owner_pc = t.pc;
  t.done = start + static_cast<Cycles>(platform_.bank_latency);
}

Transaction& Network::grant() {
  Channel& channel = *std::find_if(channels_.begin(), channels_.end(),
                                   [&](const Channel& c) { return c.next == next_grant_; });
  const Cycles at = channel.next;
  const size_t index = pick(channel, at);
  Transaction& t = *channel.waiting[index];
  channel.waiting.erase(channel.waiting.begin() + static_cast<std::ptrdiff_t>(index));
  const bool line = t.kind == Kind::Fill || t.kind == Kind::Fetch;
  const Cycles held = static_cast<Cycles>(line ? platform_.read_cycles : platform_.write_cycles);
  channel.busy_until = at + held;
  channel.owner = channel.last = t.hart;
  channel.owner_pc = t.pc;
  busy_ += held;
  const DelayCause cause = banks_.empty() ? DelayCause::Bank : DelayCause::Interconnect;
  for (Transaction* other : channel.waiting) {
    const Cycles from = std::max(at, other->arrival);
    if (from < channel.busy_until) other->charge(t.hart, t.pc, channel.busy_until - from, cause);
  }
  t.granted = true;
  t.granted_at = at;
  if (!banks_.empty()) {
    pass_bank(t, at + held);
  } else {
    t.done = at + held + static_cast<Cycles>(platform_.bank_latency);
    if (!link_free_.empty()) {
      const int flits = line ? std::max(1, platform_.dcache.line_bytes / 8) : 1;
      const uint32_t bank = t.line & static_cast<uint32_t>(platform_.banks - 1);
      t.done = travel(static_cast<int>(bank), t.hart, t.done, flits) + static_cast<Cycles>(flits - 1);
    }
  }
  reschedule(channel);
  return t;
}

}  // namespace lento::memory
