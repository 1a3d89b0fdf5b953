// Draws the figures of an analysis from its values: a timeline of a step with a lane for each rank, lag by
// rank, excess by step, the links between hosts, the predicted gain, and the clocks. Large jobs are cut to
// the ranks of the findings and their peers.
#include "fleet/ranks/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/units.h"
#include "fleet/ranks/replay.h"

namespace lento::fleet::ranks {
namespace {

constexpr size_t kMostLanes = 32;
constexpr size_t kMostRows = 64;

std::set<int> blamed_ranks(const Analysis& a) {
  std::set<int> out;
  for (const Culprit& c : a.culprits)
    out.insert(c.ranks.begin(), c.ranks.end());
  return out;
}

// Returns the slow channels (indices into Job::channels) that cross a faulty part of the network.
std::set<int> blamed_channels(const Analysis& a) {
  std::set<int> out;
  for (const Culprit& c : a.culprits) {
    if (c.part < 0)
      continue;
    out.insert(a.parts[c.part].part.hits.begin(), a.parts[c.part].part.hits.end());
  }
  return out;
}

// Returns up to `most` ranks: those of the findings, the ranks whose collectives cross a faulty part of the
// network, then ranks that share a channel of at most eight ranks with a rank of a finding, then the first
// of the others.
std::vector<int> chosen_ranks(const Analysis& a, size_t most) {
  std::set<int> wanted = blamed_ranks(a);
  const std::set<int> first = wanted;
  for (const int c : blamed_channels(a))
    wanted.insert(a.job.channels[c].ranks.begin(), a.job.channels[c].ranks.end());
  for (const Channel& c : a.job.channels) {
    const bool meets = std::ranges::any_of(c.ranks, [&](int r) {
      return first.contains(r);
    });
    if (meets && c.ranks.size() <= 8 && wanted.size() < most)
      wanted.insert(c.ranks.begin(), c.ranks.end());
  }
  for (size_t r = 0; r < a.job.ranks.size() && wanted.size() < most; ++r)
    wanted.insert(int(r));
  std::vector<int> out(wanted.begin(), wanted.end());
  if (out.size() > most)
    out.resize(most);
  return out;
}

// Returns the step in the middle of the costliest stretch, or of the run.
int shown_step(const Analysis& a) {
  if (a.culprits.empty())
    return a.job.steps / 2;
  const Stretch& s = a.culprits.front().stretch;
  return (s.begin + s.end) / 2;
}

void add_lanes(const Analysis& a, int lane_steps, finding::Diagnosis& d) {
  const int from = shown_step(a);
  const std::vector<int> ranks = chosen_ranks(a, kMostLanes);
  const std::set<int> late = blamed_ranks(a);
  const std::set<int> slow = blamed_channels(a);
  std::map<std::pair<int, int>, int> channel_of;  // rank, record -> channel
  int64_t origin = INT64_MAX;
  for (const Instance& i : a.job.instances) {
    if (i.step < from || i.step >= from + lane_steps)
      continue;
    for (const Member& m : a.job.of(i))
      channel_of[{m.rank, m.record}] = i.channel;
  }
  finding::TimelineFigure lanes;
  lanes.x_name = "ms, one clock";
  for (const int r : ranks) {
    const JobRank& rank = a.job.ranks[r];
    for (size_t i = 0; i < rank.step.size(); ++i) {
      if (rank.step[i] < from || rank.step[i] >= from + lane_steps)
        continue;
      origin = std::min(origin, a.clocks.corrected(rank.host, rank.trace->records[i].begin_ns));
    }
  }
  const auto at = [&](int host, int64_t t) {
    return double(a.clocks.corrected(host, t) - origin) / 1e6;
  };
  for (const int r : ranks) {
    const JobRank& rank = a.job.ranks[r];
    for (size_t i = 0; i < rank.step.size(); ++i) {
      if (rank.step[i] < from || rank.step[i] >= from + lane_steps)
        continue;
      const CollectiveRecord& record = rank.trace->records[i];
      const double begin = at(rank.host, record.begin_ns);
      const double own = a.own.before_ns[r][i] / 1e6;
      if (own > 0 && own < a.typical_step_ns / 1e6)
        lanes.spans.push_back({rank.label, begin - own, begin, "own", late.contains(r)});
      const auto channel = channel_of.find({r, int(i)});
      const bool bad = channel != channel_of.end() && slow.contains(channel->second);
      lanes.spans.push_back(
          {rank.label,
           begin,
           at(rank.host, record.end_ns),
           std::string(name(record.op)) + " " + bytes_text(record.bytes),
           bad});
    }
  }
  if (lanes.spans.empty())
    return;
  d.figures.push_back(
      {"Ranks on one clock, from step " + std::to_string(from),
       "Own time and collectives; clocks of the hosts corrected. Marked: late by its own doing, or "
       "slow after the last arrival.",
       std::move(lanes)});
}

void add_lag(const Analysis& a, finding::Diagnosis& d) {
  const std::vector<int> ranks = chosen_ranks(a, kMostRows);
  std::map<std::string, int> columns;
  for (const Channel& c : a.job.channels) {
    const JobCommunicator& comm = a.job.communicators[c.communicator];
    if (c.from < 0)
      columns.emplace(comm.name.empty() ? bytes_text(c.bytes) + " " + name(c.op) : comm.name, 0);
  }
  if (columns.empty())
    return;
  int index = 0;
  std::string names;
  for (auto& [name, column] : columns) {
    names += (index > 0 ? ", " : "") + std::to_string(index) + " " + name;
    column = index++;
  }
  std::vector<double> sum(ranks.size() * columns.size(), 0);
  std::vector<double> count(sum.size(), 0);
  std::map<int, size_t> row;
  for (size_t i = 0; i < ranks.size(); ++i)
    row[ranks[i]] = i;
  for (const Instance& i : a.job.instances) {
    const Channel& c = a.job.channels[i.channel];
    if (c.from >= 0)
      continue;
    const JobCommunicator& comm = a.job.communicators[c.communicator];
    const int column = columns[comm.name.empty() ? bytes_text(c.bytes) + " " + name(c.op) : comm.name];
    int64_t longest = 0;
    for (const Member& m : a.job.of(i))
      longest = std::max(longest, a.job.record(m).end_ns - a.job.record(m).begin_ns);
    for (const Member& m : a.job.of(i)) {
      const auto found = row.find(m.rank);
      if (found == row.end())
        continue;
      const size_t cell = found->second * columns.size() + size_t(column);
      sum[cell] += double(longest - (a.job.record(m).end_ns - a.job.record(m).begin_ns)) / 1e6;
      count[cell] += 1;
    }
  }
  finding::HeatMapFigure map;
  map.x_name = "communicator: " + names;
  map.value_name = "mean lag behind the first, ms";
  for (size_t c = 0; c < columns.size(); ++c)
    map.columns.push_back(double(c));
  for (size_t i = 0; i < sum.size(); ++i)
    map.values.push_back(count[i] > 0 ? sum[i] / count[i] : NAN);
  const std::set<int> late = blamed_ranks(a);
  for (const int r : ranks) {
    map.rows.push_back(a.job.ranks[r].label);
    if (late.contains(r))
      map.blamed.push_back(map.rows.back());
  }
  d.figures.push_back(
      {"Lag by rank and communicator",
       "How long after the first member each rank arrives. A slow rank is late in every column, a rank "
       "that is held up only in those that its slow partner is not in.",
       std::move(map)});
}

// Adds the excess of the chosen ranks' own times over those of ranks with the same work.
void add_excess(const Analysis& a, finding::Diagnosis& d) {
  finding::SeriesFigure series;
  series.x_name = "step";
  series.y_name = "own time over that of equal ranks, ms";
  const std::set<int> late = blamed_ranks(a);
  for (const int r : chosen_ranks(a, 16)) {
    finding::SeriesFigure::Line line;
    line.name = a.job.ranks[r].label;
    line.blamed = late.contains(r);
    for (int s = 0; s < a.job.steps; ++s) {
      if (std::isnan(a.late.excess_ns[r][s]))
        continue;
      line.x.push_back(s);
      line.y.push_back(a.late.excess_ns[r][s] / 1e6);
    }
    if (!line.x.empty())
      series.lines.push_back(std::move(line));
  }
  for (const Culprit& c : a.culprits) {
    if (c.stretch.begin > 3)
      series.marks.push_back(c.stretch.begin);
  }
  if (series.lines.empty())
    return;
  d.figures.push_back(
      {"Own time beyond the peers', by step",
       "Waiting inside of collectives is not in it. Marks: where a found fault begins.",
       std::move(series)});
}

// Adds a graph of the hosts. An edge shows how many times longer than undisturbed the transfers between two
// hosts take.
void add_links(const Analysis& a, finding::Diagnosis& d) {
  constexpr size_t kMostHosts = 64;
  if (a.job.hosts.size() < 2 || a.job.hosts.size() > kMostHosts)
    return;
  std::map<std::pair<int, int>, std::pair<double, int>> excess;
  for (size_t c = 0; c < a.job.channels.size(); ++c) {
    const Channel& channel = a.job.channels[c];
    const ChannelTime& time = a.channels.channels[c];
    if (channel.hosts.size() != 2 || !time.judged || !(time.undisturbed_ns > 0))
      continue;
    int from = channel.hosts[0];
    int to = channel.hosts[1];
    if (channel.from >= 0) {
      from = a.job.ranks[channel.from].host;
      to = a.job.ranks[channel.to].host;
    }
    auto& [sum, count] = excess[{from, to}];
    sum += time.median_ns / time.undisturbed_ns;
    ++count;
  }
  if (excess.empty())
    return;
  std::set<int> blamed;
  for (const Culprit& c : a.culprits) {
    if (c.part >= 0 && a.parts[c.part].part.kind != Component::Kind::RankNic &&
        a.parts[c.part].part.kind != Component::Kind::GpuLink)
      blamed.insert(a.parts[c.part].part.a);
    if (c.part < 0 && c.rank < 0)
      blamed.insert(c.host);
  }
  finding::GraphFigure graph;
  graph.value_name = "transfer over what others of its kind take";
  for (size_t h = 0; h < a.job.hosts.size(); ++h)
    graph.nodes.push_back(
        {a.job.hosts[h].name,
         a.job.hosts[h].name,
         double(a.job.hosts[h].ranks.size()),
         blamed.contains(int(h))});
  for (const auto& [ends, value] : excess)
    graph.edges.push_back(
        {a.job.hosts[ends.first].name, a.job.hosts[ends.second].name, value.first / value.second});
  d.figures.push_back(
      {"Links between hosts", "From collectives of two hosts, and sends by direction.", std::move(graph)});
}

// Adds the mean step with each fault removed.
void add_what_if(const Analysis& a, finding::Diagnosis& d) {
  if (a.culprits.empty())
    return;
  // The bars show the mean step, so that a fault of some steps counts by their number.
  const double mean_ns = mean_between(a.step_ns, 1, a.job.steps);
  const double counted = double(std::max(1, a.job.steps - 1));
  finding::BarsFigure bars;
  bars.y_name = "mean step, ms";
  bars.series = {"step"};
  bars.categories = {"as recorded"};
  bars.values = {{mean_ns / 1e6}};
  for (const Culprit& c : a.culprits) {
    const double share = double(c.stretch.end - std::max(1, c.stretch.begin)) / counted;
    bars.categories.push_back("without " + subject(a, c));
    bars.values[0].push_back(std::max(0.0, mean_ns - c.lost_ns * share) / 1e6);
  }
  bars.categories.push_back("without all");
  bars.values[0].push_back(std::max(0.0, mean_ns - a.lost_together_ns) / 1e6);
  d.figures.push_back(
      {"What a step would take", "Each alone and all together: the parts do not add up.", std::move(bars)});
}

// Adds offset and drift of each host's clock.
void add_clocks(const Analysis& a, finding::Diagnosis& d) {
  if (a.job.hosts.size() < 2)
    return;
  finding::TableFigure table;
  table.columns = {"host", "offset, ms", "error, ms", "drift, ppm", "drift from", "to"};
  const auto text = [](double v, int digits) {
    return base::format_number(v, digits);
  };
  for (size_t h = 0; h < a.job.hosts.size(); ++h) {
    const HostClock& c = a.clocks.hosts[h];
    if (!c.aligned) {
      table.rows.push_back({a.job.hosts[h].name, "not aligned", "", "", "", ""});
      continue;
    }
    table.rows.push_back(
        {a.job.hosts[h].name,
         text(c.offset_ns / 1e6, 6),
         text(c.offset_error_ns / 1e6, 3),
         text(c.drift * 1e6, 4),
         text(c.drift95.low * 1e6, 4),
         text(c.drift95.high * 1e6, 4)});
  }
  d.figures.push_back(
      {"Clocks of the hosts",
       "Offsets against " + a.job.hosts[0].name + " at Unix second " +
           base::format_number(double(a.clocks.reference_ns) / 1e9, 14) +
           "; corrected = time - offset - drift * (time - that second).",
       std::move(table)});
}

}  // namespace

void add_figures(const Analysis& a, int lane_steps, finding::Diagnosis& d) {
  add_lanes(a, lane_steps, d);
  add_lag(a, d);
  add_excess(a, d);
  add_links(a, d);
  add_what_if(a, d);
  add_clocks(a, d);
}

}  // namespace lento::fleet::ranks
