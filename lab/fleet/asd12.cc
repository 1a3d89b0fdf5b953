// asd12: twelve servers that work side by side, 19 metrics each 5 minutes, labels per server in the test
// part. The past of a window is the train part and all earlier points.
#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/units.h"
#include "fleet/read/source.h"
#include "fleet/scan/scan.h"
#include "lab/fleet/peer_rank.h"
#include "lab/fleet/real_data.h"

namespace lento::fleet {
namespace {

using finding::TableFigure;

constexpr size_t kTrainEnd = 8640;

struct Segment {
  size_t server;
  size_t begin;
  size_t end;
};

MetricSeries read_servers(const std::string& folder, std::vector<std::vector<bool>>& label) {
  CsvOptions csv;
  for (int k = 1; k <= 12; ++k) {
    csv.paths.push_back(folder + "/server" + (k < 10 ? "0" : "") + std::to_string(k) + ".csv.gz");
  }
  csv.time_column = "t";
  csv.label_columns = {"part"};
  // The reader takes a label for a remark unless it is named.
  for (int k = 0; k < 19; ++k)
    csv.metrics.push_back((k < 10 ? "m0" : "m") + std::to_string(k));
  csv.metrics.emplace_back("label");
  csv.grid.step_ms = 1000;  // one step of the file
  base::ReadReport report;
  MetricSeries all = read_csv(csv, report);
  const size_t label_metric = size_t(std::ranges::find(all.metrics, "label") - all.metrics.begin());
  label.assign(all.steps, std::vector<bool>(12, false));
  for (size_t t = kTrainEnd; t < all.steps; ++t) {
    for (size_t m = 0; m < 12; ++m)
      label[t][m] = all.at(label_metric, t, m) == 1.0f;
  }
  all.values.resize(label_metric * all.steps * 12);  // the label column is the last
  all.metrics.resize(label_metric);
  return all;
}

std::vector<Segment> single_segments(const std::vector<std::vector<bool>>& label) {
  std::vector<Segment> out;
  const auto only = [&](size_t t) -> size_t {
    if (t >= label.size() || std::ranges::count(label[t], true) != 1)
      return SIZE_MAX;
    return size_t(std::ranges::find(label[t], true) - label[t].begin());
  };
  for (size_t t = kTrainEnd; t < label.size();) {
    const size_t server = only(t);
    size_t end = t + 1;
    while (server != SIZE_MAX && only(end) == server)
      ++end;
    if (server != SIZE_MAX)
      out.push_back({server, t, end});
    t = end;
  }
  return out;
}

}  // namespace

TableFigure measure_asd12(const RealOptions& options, const base::Progress& progress) {
  std::vector<std::vector<bool>> label;
  const MetricSeries series = read_servers(options.folder + "/asd12", label);
  std::vector<Segment> segments = single_segments(label);
  std::vector<Segment> windows;
  for (const Segment& s : segments) {
    if (s.end - s.begin >= 8)
      windows.push_back(s);
  }
  std::vector<size_t> rank(windows.size());
  base::parallel_for(windows.size(), options.threads, [&](size_t i) {
    if (progress.stopped())
      return;
    const auto ranked = rank_among_peers(series, windows[i].begin, windows[i].end);
    const auto at = std::ranges::find(ranked, windows[i].server, &RankedMachine::machine);
    rank[i] = size_t(at - ranked.begin()) + 1;
  });
  uint64_t first = 0;
  uint64_t third = 0;
  TableFigure table;
  table.columns = {"what", "measured"};
  for (size_t i = 0; i < windows.size(); ++i) {
    first += rank[i] == 1;
    third += rank[i] <= 3;
    table.rows.push_back(
        {"server " + std::to_string(windows[i].server + 1) + ", points " + std::to_string(windows[i].begin) +
             " to " + std::to_string(windows[i].end - 1),
         "rank " + std::to_string(rank[i])});
  }
  table.rows.push_back(
      {"segments of 8 points or more: first", std::to_string(first) + "/" + std::to_string(windows.size())});
  table.rows.push_back(
      {"segments: in the top three", std::to_string(third) + "/" + std::to_string(windows.size())});
  return table;
}

TableFigure measure_straggler(const RealOptions& options, const base::Progress&) {
  TableFigure table;
  table.columns = {"trace", "named"};
  for (const char* name : {"AR", "ST", "SE"}) {
    const std::string path = options.folder + "/straggler/trace_" + name + ".csv.gz";
    base::ReadReport report;
    try {
      std::string named;
      for (const auto& f : scan(read_op_trace(path, report), {}).findings)
        named += (named.empty() ? "" : ", ") + f.subject;
      table.rows.push_back({name, named.empty() ? "nobody" : named});
    } catch (const base::Error&) {
      table.rows.push_back({name, "not present"});
    }
  }
  return table;
}

}  // namespace lento::fleet
