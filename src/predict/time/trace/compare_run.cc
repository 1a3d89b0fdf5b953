// Groups the measured calls by question, predicts each group, and reports those that are slower than the
// prediction allows, with their share of the run's time.
#include "predict/time/trace/compare_run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "evidence/sample.h"

namespace lento::predict {
namespace {

using base::Dimension;
using base::format_number;
using base::format_quantity;
using finding::Evidence;
using finding::Finding;

constexpr size_t kMostFindings = 20;

// Calls of kernels whose kind and sizes, and so whose prediction, are the same.
struct Group {
  Question question;
  Answer predicted;
  std::string name;
  std::vector<double> measured;

  double median() const {
    return evidence::median(measured);
  }
  double factor() const {
    return median() / predicted.seconds;
  }
  double lost() const {
    return std::max(0.0, median() - predicted.seconds) * double(measured.size());
  }
};

std::string text_of(const Gemm& g) {
  return "gemm " + (g.batch > 1 ? std::to_string(g.batch) + "x" : std::string()) + std::to_string(g.m) + "x" +
         std::to_string(g.n) + "x" + std::to_string(g.k) + " " + std::string(name(g.precision));
}

std::string text_of(const LstmLayer& l) {
  return "recurrent layer hidden " + std::to_string(l.hidden) + " batch " + std::to_string(l.batch) +
         " steps " + std::to_string(l.steps);
}

std::string text_of(const Collective& c) {
  return std::string(name(c.op)) + " of " + format_quantity(c.bytes, Dimension::Bytes) + " on " +
         std::to_string(c.devices) + " devices";
}

std::string text_of(const TrainingRun& r) {
  return "training step on " + std::to_string(r.devices()) + " devices, " +
         format_number(r.model.parameters() / 1e9, 3) + "G parameters";
}

std::string text_of(const InferenceRun& r) {
  return "request of " + std::to_string(r.prompt) + " and " + std::to_string(r.output) + " tokens, " +
         std::to_string(r.batch) + " together";
}

std::string text_of(const GraphRun& r) {
  return (r.training ? "training step of " : "forward pass of ") + r.name +
         (r.replicas > 1 ? " on " + std::to_string(r.replicas) + " devices" : "");
}

std::string text_of(const ExpertLayer& l) {
  return "experts " + std::to_string(l.tokens) + " tokens, " + std::to_string(l.chosen) + " of " +
         std::to_string(l.experts) + ", " + std::to_string(l.hidden) + "x" + std::to_string(l.inner) + " " +
         l.format.name;
}

std::string text_of(const AttentionKernel& k) {
  return std::string(name(k.kind)) + " attention " + std::to_string(k.batch) + "x" +
         std::to_string(k.context) + " tokens, " + std::to_string(k.heads) + " heads " + k.format.name;
}

std::string text_of(const ServingRun& r) {
  const Traffic& t = r.traffic;
  const std::string load = t.per_s > 0 ? format_number(t.per_s, 3) + " requests a second"
                                       : std::to_string(t.together) + " in flight";
  return "serving " + load + " of " + std::to_string(t.prompt) + " and " + std::to_string(t.output) +
         " tokens on " + std::to_string(r.devices()) + " devices";
}

std::string label(const Question& q) {
  return std::visit(
      [](const auto& what) {
        return text_of(what);
      },
      q.what);
}

// Maps a short label to the groups of kernels that have it. A label omits properties that seldom differ
// (parallelism, pass, framework), so groups that share one are numbered.
using Buckets = std::map<std::string, std::vector<Group>>;

// Returns the group of kernels with the same question, and makes it with its prediction when new.
Group& group_of(Buckets& buckets, const System& system, const Question& q) {
  const std::string shared = label(q);
  std::vector<Group>& bucket = buckets[shared];
  const auto at = std::ranges::find_if(bucket, [&q](const Group& g) {
    return g.question == q;
  });
  if (at != bucket.end())
    return *at;
  Group& g = bucket.emplace_back();
  g.question = q;
  g.name = bucket.size() == 1 ? shared : shared + ", variant " + std::to_string(bucket.size());
  try {
    g.predicted = answer(specialised(system, q), q);
  } catch (const base::Error&) {
    g.predicted.seconds = 0;
  }
  return g;
}

// Groups measured kernels by question. Kernels that cannot be predicted are counted in a note.
std::vector<Group> grouped(
    const System& system,
    const MeasuredRun& run,
    const std::optional<Question>& step,
    finding::Diagnosis& d) {
  Buckets buckets;
  size_t impossible = 0;
  const auto add = [&](const Question& q, double seconds) {
    Group& g = group_of(buckets, system, q);
    impossible += g.predicted.seconds <= 0;
    g.measured.push_back(seconds);
  };
  for (const Measurement& m : run.kernels)
    add(m.question, m.seconds);
  if (step) {
    for (const double seconds : run.steps_s)
      add(*step, seconds);
  }
  if (impossible > 0)
    d.notes.push_back(std::to_string(impossible) + " measurements ask what this system cannot do.");
  std::vector<Group> out;
  for (auto& [key, bucket] : buckets) {
    for (Group& group : bucket) {
      if (group.predicted.seconds > 0)
        out.push_back(std::move(group));
    }
  }
  return out;
}

// Returns the measured seconds of a run. Kernels lie inside steps, so the larger of both sums is the whole.
double duration(const MeasuredRun& run) {
  double kernels = 0;
  double steps = 0;
  for (const Measurement& m : run.kernels)
    kernels += m.seconds;
  for (const double seconds : run.steps_s)
    steps += seconds;
  return std::max(kernels, steps);
}

// Returns the finding for a kind of kernel that is slower than nine of ten predictions allow.
Finding slower(const Group& g, double total_s) {
  Finding f;
  f.subject = g.name;
  f.category = "slower than predicted";
  f.factor = g.factor();
  f.lost_share = total_s > 0 ? g.lost() / total_s : 0;
  f.score = std::clamp(1 - (1 + g.predicted.p90) / g.factor(), 0.0, 1.0);
  f.summary = f.subject + " takes " + format_quantity(g.median(), Dimension::Time) + ", " +
              format_number(g.factor(), 3) + " times what it should.";
  f.evidence = {
      {"median of " + std::to_string(g.measured.size()) + " measurements", g.median(), "s", "measured run"},
      {"predicted, bound by " + g.predicted.bound, g.predicted.seconds, "s", "lento predict"},
      {"error that nine of ten such predictions stay within", g.predicted.p90, "", "lento-lab validate"}};
  f.next_step = g.predicted.in_domain
                    ? "Look at clocks, power limit and the library that ran it."
                    : "The question lies outside what was validated: check the prediction first.";
  return f;
}

// Returns the finding for a run whose kernels are all slower by about the same factor.
Finding whole(double factor, size_t kinds) {
  Finding f;
  f.subject = "the whole run";
  f.category = "uniformly slow";
  f.factor = factor;
  f.score = std::clamp(1 - 1 / factor, 0.0, 1.0);
  f.summary =
      "Half of all kinds of work take at least " + format_number(factor, 3) + " times what they should.";
  f.evidence = {
      {"median ratio over " + std::to_string(kinds) + " kinds of work", factor, "x", "measured run"}};
  f.next_step = "Look for what all share: clock, power limit, driver, a wrong data sheet.";
  return f;
}

// Returns measured and predicted times of each kind of kernel.
finding::Figure table_of(const std::vector<Group>& groups) {
  finding::TableFigure t{{"work", "times", "measured (s)", "predicted (s)", "ratio", "bound by"}, {}};
  for (const Group& g : groups)
    t.rows.push_back(
        {g.name,
         std::to_string(g.measured.size()),
         format_number(g.median()),
         format_number(g.predicted.seconds),
         format_number(g.factor(), 3),
         g.predicted.bound});
  return {"Measured against predicted", "The most lost time first.", std::move(t)};
}

// Returns the kernels with the most device time.
finding::Figure device_table(const std::vector<DeviceKernel>& kernels) {
  constexpr size_t kMostKernels = 50;
  double total = 0;
  for (const DeviceKernel& kernel : kernels)
    total += kernel.seconds;
  finding::TableFigure t{{"kernel", "times", "device time (s)", "share (%)"}, {}};
  for (size_t i = 0; i < kernels.size() && i < kMostKernels; ++i) {
    const DeviceKernel& kernel = kernels[i];
    t.rows.push_back(
        {kernel.name,
         std::to_string(kernel.count),
         format_number(kernel.seconds),
         format_number(100 * kernel.seconds / total, 3)});
  }
  return {"Device time by kernel", "Kernels whose sizes the profiler did not record.", std::move(t)};
}

std::string covered_of(const std::vector<Group>& groups) {
  size_t measured = 0;
  for (const Group& g : groups)
    measured += g.measured.size();
  return std::to_string(measured) + " measurements of " + std::to_string(groups.size()) + " kinds of work";
}

// Reports what was measured, and the share of the run's time that the comparison covers.
void state_coverage(finding::Diagnosis& d, const System& system, const MeasuredRun& run) {
  if (!run.device_name.empty() && !is_called(system, run.device_name))
    throw base::Error(
        {},
        "the run is of '" + run.device_name + "', --system is '" + system.name + "'",
        "leave --system out for the run's own device, or list the name in the sheet's 'aliases'");
  if (!run.device_name.empty())
    d.facts.emplace_back("device of the run", run.device_name);
  if (run.kernels_s <= 0)
    return;
  double compared = 0;
  for (const Measurement& m : run.kernels)
    compared += m.seconds;
  const auto share = [](double part, double whole) {
    return base::percent(whole > 0 ? std::min(1.0, part / whole) : 0);
  };
  d.facts.emplace_back("kernel time that is compared", share(compared, run.kernels_s));
  d.facts.emplace_back("communication that nothing hides", share(run.exposed_communication_s, run.span_s));
  d.facts.emplace_back("device idle", share(run.span_s - run.busy_s, run.span_s));
}

}  // namespace

// Compares a measured run with predictions: each kind of kernel, and the step when the run has a workload.
finding::Diagnosis
compare_run(const System& system, const MeasuredRun& run, const std::optional<Question>& step) {
  finding::Diagnosis d;
  d.scale = "predict";
  d.title = "A measured run against " + (system.title.empty() ? system.name : system.title);
  state_coverage(d, system, run);
  std::vector<Group> groups = grouped(system, run, step, d);
  if (!run.device.empty())
    d.figures.push_back(device_table(run.device));
  if (groups.empty()) {
    finding::cannot_judge(
        d,
        "the run holds nothing that can be predicted",
        run.steps_s.empty() ? "kernels with the sizes of their work, or ranges named as steps"
                            : "name the workload that each step does");
    return d;
  }
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return a.lost() > b.lost();
  });
  const double total = duration(run);
  std::vector<double> ratios;
  std::vector<double> errors;
  for (const Group& g : groups) {
    ratios.push_back(g.factor());
    errors.push_back(g.predicted.p90);
  }
  const double middle = evidence::median(ratios);
  if (groups.size() >= 3 && middle > 1 + evidence::median(errors))
    d.findings.push_back(whole(middle, groups.size()));
  for (const Group& g : groups) {
    if (g.factor() > 1 + g.predicted.p90 && d.findings.size() < kMostFindings)
      d.findings.push_back(slower(g, total));
  }
  finding::sort_findings(d.findings);
  d.facts.emplace_back("kinds of work", std::to_string(groups.size()));
  d.facts.emplace_back("median ratio", format_number(middle, 3));
  d.verdict = d.findings.empty() ? "Nothing is slower than it should be." : d.findings.front().summary;
  d.figures.push_back(table_of(groups));
  finding::judged(d, covered_of(groups));
  return d;
}

}  // namespace lento::predict
