// Turns episodes (one metric, several machines) into verdicts (one machine, several metrics). Of several
// episodes of a machine, the one raised first gives the text, so that a weaker later one does not. A quarter
// of a group in one episode is a crowd, as in the scan, which then no longer uses the others as healthy
// peers. A storm of pause frames also makes neighbours pause, hundreds of times less, also those that are no
// peers of the machine (another stage of the job). Such machines get no verdict.
#include "fleet/watch/verdicts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"

namespace lento::fleet {
namespace {

using Verdicts = std::map<std::pair<size_t, bool>, MachineVerdict>;

void add_silence(const Episode& e, Verdicts& out) {
  const Member& m = e.members.front();
  MachineVerdict& v = out[{m.machine, true}];
  v.machine = m.machine;
  v.silent = true;
  v.onset_ms = m.onset_ms;
  v.raised_ms = m.raised_ms;
}

std::string
text_of(const Scan& scan, const Episode& e, size_t member, const RecentMeans& means, size_t others) {
  std::string text =
      scan.fleet().metrics[e.metric] + " has a mean of " + base::format_number(means.members[member], 4) +
      " where peers have " + base::format_number(means.peers, 4) + " in the last " +
      base::format_quantity(means.window_s, base::Dimension::Time) + "; its strongest window had " +
      base::format_number(double(e.members[member].score), 3) + " times what the budget asks for";
  if (others > 0)
    text += ", with " + std::to_string(others) + " more at once";
  return text;
}

// Returns how far the furthest machine is from its peers, of those whose same metric changed with the
// episode's, whatever their group.
double furthest(const Scan& scan, const Episode& e) {
  double most = 0;
  for (const Episode& other : scan.episodes()) {
    const double apart_s = std::abs(double(other.onset_ms - e.onset_ms)) / 1000;
    if (!other.active || other.what != e.what || other.metric != e.metric || other.rises != e.rises ||
        apart_s > std::max(e.window_s, other.window_s))
      continue;
    const RecentMeans means = scan.recent(other);
    for (size_t i = 0; i < other.members.size(); ++i) {
      if (other.members[i].active && !std::isnan(means.members[i]))
        most = std::max(most, std::abs(means.members[i] - means.peers));
    }
  }
  return most;
}

void add_deviations(const Scan& scan, const Episode& e, Verdicts& out) {
  const RecentMeans means = scan.recent(e);
  const auto active = size_t(std::ranges::count(e.members, true, &Member::active));
  const bool crowd = active > 1 && 4 * active >= scan.groups()[e.group].size();
  const double most = furthest(scan, e);
  for (size_t i = 0; i < e.members.size(); ++i) {
    const Member& m = e.members[i];
    if (!m.active || 2 * std::abs(means.members[i] - means.peers) < most)
      continue;
    const auto [at, fresh] = out.try_emplace({m.machine, false});
    MachineVerdict& v = at->second;
    v.machine = m.machine;
    v.in_a_crowd |= crowd;
    if (!fresh && std::pair(v.raised_ms, -v.score) <= std::pair(m.raised_ms, -double(m.score)))
      continue;
    v.onset_ms = m.onset_ms;
    v.raised_ms = m.raised_ms;
    v.metric = e.metric;
    v.score = double(m.score);
    v.text = text_of(scan, e, i, means, active - 1);
  }
}

}  // namespace

std::vector<MachineVerdict> standing_verdicts(const Scan& scan) {
  Verdicts by_machine;
  for (const Episode& e : scan.episodes()) {
    if (e.active && e.what == Episode::What::Silent)
      add_silence(e, by_machine);
    if (e.active && e.what == Episode::What::Machines)
      add_deviations(scan, e, by_machine);
  }
  std::vector<MachineVerdict> out;
  for (auto& [key, v] : by_machine)
    out.push_back(std::move(v));
  return out;
}

size_t machines_together(const std::vector<MachineVerdict>& verdicts) {
  return size_t(std::ranges::count(verdicts, true, &MachineVerdict::in_a_crowd));
}

}  // namespace lento::fleet
