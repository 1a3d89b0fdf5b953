// Compares samples between peers. Finds the part that is worse than the others all the time, and the part
// that became worse while the others did not.
//
//   log value(part, bin) = common course(bin) + level(part) + change(part, bin) + noise
//
// The common course is the median over the parts in each bin of the time axis, so that an event that affects
// all parts (a pause of the job) is not attributed to one. Each part has two statistics: its median distance
// from the course, and the largest weighted difference of medians after and before a split. Each is compared
// with the same statistic of its peers (outliers.h), which have the same noise, autocorrelation and
// resolution. The only assumption is that healthy parts are alike.
//
// A part that is worse all the time may have become worse some time after the start. Its onset comes after
// the leading bins in which it was as good as one of its peers. When parts may have different work
// (Quantity::by_role), only a change is a fault and a constant difference is an open question. Quantities
// that measure waiting are not judged, because the part that others wait for waits least.
#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "evidence/outliers.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

constexpr size_t kFewestPeers = 4;
constexpr size_t kMostBins = 96;
// The smallest number of bins before and after a split, so that a single outlier does not become the median
// of a side.
constexpr size_t kShortestSide = 4;
// The least spread that is assumed between healthy parts for the logarithm of their largest change: in series
// of normally distributed noise the largest Change::size over all splits has a relative standard deviation of
// a quarter.
constexpr double kSpreadOfMaxima = 0.25;

// The samples of all parts in common bins of the axis of positions (steps, or seconds).
struct Grid {
  double begin = 0;
  double width = 1;
  size_t bins = 0;
  std::vector<std::vector<double>> off;  // [part][bin]: distance from the common course, NaN without samples
  double grain = 0;  // smallest difference between two values that several parts have, as a distance
};

Grid grid_of(const std::vector<Track>& tracks, bool is_log) {
  Grid grid;
  double end = 0;
  size_t fewest = kMostBins;
  bool is_first = true;
  for (const Track& track : tracks) {
    grid.begin = is_first ? track.position.front() : std::max(grid.begin, track.position.front());
    end = is_first ? track.position.back() : std::min(end, track.position.back());
    fewest = std::min(fewest, track.position.size());
    is_first = false;
  }
  if (fewest == 0 || !(end >= grid.begin))
    return grid;
  grid.bins = fewest;
  grid.width = (end - grid.begin) / double(fewest);
  std::vector<std::vector<std::vector<double>>> cells(
      tracks.size(),
      std::vector<std::vector<double>>(fewest));
  // The resolution of the values is taken to be the smallest difference between two of those that several
  // parts have, because the difference of a single part from the others may be its fault.
  std::map<double, size_t> first_part;
  std::set<double> shared;
  constexpr size_t kMostDistinct = 4096;
  for (size_t part = 0; part < tracks.size(); ++part) {
    for (size_t i = 0; i < tracks[part].value.size(); ++i) {
      const double at = tracks[part].position[i];
      if (at < grid.begin || at > end)
        continue;
      const double bin = grid.width > 0 ? (at - grid.begin) / grid.width : 0;
      const double value = is_log ? std::log(tracks[part].value[i]) : tracks[part].value[i];
      cells[part][std::min(size_t(bin), fewest - 1)].push_back(value);
      if (first_part.size() < kMostDistinct && first_part.try_emplace(value, part).first->second != part)
        shared.insert(value);
    }
  }
  double last = kUnknown;
  for (const double value : shared) {
    if (!std::isnan(last) && (grid.grain == 0 || value - last < grid.grain))
      grid.grain = value - last;
    last = value;
  }
  grid.off.assign(tracks.size(), std::vector<double>(fewest, kUnknown));
  for (size_t bin = 0; bin < fewest; ++bin) {
    std::vector<double> values;
    for (size_t part = 0; part < tracks.size(); ++part)
      if (!cells[part][bin].empty())
        values.push_back(grid.off[part][bin] = evidence::median(cells[part][bin]));
    const double course = evidence::median(values);
    for (auto& part : grid.off)
      part[bin] -= course;
  }
  return grid;
}

std::vector<double> present(std::span<const double> values) {
  std::vector<double> out;
  for (const double value : values)
    if (!std::isnan(value))
      out.push_back(value);
  return out;
}

struct Change {
  double size = 0;      // weighted, for the worse or the better
  double distance = 0;  // difference of the medians, positive in the worse direction
  size_t bin = 0;
};

// Finds the split of a part's bins with the largest change. `off` holds the distance from the common course
// in each bin, `sign` is 1 when larger values are worse. `size` is positive for changes in both directions:
// otherwise healthy parts that improved by noise would have sizes near 0, and judge_case() compares
// logarithms.
Change largest_change(std::span<const double> off, double sign) {
  Change best;
  for (size_t k = kShortestSide; k + kShortestSide <= off.size(); ++k) {
    const double before = evidence::median(present(off.subspan(0, k)));
    const double behind = evidence::median(present(off.subspan(k)));
    const double distance = sign * (behind - before);
    const double n = double(off.size());
    const double size = std::abs(distance) * std::sqrt(double(k) * (n - double(k)) / n);
    if (size > best.size)
      best = {size, distance, k};
  }
  if (best.size > 0)
    best.bin = split_between(
        off,
        evidence::median(present(off.subspan(0, best.bin))),
        evidence::median(present(off.subspan(best.bin))));
  return best;
}

struct Case {
  const Records& records;
  const Quantity& quantity;
  const std::vector<Track>& tracks;
  const Grid& grid;
  const std::vector<Tracks>& waits;
  double budget;
  double least_effect;
  bool is_log;
};

double median_from(const Track& track, double begin, double end) {
  std::vector<double> values;
  for (size_t i = 0; i < track.value.size(); ++i)
    if (track.position[i] >= begin && track.position[i] <= end)
      values.push_back(track.value[i]);
  return evidence::median(values);
}

// Returns text such as "; it waits least, 38 ms where its peers wait 120", or "" when another part waits
// less. The part that takes longest does not wait for others.
std::string waits_least(const Case& c, const Subject& subject, double from) {
  for (const Tracks& tracks : c.waits) {
    double own = kUnknown;
    std::vector<double> others;
    for (const Track& track : tracks.tracks) {
      if (track.position.back() < from)
        continue;
      const double median = median_from(track, from, track.position.back());
      if (track.subject == subject)
        own = median;
      else
        others.push_back(median);
    }
    const Quantity& quantity = c.records.quantities()[tracks.quantity];
    if (!others.empty() && own < std::ranges::min(others))
      return "; it waits least (" + quantity.name + " " + value_with_unit(own, quantity) + ", peers " +
             value_with_unit(evidence::median(others), quantity) + "), as the others wait for it";
  }
  return "";
}

// Adds a finding for a part that deviates from its peers from the position `from` on. When its role in the
// job may explain the difference (Quantity::by_role, `since_begin`), a sentence is added to `standing`
// instead.
void accuse(
    const Case& c,
    const evidence::Outlier& outlier,
    double from,
    bool since_begin,
    std::vector<std::string>& standing,
    Judgement& out) {
  const Track& track = c.tracks[outlier.index];
  const double end = track.position.back();
  const double own = median_from(track, from, end);
  std::vector<double> others;
  for (size_t i = 0; i < c.tracks.size(); ++i)
    if (i != outlier.index)
      others.push_back(median_from(c.tracks[i], from, c.tracks[i].position.back()));
  const double peers = evidence::median(others);
  const double times = times_worse(c.quantity, own, peers);
  if (c.is_log && times < 1 + c.least_effect)
    return;
  finding::Finding finding;
  finding.subject = subject_text(track.subject);
  finding.category = "unlike its peers: " + c.quantity.name;
  if (c.quantity.by_role && since_begin) {
    standing.push_back(
        finding.subject + " has " + c.quantity.name + " " + value_with_unit(own, c.quantity) + " where its " +
        std::to_string(others.size()) + " peers have " + value_with_unit(peers, c.quantity));
    return;
  }
  finding.summary = finding.subject + " has " + c.quantity.name + " " + value_with_unit(own, c.quantity) +
                    (since_begin ? "" : " from " + position_text(track, from) + " on") + " where its " +
                    std::to_string(others.size()) + " peers have " + value_with_unit(peers, c.quantity) +
                    (since_begin ? ", from the first sample on" : "") +
                    (c.quantity.by_role ? waits_least(c, track.subject, from) : "");
  finding.score = 0.85;
  if (times > 1)
    finding.factor = times;
  finding.where = place_of(track.subject);
  const Moment begin = moment_at(track, from);
  if (begin.clock == Clock::Unix && track.time.back().clock == Clock::Unix)
    finding.when = finding::TimeWindow{begin.seconds, track.time.back().seconds, "s"};
  finding.evidence.push_back(
      {"median " + c.quantity.name + ", peers " + value_with_unit(peers, c.quantity),
       own,
       c.quantity.unit,
       place_text(c.records, track.where.front())});
  finding.evidence.push_back(
      {"healthy peers hold one that is as far out " + false_alarm_text(outlier.false_alarm),
       std::isfinite(outlier.t) ? std::optional(outlier.t) : std::nullopt,
       "times their spread",
       std::to_string(c.tracks.size()) + " peers"});
  finding.next_step = c.quantity.advice;
  out.findings.push_back(std::move(finding));
}

// Returns the position (step or seconds) of a part's first sample in or after a bin.
double position_of_bin(const Case& c, size_t part, size_t bin) {
  const double from = c.grid.begin + double(bin) * c.grid.width;
  for (const double position : c.tracks[part].position)
    if (position >= from)
      return position;
  return from;
}

// Returns the bin in which a part that is worse than its peers reaches the level of its median over the run.
// 0 when it was worse than all healthy peers before that bin too, thus from the beginning on. `far_out` holds
// the parts that are not healthy.
size_t onset_bin(const Grid& grid, size_t part, double sign, const std::set<size_t>& far_out) {
  const std::vector<double>& off = grid.off[part];
  if (off.size() < 2)
    return 0;
  const size_t at = split_between(off, 0, evidence::median(present(off)));
  const auto level_before = [&](size_t i) {
    return sign * evidence::median(present(std::span(grid.off[i]).subspan(0, at)));
  };
  double worst = -INFINITY;
  for (size_t i = 0; i < grid.off.size(); ++i)
    if (!far_out.contains(i))
      worst = std::max(worst, level_before(i));
  return level_before(part) <= worst ? at : 0;
}

// Reports parts that were slower from the first sample on in a quantity that depends on the role of a rank in
// the job (a pipeline stage, the number of its layers). One such part raises a question. Several are only
// noted, because they probably have one role.
void ask_for_roles(const std::vector<std::string>& standing, Judgement& out) {
  if (standing.empty())
    return;
  const std::string what = list_text(standing, 4) + " from the beginning on";
  if (standing.size() > 1) {
    out.notes.push_back(
        what + ": parts of one role (a pipeline stage, a rank with more layers) look like that");
    return;
  }
  out.open.push_back(
      {what +
           ", which the work that it has (a pipeline stage, a rank with more layers) or its GPU may explain",
       "a test with equal work on every GPU (Megatron-LM --gpu-sniff-test-interval, dcgmi diag -r 3), or the "
       "clocks of all GPUs (nvidia-smi --query-gpu=index,clocks.sm,temperature.gpu --format=csv on each "
       "host)"});
}

// Judges the ranks by one quantity: constant differences and changes.
void judge_case(const Case& c, Judgement& out) {
  const double sign = c.quantity.better == Better::Lower ? 1 : -1;
  std::vector<std::string> standing;
  std::vector<double> levels;
  std::vector<double> sizes;
  std::vector<Change> changes;
  for (const auto& off : c.grid.off) {
    levels.push_back(sign * evidence::median(present(off)));
    changes.push_back(largest_change(off, sign));
    sizes.push_back(std::log(std::max(changes.back().size, std::max(c.grid.grain, 1e-12))));
  }
  std::set<size_t> named;
  if (c.grid.bins >= 2 * kShortestSide) {
    for (const evidence::Outlier& outlier :
         evidence::outliers(sizes, evidence::Side::High, c.budget / 2, {kSpreadOfMaxima})) {
      if (changes[outlier.index].distance < 0)
        continue;
      named.insert(outlier.index);
      accuse(c, outlier, position_of_bin(c, outlier.index, changes[outlier.index].bin), false, standing, out);
    }
  }
  const std::vector<evidence::Outlier> high =
      evidence::outliers(levels, evidence::Side::High, c.budget / 2, {c.grid.grain});
  std::set<size_t> far_out;
  for (const evidence::Outlier& outlier : high)
    far_out.insert(outlier.index);
  for (const evidence::Outlier& outlier : high) {
    if (named.contains(outlier.index))
      continue;
    const size_t bin = onset_bin(c.grid, outlier.index, sign, far_out);
    accuse(c, outlier, position_of_bin(c, outlier.index, bin), bin == 0, standing, out);
  }
  ask_for_roles(standing, out);
}

// Adds to the finding about a part that is also much hotter than its peers that heat is the cause.
void explain_by_heat(
    const Records& records,
    const JudgeOptions& options,
    std::span<finding::Finding> findings) {
  for (const Tracks& tracks : tracks_of(records, Scope::Own)) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    if (quantity.unit != "C" || findings.empty())
      continue;
    std::vector<double> levels;
    for (const Track& track : tracks.tracks)
      levels.push_back(evidence::median(track.value));
    const double typical = evidence::median(levels);
    constexpr double kDegree = 1;  // resolution of the thermometers of GPUs
    for (const evidence::Outlier& outlier :
         evidence::outliers(levels, evidence::Side::High, options.false_alarms, {kDegree, true})) {
      const std::string subject = subject_text(tracks.tracks[outlier.index].subject);
      for (finding::Finding& finding : findings) {
        if (finding.subject != subject)
          continue;
        const std::string text = quantity.name + " " + value_with_unit(levels[outlier.index], quantity) +
                                 " where its peers have " + value_with_unit(typical, quantity);
        finding.summary += "; " + text + ": too hot";
        finding.evidence.push_back({text, levels[outlier.index], quantity.unit, "its peers"});
        finding.next_step = "look at fans, air or liquid flow and heat sink of that GPU";
      }
    }
  }
}

}  // namespace

// Judges all quantities that several ranks report.
void judge_samples(const Records& records, const JudgeOptions& options, Judgement& out) {
  const size_t found = out.findings.size();
  std::vector<Tracks> judged;
  std::vector<Tracks> waits;
  for (Tracks& tracks : tracks_of(records, Scope::Own)) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    const bool has_side = quantity.better == Better::Higher || quantity.better == Better::Lower;
    const bool has_size = quantity.kind == Kind::Level || quantity.kind == Kind::Share;
    if (has_side && has_size && tracks.tracks.size() >= kFewestPeers)
      judged.push_back(std::move(tracks));
    else if (quantity.is_wait && tracks.tracks.size() >= kFewestPeers)
      waits.push_back(std::move(tracks));
  }
  for (const Tracks& tracks : judged) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    const bool is_log = std::ranges::all_of(tracks.tracks, [](const Track& track) {
      return std::ranges::all_of(track.value, [](double value) {
        return value > 0;
      });
    });
    const Grid grid = grid_of(tracks.tracks, is_log);
    if (grid.bins == 0) {
      out.notes.push_back(
          quantity.name + ": its " + std::to_string(tracks.tracks.size()) +
          " parts have no time in common and were not compared");
      continue;
    }
    out.covered.push_back(
        quantity.name + " of " + std::to_string(tracks.tracks.size()) +
        (tracks.tracks.size() == 1 ? " part" : " parts"));
    judge_case(
        {records,
         quantity,
         tracks.tracks,
         grid,
         waits,
         options.false_alarms / double(judged.size()),
         options.least_effect,
         is_log},
        out);
  }
  explain_by_heat(records, options, std::span(out.findings).subspan(found));
}

}  // namespace lento::desk
