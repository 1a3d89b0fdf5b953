// hpas_runs: one-hertz runs of one node with faults whose begin and end are labelled. Each run replays one
// machine, so a fleet is drawn: one fault segment of an odd run and 31 healthy segments of other runs, on one
// clock. The metrics are learned on fleets drawn from even runs only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/units.h"
#include "evidence/share.h"
#include "fleet/minder/priority.h"
#include "fleet/read/source.h"
#include "lab/fleet/peer_rank.h"
#include "lab/fleet/real_data.h"

namespace lento::fleet {
namespace {

using base::Json;

constexpr size_t kLength = 200;  // seconds of a segment
constexpr size_t kPeers = 31;
constexpr int kDraws = 3;  // of peers, for each fault that is learned from

struct Run {
  int number = 0;
  MetricSeries series;       // one machine
  std::vector<bool> faulty;  // per second
};

struct Segment {
  size_t run = 0;
  size_t begin = 0;
  std::string kind;  // empty: healthy
};

struct Data {
  std::vector<Run> runs;
  std::vector<Segment> faults;
  std::vector<Segment> healthy;
  std::vector<std::string> metrics;
};

Data read_runs(const std::string& folder) {
  Data data;
  const std::string manifest_path = folder + "/manifest.json";
  const Json manifest = base::parse_json(base::read_file(manifest_path), manifest_path);
  const base::Location where{manifest_path};
  for (const Json& entry : manifest.at("runs", where).array(where)) {
    if (entry.at("app", where).string(where) != "ExaMiniMD")
      continue;
    Run run;
    const std::string name = entry.at("run", where).string(where);
    run.number = std::stoi(name.substr(3));
    CsvOptions csv;
    csv.paths = {folder + "/" + name + ".csv.gz"};
    csv.time_column = "t";
    csv.grid.step_ms = 1000;
    csv.metrics.clear();
    for (const Json& column : manifest.at("columns", where).array(where))
      csv.metrics.push_back(column.string(where));
    base::ReadReport report;
    run.series = read_csv(csv, report);
    run.faulty.assign(run.series.steps, false);
    const size_t at = data.runs.size();
    for (const Json& fault : entry.at("faults", where).array(where)) {
      const size_t begin = size_t(fault.at("start", where).integer(where));
      const size_t end = std::min<size_t>(size_t(fault.at("end", where).integer(where)), run.series.steps);
      for (size_t t = begin; t < end; ++t)
        run.faulty[t] = true;
      if (end - begin >= kLength)
        data.faults.push_back({at, begin, fault.at("kind", where).string(where)});
    }
    for (size_t t = 10;
         t + kLength + 10 <= run.series.steps;) {  // start and end of a run are not steady work
      const auto first = run.faulty.begin() + static_cast<std::ptrdiff_t>(t);
      const auto hit = std::find(first, first + kLength, true);
      if (hit == first + kLength) {
        data.healthy.push_back({at, t, ""});
        t += kLength;
      } else {
        t = size_t(hit - run.faulty.begin()) + 1;
      }
    }
    data.metrics = run.series.metrics;
    data.runs.push_back(std::move(run));
  }
  return data;
}

// Machine 0 is the fault (or a healthy segment), the others are drawn from `pool`, never from its run.
MetricSeries
draw_fleet(const Data& data, const Segment& first, const std::vector<Segment>& pool, base::Rng& rng) {
  std::vector<Segment> chosen{first};
  std::vector<Segment> rest;
  for (const Segment& s : pool) {
    if (s.run != first.run)
      rest.push_back(s);
  }
  for (size_t i = 0; i < kPeers && !rest.empty(); ++i) {
    const size_t pick = rng.below(rest.size());
    chosen.push_back(rest[pick]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  MetricSeries fleet;
  fleet.metrics = data.metrics;
  fleet.steps = kLength;
  for (size_t i = 0; i < chosen.size(); ++i)
    fleet.machines.push_back("machine" + std::to_string(i));
  fleet.labels.resize(chosen.size());
  fleet.values.resize(data.metrics.size() * kLength * chosen.size());
  for (size_t k = 0; k < data.metrics.size(); ++k) {
    for (size_t t = 0; t < kLength; ++t) {
      for (size_t i = 0; i < chosen.size(); ++i) {
        fleet.row(k, t)[i] = data.runs[chosen[i].run].series.at(k, chosen[i].begin + t, 0);
      }
    }
  }
  return fleet;
}

// Abnormality of every machine and metric of one fleet as samples for the tree.
void add_samples(const MetricSeries& fleet, bool faulty, size_t group, std::vector<PrioritySample>& samples) {
  std::vector<PrioritySample> now(fleet.machines.size());
  for (PrioritySample& s : now) {
    s.z.resize(fleet.metrics.size());
    s.group = group;
  }
  now[0].faulty = faulty;
  for (size_t k = 0; k < fleet.metrics.size(); ++k) {
    for (const RankedMachine& r : rank_among_peers(fleet, 0, kLength, std::span(&fleet.metrics[k], 1)))
      now[r.machine].z[k] = float(r.score);
  }
  for (PrioritySample& s : now)
    samples.push_back(std::move(s));
}

std::vector<std::string> learn_metrics(const Data& data, const RealOptions& options) {
  std::vector<PrioritySample> samples;
  std::vector<Segment> healthy_even;
  for (const Segment& s : data.healthy) {
    if (data.runs[s.run].number % 2 == 0)
      healthy_even.push_back(s);
  }
  for (size_t i = 0; i < data.faults.size(); ++i) {
    if (data.runs[data.faults[i].run].number % 2)
      continue;
    base::Rng rng(options.seed, "hpas.learn", i);
    for (int d = 0; d < kDraws; ++d)  // one group: the draws of a fault share it
      add_samples(draw_fleet(data, data.faults[i], healthy_even, rng), true, i, samples);
  }
  std::vector<std::string> names;
  StableOptions stable;
  stable.seed = options.seed;
  for (const MetricUse& use : prioritise_stable(samples, stable))
    names.push_back(data.metrics[use.metric]);
  return names;
}

}  // namespace

finding::TableFigure measure_hpas(const RealOptions& options, const base::Progress& progress) {
  const Data data = read_runs(options.folder + "/hpas_runs");
  const std::vector<std::string> learned = learn_metrics(data, options);
  finding::TableFigure table;
  table.columns = {"what", "measured"};
  std::string list;
  for (const std::string& name : learned)
    list += (list.empty() ? "" : ", ") + name;
  table.rows.push_back({"metrics learned on even runs", list});
  std::vector<Segment> odd;
  for (const Segment& s : data.faults) {
    if (data.runs[s.run].number % 2)
      odd.push_back(s);
  }
  const size_t draws = size_t(options.draws);
  std::vector<int> hit(odd.size() * draws);
  std::vector<int> all_metrics(odd.size() * draws);
  base::parallel_for(hit.size(), options.threads, [&](size_t i) {
    if (progress.stopped())
      return;
    base::Rng rng(options.seed, "hpas.judge", i);
    const MetricSeries fleet = draw_fleet(data, odd[i / draws], data.healthy, rng);
    hit[i] = rank_among_peers(fleet, 0, kLength, learned).front().machine == 0;
    all_metrics[i] = rank_among_peers(fleet, 0, kLength).front().machine == 0;
  });
  std::map<std::string, std::pair<uint64_t, uint64_t>> by_kind;
  uint64_t unprioritised = 0;
  for (size_t i = 0; i < hit.size(); ++i) {
    for (const std::string& kind : {odd[i / draws].kind, std::string("all")}) {
      by_kind[kind].first += uint64_t(hit[i]);
      ++by_kind[kind].second;
    }
    unprioritised += uint64_t(all_metrics[i]);
  }
  for (const auto& [kind, count] : by_kind) {
    const evidence::Interval ci = evidence::wilson95(count.first, count.second);
    table.rows.push_back(
        {"right machine, " + kind,
         std::to_string(count.first) + "/" + std::to_string(count.second) + " (" +
             base::format_number(ci.low, 3) + " to " + base::format_number(ci.high, 3) + ")"});
  }
  table.rows.push_back(
      {"right machine, all metrics instead",
       std::to_string(unprioritised) + "/" + std::to_string(hit.size())});
  return table;
}

}  // namespace lento::fleet
