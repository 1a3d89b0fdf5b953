// Makes tests from rows. A row enters a window of the last rows, which every few rows gives one cell for each
// machine. The first cells have the shortest length. Two cells of one length are joined into one of double
// length, so that all lengths together cost twice as much as the shortest two. The scale of a
// metric is chosen from the first full window.
#include "fleet/scan/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "evidence/sample.h"
#include "fleet/scan/gauss.h"
#include "fleet/scan/scan_impl.h"

namespace lento::fleet {

// Records which machines have a sample in this row.
void Scan::Impl::note_reports(std::span<const float> values) {
  const size_t machines = fleet.machines.size();
  for (size_t m = 0; m < machines; ++m) {
    bool here = false;
    for (size_t k = 0; k < fleet.metrics.size() && !here; ++k)
      here = !std::isnan(values[k * machines + m]);
    reports[m] = here;
  }
}

// Discards the past of machines that join late or come back. Time in which the source did not answer does not
// count as absence, unless it lasted longer than any window.
void Scan::Impl::begin_pasts() {
  const size_t longest = rows_of(lengths.size() - 1);
  for (size_t m = 0; m < reports.size(); ++m) {
    if (!reports[m])
      continue;
    const Presence now{std::max<size_t>(1, answered), pushed};
    const Presence before = std::exchange(seen[m], now);
    const bool never = before.pushed == 0;
    const bool away =
        never ? answered > block + 1 : answered > before.answered + block || pushed > before.pushed + longest;
    if (!away)
      continue;
    late[m] = 1;
    for (Track& track : tracks) {
      const auto at = std::ranges::find(groups[track.group], m);
      if (at == groups[track.group].end())
        continue;
      const auto i = size_t(at - groups[track.group].begin());
      for (const std::shared_ptr<CellRing>& ring : track.machines.rings)
        ring->forget(i);
      for (Level& level : track.machines.levels)
        level.forget(i);
    }
  }
}

// Chooses the scale of a metric from the rows so far, and again later while the job is young. It keeps the
// scale during a deviation, because a new one discards the state that ends open episodes. Returns whether the
// scale is new.
bool Scan::Impl::choose_scale(Track& track) {
  const bool deviates =
      std::ranges::count(track.machines.suspected, 0) < std::ssize(track.machines.suspected);
  if (track.scaled && (pushed < track.scale_again || deviates))
    return false;
  const CellSource source{rows, track.metric * fleet.machines.size(), groups[track.group], cell};
  const Scale scale = scale_of(gather(source), groups[track.group].size());
  // A starting job has other values than a running one, so the scale is chosen again.
  track.scale_again = pushed < 10 * block ? 2 * pushed : SIZE_MAX;
  if (track.scaled && scale.law == track.scale.law && scale.tied == track.scale.tied)
    return false;
  track.scaled = true;
  track.scale = scale;
  track.machines = window_tests(scale, groups[track.group].size(), true);
  track.job = window_tests(scale, 1, false);
  // When a cell is a single row, because scrapes are slow, a window has so few rows that the newest ones are
  // judged one by one.
  track.dips = Dips(groups[track.group].size(), cell == 1 ? kMostCells : 0);
  return true;
}

// Pushes one cell and tests the windows that it completes. Returns the number of lengths tested.
size_t Scan::Impl::push_cell(WindowTests& tests, const Dips& dips, std::vector<float> cells) const {
  const Suspicion suspicion = tests.suspicion();
  size_t begin = 0;
  for (const std::shared_ptr<CellRing>& ring : tests.rings) {
    size_t end = begin;
    while (end < lengths.size() && lengths[end].doublings == lengths[begin].doublings)
      tests.levels[end++].learn_oldest(suspicion);
    ring->push(cells);
    for (; begin < end; ++begin)
      tests.levels[begin].test_window(suspicion, z, dips, tests.now[begin]);
    if (ring->pushed() % 2 != 0)
      break;
    cells = ring->joined();
  }
  return begin;
}

// Keeps of the tests of this row what is needed until the next ones.
void Scan::Impl::keep_last(WindowTests& tests) const {
  for (size_t level = 0; level < lengths.size(); ++level) {
    const std::vector<Deviation> now = std::exchange(tests.now[level], {});
    for (size_t i = 0; i < now.size(); ++i)
      tests.last[level][i] = now[i].judged ? LastTest{now[i].score, now[i].shown} : LastTest{};
  }
}

// Returns the median of the job's machines, or the mean for values that are often equal, whose median jumps.
float middle_of(std::vector<float>& levels, bool tied) {
  if (tied)
    return float(std::accumulate(levels.begin(), levels.end(), 0.0) / double(levels.size()));
  return evidence::upper_median_reordering(std::span(levels));
}

// Counts how far the oldest rows of healthy machines in the window lie from the usual values of each machine.
// The newest rows are counted one window later, so that a fault does not raise the chance by which it is
// judged.
void Scan::Impl::count_dips(Track& track, const CellPeers& peers) {
  const Level& level = track.machines.levels.front();
  if (cell == 1)
    track.dips.begin_row();
  for (size_t i = 0; i < groups[track.group].size(); ++i) {
    const double upper = double(level.usual(i, kUpper, peers.level[kUpper]) + peers.median[kUpper]);
    const double lower = double(level.usual(i, kLower, peers.level[kLower]) + peers.median[kLower]);
    const auto count = [&](size_t back, auto add) {
      const float v = rows.row(back)[track.metric * fleet.machines.size() + groups[track.group][i]];
      const auto from_edge = [&](size_t side) {
        return std::isnan(v) ? NAN
                             : double(track.scale.of(v) - track.scale.of(track.peer_quantiles[back][side]));
      };
      (track.dips.*add)(i, upper - from_edge(0), from_edge(1) - lower);
    };
    if (cell == 1)
      count(0, &Dips::see);
    if (track.machines.crowd || track.machines.suspected[i])
      continue;
    for (size_t back = rows.rows(); back-- > rows.rows() - cell;)
      count(back, &Dips::add);
  }
}

// Stores, for each metric and group, the peers' 90 % and 10 % quantiles in the last row.
void Scan::Impl::note_peer_quantiles() {
  for (Track& track : tracks) {
    track.peer_quantiles.push_front(
        peer_quantiles_of({rows, track.metric * fleet.machines.size(), groups[track.group], cell}));
    if (track.peer_quantiles.size() > rows.rows())
      track.peer_quantiles.pop_back();
  }
}

// Makes the cell of a track (one metric of one group) that ended `back` rows ago, and tests the windows that
// it completes. Returns the number of window lengths that were tested, 0 without samples.
size_t Scan::Impl::take(Track& track, size_t back) {
  const CellSource source{rows, track.metric * fleet.machines.size(), groups[track.group], cell, back};
  std::vector<float> cells;
  const CellPeers peers = fill_cells(source, track.scale, track.peer_quantiles, cells);
  if (back == 0 && !track.scale.tied)
    count_dips(track, peers);
  if (track.scale.few && !track.machines.crowd)
    track.dips.widen(
        track.scale.of(track.peer_quantiles.front()[1]),
        track.scale.of(track.peer_quantiles.front()[0]));
  std::vector<float> levels;
  for (size_t at = kRaw; at < cells.size(); at += kStatistics) {
    if (!std::isnan(cells[at]))
      levels.push_back(cells[at]);
  }
  if (levels.empty())
    return 0;
  std::vector<float> whole(kStatistics, middle_of(levels, track.scale.tied));
  whole.resize(2 * kStatistics, 0);  // the job has no peers
  cells.insert(cells.end(), peers.level.begin(), peers.level.end());
  push_cell(track.job, track.dips, std::move(whole));
  return push_cell(track.machines, track.dips, std::move(cells));
}

// Makes a cell of a track (one metric of one group) from the last rows, and judges the windows that it
// completes.
void Scan::Impl::step(Track& track) {
  const auto row = rows.row(0).subspan(track.metric * fleet.machines.size(), fleet.machines.size());
  const auto present = std::ranges::count_if(groups[track.group], [&](size_t m) {
    return !std::isnan(row[m]);
  });
  if (size_t(present) < options.min_peers)
    return;
  if (choose_scale(track)) {
    for (size_t back = block - cell; back > 0; back -= cell)
      take(track, back);
  }
  const size_t reached = take(track, 0);
  if (reached == 0)
    return;
  for (size_t level = 0; level < reached; ++level) {
    tests_made += size_t(std::ranges::count(track.machines.now[level], true, &Deviation::judged));
    judge(track, level);
    judge_job(track, level);
  }
  for (WindowTests* tests : {&track.machines, &track.job}) {
    keep_last(*tests);
    follow(*tests);
  }
  // A pause of the job differs in length between machines, so neither past nor noise of its machines is
  // learned while the job deviates.
  track.machines.crowd |= track.job.suspected[0] != 0;
}

Scan::Scan(ScanFleet fleet, ScanOptions options)
    : impl_(std::make_unique<Impl>(std::move(fleet), std::move(options))) {
}
Scan::~Scan() = default;
Scan::Scan(Scan&&) noexcept = default;

void Scan::push(int64_t time_ms, std::span<const float> values) {
  Impl& s = *impl_;
  s.now_ms = time_ms;
  s.note_reports(values);
  const bool answered = s.roll.row(time_ms, s.reports);
  if (s.pushed == 0 && s.roll.reporting() == 0)
    return;
  ++s.pushed;
  s.answered += answered;
  s.rows.push(values);
  s.note_peer_quantiles();
  s.codes.push(time_ms, values);
  s.begin_pasts();
  s.judge_silence();
  if (!s.rows.full() || s.pushed % s.cell != 0)
    return;
  for (Track& track : s.tracks)
    s.step(track);
  if (!s.half_passed && 2 * s.pushed >= s.fleet.rows && s.fleet.rows > 0) {
    s.half_passed = true;
    s.half_way = s.sensitivity();
  }
}

const ScanFleet& Scan::fleet() const {
  return impl_->fleet;
}
const std::vector<Episode>& Scan::episodes() const {
  return impl_->episodes;
}
double Scan::threshold() const {
  return impl_->z;
}
const std::vector<std::vector<size_t>>& Scan::groups() const {
  return impl_->groups;
}
const std::vector<CodeEvent>& Scan::codes() const {
  return impl_->codes.events();
}
bool Scan::group_judged(size_t group) const {
  return std::ranges::any_of(impl_->tracks, [&](const Track& t) {
    return t.group == group;
  });
}

double Scan::needed_s() const {
  // Four shortest windows: the one that is tested, its past, and those whose differences give the noise.
  return double(4 * impl_->block) * double(impl_->fleet.step_ms) / 1000;
}

Slow Scan::slow(size_t metric) const {
  return impl_->kinds[metric].slow;
}

Kind Scan::kind(size_t metric) const {
  const MetricKind named = impl_->kinds[metric];
  for (const Track& t : impl_->tracks) {
    if (t.metric == metric && t.scaled && t.scale.law == Scale::Law::Rank)
      return Kind::FewValued;
  }
  return named.kind;
}

const Scale& Scan::scale(size_t metric) const {
  static const Scale kNone;
  for (const Track& t : impl_->tracks) {
    if (t.metric == metric)
      return t.scale;
  }
  return kNone;
}

std::vector<Sensitivity> Scan::Impl::sensitivity() {
  std::vector<Sensitivity> out;
  for (Track& t : tracks) {
    Sensitivity best{t.metric, 0, 0};
    for (size_t level = 0; t.scaled && level < lengths.size(); ++level) {
      const double shift =
          t.machines.levels[level].detectable(t.machines.suspicion(), z, t.dips, kinds[t.metric].slow);
      if (shift > 0 && (best.shift == 0 || shift < best.shift))
        best = {t.metric, double(window_ms(level)) / 1000, shift};
    }
    if (best.shift > 0)
      out.push_back(best);
  }
  return out;
}

std::vector<Sensitivity> Scan::sensitivity() const {
  return impl_->half_passed ? impl_->half_way : impl_->sensitivity();
}

void Scan::add(Episode episode) {
  impl_->episodes.push_back(std::move(episode));
}

}  // namespace lento::fleet
