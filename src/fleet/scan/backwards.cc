// Problem: a machine that turns slow in the first minutes of a record has no past to be compared with, and
// its slowness becomes part of the past and of the noise. Idea: a change is also a change in reversed time,
// where the rest of the record is its past. A deviation that lasts to the end of the reversed record is the
// state in which the record began. If the machine was like its peers then, that state was healthy and the
// rest is the fault. If not, it warmed up.
#include <algorithm>
#include <cmath>
#include <optional>

#include "fleet/scan/record.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {
namespace {

// The parts of the record before a deviation and during it.
struct Parts {
  Span before;
  Span during;
};

struct Means {
  double own = 0;    // mean of the machine's samples, on the metric's scale
  double apart = 0;  // mean of its differences from its peers' median
};

// Returns the means of a machine in a span, or nullopt when half of its samples are missing.
std::optional<Means> means_of(const MetricSeries& s, const Scan& scan, const Episode& e, const Place& place) {
  const Scale& scale = scan.scale(e.metric);
  const std::vector<double> apart = residuals(s, scale, place, scan.groups()[e.group]);
  Means sum;
  size_t count = 0;
  for (size_t i = 0; i < apart.size(); ++i) {
    if (std::isnan(apart[i]))
      continue;
    sum.own += double(scale.of(s.at(e.metric, place.span.begin + i, place.machine)));
    sum.apart += apart[i];
    ++count;
  }
  if (2 * count <= apart.size())
    return std::nullopt;
  return Means{sum.own / double(count), sum.apart / double(count)};
}

// Returns whether a machine was nearer to its peers in `p.before` than in `p.during` because of a change of
// its own. If its peers moved instead, it only began its work later. With `p.before` set to the part after
// the deviation, the result is whether the machine came back by itself. If its peers followed it instead, it
// only began its work earlier.
bool left_its_peers(
    const MetricSeries& s,
    const Scan& scan,
    const Episode& e,
    size_t machine,
    const Parts& p) {
  const auto before = means_of(s, scan, e, {e.metric, machine, p.before});
  const auto during = means_of(s, scan, e, {e.metric, machine, p.during});
  if (!before || !during || std::abs(before->apart) >= std::abs(during->apart))
    return false;
  const double own = during->own - before->own;
  const double peers = own - (during->apart - before->apart);
  return 2 * std::abs(peers) <= std::abs(own);
}

bool is_slow_side(Slow slow, bool rises) {
  return slow == Slow::Unknown || rises == (slow == Slow::High);
}

// Converts an episode in reversed time to one of the record, without the members that show no fault.
Episode mirrored(const MetricSeries& s, const Scan& scan, const Episode& e) {
  const int64_t ends = s.begin_ms + s.time_ms(s.steps - 1);
  Episode out = e;
  out.members.clear();
  for (const Member& m : e.members) {
    // In reversed time an active deviation lasts to the begin of the record. It is then the healthy level,
    // and the rest of the record is the fault.
    const bool rises = m.active ? !e.rises : e.rises;
    const int64_t onset = ends - (m.active ? m.onset_ms : m.last_ms);
    const size_t from = step_at(s, onset);
    const size_t until = m.active ? s.steps : step_at(s, ends - m.onset_ms) + 1;
    const size_t as_long = m.active ? 0 : from - std::min(from, until - from);
    const Span after{until, std::min(s.steps, until + (until - from))};
    if (!is_slow_side(scan.slow(e.metric), rises) ||
        !left_its_peers(s, scan, e, m.machine, {{as_long, from}, {from, until}}) ||
        (!m.active && !left_its_peers(s, scan, e, m.machine, {after, {from, until}})))
      continue;
    Member& own = out.members.emplace_back(m);
    own.onset_ms = onset;
    own.last_ms = m.active ? s.time_ms(s.steps - 1) : ends - m.onset_ms;
    own.raised_ms = own.last_ms;
    out.rises = rises;
    out.active = m.active;
  }
  if (out.members.empty())
    return out;
  out.onset_ms = std::ranges::min_element(out.members, {}, &Member::onset_ms)->onset_ms;
  out.raised_ms = out.last_ms = std::ranges::max_element(out.members, {}, &Member::last_ms)->last_ms;
  return out;
}

}  // namespace

std::vector<Episode> early_changes(const MetricSeries& s, const ScanOptions& options) {
  Scan scan({s.machines, s.labels, s.metrics, s.step_ms, s.steps, true}, options);
  std::vector<float> row(s.metrics.size() * s.machines.size());
  for (size_t step = 0; step < s.steps; ++step) {
    for (size_t k = 0; k < s.metrics.size(); ++k)
      std::ranges::copy(s.row(k, s.steps - 1 - step), row.begin() + std::ptrdiff_t(k * s.machines.size()));
    scan.push(s.time_ms(step), row);
  }
  std::vector<Episode> out;
  for (const Episode& e : scan.episodes()) {
    if (e.what != Episode::What::Machines)
      continue;
    Episode change = mirrored(s, scan, e);
    if (!change.members.empty() && (!options.judge_from_ms || change.onset_ms >= *options.judge_from_ms))
      out.push_back(std::move(change));
  }
  return out;
}

void add_early(const MetricSeries& series, const ScanOptions& options, Scan& scan) {
  for (Episode& early : early_changes(series, options)) {
    const bool known = std::ranges::any_of(scan.episodes(), [&](const Episode& e) {
      return e.what == Episode::What::Machines && std::ranges::any_of(early.members, [&](const Member& m) {
               return std::ranges::count(e.members, m.machine, &Member::machine) > 0;
             });
    });
    if (!known)
      scan.add(std::move(early));
  }
}

}  // namespace lento::fleet
