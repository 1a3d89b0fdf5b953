#include "predict/search/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <sstream>

#include "base/error.h"
#include "base/number.h"
#include "base/units.h"

namespace lento::predict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string text_of(double value) { return std::isfinite(value) ? base::format_exact(value) : "inf"; }

// The numbers of a line; "inf" is +infinity.
std::vector<double> numbers(const std::string& line) {
  std::vector<double> out;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    out.push_back(word == "inf" ? kInfinity : base::parse_double(word, {"journal"}));
  return out;
}

std::vector<size_t> sizes_of(const Shares& shares) {
  std::vector<size_t> sizes;
  for (const auto& part : shares) sizes.push_back(part.size());
  return sizes;
}

// "<value> <evaluations> <share> ..."
std::string line_of(const Minimum& m) {
  std::string line = text_of(m.value) + " " + std::to_string(m.evaluations);
  for (const auto& part : m.at) {
    for (const double share : part) line += " " + base::format_exact(share);
  }
  return line;
}

Minimum minimum_of(const std::string& line, const std::vector<size_t>& sizes) {
  const std::vector<double> values = numbers(line);
  Minimum m;
  m.value = values.at(0);
  m.evaluations = static_cast<uint64_t>(values.at(1));
  size_t at = 2;
  for (const size_t size : sizes) {
    m.at.emplace_back();
    for (size_t i = 0; i < size && at < values.size(); ++i) m.at.back().push_back(values[at++]);
  }
  return m;
}

}  // namespace

// Every way of a point on the base's shares, the best first.
struct SearchPlan::Candidates {
  std::once_flag once;
  CrossFlowConfig design;
  std::vector<Way> ways;  // as all_ways lists them
  std::vector<double> seconds, values;
  std::vector<size_t> order;  // of `ways`, by value
  double data_parallel_s = kInfinity;
};

struct SearchPlan::Slot {
  size_t point = 0;
  bool evaluates_ways = false;
  size_t method = 0, way = 0;
  int seed = 0, start = 0;
};

SearchPlan::SearchPlan(SearchSpace space, SearchOptions options)
    : space_(std::move(space)),
      options_(std::move(options)),
      points_(design_points(space_)),
      candidates_(std::make_unique<Candidates[]>(points_.size())) {}

SearchPlan::~SearchPlan() = default;

uint64_t SearchPlan::runs_of_point() const {
  if (!space_.optimise_resources) return 1;
  return 1 + space_.methods.size() * static_cast<uint64_t>(space_.seeds) * space_.refine_best *
                 static_cast<uint64_t>(options_.minimise.starts);
}

uint64_t SearchPlan::runs() const { return points_.size() * runs_of_point(); }

SearchPlan::Slot SearchPlan::slot_of(uint64_t index) const {
  Slot slot;
  slot.point = index / runs_of_point();
  uint64_t rest = index % runs_of_point();
  slot.evaluates_ways = rest == 0;
  if (rest-- == 0) return slot;
  const auto take = [&rest](uint64_t base) {
    const uint64_t digit = rest % base;
    rest /= base;
    return digit;
  };
  slot.start = static_cast<int>(take(static_cast<uint64_t>(options_.minimise.starts)));
  slot.way = take(static_cast<uint64_t>(space_.refine_best));
  slot.seed = static_cast<int>(take(static_cast<uint64_t>(space_.seeds)));
  slot.method = rest;
  return slot;
}

const SearchPlan::Candidates& SearchPlan::candidates(size_t point) const {
  Candidates& c = candidates_[point];
  std::call_once(c.once, [&] {
    const DesignPoint& p = points_[point];
    const Job& job = space_.jobs[p.job];
    c.design = design_of(space_, p);
    const auto seconds = [&](const Way& way) {
      return job_time(with_way(c.design, job, way, p.package_dim), way, space_.rules).seconds;
    };
    for (const Way& way : all_ways(c.design, job, space_.nodes, p.package_dim, true))
      c.data_parallel_s = std::min(c.data_parallel_s, seconds(way));
    c.ways = all_ways(c.design, job, space_.nodes, p.package_dim, !space_.all_parallelism);
    for (const Way& way : c.ways) {
      c.seconds.push_back(seconds(way));
      c.values.push_back(value_of(space_.goal, c.design, p.logic.name, space_.nodes, c.seconds.back()));
      c.order.push_back(c.order.size());
    }
    std::stable_sort(c.order.begin(), c.order.end(),
                     [&](size_t a, size_t b) { return c.values[a] < c.values[b]; });
  });
  return c;
}

// "<ways> <data parallel> <way> <seconds> ...", the best ways.
std::string SearchPlan::evaluate_ways(size_t point) const {
  const Candidates& c = candidates(point);
  std::string line = std::to_string(c.ways.size()) + " " + text_of(c.data_parallel_s);
  for (size_t i = 0; i < c.order.size() && i < static_cast<size_t>(space_.refine_best); ++i)
    line += " " + std::to_string(c.order[i]) + " " + text_of(c.seconds[c.order[i]]);
  return line;
}

std::string SearchPlan::optimise(const Slot& slot) const {
  const Candidates& c = candidates(slot.point);
  if (slot.way >= c.order.size()) return "inf 0";
  const DesignPoint& p = points_[slot.point];
  const Way& way = c.ways[c.order[slot.way]];
  const CrossFlowConfig start = with_way(c.design, space_.jobs[p.job], way, p.package_dim);
  MinimiseOptions options = options_.minimise;
  options.method = space_.methods[slot.method];
  options.seed += static_cast<uint64_t>(slot.seed);
  options.first = shares_of(start);
  options.progress.stop = options_.stop;
  const Objective objective = [&](const Shares& shares) {
    const CrossFlowConfig design = with_shares(start, shares);
    return value_of(space_.goal, design, p.logic.name, space_.nodes,
                    job_time(design, way, space_.rules).seconds);
  };
  const Minimum found = minimise_start(objective, sizes_of(options.first), options, slot.start);
  return options_.stop && options_.stop() ? "" : line_of(found);
}

std::string SearchPlan::run(uint64_t index) const {
  const Slot slot = slot_of(index);
  return slot.evaluates_ways ? evaluate_ways(slot.point) : optimise(slot);
}

DesignResult SearchPlan::result_of(size_t point, const std::vector<std::string>& lines) const {
  const DesignPoint& p = points_[point];
  const Job& job = space_.jobs[p.job];
  const uint64_t first = point * runs_of_point();
  const std::vector<double> head = numbers(lines[first]);
  const CrossFlowConfig design = design_of(space_, p);
  const std::vector<Way> ways = all_ways(design, job, space_.nodes, p.package_dim, !space_.all_parallelism);
  const auto way_at = [&](size_t rank) { return ways.at(static_cast<size_t>(head.at(2 + 2 * rank))); };
  DesignResult r;
  r.point = p;
  r.ways = r.evaluations = static_cast<uint64_t>(head.at(0));
  r.data_parallel_s = head.at(1);
  r.parallel_s = head.at(3);
  r.way = way_at(0);
  r.config = with_way(design, job, r.way, p.package_dim);
  r.value = value_of(space_.goal, r.config, p.logic.name, space_.nodes, r.parallel_s);
  for (uint64_t i = first + 1; i < first + runs_of_point(); ++i) {
    const size_t rank = slot_of(i).way;
    if (lines[i].empty() || 3 + 2 * rank >= head.size()) continue;
    const CrossFlowConfig start = with_way(design, job, way_at(rank), p.package_dim);
    const Minimum m = minimum_of(lines[i], sizes_of(shares_of(start)));
    r.evaluations += m.evaluations;
    if (!(m.value < r.value)) continue;
    r.value = m.value;
    r.way = way_at(rank);
    r.config = with_shares(start, m.at);
  }
  r.joint_s = job_time(r.config, r.way, space_.rules).seconds;
  return r;
}

std::vector<DesignResult> SearchPlan::results(const std::vector<std::string>& lines) const {
  LENTO_CHECK(lines.size() == runs(), "a line a run");
  std::vector<DesignResult> out;
  for (size_t point = 0; point < points_.size(); ++point) {
    if (!lines[point * runs_of_point()].empty()) out.push_back(result_of(point, lines));
  }
  return out;
}

std::vector<Trial> SearchPlan::trials(const std::vector<std::string>& lines) const {
  std::vector<Trial> out;
  if (space_.methods.size() == 1 && space_.seeds == 1) return out;
  for (uint64_t i = 0; i < lines.size(); ++i) {
    const Slot slot = slot_of(i);
    if (slot.evaluates_ways || lines[i].empty()) continue;
    const Method method = space_.methods[slot.method];
    if (slot.way == 0 && slot.start == 0) out.push_back({slot.point, method, slot.seed, kInfinity, 0});
    if (out.empty()) continue;
    const std::vector<double> head = numbers(lines[i]);
    out.back().value = std::min(out.back().value, head.at(0));
    out.back().evaluations += static_cast<uint64_t>(head.at(1));
  }
  return out;
}

}  // namespace lento::predict
