// Tests each core in each zone by two statistics, and confirms by rank the records of a core that stands out.
#include "chip/zones/zones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <span>
#include <utility>

#include "base/units.h"
#include "chip/zones/compared_zone.h"
#include "chip/zones/mean_chance.h"
#include "evidence/compare.h"
#include "evidence/distribution.h"
#include "evidence/sample.h"
#include "evidence/stretch.h"

namespace lento::chip {
namespace {

// Returns whether the log states the clock of each chip, so that cycles can be converted into time.
bool states_clocks(const TransferTrace& trace) {
  return std::ranges::all_of(trace.streams, [&](const TransferStream& stream) {
    return trace.clock_hz.contains(stream.core.chip);
  });
}

std::set<Place> cores_of(const std::map<ZoneSort, ZoneDurations>& zones) {
  std::set<Place> out;
  for (const auto& [sort, durations] : zones)
    for (const auto& [core, values] : durations.log_duration)
      out.insert(core);
  return out;
}

// Returns the tiles without records that are the only such one of their row and of their column, where rows
// and columns are those of the cores with records. The other end of a transfer, such as a memory, is none.
std::vector<Place> holes_among(const std::set<Place>& cores, const TransferTrace& trace) {
  std::map<std::pair<int32_t, int32_t>, std::set<int32_t>> rows;  // by chip and y
  std::map<std::pair<int32_t, int32_t>, std::set<int32_t>> columns;
  std::map<int32_t, std::pair<std::set<int32_t>, std::set<int32_t>>> sides;  // by chip: all x, all y
  for (const Place& core : cores) {
    rows[{core.chip, core.y}].insert(core.x);
    columns[{core.chip, core.x}].insert(core.y);
    sides[core.chip].first.insert(core.x);
    sides[core.chip].second.insert(core.y);
  }
  std::vector<Place> out;
  for (const auto& [chip, side] : sides)
    for (const int32_t x : side.first)
      for (const int32_t y : side.second)
        if (!cores.contains({chip, x, y}) && rows[{chip, y}].size() + 1 == side.first.size() &&
            columns[{chip, x}].size() + 1 == side.second.size() && side.first.size() > 2 &&
            side.second.size() > 2)
          out.push_back({chip, x, y});
  for (const TransferStream& stream : trace.streams)
    for (const TransferRecord& r : stream.records)
      std::erase(out, r.peer);
  return out;
}

// Returns the stretch of successive records with the largest sum of excess over `least`.
evidence::Stretch slowest_stretch(std::span<const double> excess, double least) {
  std::vector<double> over;
  for (const double value : excess)
    over.push_back(value - least);
  return evidence::largest_stretch(over);
}

class ZoneJudge {
 public:
  ZoneJudge(const TransferTrace& trace, const ZoneOptions& options)
      : options_(options) {
    const bool seconds =
        states_clocks(trace) && (options.earlier == nullptr || states_clocks(*options.earlier));
    const std::map<ZoneSort, ZoneDurations> now = zone_durations(trace, seconds, options.zones);
    std::map<ZoneSort, ZoneDurations> earlier;
    if (options.earlier != nullptr)
      earlier = zone_durations(*options.earlier, seconds, options.zones);
    const std::set<Place> cores = cores_of(now);
    if (options.earlier == nullptr)
      out_.silent = holes_among(cores, trace);
    else
      std::ranges::set_difference(cores_of(earlier), cores, std::back_inserter(out_.silent));
    size_t matched = 0;
    for (const auto& [sort, durations] : now) {
      const size_t before = compared_.size();
      if (options.earlier == nullptr)
        compare_peers(sort, durations, compared_);
      else
        compare_with_earlier(sort, durations, earlier[sort], compared_);
      matched += compared_.size() > before;
    }
    if (options.earlier != nullptr)
      out_.unmatched = earlier.size() - matched;  // `earlier` holds the zones of both runs by now
  }

  // Compares cores in all zones and names those that are slower than chance allows.
  ZoneJudgement run() {
    std::set<Place> cores;
    std::map<int32_t, std::vector<double>> common;
    for (const ComparedZone& c : compared_) {
      common[c.residuals.begin()->first.chip].push_back(c.typical.middle);
      for (const auto* group : {&c.residuals, &c.unpaired}) {
        for (const auto& [core, values] : *group) {
          cores.insert(core);
          out_.records += values.size();
        }
      }
    }
    out_.cores = cores.size();
    out_.zones = compared_.size();
    if (compared_.empty())
      return options_.earlier == nullptr
                 ? cannot(
                       "no zone was run equally often by " + std::to_string(kLeastPeers + 1) +
                           " cores or more",
                       "record more cores that do the same work, or give an earlier run of the same program "
                       "to `lento chip compare`")
                 : cannot("no core ran a zone equally often in both runs", "two runs of the same program");
    if (options_.earlier != nullptr)
      for (auto& [chip, middles] : common)
        out_.common[chip] = std::exp(evidence::median(middles));
    // The largest of many zones and cores is extreme by chance (Bonferroni correction for both statistics).
    tests_ = 2 * double(cores.size()) * double(compared_.size());
    std::erase_if(compared_, [this](const ComparedZone& c) {
      const bool unlike = !has_majority(c);
      if (unlike)
        out_.unlike.push_back(c.sort.zone);
      return unlike;
    });
    if (compared_.empty())
      return cannot(
          "the cores form groups, and no zone took most of them equally long",
          options_.earlier == nullptr ? "an earlier run of the same program, to `lento chip compare`, or the "
                                        "records of one group alone"
                                      : "the records of one group alone, of both runs");
    for (const Place& core : cores)
      judge_core(core);
    name_whole_chips(cores);
    std::ranges::stable_sort(out_.suspects, {}, &ZoneSuspect::chance);
    return conclude();
  }

 private:
  ZoneJudgement cannot(std::string reason, std::string remedy) {
    out_.reason = std::move(reason);
    out_.remedy = std::move(remedy);
    return std::move(out_);
  }

  // Computes what would have been named. There is no all-clear where no zone is evidence.
  ZoneJudgement conclude() {
    out_.detectable = detectable();
    const bool evident = std::ranges::any_of(compared_, [this](const ComparedZone& c) {
      return tells(c, c.typical);
    });
    for (const ComparedZone& c : compared_)
      if (!tells(c, c.typical))
        out_.unlike.push_back(c.sort.zone);
    if (!evident && out_.suspects.empty() && out_.unclear.empty())
      return cannot(
          "cores that ran the same zones differ so much that only one slower than x" +
              base::format_number(out_.detectable, 3) + " would stand out",
          "give an earlier run of the same program to `lento chip compare`");
    out_.judged = true;
    return std::move(out_);
  }

  // Returns the degrees of freedom of the spread. The robust estimate has the information of 82 % of the
  // cores.
  static double freedom(const ComparedZone& c) {
    constexpr double kEfficiency = 0.82;
    size_t values = c.few() ? 0 : c.residuals.size() - 1;
    if (c.few())
      for (const auto& [core, records] : c.residuals)
        values += records.size() - 1;
    return std::max(1.0, kEfficiency * double(values));
  }

  // Returns the excess that a healthy core does not reach.
  double limit(const ComparedZone& c, const ZoneExcess& excess) const {
    return evidence::student_quantile(1 - options_.false_alarms / tests_, freedom(c)) * excess.spread;
  }

  // Returns whether most cores lie near the median, which presupposes that most are healthy and did the same
  // work.
  bool has_majority(const ComparedZone& c) const {
    if (c.few())
      return true;
    const double near = limit(c, c.typical);
    const auto count = std::ranges::count_if(c.residuals, [&](const auto& core) {
      return std::abs(c.typical.of_core.at(core.first)) <= near;
    });
    return 2 * size_t(count) > c.residuals.size();
  }

  // Returns whether twice the tolerance would be seen. Otherwise a core that does not stand out may be slow.
  bool tells(const ComparedZone& c, const ZoneExcess& excess) const {
    return limit(c, excess) <= 2 * std::log1p(options_.tolerance);
  }

  // Returns the smallest slowdown that would be found with 95 % probability: beside peers in all zones that
  // are evidence, beside an earlier run in the best one.
  double detectable() const {
    const double power = evidence::normal_quantile(0.95);
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const ComparedZone& c : compared_) {
      const double seen =
          power * c.typical.spread + std::max(limit(c, c.typical), std::log1p(options_.tolerance));
      least = std::min(least, seen);
      if (tells(c, c.typical))
        most = std::max(most, seen);
    }
    const bool all = options_.earlier == nullptr && most > 0;
    return std::exp(std::min(20.0, all ? most : least));
  }

  // Returns whether the typical record of a core is longer than chance and the tolerance allow.
  bool typical_stands_out(const ComparedZone& c, const Place& core) const {
    const auto at = c.typical.of_core.find(core);
    return at != c.typical.of_core.end() &&
           at->second >= std::max(std::log1p(options_.tolerance), limit(c, c.typical));
  }

  // Returns whether a core stands out by its typical record or by all of them together. A sum may also be
  // large because records of healthy cores are now and then much longer, so that it has to be beyond the
  // chance of such records too.
  bool stands_out(const ComparedZone& c, const Place& core) const {
    if (typical_stands_out(c, core))
      return true;
    const auto at = c.total.of_core.find(core);
    return at != c.total.of_core.end() &&
           at->second >= std::max(std::log1p(options_.tolerance), limit(c, c.total)) &&
           mean_chance(c.records_of(core), peers_of(c, core)) <= options_.false_alarms / tests_;
  }

  // Returns the records of the peers. Where these are too few, the core's own of the earlier run take their
  // place, less their median.
  static std::vector<double> peers_of(const ComparedZone& c, const Place& core) {
    std::vector<double> peers;
    if (c.few()) {
      peers = c.earlier.at(core);
      const double middle = evidence::median(peers);
      for (double& v : peers)
        v -= middle;
      return peers;
    }
    for (const auto& [other, values] : c.residuals)
      if (other != core)
        peers.insert(peers.end(), values.begin(), values.end());
    return peers;
  }

  // Returns the probability that a core no slower than its peers has records that rank as high among theirs.
  static double rank_chance(const ComparedZone& c, const Place& core, const ZoneSuspect& slow) {
    const auto& records = c.records_of(core);
    const auto first = records.begin() + int64_t(slow.first);
    return evidence::rank_sum({first, records.begin() + int64_t(slow.last)}, peers_of(c, core)).greater;
  }

  // Takes all records as slow when the median of the core stands out. Otherwise takes the stretch of records
  // that is slower than the tolerance, whose rank has to be beyond chance for one of all stretches.
  void take_records(const ComparedZone& c, const Place& core, ZoneSuspect& suspect) const {
    const auto& records = c.records_of(core);
    constexpr size_t kEnough = 4;  // fewest records for a rank test
    suspect.records = suspect.last = records.size();
    if (typical_stands_out(c, core)) {
      suspect.rank = rank_chance(c, core, suspect);
      suspect.ranked = (!c.few() && records.size() < kEnough) || suspect.rank <= options_.false_alarms;
      return;
    }
    const double least = std::log1p(options_.tolerance);
    const evidence::Stretch stretch = slowest_stretch(records, c.typical.middle + least);
    suspect.first = stretch.first;
    suspect.last = stretch.last;
    const double stretches = double(records.size()) * double(records.size() + 1) / 2;
    suspect.rank = std::min(1.0, stretches * rank_chance(c, core, suspect));
    suspect.ranked = suspect.rank <= options_.false_alarms;
  }

  // Computes the factor with its interval, and the chance of the deviation. A timer with coarse steps shows
  // in the mean what it hides in the median.
  void measure(const ComparedZone& c, const Place& core, ZoneSuspect& suspect) const {
    const bool part = suspect.last - suspect.first < suspect.records;
    const bool mean = c.grain > 1 || (part && !suspect.ranked);
    const ZoneExcess& excess = mean ? c.total : c.typical;
    double x = excess.of_core.at(core);
    // The median of the peers has an error of its own.
    const double of_middle = c.few() ? 1 : std::sqrt(1 + std::numbers::pi / 2 / double(c.residuals.size()));
    double spread = excess.spread;
    if (part && suspect.ranked) {
      const std::span<const double> all = c.records_of(core);
      const auto slow = all.subspan(suspect.first, suspect.last - suspect.first);
      x = evidence::median(slow) - c.typical.middle;
      // Fewer records have a larger error.
      spread *= std::sqrt(double(all.size()) / double(slow.size()));
    }
    const double wide = evidence::student_quantile(0.95, freedom(c)) * spread * of_middle;
    suspect.factor = std::exp(x);
    suspect.low = std::exp(x - wide);
    suspect.high = std::exp(x + wide);
    // Bisection for the probability at which Student's quantile equals the core's deviation.
    double low = 0;
    double high = 0.5;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (evidence::student_quantile(1 - middle, freedom(c)) > deviation(c, core) ? low : high) = middle;
    }
    suspect.chance = std::min(1.0, high * tests_);
  }

  // Returns the larger deviation of both statistics, in standard deviations.
  static double deviation(const ComparedZone& c, const Place& core) {
    return std::max(c.typical.of_core.at(core) / c.typical.spread, c.total.of_core.at(core) / c.total.spread);
  }

  // Orders the zones in which a core stands out. A deviation of its typical record says more than one of
  // the sum, which a single delay can cause.
  std::pair<bool, double> weight(const ComparedZone& c, const Place& core) const {
    return {typical_stands_out(c, core), deviation(c, core)};
  }

  // Tests one core in all zones.
  void judge_core(const Place& core) {
    const ComparedZone* best = nullptr;
    ZoneSuspect suspect;
    suspect.core = core;
    for (const ComparedZone& c : compared_) {
      if (!c.typical.of_core.contains(core))
        continue;
      const bool out = stands_out(c, core);
      suspect.judged_zones += out || tells(c, c.typical);
      suspect.zones += out;
      if (out && (best == nullptr || weight(*best, core) < weight(c, core)))
        best = &c;
    }
    if (best == nullptr)
      return;
    suspect.zone = best->sort.zone;
    take_records(*best, core, suspect);
    measure(*best, core, suspect);
    // A slow core is slow in everything that it runs, and each core had the same work in an earlier run.
    const bool slow = (suspect.zones == suspect.judged_zones && best->residuals.contains(core)) ||
                      options_.earlier != nullptr;
    (slow && suspect.ranked ? out_.suspects : out_.unclear).push_back(std::move(suspect));
  }

  // Few cores of a chip have no middle of their own. Where all of them are slow, the chip is.
  void name_whole_chips(const std::set<Place>& cores) {
    for (auto& [chip, factor] : out_.common) {
      const auto there = [chip = chip](const Place& core) {
        return core.chip == chip;
      };
      std::vector<double> slow;
      for (const ZoneSuspect& s : out_.suspects)
        if (there(s.core))
          slow.push_back(s.factor);
      const auto all = size_t(std::ranges::count_if(cores, there));
      if (slow.size() < 2 || slow.size() < all || all > kLeastPeers)
        continue;
      factor = evidence::median(slow);
      std::erase_if(out_.suspects, [&](const ZoneSuspect& s) {
        return there(s.core);
      });
    }
  }

  const ZoneOptions& options_;
  std::vector<ComparedZone> compared_;
  double tests_ = 1;
  ZoneJudgement out_;
};

}  // namespace

ZoneJudgement judge_zones(const TransferTrace& trace, const ZoneOptions& options) {
  return ZoneJudge(trace, options).run();
}

}  // namespace lento::chip
