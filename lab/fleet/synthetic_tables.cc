// Makes tables of the judged jobs of a study: counts with intervals, paired differences, recall by fault
// type.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "base/rng.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "evidence/share.h"
#include "lab/fleet/synthetic.h"

namespace lento::fleet {
namespace {

using base::format_number;
using evidence::Confusion;
using finding::TableFigure;

constexpr int kResamples = 2000;

// Outcomes of the judged jobs, one column per method. Column 0 is the default mode.
struct Judged {
  std::vector<JudgedJob> jobs;
  size_t training_hours = 0;
  std::vector<size_t> threshold;  // by method
  Outcome at(const JudgedJob& job, size_t column) const {
    if (column == 0)
      return job.default_mode;
    const size_t method = column - 1;
    const auto& by_threshold = job.outcomes[method];
    return static_cast<Outcome>(by_threshold[threshold[method]]);
  }
};

using Keep = std::function<bool(const JudgedJob&)>;

void enter(Confusion& c, Outcome o) {
  switch (o) {
    case Outcome::Right:
      ++c.true_positive;
      break;
    case Outcome::Wrong:  // a machine was named that is not the faulty one
      ++c.false_positive;
      ++c.false_negative;
      break;
    case Outcome::False:
      ++c.false_positive;
      break;
    case Outcome::Missed:
      ++c.false_negative;
      break;
    case Outcome::Quiet:
      ++c.true_negative;
      break;
  }
}

Confusion count(const Judged& all, size_t column, const Keep& keep) {
  Confusion c;
  for (const JudgedJob& job : all.jobs) {
    if (keep(job))
      enter(c, all.at(job, column));
  }
  return c;
}

// Returns the 95 % interval of F1 over resampled jobs, or with `other` that of the difference of F1 on the
// same jobs.
evidence::Interval
bootstrap(const Judged& all, size_t column, std::optional<size_t> other, uint64_t seed, const Keep& keep) {
  std::vector<std::pair<Outcome, Outcome>> kept;
  for (const JudgedJob& job : all.jobs) {
    if (!keep(job))
      continue;
    const Outcome own = all.at(job, column);
    const Outcome others = all.at(job, other.value_or(column));
    kept.emplace_back(own, others);
  }
  if (kept.empty())
    return {};
  base::Rng rng(seed, "evaluate.bootstrap");
  std::vector<double> values;
  for (int n = 0; n < kResamples; ++n) {
    Confusion a;
    Confusion b;
    for (size_t i = 0; i < kept.size(); ++i) {
      const auto& [first, second] = kept[rng.below(kept.size())];
      enter(a, first);
      enter(b, second);
    }
    const double compared = other ? b.f1() : 0;
    values.push_back(a.f1() - compared);
  }
  return {evidence::quantile(values, 0.025), evidence::quantile(values, 0.975)};
}

std::string range_text(const evidence::Interval& i) {
  const std::string low = format_number(i.low, 3);
  const std::string high = format_number(i.high, 3);
  return low + " to " + high;
}

std::string with_interval(double value, const evidence::Interval& i) {
  return format_number(value, 3) + " (" + range_text(i) + ")";
}

std::vector<std::string>
row_of(const Judged& all, size_t column, const std::string& name, uint64_t seed, const Keep& keep) {
  const Confusion c = count(all, column, keep);
  const uint64_t accused = c.true_positive + c.false_positive;
  const uint64_t faulty = c.true_positive + c.false_negative;
  const evidence::Interval precision = evidence::wilson95(c.true_positive, accused);
  const evidence::Interval recall = evidence::wilson95(c.true_positive, faulty);
  const evidence::Interval f1 = bootstrap(all, column, {}, seed, keep);
  return {
      name,
      with_interval(c.precision(), precision),
      with_interval(c.recall(), recall),
      with_interval(c.f1(), f1)};
}

// The smallest threshold at which no more than the budget of training hours raises a verdict.
size_t choose_threshold(const std::vector<JudgedJob>& training, size_t method, double budget) {
  for (size_t i = 0; i < kThresholds; ++i) {
    size_t alarms = 0;
    for (const JudgedJob& j : training)
      alarms += j.outcomes[method][i] == char(Outcome::False);
    if (double(alarms) <= budget * double(training.size()))
      return i;
  }
  return kThresholds - 1;
}

struct OfType {
  uint64_t faults = 0;
  uint64_t visible = 0;
  uint64_t right = 0;  // default mode
  uint64_t right_minder = 0;
};

std::string recall_of(uint64_t right, uint64_t faults) {
  const double share = double(right) / double(faults);
  return with_interval(share, evidence::wilson95(right, faults));
}

TableFigure by_type(const Judged& all) {
  std::map<std::string, OfType> types;
  for (const JudgedJob& job : all.jobs) {
    if (!job.faulty)
      continue;
    OfType& type = types[job.type];
    ++type.faults;
    type.visible += job.visible;
    type.right += all.at(job, 0) == Outcome::Right;
    type.right_minder += all.at(job, 1) == Outcome::Right;
  }
  TableFigure table;
  table.columns = {"fault type", "faults", "visible", "recall, default mode", "recall, Minder"};
  for (const auto& [name, type] : types) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(name);
    row.push_back(std::to_string(type.faults));
    row.push_back(std::to_string(type.visible));
    row.push_back(recall_of(type.right, type.faults));
    row.push_back(recall_of(type.right_minder, type.faults));
  }
  return table;
}

TableFigure by_size(const Judged& all) {
  TableFigure table;
  table.columns = {"machines", "faults", "hours", "F1, default mode, visible", "F1, Minder"};
  const std::array<size_t, 6> from{4, 16, 64, 256, 600, 10'000};
  for (size_t s = 0; s + 1 < from.size(); ++s) {
    const Keep in = [&](const JudgedJob& j) {
      return j.machines >= from[s] && j.machines < from[s + 1];
    };
    const Keep seen = [&](const JudgedJob& j) {
      return in(j) && (!j.faulty || j.visible);
    };
    uint64_t faults = 0;
    uint64_t hours = 0;
    for (const JudgedJob& j : all.jobs) {
      if (j.faulty)
        faults += in(j);
      else
        hours += in(j);
    }
    const double f1 = count(all, 0, seen).f1();
    const double f1_minder = count(all, 1, in).f1();
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(std::to_string(from[s]) + " and more");
    row.push_back(std::to_string(faults));
    row.push_back(std::to_string(hours));
    row.push_back(format_number(f1, 3));
    row.push_back(format_number(f1_minder, 3));
  }
  return table;
}

size_t column_of(const std::string& name) {
  const auto& all = methods();
  const auto at = std::ranges::find_if(all, [&](const Method& m) {
    return m.name == name;
  });
  return 1 + size_t(at - all.begin());
}

TableFigure paired(const Judged& all, uint64_t seed) {
  TableFigure table;
  table.columns = {"paired", "difference of F1, 95 %"};
  const Keep everything = [](const JudgedJob&) {
    return true;
  };
  const auto pair = [&](const char* a, const char* b) {
    const evidence::Interval i = bootstrap(all, column_of(a), column_of(b), seed, everything);
    const std::string names = std::string(a) + " - " + b;
    table.rows.push_back({names, range_text(i)});
  };
  for (const char* b : {"CON", "INT", "Mahalanobis", "no continuity", "RAW"})
    pair("Minder", b);
  for (const char* a : {"CON", "INT", "Mahalanobis"}) {
    for (const char* b : {"no continuity", "RAW"})
      pair(a, b);
  }
  return table;
}

TableFigure thresholds(const Judged& all, const Models& models) {
  TableFigure table;
  table.columns = {"method", "threshold", "training MSE of its models"};
  for (size_t m = 0; m < methods().size(); ++m) {
    const Method& method = methods()[m];
    const double z = threshold_at(method, all.threshold[m]);
    table.rows.push_back({method.name, format_number(z, 4), ""});
  }
  for (const MetricModel& m : models.metrics.metrics)
    table.rows.push_back({"model of " + m.metric, "", format_number(m.mse, 3)});
  return table;
}

Judged read_lines(const std::vector<std::string>& lines, double budget) {
  Judged all;
  std::vector<JudgedJob> training;
  for (const std::string& line : lines) {
    if (line.empty())
      continue;
    JudgedJob job = from_line(line);
    (job.training ? training : all.jobs).push_back(std::move(job));
  }
  all.training_hours = training.size();
  for (size_t m = 0; m < methods().size(); ++m)
    all.threshold.push_back(choose_threshold(training, m, budget));
  return all;
}

}  // namespace

finding::Diagnosis SyntheticStudy::conclude(const std::vector<std::string>& lines) const {
  const Judged all = read_lines(lines, options_.false_hours);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Simulated jobs, preset " + options_.preset;
  d.seed = options_.seed;
  const Keep everything = [](const JudgedJob&) {
    return true;
  };
  const Keep visible = [](const JudgedJob& j) {
    return !j.faulty || j.visible;
  };
  TableFigure table;
  table.columns = {"method", "precision", "recall", "F1"};
  table.rows.push_back(row_of(all, 0, "default mode, visible faults", options_.seed, visible));
  table.rows.push_back(row_of(all, 0, "default mode", options_.seed, everything));
  for (size_t m = 0; m < methods().size(); ++m)
    table.rows.push_back(row_of(all, m + 1, methods()[m].name, options_.seed, everything));
  TableFigure differences = paired(all, options_.seed);
  uint64_t faulty = 0;
  uint64_t seen = 0;
  for (const JudgedJob& j : all.jobs) {
    faulty += j.faulty;
    seen += j.faulty && j.visible;
  }
  const uint64_t hours = all.jobs.size() - faulty;
  const double ceiling = double(seen) / std::max<double>(1, double(faulty));
  const auto done = [](uint64_t judged, size_t planned) {
    return std::to_string(judged) + " of " + std::to_string(planned);
  };
  d.facts.emplace_back("faults", done(faulty, options_.faults));
  d.facts.emplace_back("fault-free hours", done(hours, options_.hours));
  d.facts.emplace_back("recall ceiling (visible share)", format_number(ceiling, 4));
  d.facts.emplace_back("training hours", done(all.training_hours, options_.training_hours));
  if (all.training_hours == 0)
    d.notes.push_back("no training hour is judged yet: only the default mode's rows mean anything");
  for (const auto& r : table.rows)
    d.facts.emplace_back(r[0], "P " + r[1] + "  R " + r[2] + "  F1 " + r[3]);
  for (const auto& r : differences.rows)
    d.facts.emplace_back(r[0], r[1]);
  const std::vector<std::string>& best = table.rows[0];
  d.verdict = "F1 over visible faults " + best[3] + ", precision " + best[1];
  d.figures.push_back({"Methods", "Intervals are 95 %.", std::move(table)});
  d.figures.push_back(
      {"Paired differences", "An interval that leaves out 0 is significant.", std::move(differences)});
  d.figures.push_back({"By fault type", "Recall over all faults of the type.", by_type(all)});
  d.figures.push_back({"By size", "Of the job.", by_size(all)});
  d.figures.push_back({"Thresholds", "From fault-free training hours.", thresholds(all, models_)});
  return d;
}

}  // namespace lento::fleet
