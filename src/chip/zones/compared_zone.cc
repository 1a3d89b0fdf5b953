// Subtracts from each record the level of its occurrence, and summarises the residuals by core. The cost is
// that of sorting the records.
#include "chip/zones/compared_zone.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "evidence/sample.h"

namespace lento::chip {
namespace {

// Returns the logarithm of the mean duration.
double log_mean(std::span<const double> log_durations) {
  const double most = *std::ranges::max_element(log_durations);
  double sum = 0;
  for (const double v : log_durations)
    sum += std::exp(v - most);
  return most + std::log(sum / double(log_durations.size()));
}

// Subtracts the median over the paired cores and estimates the spread. A clock of whole cycles and few
// repetitions can make most cores equal, so that the spread is at least `of_record`, the standard error that
// the noise of single records gives a core.
void finish(ZoneExcess& excess, const ComparedZone& zone, double of_record) {
  std::vector<double> all;
  for (const auto& [core, values] : zone.residuals)
    all.push_back(excess.of_core.at(core));
  excess.middle = zone.few() ? 0 : evidence::median(all);
  for (auto& [core, x] : excess.of_core)
    if (zone.residuals.contains(core))
      x -= excess.middle;
  constexpr double kLeast = 1e-3;
  excess.spread = std::max({zone.few() ? 0 : evidence::qn_spread(all), of_record, kLeast});
}

// Computes both statistics from the residuals. `total` holds the log ratio of mean durations already.
void finish(ComparedZone& zone) {
  std::vector<double> within;
  double records = 0;
  for (const auto& [core, values] : zone.residuals) {
    const double own = zone.typical.of_core[core] = evidence::median(values);
    records += double(values.size()) / double(zone.residuals.size());
    for (const double v : values)
      within.push_back(v - own);
  }
  for (const auto& [core, values] : zone.unpaired)
    zone.typical.of_core[core] = evidence::median(values);
  const double of_record = evidence::qn_spread(within) / std::sqrt(std::max(1.0, records));
  finish(zone.typical, zone, of_record);
  finish(zone.total, zone, of_record);
}

// Subtracts from each occurrence its median over the cores, which ran the zone equally often. Returns these
// medians.
std::vector<double> subtract_medians(ComparedZone& zone) {
  std::vector<double> levels;
  std::vector<double> at;
  const size_t occurrences = zone.residuals.begin()->second.size();
  for (size_t i = 0; i < occurrences; ++i) {
    at.clear();
    for (const auto& [core, values] : zone.residuals)
      at.push_back(values[i]);
    levels.push_back(evidence::median(at));
    for (auto& [core, values] : zone.residuals)
      values[i] -= levels.back();
  }
  return levels;
}

}  // namespace

std::map<ZoneSort, ZoneDurations> zone_durations(const TransferTrace& trace, bool seconds, bool zones) {
  std::map<ZoneSort, ZoneDurations> out;
  const auto add = [&](const TransferStream& stream, uint32_t name, uint64_t begin, uint64_t end) {
    if (end == kNoTime || end <= begin)
      return;
    const double clock = seconds ? trace.clock_hz.at(stream.core.chip) : 1;
    ZoneDurations& of = out[{trace.names[stream.processor], trace.names[name]}];
    of.log_duration[stream.core].push_back(std::log(double(end - begin) / clock));
    of.grain = std::gcd(of.grain, end - begin);
  };
  for (const TransferStream& stream : trace.streams) {
    // Begins of open zones by name, as a stack, because zones with the same name may nest.
    std::map<uint32_t, std::vector<uint64_t>> open;
    for (const TransferRecord& r : stream.records) {
      if (r.kind == TransferKind::Compute) {
        add(stream, r.name, r.begin, r.end);
      } else if (zones && r.kind == TransferKind::Zone) {
        open[r.name].push_back(r.begin);
      } else if (zones && r.kind == TransferKind::ZoneEnd && !open[r.name].empty()) {
        add(stream, r.name, open[r.name].back(), r.begin);
        open[r.name].pop_back();
      }
    }
  }
  return out;
}

void compare_peers(const ZoneSort& sort, const ZoneDurations& durations, std::vector<ComparedZone>& out) {
  std::map<size_t, std::vector<Place>> by_count;
  for (const auto& [core, values] : durations.log_duration)
    by_count[values.size()].push_back(core);
  const auto largest = std::ranges::max_element(by_count, {}, [](const auto& c) {
    return c.second.size();
  });
  for (const auto& [count, cores] : by_count) {
    if (cores.size() <= kLeastPeers)
      continue;
    ComparedZone zone{sort, durations.grain};
    std::vector<double> all;
    for (const Place& core : cores) {
      zone.residuals[core] = durations.log_duration.at(core);
      all.insert(all.end(), zone.residuals[core].begin(), zone.residuals[core].end());
    }
    const double mean_level = log_mean(subtract_medians(zone));
    for (const Place& core : cores)
      zone.total.of_core[core] = log_mean(durations.log_duration.at(core)) - mean_level;
    const double level = evidence::median(all);
    for (const auto& [core, values] : durations.log_duration) {
      if (count != largest->first || by_count.at(values.size()).size() > kLeastPeers)
        continue;
      for (const double v : values)
        zone.unpaired[core].push_back(v - level);
      zone.total.of_core[core] = log_mean(values) - log_mean(all);
    }
    finish(zone);
    out.push_back(std::move(zone));
  }
}

void compare_with_earlier(
    const ZoneSort& sort,
    const ZoneDurations& later,
    const ZoneDurations& earlier,
    std::vector<ComparedZone>& out) {
  std::map<int32_t, ComparedZone> by_chip;
  for (const auto& [core, values] : later.log_duration) {
    const auto before = earlier.log_duration.find(core);
    if (before == earlier.log_duration.end() || before->second.size() != values.size())
      continue;
    ComparedZone& zone =
        by_chip.try_emplace(core.chip, ComparedZone{sort, std::gcd(later.grain, earlier.grain)})
            .first->second;
    zone.earlier[core] = before->second;
    for (size_t i = 0; i < values.size(); ++i)
      zone.residuals[core].push_back(values[i] - before->second[i]);
    zone.total.of_core[core] = log_mean(values) - log_mean(before->second);
  }
  for (auto& [chip, zone] : by_chip) {
    finish(zone);
    out.push_back(std::move(zone));
  }
}

}  // namespace lento::chip
