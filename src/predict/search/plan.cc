// Numbers the runs of a search and executes one by its number, so that runs may be spread over threads and
// ranks and kept in a journal. A run's result is one line of numbers. All runs of a design point share the
// list of its ways (divisions of the work among devices) with their times.
#include "predict/search/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "predict/search/record.h"

namespace lento::predict {
namespace {

constexpr double kNotRun = std::numeric_limits<double>::infinity();

std::vector<size_t> sizes_of(const Shares& shares) {
  std::vector<size_t> sizes;
  for (const auto& part : shares)
    sizes.push_back(part.size());
  return sizes;
}

}  // namespace

// All ways (divisions of the work among devices) of one design point, timed with the base design's shares of
// area and power and sorted by the value that is searched for.
struct SearchPlan::Candidates {
  std::once_flag once;
  CrossFlowConfig design;
  std::vector<Way> ways;  // as all_ways lists them
  std::vector<double> seconds;
  std::vector<double> values;
  std::vector<size_t> order;  // indices into `ways`, best value first
  double data_parallel_s = kNotRun;
};

struct SearchPlan::Slot {
  size_t point = 0;
  bool evaluates_ways = false;
  size_t method = 0;
  size_t way = 0;
  int seed = 0;
  int start = 0;
};

SearchPlan::SearchPlan(SearchSpace space, SearchOptions options)
    : space_(std::move(space)),
      options_(std::move(options)),
      points_(design_points(space_)),
      candidates_(std::make_unique<Candidates[]>(points_.size())) {
}

SearchPlan::~SearchPlan() = default;

uint64_t SearchPlan::runs_of_point() const {
  if (!space_.optimise_resources)
    return 1;
  return 1 + space_.methods.size() * uint64_t(space_.seeds) * space_.refine_best *
                 uint64_t(options_.minimise.starts);
}

uint64_t SearchPlan::runs() const {
  return points_.size() * runs_of_point();
}

// Decodes the number of a run into design point, method, seed, way and start, as digits of a mixed base.
SearchPlan::Slot SearchPlan::slot_of(uint64_t index) const {
  Slot slot;
  slot.point = index / runs_of_point();
  uint64_t rest = index % runs_of_point();
  slot.evaluates_ways = rest == 0;
  if (rest-- == 0)
    return slot;
  const auto take = [&rest](uint64_t base) {
    const uint64_t digit = rest % base;
    rest /= base;
    return digit;
  };
  slot.start = int(take(uint64_t(options_.minimise.starts)));
  slot.way = take(uint64_t(space_.refine_best));
  slot.seed = int(take(uint64_t(space_.seeds)));
  slot.method = rest;
  return slot;
}

// Times and sorts all ways of a design point on first use, and returns the cached result later. Thread-safe.
const SearchPlan::Candidates& SearchPlan::candidates(size_t point) const {
  Candidates& c = candidates_[point];
  std::call_once(c.once, [&] {
    const DesignPoint& p = points_[point];
    const Job& job = space_.jobs[p.job];
    c.design = design_of(space_, p);
    c.ways = all_ways(c.design, job, space_.nodes, p.package_dim, !space_.all_parallelism);
    const std::vector<JobTime> times = job_times(c.design, job, c.ways, p.package_dim, space_.rules);
    for (size_t i = 0; i < c.ways.size(); ++i) {
      c.seconds.push_back(times[i].seconds);
      if (is_data_parallel(c.ways[i]))
        c.data_parallel_s = std::min(c.data_parallel_s, times[i].seconds);
      c.values.push_back(value_of(space_.goal, c.design, p.logic.name, space_.nodes, c.seconds.back()));
      c.order.push_back(c.order.size());
    }
    std::ranges::stable_sort(c.order, [&](size_t a, size_t b) {
      return c.values[a] < c.values[b];
    });
  });
  return c;
}

// Returns "<number of ways> <seconds with data parallelism> <way> <seconds> ..." with the best ways.
std::string SearchPlan::evaluate_ways(size_t point) const {
  const Candidates& c = candidates(point);
  std::string line = std::to_string(c.ways.size()) + " " + text_of(c.data_parallel_s);
  for (size_t i = 0; i < c.order.size() && i < size_t(space_.refine_best); ++i)
    line += " " + std::to_string(c.order[i]) + " " + text_of(c.seconds[c.order[i]]);
  return line;
}

// Optimises the shares of one way from one start, and returns the line of the result.
std::string SearchPlan::optimise(const Slot& slot) const {
  const Candidates& c = candidates(slot.point);
  if (slot.way >= c.order.size())
    return "inf 0";
  const DesignPoint& p = points_[slot.point];
  const Way& way = c.ways[c.order[slot.way]];
  const CrossFlowConfig start = with_way(c.design, space_.jobs[p.job], way, p.package_dim);
  MinimiseOptions options = options_.minimise;
  options.method = space_.methods[slot.method];
  options.seed += uint64_t(slot.seed);
  options.first = shares_of(start);
  options.progress.stop = options_.stop;
  const Objective objective = [&](const Shares& shares) {
    const CrossFlowConfig design = with_shares(start, shares);
    return value_of(
        space_.goal,
        design,
        p.logic.name,
        space_.nodes,
        job_time(design, way, space_.rules).seconds);
  };
  const Minimum found = minimise_start(objective, sizes_of(options.first), options, slot.start);
  return options_.stop && options_.stop() ? "" : line_of(found);
}

std::string SearchPlan::run(uint64_t index) const {
  const Slot slot = slot_of(index);
  return slot.evaluates_ways ? evaluate_ways(slot.point) : optimise(slot);
}

// Combines the result lines of all runs of a design point into one result.
DesignResult SearchPlan::result_of(size_t point, const std::vector<std::string>& lines) const {
  const DesignPoint& p = points_[point];
  const Job& job = space_.jobs[p.job];
  const uint64_t first = point * runs_of_point();
  const Record head(lines[first], first);
  if (head.size() < 4 || head.size() % 2 != 0)
    head.refuse("ways and their times come in pairs");
  const CrossFlowConfig design = design_of(space_, p);
  const std::vector<Way> ways = all_ways(design, job, space_.nodes, p.package_dim, !space_.all_parallelism);
  if (head.count(0) != ways.size())
    head.refuse("the space has " + std::to_string(ways.size()) + " ways");
  const auto way_at = [&](size_t rank) -> const Way& {
    return ways[head.count(2 + 2 * rank, ways.size() - 1)];
  };
  DesignResult r;
  r.point = p;
  r.ways = r.evaluations = ways.size();
  r.data_parallel_s = head.number(1);
  r.parallel_s = head.number(3);
  r.way = way_at(0);
  r.config = with_way(design, job, r.way, p.package_dim);
  r.value = value_of(space_.goal, r.config, p.logic.name, space_.nodes, r.parallel_s);
  for (uint64_t i = first + 1; i < first + runs_of_point(); ++i) {
    const size_t rank = slot_of(i).way;
    if (lines[i].empty() || 3 + 2 * rank >= head.size())
      continue;
    const CrossFlowConfig start = with_way(design, job, way_at(rank), p.package_dim);
    const Minimum m = Record(lines[i], i).minimum(sizes_of(shares_of(start)));
    r.evaluations += m.evaluations;
    if (!(m.value < r.value))
      continue;
    r.value = m.value;
    r.way = way_at(rank);
    r.config = with_shares(start, m.at);
  }
  const JobTime t = job_time(r.config, r.way, space_.rules);
  r.joint_s = t.seconds;
  r.fits = t.memory_bytes <= t.memory_there;
  return r;
}

std::vector<DesignResult> SearchPlan::results(const std::vector<std::string>& lines) const {
  LENTO_CHECK(lines.size() == runs(), "a line a run");
  std::vector<DesignResult> out;
  for (size_t point = 0; point < points_.size(); ++point) {
    if (!lines[point * runs_of_point()].empty())
      out.push_back(result_of(point, lines));
  }
  return out;
}

// Returns the outcome of each method and seed from the result lines, for comparing methods.
std::vector<Trial> SearchPlan::trials(const std::vector<std::string>& lines) const {
  std::vector<Trial> out;
  if (space_.methods.size() == 1 && space_.seeds == 1)
    return out;
  for (uint64_t i = 0; i < lines.size(); ++i) {
    const Slot slot = slot_of(i);
    if (slot.evaluates_ways || lines[i].empty())
      continue;
    const Trial fresh{slot.point, space_.methods[slot.method], slot.seed, kNotRun, 0};
    const bool same = !out.empty() && out.back().point == fresh.point && out.back().method == fresh.method &&
                      out.back().seed == fresh.seed;
    if (!same)
      out.push_back(fresh);
    const Record record(lines[i], i);
    out.back().value = std::min(out.back().value, record.number(0));
    out.back().evaluations += record.count(1);
  }
  std::erase_if(out, [](const Trial& t) {
    return t.evaluations == 0;
  });  // no run of the trial evaluated anything
  return out;
}

}  // namespace lento::predict
