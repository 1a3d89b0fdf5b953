#include "memory/platform/network.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lento::memory {

using trace::DelayCause;

const Charge* Transaction::main_charge() const {
  const Charge* best = nullptr;
  each_charge([&](const Charge& c) {
    if (!best || c.cycles > best->cycles)
      best = &c;
  });
  return best;
}

Network::Network(const Platform& platform)
    : platform_(platform) {
  const bool bus = platform.topology == Topology::Bus;
  channels_.resize(bus ? 1 : size_t(platform.banks));
  for (Channel& channel : channels_)
    channel.waiting.reserve(2 * size_t(platform.harts));
  if (bus)
    banks_.resize(size_t(platform.banks));
  const int nodes = std::max(platform.harts, platform.banks);
  width_ = int(std::ceil(std::sqrt(nodes)));
  if (platform.topology == Topology::Mesh)
    link_free_.resize(size_t(width_ * width_) * 4);
}

// XY route: one link a step, each held for `flits` cycles; the head moves on after hop_cycles.
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
  channel.waiting.push_back({t.arrival, &t, t.hart, t.kind == Kind::Write});
  channel.next = std::min(channel.next, std::max(channel.busy_until, t.arrival));
  next_grant_ = std::min(next_grant_, channel.next);
}

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
  // Place in the round, the read before the write, then the index: one number to take the least of.
  const uint32_t first = platform_.arbiter == Arbiter::Fixed ? 0 : (channel.last + 1u) << 1;
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < channel.waiting.size(); ++i) {
    const Waiting& w = channel.waiting[i];
    const uint32_t rank = (((uint32_t{w.hart} << 1 | uint32_t{w.write}) - first) & 0x1ffff) << 8 | i;
    best = w.arrival > at ? best : std::min(best, rank);
  }
  return best & 0xff;
}

size_t Network::pick_earliest(const Channel& channel) const {
  const auto before = [](const Waiting& a, const Waiting& b) {
    return std::tie(a.arrival, a.hart, a.write) < std::tie(b.arrival, b.hart, b.write);
  };
  const auto first = std::ranges::min_element(channel.waiting, before);
  return size_t(first - channel.waiting.begin());
}

void Network::pass_bank(Transaction& t, Cycles arrival) {
  Bank& bank = banks_[bank_of(t.line)];
  const Cycles start = std::max(arrival, bank.free);
  t.charge(bank.owner, bank.owner_pc, start - arrival, DelayCause::Bank);
  bank.free = start + static_cast<Cycles>(platform_.bank_cycles);
  bank.owner = t.hart;
  bank.owner_pc = t.pc;
  t.done = start + static_cast<Cycles>(platform_.bank_latency);
}

// The channel takes the transaction at `at`.
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

Transaction& Network::grant() {
  Channel* channel = channels_.data();
  while (channel->next != next_grant_)
    ++channel;
  const Cycles at = channel->next;
  const size_t index = pick(*channel, at);
  Transaction& t = *channel->waiting[index].transaction;
  channel->waiting[index] = channel->waiting.back();
  channel->waiting.pop_back();
  serve(t, *channel, at);
  const DelayCause cause = banks_.empty() ? DelayCause::Bank : DelayCause::Interconnect;
  Cycles earliest = kNever;
  for (const Waiting& other : channel->waiting) {
    const Cycles from = std::max(at, other.arrival);
    if (from < channel->busy_until)
      other.transaction->charge(t.hart, t.pc, channel->busy_until - from, cause);
    earliest = std::min(earliest, other.arrival);
  }
  schedule(*channel, earliest);
  return t;
}

}  // namespace lento::memory
