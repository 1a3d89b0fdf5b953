// What the judged jobs of a study say: tables with intervals, paired differences, recall by fault type.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "base/rng.h"
#include "base/stats.h"
#include "base/units.h"
#include "lab/fleet/synthetic.h"

namespace lento::fleet {
namespace {

constexpr int kResamples = 2000;

// Outcomes of the judged jobs, one column a method; column 0 is the default mode.
struct Judged {
  std::vector<JudgedJob> jobs;
  size_t training_hours = 0;
  std::vector<size_t> threshold;  // by method
  Outcome at(size_t job, size_t column) const {
    const JudgedJob& j = jobs[job];
    return column == 0 ? j.default_mode : static_cast<Outcome>(j.outcomes[column - 1][threshold[column - 1]]);
  }
};

using Keep = std::function<bool(const JudgedJob&)>;

void enter(base::Confusion& c, Outcome o) {
  c.true_positive += o == Outcome::Right;
  c.false_positive += o == Outcome::Wrong || o == Outcome::False;
  c.false_negative += o == Outcome::Wrong || o == Outcome::Missed;
  c.true_negative += o == Outcome::Quiet;
}

base::Confusion count(const Judged& all, size_t column, const Keep& keep) {
  base::Confusion c;
  for (size_t i = 0; i < all.jobs.size(); ++i) {
    if (keep(all.jobs[i]))
      enter(c, all.at(i, column));
  }
  return c;
}

// 95 % of F1 over resampled jobs; with `other`, of the difference of F1 on the same jobs.
base::Interval
bootstrap(const Judged& all, size_t column, std::optional<size_t> other, uint64_t seed, const Keep& keep) {
  std::vector<std::pair<Outcome, Outcome>> kept;
  for (size_t i = 0; i < all.jobs.size(); ++i) {
    if (keep(all.jobs[i]))
      kept.emplace_back(all.at(i, column), all.at(i, other.value_or(column)));
  }
  if (kept.empty())
    return {};
  base::Rng rng(seed, "evaluate.bootstrap");
  std::vector<double> values;
  for (int n = 0; n < kResamples; ++n) {
    base::Confusion a;
    base::Confusion b;
    for (size_t i = 0; i < kept.size(); ++i) {
      const auto& [first, second] = kept[rng.below(kept.size())];
      enter(a, first);
      enter(b, second);
    }
    values.push_back(a.f1() - (other ? b.f1() : 0));
  }
  return {base::quantile(values, 0.025), base::quantile(values, 0.975)};
}

std::string with_interval(double value, const base::Interval& i) {
  return base::format_number(value, 3) + " (" + base::format_number(i.low, 3) + " to " +
         base::format_number(i.high, 3) + ")";
}

std::vector<std::string>
row_of(const Judged& all, size_t column, const std::string& name, uint64_t seed, const Keep& keep) {
  const base::Confusion c = count(all, column, keep);
  return {
      name,
      with_interval(c.precision(), base::wilson95(c.true_positive, c.true_positive + c.false_positive)),
      with_interval(c.recall(), base::wilson95(c.true_positive, c.true_positive + c.false_negative)),
      with_interval(c.f1(), bootstrap(all, column, {}, seed, keep))};
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

finding::TableFigure by_type(const Judged& all) {
  std::map<std::string, std::array<uint64_t, 4>> types;  // faults, visible, default right, Minder right
  for (size_t i = 0; i < all.jobs.size(); ++i) {
    if (!all.jobs[i].faulty)
      continue;
    auto& t = types[all.jobs[i].type];
    ++t[0];
    t[1] += all.jobs[i].visible;
    t[2] += all.at(i, 0) == Outcome::Right;
    t[3] += all.at(i, 1) == Outcome::Right;
  }
  finding::TableFigure table;
  table.columns = {"fault type", "faults", "visible", "recall, default mode", "recall, Minder"};
  for (const auto& [name, t] : types) {
    const auto share = [&n = t[0]](uint64_t hits) {
      return with_interval(double(hits) / double(n), base::wilson95(hits, n));
    };
    table.rows.push_back({name, std::to_string(t[0]), std::to_string(t[1]), share(t[2]), share(t[3])});
  }
  return table;
}

finding::TableFigure by_size(const Judged& all) {
  finding::TableFigure table;
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
    for (const JudgedJob& j : all.jobs)
      (j.faulty ? faults : hours) += in(j);
    table.rows.push_back(
        {std::to_string(from[s]) + " and more",
         std::to_string(faults),
         std::to_string(hours),
         base::format_number(count(all, 0, seen).f1(), 3),
         base::format_number(count(all, 1, in).f1(), 3)});
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

finding::TableFigure paired(const Judged& all, uint64_t seed) {
  finding::TableFigure table;
  table.columns = {"paired", "difference of F1, 95 %"};
  const Keep everything = [](const JudgedJob&) {
    return true;
  };
  const auto pair = [&](const char* a, const char* b) {
    const base::Interval i = bootstrap(all, column_of(a), column_of(b), seed, everything);
    table.rows.push_back(
        {std::string(a) + " - " + b,
         base::format_number(i.low, 3) + " to " + base::format_number(i.high, 3)});
  };
  for (const char* b : {"CON", "INT", "Mahalanobis", "no continuity", "RAW"})
    pair("Minder", b);
  for (const char* a : {"CON", "INT", "Mahalanobis"}) {
    for (const char* b : {"no continuity", "RAW"})
      pair(a, b);
  }
  return table;
}

finding::TableFigure thresholds(const Judged& all, const Models& models) {
  finding::TableFigure table;
  table.columns = {"method", "threshold", "training MSE of its models"};
  for (size_t m = 0; m < methods().size(); ++m) {
    const double z = threshold_at(methods()[m], all.threshold[m]);
    table.rows.push_back({methods()[m].name, base::format_number(z, 4), ""});
  }
  for (const MetricModel& m : models.metrics.metrics)
    table.rows.push_back({"model of " + m.metric, "", base::format_number(m.mse, 3)});
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
  finding::TableFigure table;
  table.columns = {"method", "precision", "recall", "F1"};
  table.rows.push_back(row_of(all, 0, "default mode, visible faults", options_.seed, visible));
  table.rows.push_back(row_of(all, 0, "default mode", options_.seed, everything));
  for (size_t m = 0; m < methods().size(); ++m)
    table.rows.push_back(row_of(all, m + 1, methods()[m].name, options_.seed, everything));
  finding::TableFigure differences = paired(all, options_.seed);
  uint64_t faulty = 0;
  uint64_t seen = 0;
  for (const JudgedJob& j : all.jobs) {
    faulty += j.faulty;
    seen += j.faulty && j.visible;
  }
  d.facts.emplace_back("faults", std::to_string(faulty) + " of " + std::to_string(options_.faults));
  d.facts.emplace_back(
      "fault-free hours",
      std::to_string(all.jobs.size() - faulty) + " of " + std::to_string(options_.hours));
  d.facts.emplace_back(
      "recall ceiling (visible share)",
      base::format_number(double(seen) / std::max<double>(1, double(faulty)), 4));
  d.facts.emplace_back(
      "training hours",
      std::to_string(all.training_hours) + " of " + std::to_string(options_.training_hours));
  if (all.training_hours == 0)
    d.notes.push_back("no training hour is judged yet: only the default mode's rows mean anything");
  for (const auto& r : table.rows)
    d.facts.emplace_back(r[0], "P " + r[1] + "  R " + r[2] + "  F1 " + r[3]);
  for (const auto& r : differences.rows)
    d.facts.emplace_back(r[0], r[1]);
  d.verdict = "F1 over visible faults " + table.rows[0][3] + ", precision " + table.rows[0][1];
  d.figures.push_back({"Methods", "Intervals are 95 %.", std::move(table)});
  d.figures.push_back(
      {"Paired differences", "An interval that leaves out 0 is significant.", std::move(differences)});
  d.figures.push_back({"By fault type", "Recall over all faults of the type.", by_type(all)});
  d.figures.push_back({"By size", "Of the job.", by_size(all)});
  d.figures.push_back({"Thresholds", "From fault-free training hours.", thresholds(all, models_)});
  return d;
}

}  // namespace lento::fleet
