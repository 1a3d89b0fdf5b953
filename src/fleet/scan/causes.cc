// One fault shows in several metrics and at several lengths of window. Its episodes are one cause when they
// have most of their machines in common and overlap in time.
#include "fleet/scan/causes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "evidence/sample.h"

namespace lento::fleet {

float score_of(const Episode& e) {
  float most = e.score;
  for (const Member& m : e.members)
    most = std::max(most, m.score);
  return most;
}

std::vector<size_t> others_of(const View& v, size_t group, const std::vector<size_t>& members) {
  std::vector<size_t> out;
  for (const size_t m : v.scan.groups()[group]) {
    if (!std::ranges::binary_search(members, m))
      out.push_back(m);
  }
  return out;
}

namespace {

// A member of an episode with the begin and end of its own change.
struct Part {
  size_t machine = 0;
  Span span;
};

Span median_span(const std::vector<Part>& parts) {
  std::vector<size_t> begins;
  std::vector<size_t> ends;
  for (const Part& part : parts) {
    begins.push_back(part.span.begin);
    ends.push_back(part.span.end);
  }
  std::ranges::sort(begins);
  std::ranges::sort(ends);
  const size_t begin = begins[begins.size() / 2];
  return {begin, std::max(ends[ends.size() / 2], begin + 1)};
}

// Returns the members of an episode. One that came back in the first half of the change is no part of it: a
// brief disturbance began at the same time by chance.
std::vector<Part> parts_of(const View& v, const Episode& e) {
  const auto window = size_t(e.window_s * 1000 / double(v.series.step_ms));
  const size_t from = step_at(v.series, e.onset_ms);
  const Span about{from > window ? from - window : 0, step_at(v.series, e.raised_ms) + 1};
  std::vector<Part> parts;
  for (const Member& m : e.members) {
    const size_t begin = split_of(v.series, v.scan, e.metric, m.machine, about);
    const size_t last = step_at(v.series, m.last_ms);
    const Span return_in{
        std::max(begin + 1, last > 2 * window ? last - 2 * window : 0),
        std::min(v.series.steps, last + window)};
    const size_t end = m.active ? v.series.steps : split_of(v.series, v.scan, e.metric, m.machine, return_in);
    parts.push_back({m.machine, {begin, end}});
  }
  if (parts.empty())
    return parts;
  const Span all = median_span(parts);
  std::erase_if(parts, [&](const Part& part) {
    return 2 * part.span.end < all.begin + all.end;
  });
  std::ranges::sort(parts, {}, &Part::machine);
  return parts;
}

// Returns whether an episode, a cause of its own, belongs to another cause: it shares most of its machines
// with it, and overlaps with it in time or is apart by less than the longer of both lasted.
bool joins(const Cause& cause, const Cause& of_episode) {
  const std::vector<size_t>& machines = of_episode.machines;
  const Span& span = of_episode.span;
  const auto shared = std::ranges::count_if(machines, [&](size_t m) {
    return std::ranges::binary_search(cause.machines, m);
  });
  const size_t lasted = std::max(span.end - span.begin, cause.span.end - cause.span.begin);
  return 2 * size_t(shared) > machines.size() && span.begin < cause.span.end + lasted &&
         cause.span.begin < span.end + lasted;
}

// Adds an episode to a cause. Only episodes of its strongest metric, which comes first, extend its span.
void add_episode(Cause& cause, const Cause& of_episode) {
  const Episode& e = *of_episode.episodes.front();
  if (e.metric == cause.episodes.front()->metric) {
    cause.span = {
        std::min(cause.span.begin, of_episode.span.begin),
        std::max(cause.span.end, of_episode.span.end)};
    cause.active |= e.active;
  }
  if (std::ranges::count(cause.episodes, e.metric, &Episode::metric) == 0)
    cause.episodes.push_back(&e);
}

}  // namespace

Span refine(const View& v, const Episode& e) {
  const std::vector<Part> parts = parts_of(v, e);
  if (!parts.empty())
    return median_span(parts);
  return {step_at(v.series, e.onset_ms), e.active ? v.series.steps : step_at(v.series, e.last_ms) + 1};
}

std::vector<size_t> spells_of(const View& v, const Cause& cause) {
  const Episode& e = *cause.episodes.front();
  const std::vector<double> r = residuals(
      v.series,
      v.scan.scale(e.metric),
      {e.metric, cause.machines.front(), {0, v.series.steps}},
      v.scan.groups()[e.group]);
  std::vector<double> known;
  std::ranges::copy_if(r, std::back_inserter(known), [](double x) {
    return !std::isnan(x);
  });
  const size_t length = cause.span.end - cause.span.begin;
  if (known.empty() || length > r.size())
    return {};
  const double usual = evidence::median(std::move(known));
  std::vector<double> sums(r.size() + 1, 0);
  for (size_t i = 0; i < r.size(); ++i)
    sums[i + 1] = sums[i] + (std::isnan(r[i]) ? 0 : r[i] - usual);
  const auto sum_at = [&](size_t begin) {
    return sums[begin + length] - sums[begin];
  };
  const double all = sum_at(cause.span.begin);
  std::vector<size_t> begins;
  for (size_t at = 0; at + length <= r.size(); ++at) {
    if (2 * sum_at(at) / all < 1)
      continue;
    size_t best = at;
    for (const size_t stop = std::min(at + length, r.size() - length); at < stop; ++at) {
      if (sum_at(at + 1) / all > sum_at(best) / all)
        best = at + 1;
    }
    begins.push_back(best);
    at = best + length - 1;
  }
  return begins;
}

bool are_usual(const std::vector<size_t>& begins) {
  size_t longest = 0;
  for (size_t i = 1; i < begins.size(); ++i)
    longest = std::max(longest, begins[i] - begins[i - 1]);
  return begins.size() > 2 && begins.front() <= longest;
}

bool judged_then(const Episode& e, const ScanOptions& o) {
  return !o.judge_from_ms || e.raised_ms >= *o.judge_from_ms;
}

std::vector<Cause> causes(const View& v, const ScanOptions& o) {
  std::vector<Cause> order;
  for (const Episode& e : v.scan.episodes()) {
    if (e.what != Episode::What::Machines || !judged_then(e, o))
      continue;
    const std::vector<Part> parts = parts_of(v, e);
    Cause& cause = order.emplace_back(Cause{{&e}, {}, median_span(parts), e.active});
    for (const Part& part : parts)
      cause.machines.push_back(part.machine);
  }
  std::ranges::stable_sort(order, std::greater<>(), [](const Cause& c) {
    return std::pair(c.machines.size(), score_of(*c.episodes.front()));
  });
  std::vector<Cause> out;
  for (Cause& of_episode : order) {
    const auto at = std::ranges::find_if(out, [&](const Cause& c) {
      return joins(c, of_episode);
    });
    if (at != out.end())
      add_episode(*at, of_episode);
    else
      out.push_back(std::move(of_episode));
  }
  return out;
}

}  // namespace lento::fleet
