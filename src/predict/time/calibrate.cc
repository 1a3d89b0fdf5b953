// Fits constants to measured times: Nelder and Mead's simplex (fit.h) on a loss of log ratios, with a
// penalty for values that no hardware has. Half of the rows are fitted and the other half gives the error.
#include "predict/time/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "predict/time/fit.h"

namespace lento::predict {
namespace {

using Rows = std::vector<const Measurement*>;

// With fewer rows only the shares of the peaks, the fill and the launch are fitted.
constexpr size_t kFewRows = 60;
// With more frameworks, their fitted speeds would absorb differences that the chip's constants should
// explain.
constexpr size_t kMostFrameworks = 6;

// How many constants of kCalibrationConstants are fitted to products; attention, the last, is not.
constexpr size_t kFitted = std::size(kCalibrationConstants) - 1;

// Converts a point of the fit to constants, in the order of kCalibrationConstants.
Calibration constants_from(const std::vector<double>& x) {
  Calibration c;
  for (size_t i = 0; i < kFitted; ++i)
    c.*kCalibrationConstants[i].at = x[i];
  return c;
}

// Returns by how much a constant lies outside its plausible range, relative to the nearer bound. The fit adds
// it to its error, so that values which no hardware has do not lower the error.
double outside(double value, double low, double high) {
  return value > high ? value / high - 1 : value < low ? low / value - 1 : 0;
}

double implausible(const std::vector<double>& x) {
  return outside(x[0], 0.2, 1) + outside(x[1], 0.3, 0.95) + outside(x[2], 4, 1024) +
         outside(x[3], 50, 10000) + outside(x[4], 20, 40000) + outside(x[5], 0.002, 1) +
         outside(x[6], 256, 32768) + outside(x[7], 1e-6, 1e-3);
}

// Returns the mean error that a fit minimises: half the absolute log ratio, half the relative error.
template <class Predict>
double loss(const Rows& rows, const Predict& predict) {
  double sum = 0;
  for (const Measurement* m : rows) {
    const double ratio = predict(*m) / m->seconds;
    sum += 0.5 * std::abs(std::log(ratio)) + 0.5 * std::abs(ratio - 1);
  }
  return sum / double(rows.size());
}

// Returns the mean absolute log ratio with each row bounded at kMost, so that a run slowed by an effect
// outside the model counts no more than any other bad row.
template <class Predict>
double robust_loss(const Rows& rows, const Predict& predict) {
  constexpr double kMost = 0.5;
  double sum = 0;
  for (const Measurement* m : rows)
    sum += std::min(kMost, std::abs(std::log(predict(*m) / m->seconds)));
  return sum / double(rows.size());
}

// Returns the errors of the predictions of `rows`.
template <class Predict>
ErrorSummary judge_with(const Rows& rows, const Predict& predict) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Measurement* m : rows) {
    predicted.push_back(predict(*m));
    measured.push_back(m->seconds);
  }
  return summarise(predicted, measured);
}

const Gemm& product(const Measurement& m) {
  return std::get<Gemm>(m.question.what);
}

// Returns the chip on which a row was measured. That is the device that the row names, when its sheet names
// as similar (System::similar_chip) the system or the chip that the system's sheet names. Otherwise it is the
// chip of variant_for().
const Chip& chip_of(const System& system, const Measurement& m) {
  const System* exact = find_shipped(m.question.device);
  const bool related =
      exact && (exact->similar_chip == system.name ||
                (!exact->similar_chip.empty() && exact->similar_chip == system.similar_chip));
  if (related)
    return exact->chip;
  return variant_for(system, m.question).chip;
}

// Drops the rows that the model cannot predict (a precision that the chip lacks, parallel degrees that do
// not divide the model's sizes) and returns their number.
template <class Predict>
size_t drop_impossible(Rows& rows, const Predict& predict) {
  return std::erase_if(rows, [&predict](const Measurement* m) {
    try {
      predict(*m);
      return false;
    } catch (const base::Error&) {
      return true;
    }
  });
}

// Fits a plain roofline (compute rate, memory rate, fixed time) to the rows, as a baseline for comparison.
Roofline roofline_of(const System& system, const Rows& rows) {
  const auto from = [](const std::vector<double>& x) {
    return Roofline{x[0], x[1], x[2]};
  };
  const auto error = [&](const std::vector<double>& x) {
    return loss(rows, [&](const Measurement& m) {
      return predict_roofline(chip_of(system, m), from(x), product(m));
    });
  };
  return from(minimise(error, {0.8, 0.8, 4e-6}));
}

}  // namespace

double roofline_error(const System& system, const std::vector<Measurement>& all) {
  Rows fitted;
  Rows held;
  for (const Measurement& m : all)
    (is_training_row(m) ? fitted : held).push_back(&m);
  if (fitted.empty() || held.empty())
    return 0;
  const Roofline roofline = roofline_of(system, fitted);
  return judge_with(
             held,
             [&](const Measurement& m) {
               return predict_roofline(chip_of(system, m), roofline, product(m));
             })
      .mean;
}

namespace {

bool is_host_timed(const base::CsvReader& table) {
  const int at = table.find("timing");
  return at >= 0 && table.text(at) == "host";
}

}  // namespace

std::vector<Measurement> read_measurements(const std::string& path, base::ReadReport& report) {
  base::CsvReader table(path, report);
  const Dialect dialect = dialect_of(table);
  std::vector<Measurement> out;
  for (uint64_t index = 0; table.next(); ++index) {
    try {
      if (const auto seconds = measured_s(dialect, table))
        out.push_back({parse_question(dialect, table), *seconds, index, is_host_timed(table)});
    } catch (const base::Error&) {
      report.skip(table.where(-1), "row that asks nothing that can be predicted");
    }
  }
  return out;
}

// Summarises relative errors: mean, median, bias, and the correlation of the logarithms.
ErrorSummary summarise(const std::vector<double>& predicted, const std::vector<double>& measured) {
  ErrorSummary s;
  s.rows = predicted.size();
  if (predicted.empty())
    return s;
  std::vector<double> error;
  std::vector<double> log_p;
  std::vector<double> log_m;
  for (size_t i = 0; i < predicted.size(); ++i) {
    const double e = predicted[i] / measured[i] - 1;
    error.push_back(std::abs(e));
    s.bias += e / double(predicted.size());
    log_p.push_back(std::log(predicted[i]));
    log_m.push_back(std::log(measured[i]));
  }
  s.mean = evidence::mean(error);
  s.median = evidence::median(error);
  const double mp = evidence::mean(log_p);
  const double mm = evidence::mean(log_m);
  double pm = 0;
  double pp = 0;
  double qq = 0;
  for (size_t i = 0; i < log_p.size(); ++i) {
    pm += (log_p[i] - mp) * (log_m[i] - mm);
    pp += (log_p[i] - mp) * (log_p[i] - mp);
    qq += (log_m[i] - mm) * (log_m[i] - mm);
  }
  s.log_correlation = pp > 0 && qq > 0 ? pm / std::sqrt(pp * qq) : 0;
  return s;
}

bool is_training_row(const Measurement& m) {
  return base::mix64(m.index) & 1;
}

GemmFit calibrate_gemm(
    const System& system,
    const std::vector<Measurement>& all,
    const GemmFitOptions& options,
    const base::Progress& progress) {
  Rows fitted;
  Rows held;
  std::vector<std::string> frameworks;
  for (const Measurement& m : all) {
    const Gemm* g = std::get_if<Gemm>(&m.question.what);
    if (!g || g->precision != options.precision)
      continue;
    if (!options.framework.empty() && m.question.framework != options.framework)
      continue;
    (is_training_row(m) ? fitted : held).push_back(&m);
    const std::string& framework = m.question.framework;
    if (std::ranges::find(frameworks, framework) == frameworks.end())
      frameworks.push_back(framework);
  }
  if (frameworks.size() > kMostFrameworks) {
    throw base::Error(
        {},
        "the rows name " + std::to_string(frameworks.size()) +
            " frameworks, each with a speed of its own to fit",
        "calibrate at most " + std::to_string(kMostFrameworks) + " at a time");
  }
  const auto untuned = [&system](const Measurement& m) {
    return predict_gemm(chip_of(system, m), system.stack, Calibration{}, product(m)).seconds;
  };
  GemmFit fit;
  fit.skipped = drop_impossible(fitted, untuned) + drop_impossible(held, untuned);
  if (fitted.size() + held.size() < 10 || fitted.size() < 4 || held.size() < 3) {
    throw base::Error(
        {},
        "only " + std::to_string(fitted.size() + held.size()) + " measured " +
            std::string(name(options.precision)) + " matrix products were found",
        "at least some 10 are needed to fit constants and hold rows back");
  }
  const auto timed = [&](const std::vector<double>& x) {
    const Calibration c = constants_from(x);
    Stack stack = system.stack;
    stack.launch_s = options.launch_s > 0 ? options.launch_s : x[7];
    return [&, c, stack, x](const Measurement& m) {
      Stack own = stack;
      const size_t f = std::ranges::find(frameworks, m.question.framework) - frameworks.begin();
      own.library = f == 0 ? 1 : x[7 + f];
      return predict_gemm(chip_of(system, m), own, c, product(m)).seconds;
    };
  };
  int evaluations = 0;
  const auto error = [&](const std::vector<double>& x) {
    if (++evaluations % 16 == 0)
      progress("fits", evaluations, 0);
    double beyond = implausible(x);
    for (size_t f = 8; f < x.size(); ++f)
      beyond += outside(x[f], 0.8, 1.2);
    return loss(fitted, timed(x)) + beyond;
  };
  // A few rows cannot determine seven constants. With few rows only the shares of the peaks, the fill and the
  // launch are fitted, and the other constants keep the chip's values.
  const bool few = fitted.size() < kFewRows;
  const Calibration start = few ? system.chip.constants(options.precision) : Calibration{};
  std::vector<double> best = {
      start.compute,
      start.memory,
      start.feed,
      start.prologue,
      start.half_tile,
      start.drift,
      start.drift_length,
      4e-6};
  best.resize(7 + std::max<size_t>(1, frameworks.size()), 1.0);
  const auto with = [all = best](const std::vector<double>& x) {
    constexpr size_t kFree[] = {0, 1, 3, 4, 7};
    std::vector<double> out = all;
    for (size_t i = 0; i < x.size(); ++i)
      out[kFree[i]] = x[i];
    return out;
  };
  const auto fit_from = [&](const std::vector<double>& from) {
    if (!few)
      return minimise(error, from);
    return with(minimise(
        [&](const std::vector<double>& x) {
          return error(with(x));
        },
        {from[0], from[1], from[3], from[4], from[7]},
        {250, 1, 0.35}));
  };
  const auto adopt = [&] {
    fit.constants = constants_from(best);
    fit.constants.framework = options.framework;
    fit.constants.hold_out_error = fit.held_out.mean;
    fit.launch_s = options.launch_s > 0 ? options.launch_s : best[7];
    if (!options.framework.empty())
      fit.constants.launch_s = fit.launch_s;
  };
  best = fit_from(best);
  for (size_t f = 1; f < frameworks.size(); ++f)
    fit.libraries.emplace_back(frameworks[f], best[7 + f]);
  fit.fitted = judge_with(fitted, timed(best));
  fit.held_out = judge_with(held, timed(best));
  adopt();
  fit.roofline = roofline_of(system, fitted);
  if (options.all_rows) {
    fitted.insert(fitted.end(), held.begin(), held.end());
    best = fit_from(best);
    adopt();
  }
  fit.roofline_held_out = judge_with(held, [&](const Measurement& m) {
    return predict_roofline(chip_of(system, m), fit.roofline, product(m));
  });
  return fit;
}

const std::vector<StackScalar>& stack_scalars() {
  static const std::vector<StackScalar> kScalars = {
      {"host_layer", &Stack::host_layer_s, 1e-3, 1e-5, 1},
      {"host_tensor", &Stack::host_tensor, 0.1, 1e-3, 10},
      {"hand_over", &Stack::hand_over_s, 1e-3, 1e-5, 10},
      {"pointwise", &Stack::pointwise, 1.5, 1, 5},
      {"overlap", &Stack::overlap, 0.5, 0.01, 1},
      {"library", &Stack::library, 0.9, 0.4, 1.1},
      {"attention", &Stack::attention, 0.8, 0.1, 2}};
  return kScalars;
}

namespace {

auto timed_with(const System& system, const Stack& stack) {
  System tuned = system;
  tuned.stack = stack;
  return [tuned](const Measurement& m) {
    return predict_training(tuned, with_micro_batch(tuned, std::get<TrainingRun>(m.question.what))).seconds;
  };
}

// Fits the chosen constants of a training stack to the rows, each within its limits.
Stack fit_stack(
    const System& system,
    const Rows& rows,
    const TrainingFitOptions& options,
    const base::Progress& progress) {
  const Stack start = stack_for(system, options.framework);
  std::vector<double> first;
  for (const StackScalar* s : options.scalars)
    first.push_back(start.*s->at >= s->low && start.*s->at <= s->high ? start.*s->at : s->start);
  const auto stack_of = [&](const std::vector<double>& x) {
    Stack stack = start;
    for (size_t i = 0; i < x.size(); ++i)
      stack.*options.scalars[i]->at = std::min(x[i], options.scalars[i]->high);
    return stack;
  };
  int evaluations = 0;
  const auto error = [&](const std::vector<double>& x) {
    if (++evaluations % 4 == 0)
      progress("fits", evaluations, 0);
    double beyond = 0;
    for (size_t i = 0; i < x.size(); ++i)
      beyond += outside(x[i], options.scalars[i]->low, options.scalars[i]->high);
    return robust_loss(rows, timed_with(system, stack_of(x))) + beyond;
  };
  return stack_of(minimise(error, first, {50 * int(first.size()), 1, 0.35}));
}

}  // namespace

// Fits the training stack to a fixed part of the runs on at most `options.devices` devices and tests it on
// the other runs. Throws base::Error when either part has fewer than ten runs.
TrainingFit calibrate_training(
    const System& system,
    const std::vector<Measurement>& all,
    const TrainingFitOptions& options,
    const base::Progress& progress) {
  Rows fitted;
  Rows held;
  for (const Measurement& m : all) {
    const TrainingRun* run = std::get_if<TrainingRun>(&m.question.what);
    if (!run || run->devices() > options.devices || run->pipeline > run->model.layers)
      continue;
    if (run->tensor > system.network.node_devices)
      continue;
    if (!options.framework.empty() && m.question.framework != options.framework)
      continue;
    (is_training_row(m) ? fitted : held).push_back(&m);
  }
  TrainingFit fit;
  const auto untuned = timed_with(system, stack_for(system, options.framework));
  fit.skipped = drop_impossible(fitted, untuned) + drop_impossible(held, untuned);
  if (fitted.size() < 10 || held.size() < 10) {
    throw base::Error(
        {},
        "too few measured training runs on at most " + std::to_string(options.devices) + " devices",
        "at least some 30 are needed to fit constants and hold rows back");
  }
  fit.stack = fit_stack(system, fitted, options, progress);
  fit.fitted = judge_with(fitted, timed_with(system, fit.stack));
  fit.held_out = judge_with(held, timed_with(system, fit.stack));
  return fit;
}

ErrorSummary leave_one_out(
    const System& system,
    const std::vector<Measurement>& rows,
    const std::vector<const StackScalar*>& scalars) {
  std::vector<double> predicted;
  std::vector<double> measured;
  Rows all;
  for (const Measurement& m : rows)
    all.push_back(&m);
  drop_impossible(all, timed_with(system, system.stack));
  for (const Measurement* left : all) {
    Rows others = all;
    std::erase(others, left);
    const Stack stack = fit_stack(system, others, {0, left->question.framework, scalars}, {});
    predicted.push_back(timed_with(system, stack)(*left));
    measured.push_back(left->seconds);
  }
  return summarise(predicted, measured);
}

std::string to_yaml(const Calibration& c, Precision precision) {
  const auto line = [](const char* key, double value) {
    return std::string("    ") + key + ": " + base::format_number(value, 4) + "\n";
  };
  std::string out = "  - precision: " + std::string(name(precision)) + "\n";
  for (size_t i = 0; i < kFitted; ++i)
    out += line(kCalibrationConstants[i].name, c.*kCalibrationConstants[i].at);
  return out + (c.framework.empty() ? "" : "    framework: " + c.framework + "\n") +
         (c.launch_s > 0 ? "    launch: " + base::format_quantity(c.launch_s, base::Dimension::Time) + "\n"
                         : "") +
         (c.hold_out_error > 0 ? line("hold_out_error", c.hold_out_error) : "");
}

}  // namespace lento::predict
