// Reads traces of a training job's operations, one line each:
// dp_rank,stage,step,op,seq_id,mb_id,start_us,dur_us (the layout of ByteDance's StragglerAnalysis). A worker
// is one machine "dpD-stageS" with the label `stage`. Its metrics are the mean duration of each compute
// operation in each step, in ms. Communication operations are left out: they wait for the slowest worker, so
// long durations show the workers that wait, not the slow one.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "fleet/read/source.h"

namespace lento::fleet {
namespace {

struct Sum {
  double total_us = 0;
  uint64_t count = 0;
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find(',', at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

}  // namespace

MetricSeries read_op_trace(const std::string& path, base::ReadReport& report) {
  base::InputStream in(path);
  base::Location where{path, 1};
  std::string_view line;
  const std::vector<std::string> needed{"dp_rank", "stage", "step", "op", "start_us", "dur_us"};
  if (!in.line(line))
    throw base::Error(where, "the file is empty, a header line is needed");
  const auto header = fields_of(line);
  std::map<std::string, size_t> column;
  for (const std::string& name : needed) {
    const auto at = std::ranges::find(header, name);
    if (at == header.end())
      throw base::Error(where, "column '" + name + "' is not in the header");
    column[name] = size_t(at - header.begin());
  }
  std::map<int64_t, int64_t> step_start_us;
  std::map<std::tuple<int64_t, std::string, std::string>, Sum> sums;  // step, worker, op
  std::map<std::string, std::string> stages;
  const size_t columns = header.size();
  while (in.line(line)) {
    where.line = int(std::min<int64_t>(in.line_number(), INT32_MAX));
    const auto f = fields_of(line);
    if (f.size() != columns) {
      report.skip(where, "wrong number of fields");
      continue;
    }
    const auto step = base::try_int(f[column["step"]]);
    const auto start = base::try_double(f[column["start_us"]]);
    const auto duration = base::try_double(f[column["dur_us"]]);
    if (!step || !start || !duration || *duration < 0 || std::abs(*start) > 9e15) {
      report.skip(where, "step, start or duration is not a number");
      continue;
    }
    const std::string stage(f[column["stage"]]);
    const std::string op(f[column["op"]]);
    const std::string worker = "dp" + std::string(f[column["dp_rank"]]) + "-stage" + stage;
    const int64_t start_us = int64_t(*start);
    const auto [at, fresh] = step_start_us.emplace(*step, start_us);
    at->second = std::min(at->second, start_us);
    if (op.find("compute") == std::string::npos)
      continue;
    if (sums.size() > 10'000'000)
      throw base::Error(where, "over ten million different steps, workers and operations");
    stages[worker] = stage;
    Sum& sum = sums[{*step, worker, op}];
    sum.total_us += *duration;
    ++sum.count;
  }
  SeriesBuilder builder(report);
  for (const auto& [worker, stage] : stages)
    builder.set_label(builder.machine(worker), "stage", stage);
  for (const auto& [key, sum] : sums) {
    const auto& [step, worker, op] = key;
    builder.add(
        {builder.metric(op + "_ms"), builder.machine(worker), 0},
        step_start_us[step] / 1000,
        sum.total_us / double(sum.count) / 1000,
        where);
  }
  GridOptions grid;
  return builder.build(grid, {path});
}

}  // namespace lento::fleet
