// Draws the figures of a prediction: sorts the parts of the time, puts each product under the data sheet's
// roof (Williams et al. 2009), and schedules the pipeline as its formula does.
#include "predict/time/explain_figures.h"

#include <algorithm>

#include "base/units.h"
#include "predict/time/sensitivity.h"
#include "predict/time/training/pipeline.h"
#include "predict/time/training/placement.h"

namespace lento::predict {

using finding::Diagnosis;

namespace {

std::string number(double value) {
  return base::format_number(value, 4);
}

}  // namespace

void add_bars(
    Diagnosis& d,
    const std::string& what,
    const std::vector<std::pair<std::string, double>>& parts) {
  double longest = 0;
  for (const auto& [name, seconds] : parts)
    longest = std::max(longest, seconds);
  const std::pair<const char*, double> unit = longest >= 1      ? std::pair{"s", 1.0}
                                              : longest >= 1e-3 ? std::pair{"ms", 1e3}
                                                                : std::pair{"us", 1e6};
  finding::BarsFigure figure;
  figure.y_name = unit.first;
  figure.series = {"time"};
  figure.values.resize(1);
  auto sorted = parts;
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  for (const auto& [name, seconds] : sorted) {
    figure.categories.push_back(name);
    figure.values[0].push_back(seconds * unit.second);
  }
  d.figures.push_back({"Where the time goes", "Time of " + what + " by cause.", std::move(figure)});
}

void add_roofline(Diagnosis& d, const System& system, const std::vector<Gemm>& kernels) {
  if (kernels.empty())
    return;
  constexpr double kTera = 1e12;
  const double peak = system.chip.peak(kernels[0].precision);
  finding::ScatterFigure figure;
  figure.x_name = "flops per byte of memory traffic";
  figure.y_name = "TFLOP/s";
  figure.log_x = figure.log_y = true;
  finding::ScatterFigure::Group roof{"roof", {}, true};
  finding::ScatterFigure::Group dots{"kernels", {}, false};
  for (double x = 0.25; x <= 16384; x *= 2)
    roof.points.push_back({x, std::min(peak, x * system.chip.memory_Bps) / kTera, "", false});
  for (const Gemm& g : kernels) {
    const KernelTime t = predict_gemm(system, g);
    const std::string label = std::to_string(g.m) + "x" + std::to_string(g.n) + "x" + std::to_string(g.k);
    dots.points.push_back({t.flops / t.memory_bytes, t.flops / t.seconds / kTera, label, false});
  }
  figure.groups = {std::move(roof), std::move(dots)};
  d.figures.push_back({"Roofline", "Each matrix product against the data sheet's roof.", std::move(figure)});
}

void add_timeline(Diagnosis& d, const GraphRun& r, const GraphTime& t) {
  finding::TimelineFigure figure;
  figure.x_name = "us";
  double now = 0;
  for (size_t i = 0; i < r.kernels.size(); ++i) {
    const double end = now + 1e6 * t.kernels[i].seconds;
    figure.spans.push_back({std::string(name(t.kernels[i].bound)), now, end, r.kernels[i].name, false});
    now = end;
  }
  d.figures.push_back({"Forward pass", "Each kernel on the track of what bounds it.", std::move(figure)});
}

void add_timeline(Diagnosis& d, const TrainingRun& r, const TrainingTime& t) {
  constexpr double kMostSpans = 4000;
  const double m = double(r.micro_batches());
  if (2 * m * r.pipeline * r.interleave > kMostSpans)
    return;
  const double busy = (t.compute_s + t.recompute_s + t.tensor_s + t.host_s) / m / r.interleave;
  PipelineShape shape{r.pipeline, r.interleave, int(m)};
  // The backward pass takes twice the forward time, and recomputation adds the forward time once more.
  shape.forward_s = busy * (t.recompute_s > 0 ? 0.25 : 1.0 / 3);
  shape.backward_s = busy - shape.forward_s;
  shape.hand_over_s = r.pipeline > 1 ? t.pipeline_s / (2 * m * r.interleave) : 0;
  finding::TimelineFigure figure;
  figure.x_name = "seconds";
  for (const PipelineSpan& s : schedule_pipeline(shape)) {
    const std::string chunk = r.interleave > 1 ? "." + std::to_string(s.chunk) : "";
    figure.spans.push_back(
        {"stage " + std::to_string(s.stage),
         s.begin,
         s.end,
         (s.backward ? "B" : "F") + std::to_string(s.micro_batch) + chunk,
         false});
  }
  const double end = figure.spans.back().end;
  if (t.data_s > 0)
    figure.spans.push_back({"gradients", end, end + t.data_s, "reduce and gather", false});
  figure.spans.push_back(
      {"optimizer", end + t.data_s, end + t.data_s + t.optimizer_s, "update of the weights", false});
  d.figures.push_back(
      {"Timeline", "F and B: forward and backward pass of a micro batch.", std::move(figure)});
}

void add_placements(Diagnosis& d, const System& s, const TrainingRun& r) {
  const std::vector<PlacedTime> all = time_placements(s, r);
  d.facts.emplace_back("ranks placed", to_string(r.placement));
  if (all.size() < 2)
    return;
  finding::TableFigure table;
  table.columns =
      {"order of ranks", "time (s)", "tensor (s)", "hand-over (s)", "gradients (s)", "most on a link"};
  for (const PlacedTime& p : all)
    table.rows.push_back(
        {to_string(p.placement),
         number(p.time.seconds),
         number(p.time.tensor_s),
         number(p.time.pipeline_s),
         number(p.time.data_s),
         number(p.most_load)});
  d.figures.push_back(
      {"Placements", "The first dimension of an order varies fastest from rank to rank.", std::move(table)});
}

void add_percentiles(Diagnosis& d, const ServingTime& t) {
  finding::TableFigure table;
  table.columns = {"seconds", "half", "nine of ten", "99 of 100"};
  const std::pair<const char*, const Percentiles*> rows[] = {
      {"to the first token", &t.first_token_s},
      {"a further token", &t.per_token_s},
      {"between two tokens", &t.step_s},
      {"of a request", &t.request_s}};
  for (const auto& [name, p] : rows)
    table.rows.push_back({name, number(p->p50), number(p->p90), number(p->p99)});
  d.figures.push_back({"Waiting", "Percentiles over all requests, or tokens.", std::move(table)});
}

void add_sensitivities(Diagnosis& d, const System& system, const Question& q) {
  finding::TableFigure inputs{{"input", "change of the time for 1 % more"}, {}};
  finding::TableFigure sizes{{"size", "time when doubled"}, {}};
  for (const Elasticity& e : elasticities(system, q))
    inputs.rows.push_back({e.input, base::format_number(e.value, 3) + " %"});
  for (const Doubling& one : doublings(system, q))
    sizes.rows.push_back({one.input, number(one.ratio) + " x"});
  d.figures.push_back({"Sensitivity", "Negative: more of it makes the workload faster.", std::move(inputs)});
  if (!sizes.rows.empty())
    d.figures.push_back({"Sizes", "One size of the workload doubled, all else as asked.", std::move(sizes)});
}

}  // namespace lento::predict
