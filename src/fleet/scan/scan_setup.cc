// Prepares a scan: groups of peers, lengths of windows, a track for each metric and group, and the threshold
// that follows from the budget.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "fleet/scan/gauss.h"
#include "fleet/scan/scan_impl.h"

namespace lento::fleet {
namespace {

constexpr int64_t kGone_ms = 86400 * 1000;  // time without a sample after which a machine has left
constexpr size_t kWindowsInARecord = 10;    // least number of shortest windows in a record

int64_t silence_limit(const ScanFleet& fleet, const ScanOptions& options) {
  return std::max(int64_t(options.silence_s * 1000), 4 * fleet.step_ms);  // three lost scrapes are no fault
}

// Returns the number of rows in the shortest window that the options request.
size_t rows_asked_for(const ScanFleet& fleet, const ScanOptions& options) {
  const double step_ms = double(std::max<int64_t>(1, fleet.step_ms));
  return size_t(std::max(1.0, std::ceil(options.shortest_s * 1000 / step_ms)));
}

// Returns the number of rows in the shortest window: fewer for a short record, and a multiple of kCells.
size_t shortest_window(const ScanFleet& fleet, const ScanOptions& options) {
  size_t rows = rows_asked_for(fleet, options);
  if (fleet.rows > 0)
    rows = std::min(rows, fleet.rows / kWindowsInARecord);
  return std::max(rows / kCells, size_t{1}) * kCells;
}

}  // namespace

Scan::Impl::Impl(ScanFleet f, ScanOptions o)
    : fleet(std::move(f)),
      options(std::move(o)),
      block(shortest_window(fleet, options)),
      cell(block / kCells),
      rows(block, fleet.metrics.size() * fleet.machines.size()),
      roll(fleet.machines.size(), fleet.step_ms, silence_limit(fleet, options), kGone_ms),
      codes(fleet.metrics, fleet.machines.size()),
      reports(fleet.machines.size(), 0),
      silent(fleet.machines.size()),
      seen(fleet.machines.size()),
      late(fleet.machines.size(), 0) {
  for (const std::string& metric : fleet.metrics)
    kinds.push_back(kind_of(metric));
  options.min_peers = std::max(kLeastPeers, options.min_peers);
  form_groups();
  choose_lengths();
  make_tracks();
  share_budget();
}

void Scan::Impl::form_groups() {
  std::map<std::string, size_t> ids;
  for (size_t m = 0; m < fleet.machines.size(); ++m) {
    const std::string name = m < fleet.labels.size() ? group_name(fleet.labels[m], options.group_by) : "";
    const auto [at, fresh] = ids.emplace(name, groups.size());
    if (fresh) {
      groups.emplace_back();
      group_names.push_back(name);
    }
    groups[at->second].push_back(m);
  }
}

// Chooses the lengths of windows, each about 1.4 times the one before.
void Scan::Impl::choose_lengths() {
  for (size_t doublings = 0;; ++doublings) {
    for (const size_t cells : {kCells, kMostCells}) {
      const size_t n = cells * (cell << doublings);
      const bool fits = double(n) * double(fleet.step_ms) <= options.longest_s * 1000 &&
                        (fleet.rows == 0 || 4 * n <= fleet.rows);
      if (!fits && !lengths.empty())
        return;
      lengths.push_back({doublings, cells});
    }
  }
}

// Makes a track for each group of peers and each metric that is an amount, neither a code nor an identifier.
void Scan::Impl::make_tracks() {
  for (size_t k = 0; k < fleet.metrics.size(); ++k) {
    if (kinds[k].kind == Kind::Code || kinds[k].kind == Kind::Identifier)
      continue;
    if (!options.metrics.empty() && std::ranges::count(options.metrics, fleet.metrics[k]) == 0)
      continue;
    for (size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].size() < options.min_peers)
        continue;
      Track track;
      track.metric = k;
      track.group = g;
      tracks.push_back(std::move(track));
    }
  }
}

// Sets the threshold by sharing the budget evenly among all tests of machines, metrics, lengths and
// directions.
void Scan::Impl::share_budget() {
  double tests = 0;
  for (const Track& track : tracks)
    tests += double(groups[track.group].size() + 1) * double(kTested + 1);
  double period = double(fleet.rows);
  if (options.budget.period_s > 0)
    period = options.budget.period_s * 1000 / double(fleet.step_ms);
  double times = 0;
  for (const Length& length : lengths)
    times += period / double(cell << length.doublings);
  const double directions = fleet.rows > 0 ? 2 : 1;  // a record is read backwards too
  z = normal_upper(options.budget.false_alarms / std::max(1.0, directions * tests * times));
}

// Builds a detector for each length of a window.
WindowTests Scan::Impl::window_tests(const Scale& scale, size_t machines, bool against_peers) const {
  WindowTests out;
  LevelOptions o;
  o.machines = machines;
  o.against_peers = against_peers;
  o.quantiles = against_peers && !scale.tied;
  o.ranks = against_peers && scale.law == Scale::Law::Rank;
  for (size_t d = 0; d <= lengths.back().doublings; ++d)
    out.rings.push_back(
        std::make_shared<CellRing>(CellRing::Options{machines, kMostCells, o.quantiles, o.ranks}));
  for (const auto& [doublings, cells] : lengths) {
    o.cells = cells;
    o.rows_a_cell = cell << doublings;
    // Where quantiles are judged, the mean of a window under twice the requested shortest length is not,
    // because a burst determines it. With slow scrapes even the shortest window is longer than that.
    o.brief = cells * o.rows_a_cell < 2 * std::min(block, rows_asked_for(fleet, options));
    // A quantile cell covers the `block` rows before its end, and each further one adds only its own rows,
    // so that fewer quantile cells than cells of means cover the window.
    const size_t more = (kCells + (size_t{1} << doublings) - 2) >> doublings;
    o.quantile_cells = cells > more ? cells - more : 1;
    o.rows_a_quantile = block + (((o.quantile_cells << doublings) - 1) * cell);
    out.levels.emplace_back(o, out.rings[doublings], differences);
  }
  out.now.resize(lengths.size());
  out.last.assign(lengths.size(), std::vector<LastTest>(machines));
  out.suspected.assign(machines, 0);
  out.standing.assign(machines, {});
  return out;
}

}  // namespace lento::fleet
