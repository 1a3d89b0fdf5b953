// Compares durations of the same zone and occurrence between cores. The median over the occurrences of a zone
// is the slowness of a core in it. The spread over cores is estimated robustly, so that a few slow cores do
// not widen it.
#include "chip/zones/zones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <tuple>
#include <utility>

#include "base/units.h"
#include "evidence/compare.h"
#include "evidence/distribution.h"
#include "evidence/sample.h"

namespace lento::chip {
namespace {

constexpr size_t kLeastPeers = 4;      // fewest cores to compare a core with
constexpr double kMostDetectable = 3;  // no all-clear when only larger factors would be detected

struct Sort {
  std::string processor;
  std::string zone;
  auto operator<=>(const Sort&) const = default;
};

// Log durations of one zone of one processor, by core, in order of occurrence.
using Durations = std::map<Place, std::vector<double>>;

// Returns whether the log states the clock of each chip, so that cycles can be converted into time.
bool states_clocks(const TransferTrace& trace) {
  return std::ranges::all_of(trace.streams, [&](const TransferStream& stream) {
    return trace.clock_hz.contains(stream.core.chip);
  });
}

// Returns the log durations of each zone by core, in cycles or in seconds.
std::map<Sort, Durations> durations_of(const TransferTrace& trace, bool seconds) {
  std::map<Sort, Durations> out;
  const auto add = [&](const TransferStream& stream, uint32_t name, uint64_t begin, uint64_t end) {
    const double clock = seconds ? trace.clock_hz.at(stream.core.chip) : 1;
    if (end != kNoTime && end > begin)
      out[{trace.names[stream.processor], trace.names[name]}][stream.core].push_back(
          std::log(double(end - begin) / clock));
  };
  for (const TransferStream& stream : trace.streams) {
    // Begins of open zones by name, as a stack, because zones with the same name may nest.
    std::map<uint32_t, std::vector<uint64_t>> open;
    for (const TransferRecord& r : stream.records) {
      if (r.kind == TransferKind::Compute) {
        add(stream, r.name, r.begin, r.end);
      } else if (r.kind == TransferKind::Zone) {
        open[r.name].push_back(r.begin);
      } else if (r.kind == TransferKind::ZoneEnd && !open[r.name].empty()) {
        add(stream, r.name, open[r.name].back(), r.begin);
        open[r.name].pop_back();
      }
    }
  }
  return out;
}

// Differences in log duration of one zone between each core and its comparison: the median of the cores, or
// the same core in an earlier run.
struct ComparedZone {
  Sort sort;
  std::map<Place, std::vector<double>> residuals;
  // Log durations, less the median of the peers', of cores that ran the zone another number of times. They
  // have no share in `middle` and `spread`, and one that is slower may have had other work.
  std::map<Place, std::vector<double>> unpaired;
  // Log durations of the same cores in an earlier run.
  std::map<Place, std::vector<double>> earlier;
  std::map<Place, double> slowness;  // median of the residuals, minus `middle`
  double middle = 0;                 // median over cores; 0 when too few ran the zone (few())
  double spread = 0;                 // robust standard deviation of the slowness between cores

  // Returns whether the cores are too few to be compared with one another. Each is then compared with its own
  // earlier run, and `spread` holds only the error that single records give a core's median.
  bool few() const {
    return residuals.size() <= kLeastPeers;
  }

  // Computes from the residuals `slowness`, relative to the median over cores, `middle` and `spread`, all in
  // natural logarithms.
  void finish() {
    std::vector<double> all;
    for (const auto& [core, values] : residuals)
      all.push_back(slowness[core] = evidence::median(values));
    middle = few() ? 0 : evidence::median(all);
    for (const auto& [core, values] : unpaired)
      slowness[core] = evidence::median(values) + middle;
    for (auto& [core, x] : slowness)
      x -= middle;
    for (double& x : all)
      x -= middle;
    // A clock of whole cycles and few repetitions can make most cores equal. The spread is therefore at least
    // the standard error that the noise of single records gives a core's median.
    std::vector<double> within;
    double records = 0;
    for (const auto& [core, values] : residuals) {
      const double own = evidence::median(values);
      records += double(values.size()) / double(residuals.size());
      for (const double v : values)
        within.push_back(v - own);
    }
    constexpr double kLeast = 1e-3;
    const double of_record = evidence::qn_spread(within) / std::sqrt(std::max(1.0, records));
    spread = std::max({few() ? 0 : evidence::qn_spread(all), of_record, kLeast});
  }
};

// Subtracts from each occurrence its median over the cores of `out.residuals`, which ran the zone equally
// often.
void subtract_medians(ComparedZone& out) {
  const size_t occurrences = out.residuals.begin()->second.size();
  std::vector<double> level;
  for (size_t i = 0; i < occurrences; ++i) {
    level.clear();
    for (const auto& [core, values] : out.residuals)
      level.push_back(values[i]);
    const double middle = evidence::median(level);
    for (auto& [core, values] : out.residuals)
      values[i] -= middle;
  }
}

// Compares the cores that ran a zone equally often, each such group of more than kLeastPeers for itself. The
// cores without such a group are compared with the largest one, by the medians of their durations.
void compare_peers(const Sort& sort, const Durations& durations, std::vector<ComparedZone>& out) {
  std::map<size_t, std::vector<Place>> by_count;
  for (const auto& [core, values] : durations)
    by_count[values.size()].push_back(core);
  const auto largest = std::ranges::max_element(by_count, {}, [](const auto& c) {
    return c.second.size();
  });
  for (const auto& [count, cores] : by_count) {
    if (cores.size() <= kLeastPeers)
      continue;
    ComparedZone zone{sort};
    std::vector<double> all;
    for (const Place& core : cores) {
      zone.residuals[core] = durations.at(core);
      all.insert(all.end(), durations.at(core).begin(), durations.at(core).end());
    }
    subtract_medians(zone);
    const double level = evidence::median(all);
    for (const auto& [core, values] : durations) {
      if (count != largest->first || by_count.at(values.size()).size() > kLeastPeers)
        continue;
      for (const double v : values)
        zone.unpaired[core].push_back(v - level);
    }
    zone.finish();
    out.push_back(std::move(zone));
  }
}

// Subtracts from each occurrence the duration on the same core in an earlier run. The cores of each chip are
// compared for themselves, because a chip has a clock of its own.
void compare_with_earlier(
    const Sort& sort,
    const Durations& later,
    const Durations& earlier,
    std::vector<ComparedZone>& out) {
  std::map<int32_t, ComparedZone> by_chip;
  for (const auto& [core, values] : later) {
    const auto before = earlier.find(core);
    if (before == earlier.end() || before->second.size() != values.size())
      continue;
    ComparedZone& zone = by_chip.try_emplace(core.chip, ComparedZone{sort}).first->second;
    zone.earlier[core] = before->second;
    for (size_t i = 0; i < values.size(); ++i)
      zone.residuals[core].push_back(values[i] - before->second[i]);
  }
  for (auto& [chip, zone] : by_chip) {
    zone.finish();
    out.push_back(std::move(zone));
  }
}

class ZoneJudge {
 public:
  ZoneJudge(const TransferTrace& trace, const ZoneOptions& options)
      : options_(options) {
    const bool seconds =
        states_clocks(trace) && (options.earlier == nullptr || states_clocks(*options.earlier));
    std::map<Sort, Durations> earlier;
    if (options.earlier != nullptr)
      earlier = durations_of(*options.earlier, seconds);
    size_t matched = 0;
    for (const auto& [sort, durations] : durations_of(trace, seconds)) {
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
      common[c.residuals.begin()->first.chip].push_back(c.middle);
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
    // The largest of many zones and cores is extreme by chance (Bonferroni correction).
    tests_ = double(cores.size()) * double(compared_.size());
    std::erase_if(compared_, [this](const ComparedZone& c) {
      return !has_majority(c);
    });
    if (compared_.empty())
      return cannot(
          "the cores form groups, and no zone took most of them equally long",
          options_.earlier == nullptr ? "an earlier run of the same program, to `lento chip compare`, or the "
                                        "records of one group alone"
                                      : "the records of one group alone, of both runs");
    out_.detectable = detectable();
    if (out_.detectable > kMostDetectable)
      return cannot(
          "cores that ran the same zones differ so much that only one slower than x" +
              base::format_number(out_.detectable, 3) + " would stand out",
          "give an earlier run of the same program to `lento chip compare`");
    for (const Place& core : cores)
      judge_core(core);
    name_whole_chips(cores);
    std::ranges::stable_sort(out_.suspects, {}, &ZoneSuspect::chance);
    out_.judged = true;
    return std::move(out_);
  }

 private:
  ZoneJudgement cannot(std::string reason, std::string remedy) {
    out_.reason = std::move(reason);
    out_.remedy = std::move(remedy);
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

  double limit(const ComparedZone& c) const {
    return evidence::student_quantile(1 - options_.false_alarms / tests_, freedom(c));
  }

  // Returns whether most cores lie near the median, which presupposes that most are healthy and did the same
  // work.
  bool has_majority(const ComparedZone& c) const {
    if (c.few())
      return true;
    const double near = limit(c) * c.spread;
    const auto count = std::ranges::count_if(c.residuals, [&](const auto& core) {
      return std::abs(c.slowness.at(core.first)) <= near;
    });
    return 2 * size_t(count) > c.residuals.size();
  }

  // Returns the smallest slowdown that would be found with 95 % probability.
  double detectable() const {
    const double power = evidence::normal_quantile(0.95);
    double least = std::numeric_limits<double>::infinity();
    for (const ComparedZone& c : compared_)
      least = std::min(
          least,
          std::max((limit(c) + power) * c.spread, std::log1p(options_.tolerance) + power * c.spread));
    return std::exp(std::min(20.0, least));
  }

  static const std::vector<double>& records_of(const ComparedZone& c, const Place& core) {
    const auto at = c.residuals.find(core);
    return at == c.residuals.end() ? c.unpaired.at(core) : at->second;
  }

  // Returns the probability that a core no slower than its peers has records that rank as high among theirs.
  // Where these are too few, its records of the earlier run take their place.
  static double rank_chance(const ComparedZone& c, const Place& core) {
    std::vector<double> own = records_of(c, core);
    std::vector<double> peers;
    if (c.few()) {
      peers = c.earlier.at(core);
      for (size_t i = 0; i < own.size(); ++i)
        own[i] += peers[i];
    } else {
      for (const auto& [other, values] : c.residuals)
        if (other != core)
          peers.insert(peers.end(), values.begin(), values.end());
    }
    return evidence::rank_sum(own, peers).greater;
  }

  // Tests one core in all zones.
  void judge_core(const Place& core) {
    const double least = std::log1p(options_.tolerance);
    const ComparedZone* best = nullptr;
    ZoneSuspect suspect;
    suspect.core = core;
    for (const ComparedZone& c : compared_) {
      const auto at = c.slowness.find(core);
      // A zone in which twice the tolerance would not be detected is no evidence for or against the core.
      if (at == c.slowness.end() || limit(c) * c.spread > 2 * least)
        continue;
      ++suspect.judged_zones;
      if (at->second < least || at->second < limit(c) * c.spread)
        continue;
      ++suspect.zones;
      if (best == nullptr || at->second / c.spread > best->slowness.at(core) / best->spread)
        best = &c;
    }
    if (best == nullptr || 2 * suspect.zones < suspect.judged_zones)
      return;
    const double x = best->slowness.at(core);
    suspect.rank = rank_chance(*best, core);
    constexpr size_t kEnough = 4;  // fewest records for a rank test
    if ((best->few() || records_of(*best, core).size() >= kEnough) && suspect.rank > options_.false_alarms)
      return;
    // The median of the peers has an error of its own.
    const double of_middle =
        best->few() ? 1 : std::sqrt(1 + std::numbers::pi / 2 / double(best->residuals.size()));
    const double wide = evidence::student_quantile(0.95, freedom(*best)) * best->spread * of_middle;
    suspect.zone = best->sort.zone;
    suspect.factor = std::exp(x);
    suspect.low = std::exp(x - wide);
    suspect.high = std::exp(x + wide);
    // Bisection for the probability at which Student's quantile equals the core's deviation.
    double low = 0;
    double high = 0.5;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (evidence::student_quantile(1 - middle, freedom(*best)) > x / best->spread ? low : high) = middle;
    }
    suspect.chance = std::min(1.0, high * tests_);
    // A slow core is slow in everything that it runs, and each core had the same work in an earlier run.
    const bool slow = (suspect.zones == suspect.judged_zones && best->residuals.contains(core)) ||
                      options_.earlier != nullptr;
    (slow ? out_.suspects : out_.other_work).push_back(std::move(suspect));
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
