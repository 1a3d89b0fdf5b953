// Overlaps: the largest set of records that do not overlap is kept (earliest end first, which is optimal), so
// the least number is set aside. Where only two records contradict each other nothing says which is wrong:
// both go. Distances use unsigned arithmetic, because hostile stamps may span the whole range of int64.
#include "evidence/physics.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/rng.h"
#include "evidence/sample.h"

namespace lento::evidence {
namespace {

uint64_t distance(int64_t from, int64_t to) {  // from <= to
  return uint64_t(to) - uint64_t(from);
}

uint64_t digest_of(const TimedRecord& r) {
  uint64_t h = base::mix64(r.digest ^ r.executor);
  h = base::mix64(h ^ uint64_t(r.begin));
  return base::mix64(h ^ uint64_t(r.end));
}

bool same(const TimedRecord& a, const TimedRecord& b) {
  return a.executor == b.executor && a.begin == b.begin && a.end == b.end && a.digest == b.digest &&
         a.work == b.work;
}

void flag(Screening& s, size_t record, Flaw flaw) {
  if (s.flaw[record] == Flaw::None)
    s.flaw[record] = flaw;
}

// Flags records that repeat an earlier one.
void flag_repeats(std::span<const TimedRecord> records, Screening& s) {
  std::unordered_map<uint64_t, size_t> first;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto [at, fresh] = first.emplace(digest_of(records[i]), i);
    if (!fresh && same(records[at->second], records[i]))
      flag(s, i, Flaw::Repeated);
  }
}

// Flags a small share of records whose times are far from all others.
void flag_far_away(std::span<const TimedRecord> records, double most_share, Screening& s) {
  std::vector<size_t> kept;
  std::vector<int64_t> times;
  for (size_t i = 0; i < records.size(); ++i) {
    if (s.flaw[i] != Flaw::None)
      continue;
    kept.push_back(i);
    times.push_back(records[i].begin);
    times.push_back(records[i].end);
  }
  const std::vector<char> far = far_away(times, most_share);
  for (size_t k = 0; k < kept.size(); ++k)
    if (far[2 * k] || far[2 * k + 1])
      flag(s, kept[k], Flaw::FarAway);
}

// Flags records with more work than possible in their time.
void flag_impossible(std::span<const TimedRecord> records, const PhysicsOptions& options, Screening& s) {
  for (size_t i = 0; i < records.size(); ++i) {
    const TimedRecord& r = records[i];
    const double ticks = r.end > r.begin ? double(distance(r.begin, r.end)) : 0;
    const double most = std::isinf(options.most_per_tick) ? DBL_MAX : options.most_per_tick * ticks;
    const bool works = r.work > 0 || (r.work == 0 && !options.always_works);
    if (!works || !(r.work <= most))
      flag(s, i, Flaw::Impossible);
  }
}

// Flags records that overlap although one executor does one thing at a time. `own` holds the records of one
// executor in the order of their ends. Overlaps up to `tolerance` are allowed.
void flag_overlaps(
    std::span<const TimedRecord> records,
    std::span<const size_t> own,
    int64_t tolerance,
    Screening& s) {
  const auto apart = [&](const TimedRecord& earlier, const TimedRecord& later) {
    return later.begin >= earlier.end || distance(later.begin, earlier.end) <= uint64_t(tolerance);
  };
  std::vector<size_t> kept;
  std::vector<size_t> dropped;
  for (const size_t i : own) {
    if (kept.empty() || apart(records[kept.back()], records[i]))
      kept.push_back(i);
    else
      dropped.push_back(i);
  }
  std::vector<std::pair<size_t, size_t>> contradicted;  // kept record, dropped one
  std::unordered_map<size_t, size_t> times;             // of each kept record
  for (const size_t i : dropped) {
    flag(s, i, Flaw::Overlaps);
    // Kept records are sorted by end and do not overlap. The first one that ends after record i begins is
    // the first that may overlap it. When the next kept record overlaps i too, i contradicts more than one
    // record.
    auto at = std::ranges::partition_point(kept, [&](size_t k) {
      return apart(records[k], records[i]);
    });
    if (at == kept.end())
      continue;
    const bool alone = at + 1 == kept.end() || records[*(at + 1)].begin >= records[i].end;
    ++times[*at];
    if (alone)
      contradicted.emplace_back(*at, i);
  }
  for (const auto& [k, i] : contradicted)
    if (times[k] == 1)
      flag(s, k, Flaw::Overlaps);
}

// Flags records that overlap on one unit.
void flag_all_overlaps(std::span<const TimedRecord> records, int64_t tolerance, Screening& s) {
  std::vector<size_t> order;
  for (size_t i = 0; i < records.size(); ++i)
    if (s.flaw[i] == Flaw::None)
      order.push_back(i);
  std::ranges::sort(order, {}, [&](size_t i) {
    const TimedRecord& r = records[i];
    return std::tuple(r.executor, r.end, r.begin, i);
  });
  for (size_t from = 0; from < order.size();) {
    size_t to = from;
    while (to < order.size() && records[order[to]].executor == records[order[from]].executor)
      ++to;
    flag_overlaps(records, std::span(order).subspan(from, to - from), tolerance, s);
    from = to;
  }
}

// Counts flaws, and finds begin and end of the remaining records.
void summarise(std::span<const TimedRecord> records, const PhysicsOptions& options, Screening& s) {
  std::vector<int64_t> begins;
  for (size_t i = 0; i < records.size(); ++i) {
    ++s.count[size_t(s.flaw[i])];
    if (s.flaw[i] != Flaw::None)
      continue;
    s.begin = begins.empty() ? records[i].begin : std::min(s.begin, records[i].begin);
    s.end = begins.empty() ? records[i].end : std::max(s.end, records[i].end);
    begins.push_back(records[i].begin);
  }
  std::ranges::sort(begins);
  s.gaps = unusual_silences(begins);
  for (const Silence& g : s.gaps)
    s.jumps += distance(g.begin, g.end) > distance(s.begin, s.end) / 2;
  // Repeated records do not count in the share set aside: whole files are written twice by mistake, and
  // leaving out the copy loses nothing.
  const size_t kept = s.count[size_t(Flaw::None)];
  const size_t wrong = records.size() - kept - s.count[size_t(Flaw::Repeated)];
  s.share_set_aside = records.empty() ? 0 : double(wrong) / double(wrong + kept);
  if (kept == 0)
    s.why_not = "no record is left that can be true";
  else if (s.share_set_aside > options.most_set_aside)
    s.why_not = std::to_string(wrong) + " of " + std::to_string(wrong + kept) + " records cannot be true";
  else if (s.jumps > 0)
    s.why_not = "the clock jumps by more than the rest of the records spans";
  s.can_judge = s.why_not.empty();
}

}  // namespace

std::string_view name(Flaw flaw) {
  constexpr std::string_view kNames[kFlaws] = {
      "can be true",
      "ends before it begins",
      "repeats an earlier record",
      "lies far from all other times",
      "does more, or less, in its time than the machine can",
      "overlaps another record of its core"};
  return kNames[size_t(flaw)];
}

// Flags records that cannot be true. Each record has at most one flaw.
Screening screen(std::span<const TimedRecord> records, const PhysicsOptions& options) {
  Screening s;
  s.flaw.resize(records.size());
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i].end < records[i].begin)
      flag(s, i, Flaw::EndsBeforeItBegins);
  flag_repeats(records, s);
  flag_far_away(records, options.most_set_aside, s);
  flag_impossible(records, options, s);
  if (options.one_at_a_time)
    flag_all_overlaps(records, options.tolerance, s);
  summarise(records, options, s);
  return s;
}

std::vector<char> far_away(std::span<const int64_t> times, double most_share) {
  std::vector<int64_t> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  size_t low = 0;  // sorted[low, high) are together
  size_t high = sorted.size();
  // Each round at least halves the span, so there are at most 64.
  while (high - low > 1) {
    size_t cut = low + 1;
    for (size_t i = low + 1; i < high; ++i)
      if (distance(sorted[i - 1], sorted[i]) > distance(sorted[cut - 1], sorted[cut]))
        cut = i;
    const bool drop_upper = high - cut <= cut - low;
    const size_t left_low = drop_upper ? low : cut;
    const size_t left_high = drop_upper ? cut : high;
    const size_t outside = sorted.size() - (left_high - left_low);
    if (double(outside) > most_share * double(sorted.size()) ||
        distance(sorted[cut - 1], sorted[cut]) <= distance(sorted[left_low], sorted[left_high - 1]))
      break;
    low = left_low;
    high = left_high;
  }
  std::vector<char> out(times.size(), 0);
  for (size_t i = 0; i < times.size(); ++i)
    out[i] = times[i] < sorted[low] || times[i] > sorted[high - 1];
  return out;
}

std::vector<Silence> unusual_silences(std::span<const int64_t> sorted, double budget) {
  std::vector<double> gaps;
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] > sorted[i - 1])
      gaps.push_back(double(distance(sorted[i - 1], sorted[i])));
  std::vector<Silence> out;
  const auto top = size_t(std::sqrt(double(gaps.size())));
  if (top < 4)
    return out;  // too few silences to know what is usual
  std::ranges::nth_element(gaps, gaps.begin() + std::ptrdiff_t(top), std::greater());
  const double level = gaps[top];
  std::vector<double> excess;
  for (size_t i = 0; i < top; ++i)
    excess.push_back(gaps[i] - level);
  // The scale is the mean of the exponential distribution of the excesses, estimated as their median over ln
  // 2, because the median is not changed by the few long gaps that are sought. It is at least one tick, for
  // gaps that are all equal.
  const double scale = std::max(1.0, median(excess) / std::log(2.0));
  const double least = level + scale * std::log(double(top) / budget);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] > sorted[i - 1] && double(distance(sorted[i - 1], sorted[i])) > least)
      out.push_back({sorted[i - 1], sorted[i]});
  return out;
}

}  // namespace lento::evidence
