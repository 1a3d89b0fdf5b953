// Collects the waits that can be compared: those in groups of at least kEqualWaits, of equal waits or with an
// earlier run of all waits. Each has the recorded tail (the time from the last issue to the end of the wait)
// and the simulated or earlier one. The order does not depend on the simulation.
#include "chip/fabric/waits.h"

#include <algorithm>
#include <optional>
#include <string>

#include "chip/fabric/tuning.h"

namespace lento::chip {
namespace {

class Collector {
 public:
  Collector(
      const Fabric& fabric,
      const TransferTrace& trace,
      const Played& played,
      const EarlierTails* earlier,
      uint32_t first)
      : fabric_(fabric),
        trace_(trace),
        played_(played),
        earlier_(earlier),
        first_(first) {
  }

  // Compares predicted and recorded waits. Waits of equal transfers are compared with one another.
  ComparedWaits run() {
    std::map<std::string, std::vector<ComparedWait>> by_pattern;
    std::map<uint32_t, uint32_t> number;  // waits so far, by stream
    for (uint32_t i = 0; i < played_.waits.size(); ++i) {
      const uint32_t nth = number[played_.waits[i].stream]++;
      if (const auto wait = compared(i, nth))
        by_pattern[pattern_of(played_.waits[i])].push_back(*wait);
    }
    ComparedWaits out;
    for (auto& [name, waits] : by_pattern) {
      if (waits.size() < kEqualWaits) {
        out.left_out += uint32_t(waits.size());
        continue;
      }
      std::ranges::sort(waits, {}, [](const ComparedWait& w) {
        return std::pair(w.stream, w.number);
      });
      for (ComparedWait& wait : waits) {
        wait.pattern = out.patterns;
        out.waits.push_back(wait);
        out.streams.push_back(wait.stream);
      }
      ++out.patterns;
    }
    return out;
  }

 private:
  const TransferRecord& record_of(uint32_t id) const {
    const PlayedTransfer& transfer = played_.transfers[id];
    return trace_.streams[transfer.stream].records[transfer.record];
  }

  uint32_t transfer(const PlayedWait& wait, uint32_t k) const {
    return played_.transfers_of_waits[wait.first_transfer + k];
  }

  // Returns the comparison of one wait, or nothing when it cannot be compared.
  std::optional<ComparedWait> compared(uint32_t index, uint32_t nth) const {
    const PlayedWait& wait = played_.waits[index];
    const TransferRecord& record = trace_.streams[wait.stream].records[wait.record];
    if (nth >= first_ || wait.transfers == 0 || record.end == kNoTime)
      return std::nullopt;
    ComparedWait out;
    out.wait = index;
    out.stream = wait.stream;
    out.number = nth;
    uint64_t asked = 0;  // cycle of the last recorded issue
    for (uint32_t k = 0; k < wait.transfers; ++k) {
      const uint32_t id = transfer(wait, k);
      out.last_issue = std::max(out.last_issue, played_.transfers[id].issue);
      asked = std::max(asked, record_of(id).begin);
    }
    out.tail = double(record.end) - double(asked);
    out.played = wait.end - out.last_issue;
    out.modelled = out.played;
    if (earlier_) {
      const auto found = earlier_->find({wait.stream, nth});
      out.modelled = found == earlier_->end() ? 0 : found->second;
    }
    if (out.tail <= 0 || out.modelled <= 0 || out.played <= 0)
      return std::nullopt;
    return out;
  }

  // Returns the key that comparable waits share: network, number and bytes of the transfers, and kind of the
  // first peer. With an earlier run all waits share one key.
  std::string pattern_of(const PlayedWait& wait) const {
    if (earlier_)
      return {};
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < wait.transfers; ++k)
      bytes += record_of(transfer(wait, k)).bytes;
    const int network = record_of(transfer(wait, wait.transfers - 1)).network;
    const int peer = fabric_.component(record_of(transfer(wait, 0)).peer);
    return std::to_string(network) + "/" + std::to_string(wait.transfers) + "/" + std::to_string(bytes) +
           "/" + spec::name(fabric_.kind(peer));
  }

  const Fabric& fabric_;
  const TransferTrace& trace_;
  const Played& played_;
  const EarlierTails* earlier_;
  uint32_t first_;
};

}  // namespace

ComparedWaits compared_waits(
    const Fabric& fabric,
    const TransferTrace& trace,
    const Played& played,
    const EarlierTails* earlier,
    uint32_t first) {
  return Collector(fabric, trace, played, earlier, first).run();
}

// Returns for each wait of an earlier recording its tail, the cycles from the begin of the last transfer of
// its stream before it to its end, by stream and by the number of the wait in the stream.
EarlierTails tails_of(const TransferTrace& trace) {
  EarlierTails out;
  for (uint32_t s = 0; s < trace.streams.size(); ++s) {
    uint32_t number = 0;
    uint64_t last = 0;
    for (const TransferRecord& record : trace.streams[s].records) {
      if (is_transfer(record.kind))
        last = record.begin;
      if (!is_group(record.kind) && !ends_alone(record))
        continue;
      if (record.end != kNoTime && last > 0 && record.end > last)
        out[{s, number}] = double(record.end - last);
      ++number;
    }
  }
  return out;
}

}  // namespace lento::chip
