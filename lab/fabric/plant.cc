// Moves the stamps of recorded traces as a slow component would, by delaying transfers or by simulating a
// slow server.
#include "lab/fabric/plant.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lento::chip {
namespace {

struct Key {
  uint32_t stream;
  uint32_t record;
  auto operator<=>(const Key&) const = default;
};

Played
played_by(const Fabric& fabric, const TransferTrace& trace, Issue issue, std::vector<Slowdown> slow = {}) {
  PlayOptions options;
  options.issue = issue;
  options.slow = std::move(slow);
  return play(fabric, trace, options);
}

const PlayedTransfer& transfer_of(const Played& played, const PlayedWait& wait, uint32_t k) {
  const uint32_t id = played.transfers_of_waits[wait.first_transfer + k];
  return played.transfers[id];
}

// Returns what makes waits comparable: processor, number, bytes and network of their transfers.
std::string pattern(const TransferTrace& trace, const Played& played, const PlayedWait& wait) {
  uint64_t bytes = 0;
  int network = 0;
  for (uint32_t k = 0; k < wait.transfers; ++k) {
    const PlayedTransfer& t = transfer_of(played, wait, k);
    const TransferRecord& record = trace.streams[t.stream].records[t.record];
    bytes += record.bytes;
    network = record.network;
  }
  std::string text = std::to_string(network);
  text += "/" + std::to_string(wait.transfers);
  text += "/" + std::to_string(bytes);
  return text;
}

double last_issue(const Played& played, const PlayedWait& wait) {
  double last = 0;
  for (uint32_t k = 0; k < wait.transfers; ++k)
    last = std::max(last, transfer_of(played, wait, k).issue);
  return last;
}

// Returns for each wait the 95th percentile of the distance of equal waits from their median.
std::vector<double> usual_difference(const TransferTrace& trace, const Played& played, double origin) {
  std::map<std::string, std::vector<double>> tails;
  std::vector<std::string> names;
  for (const PlayedWait& wait : played.waits) {
    const TransferRecord& record = trace.streams[wait.stream].records[wait.record];
    names.push_back(pattern(trace, played, wait));
    double tail = 0;
    if (record.end != kNoTime)
      tail = double(record.end) - origin - last_issue(played, wait);
    tails[names.back()].push_back(tail);
  }
  std::map<std::string, double> limit;
  for (auto& [name, values] : tails) {
    std::ranges::sort(values);
    const double middle = values[values.size() / 2];
    for (double& v : values)
      v = std::abs(v - middle);
    std::ranges::sort(values);
    const auto rank = size_t(0.95 * double(values.size()));
    limit[name] = values[std::min(values.size() - 1, rank)];
  }
  std::vector<double> out;
  for (const std::string& name : names)
    out.push_back(limit[name]);
  return out;
}

uint64_t origin_of(const TransferTrace& trace) {
  uint64_t zone = kNoTime;
  uint64_t any = kNoTime;
  for (const auto& stream : trace.streams) {
    for (const TransferRecord& r : stream.records) {
      any = std::min(any, r.begin);
      if (r.kind == chip::TransferKind::Zone)
        zone = std::min(zone, r.begin);
    }
  }
  if (zone == kNoTime)
    return any;
  return zone;
}

// Returns the trace with all stamps later by the delay that the simulated slow component causes.
TransferTrace moved_by_server(const Fabric& fabric, const TransferTrace& trace, const Slowdown& slow) {
  const Played healthy = played_by(fabric, trace, Issue::Gaps);
  const Played slowed = played_by(fabric, trace, Issue::Gaps, {slow});
  const auto stamps = [](const Played& played) {
    std::map<Key, std::pair<double, double>> out;
    for (const PlayedTransfer& t : played.transfers)
      out[{t.stream, t.record}] = {t.issue, t.issue};
    for (const PlayedWait& w : played.waits)
      out[{w.stream, w.record}] = {w.begin, w.end};
    return out;
  };
  const auto before = stamps(healthy);
  const auto after = stamps(slowed);
  TransferTrace out = trace;
  for (uint32_t s = 0; s < out.streams.size(); ++s) {
    double shift = 0;
    for (uint32_t r = 0; r < out.streams[s].records.size(); ++r) {
      TransferRecord& record = out.streams[s].records[r];
      const auto was = before.find({s, r});
      if (was != before.end())
        shift = std::max(0.0, after.at({s, r}).first - was->second.first);
      record.begin += uint64_t(shift + 0.5);
      if (was != before.end())
        shift = std::max(0.0, after.at({s, r}).second - was->second.second);
      if (record.end != kNoTime)
        record.end = std::max(record.begin, record.end + uint64_t(shift + 0.5));
    }
  }
  return out;
}

// Counts the waits that end later in the second of two recordings of one program, measured from their last
// issue.
Planted compared(const TransferTrace& before, TransferTrace after, const Played& played, double origin) {
  Planted out;
  const std::vector<double> usual = usual_difference(before, played, origin);
  for (size_t i = 0; i < played.waits.size(); ++i) {
    const PlayedWait& wait = played.waits[i];
    const TransferRecord& was = before.streams[wait.stream].records[wait.record];
    const TransferRecord& is = after.streams[wait.stream].records[wait.record];
    if (was.end == kNoTime || wait.transfers == 0)
      continue;
    uint64_t last_before = 0;
    uint64_t last_after = 0;
    for (uint32_t k = 0; k < wait.transfers; ++k) {
      const PlayedTransfer& t = transfer_of(played, wait, k);
      last_before = std::max(last_before, before.streams[t.stream].records[t.record].begin);
      last_after = std::max(last_after, after.streams[t.stream].records[t.record].begin);
    }
    const double later = (double(is.end) - double(last_after)) - (double(was.end) - double(last_before));
    out.moved += later > 0;
    out.beyond += later > usual[i];
  }
  out.trace = std::move(after);
  return out;
}

// Returns the server of this name. The name of a component stands for its memory.
int server_of(const Fabric& fabric, const std::string& name) {
  for (int id = 0; id < fabric.server_count(); ++id)
    if (fabric.server_name(id) == name)
      return id;
  return -1;
}

}  // namespace

SlowTransfers slow_transfers(const std::vector<uint32_t>& transfers, double factor) {
  return {transfers, std::vector<double>(transfers.size(), factor)};
}

Planted
plant(const Fabric& fabric, const TransferTrace& trace, const Played& played, const SlowTransfers& slow) {
  Planted out;
  out.trace = trace;
  const double origin = double(origin_of(trace));
  const std::vector<double> usual = usual_difference(trace, played, origin);
  std::map<Key, size_t> wait_at;
  for (size_t i = 0; i < played.waits.size(); ++i)
    wait_at[{played.waits[i].stream, played.waits[i].record}] = i;
  std::vector<double> factor(played.transfers.size(), 0);
  for (size_t i = 0; i < slow.transfers.size(); ++i)
    factor[slow.transfers[i]] = slow.factors[i];
  const double completion = fabric.sheet().completion_cycles;
  for (uint32_t s = 0; s < out.trace.streams.size(); ++s) {
    uint64_t shift = 0;
    auto& records = out.trace.streams[s].records;
    for (uint32_t r = 0; r < records.size(); ++r) {
      TransferRecord& record = records[r];
      record.begin += shift;
      if (record.end == kNoTime)
        continue;
      record.end += shift;
      const auto found = wait_at.find({s, r});
      if (found == wait_at.end())
        continue;
      const PlayedWait& wait = played.waits[found->second];
      double end = double(record.end);
      for (uint32_t k = 0; k < wait.transfers; ++k) {
        const uint32_t id = played.transfers_of_waits[wait.first_transfer + k];
        if (factor[id] == 0)
          continue;
        const PlayedTransfer& t = played.transfers[id];
        const double issued = origin + t.issue + double(shift);
        const double slowed = factor[id] * (t.arrival - t.issue);
        end = std::max(end, issued + slowed + completion);
      }
      const auto later = uint64_t(std::llround(end)) - record.end;
      out.moved += later > 0;
      out.beyond += double(later) > usual[found->second];
      record.end += later;
      shift += later;
    }
  }
  return out;
}

Planted plant_server(
    const Fabric& fabric,
    const TransferTrace& trace,
    const Played& played,
    const std::string& name,
    double factor) {
  const Slowdown slow{server_of(fabric, name), factor};
  return compared(trace, moved_by_server(fabric, trace, slow), played, double(origin_of(trace)));
}

}  // namespace lento::chip
