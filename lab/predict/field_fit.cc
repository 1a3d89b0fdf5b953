// Fits the scalars of stacks by Gauss-Newton steps within rounds of expectation and maximisation, and
// repeats the fit without each source in turn to judge it.
#include "lab/predict/field_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evidence/least_squares.h"

namespace lento::predict {
namespace {

// Degrees of freedom of the t distribution of runs and of sources: one in ten is stalled by what nobody
// reported.
constexpr double kDegrees = 4;
constexpr double kCentre = 1;   // standard deviation of the centre's logarithms around where a fit begins
constexpr double kStep = 0.02;  // of a logarithm, for derivatives
constexpr int kRounds = 40;
constexpr double kSettled = 2e-3;  // of a logarithm
constexpr double kLeastSpread = 0.03;
// Degrees of freedom of the inverse chi-square prior on the variance between stacks, which is centred on the
// usual spread (SoftwareScalar::apart). Its mean is finite above 2 and its variance above 4, so this is the
// weakest whole number before the prior's own spread is bounded. From the fifth stack on the rows outweigh
// it.
constexpr double kStacksKnown = 4;
constexpr size_t kP = kSoftwareScalars;

using Vector = std::vector<double>;

// Returns how far a deviation counts under the t distribution: less, the farther it lies out.
double trust_in(double seen) {
  return (kDegrees + 1) / (kDegrees + seen * seen);
}

// Returns minus twice the logarithm of the density of the t distribution, but for a constant.
double surprise_of(double seen) {
  return (kDegrees + 1) * std::log1p(seen * seen / kDegrees);
}

class Fitter {
 public:
  explicit Fitter(const std::vector<const FieldCase*>& cases);
  FieldFit fit();

 private:
  bool eager(size_t stack) const {
    return stack == stacks_.size() + 1 ||
           (stack < stacks_.size() && launches_from_host(without_platform(stacks_[stack])));
  }
  size_t deviation_at(size_t stack) const {
    return kP * (2 + stack);
  }
  // Numbers beyond the stacks are the two centres: of all stacks, then of those that launch from the host.
  SoftwareScalars scalars(size_t stack) const;
  SoftwareScalars scalars_of_case(size_t i) const;
  double predicted(size_t i) const {
    return std::log(cases_[i]->seconds(scalars_of_case(i)));
  }
  void move_to(const Vector& state) {
    state_ = state;
    predicted_.resize(cases_.size());
    for (size_t i = 0; i < cases_.size(); ++i)
      predicted_[i] = predicted(i);
  }
  size_t host_at(size_t source) const {
    return offset_at(sources_ + source);
  }
  size_t offset_at(size_t source) const {
    return deviation_at(stacks_.size()) + source;
  }
  double off(size_t i) const {
    return std::log(cases_[i]->row.measured_s) - predicted_[i] - state_[offset_at(source_of_[i])];
  }
  // Returns the standard deviation of what launches from the host add to a scalar's logarithm.
  double launches_apart(size_t p) const {
    return scalars_of(work_)[p].launches ? kCentre : kLeastSpread;
  }
  double objective() const;
  std::vector<std::pair<size_t, double>> slopes(size_t i);
  double round();  // the greatest change of the state
  void estimate_spread(const Vector& variance);

  std::vector<const FieldCase*> cases_;
  Work work_;
  std::vector<std::string> stacks_;
  std::vector<size_t> stack_of_;
  std::vector<size_t> source_of_;
  size_t sources_ = 0;
  // Logarithms: the centre, what the host's launches add to it, each stack's deviation, each source's offset,
  // and the time of each source's host over the usual.
  Vector state_;
  Vector predicted_;  // of each case, as move_to left it
  Vector spread_;
  double source_spread_ = 0.2;
  double host_spread_ = 0.3;
  double error_ = 0.15;
};

Fitter::Fitter(const std::vector<const FieldCase*>& cases)
    : cases_(cases),
      work_(cases.at(0)->row.work),
      spread_(kP, 0.7) {
  std::map<std::string, size_t> sources;
  for (const FieldCase* c : cases_) {
    source_of_.push_back(sources.emplace(c->row.group(), sources.size()).first->second);
    const auto at = std::ranges::find(stacks_, c->stack);
    stack_of_.push_back(size_t(at - stacks_.begin()));
    if (at == stacks_.end())
      stacks_.push_back(c->stack);
  }
  sources_ = sources.size();
  state_.assign(host_at(sources_), 0);
  for (size_t p = 0; p < kP; ++p)
    state_[p] = std::log(start_of(work_)[p]);
  move_to(state_);
}

SoftwareScalars Fitter::scalars(size_t stack) const {
  SoftwareScalars out{};
  for (size_t p = 0; p < kP; ++p) {
    const SoftwareScalar& s = scalars_of(work_)[p];
    const double launches = eager(stack) ? state_[kP + p] : 0;
    const double of_stack = stack < stacks_.size() ? state_[deviation_at(stack) + p] : 0;
    out[p] = std::clamp(std::exp(state_[p] + launches + of_stack), s.low, s.high);
  }
  return out;
}

// Returns the scalars of the case's stack on its source's host.
SoftwareScalars Fitter::scalars_of_case(size_t i) const {
  SoftwareScalars out = scalars(stack_of_[i]);
  for (size_t p = 0; p < kP; ++p) {
    const SoftwareScalar& s = scalars_of(work_)[p];
    if (is_of_host(s, eager(stack_of_[i])))
      out[p] = std::clamp(out[p] * std::exp(state_[host_at(source_of_[i])]), s.low, s.high);
  }
  return out;
}

double Fitter::objective() const {
  double sum = 0;
  for (size_t i = 0; i < cases_.size(); ++i)
    sum += surprise_of(off(i) / error_);
  for (size_t p = 0; p < kP; ++p)
    sum += std::pow((state_[p] - std::log(start_of(work_)[p])) / kCentre, 2) +
           std::pow(state_[kP + p] / launches_apart(p), 2);
  for (size_t s = 0; s < stacks_.size(); ++s) {
    for (size_t p = 0; p < kP; ++p)
      sum += std::pow(state_[deviation_at(s) + p] / spread_[p], 2);
  }
  for (size_t g = 0; g < sources_; ++g)
    sum +=
        surprise_of(state_[offset_at(g)] / source_spread_) + std::pow(state_[host_at(g)] / host_spread_, 2);
  return sum;
}

// Estimates the spread of stacks around the centre, each with its own uncertainty.
void Fitter::estimate_spread(const Vector& variance) {
  for (size_t p = 0; p < kP; ++p) {
    double sum = 0;
    for (size_t s = 0; s < stacks_.size(); ++s) {
      const size_t at = deviation_at(s) + p;
      sum += state_[at] * state_[at] + variance[at];
    }
    const double usual = kStacksKnown * std::pow(scalars_of(work_)[p].apart, 2);
    spread_[p] = std::max(kLeastSpread, std::sqrt((sum + usual) / (double(stacks_.size()) + kStacksKnown)));
  }
  double offsets = 0;
  double hosts = 0;
  for (size_t g = 0; g < sources_; ++g) {
    const double offset = state_[offset_at(g)];
    offsets += trust_in(offset / source_spread_) * offset * offset + variance[offset_at(g)];
    hosts += state_[host_at(g)] * state_[host_at(g)] + variance[host_at(g)];
  }
  source_spread_ = std::max(kLeastSpread, std::sqrt(offsets / double(sources_)));
  host_spread_ = std::max(kLeastSpread, std::sqrt(hosts / double(sources_)));
}

// Adds the row "slope times the step should be `value`".
void add_row(
    evidence::Matrix& normal,
    Vector& right,
    const std::vector<std::pair<size_t, double>>& slopes,
    double value,
    double weight) {
  for (const auto& [i, x] : slopes) {
    right[i] += weight * x * value;
    for (const auto& [j, y] : slopes)
      normal(i, j) += weight * x * y;
  }
}

// Derivatives of the predicted logarithm by the centre and by the stack's deviation, which are the same.
std::vector<std::pair<size_t, double>> Fitter::slopes(size_t i) {
  const double at = predicted_[i];
  std::vector<std::pair<size_t, double>> out;
  double host = 0;
  for (size_t p = 0; p < kP; ++p) {
    const double before = state_[p];
    state_[p] += kStep;
    const double slope = (predicted(i) - at) / kStep;
    state_[p] = before;
    out.emplace_back(p, slope);
    if (eager(stack_of_[i]))
      out.emplace_back(kP + p, slope);
    out.emplace_back(deviation_at(stack_of_[i]) + p, slope);
    if (is_of_host(scalars_of(work_)[p], eager(stack_of_[i])))
      host += slope;
  }
  out.emplace_back(host_at(source_of_[i]), host);
  return out;
}

double Fitter::round() {
  evidence::Matrix normal(state_.size(), state_.size());
  Vector right(state_.size());
  double squares = 0;
  for (size_t i = 0; i < cases_.size(); ++i) {
    const double seen = off(i) / error_;
    const double trust = trust_in(seen);
    squares += trust * seen * seen * error_ * error_;
    auto row = slopes(i);
    row.emplace_back(offset_at(source_of_[i]), 1);
    add_row(normal, right, row, seen * error_, trust / (error_ * error_));
  }
  for (size_t p = 0; p < kP; ++p)
    add_row(normal, right, {{p, 1}}, std::log(start_of(work_)[p]) - state_[p], 1 / (kCentre * kCentre));
  for (size_t at = kP; at < state_.size(); ++at) {
    const double spread = at < deviation_at(0) ? launches_apart(at % kP)
                          : at < offset_at(0)  ? spread_[at % kP]
                          : at < host_at(0)    ? source_spread_
                                               : host_spread_;
    const bool of_source = at >= offset_at(0) && at < host_at(0);
    const double trust = of_source ? trust_in(state_[at] / spread) : 1;
    add_row(normal, right, {{at, 1}}, -state_[at], trust / (spread * spread));
  }
  const evidence::NormalSolution solved = evidence::solve_normal(normal, right);
  const Vector before = state_;
  const double worst = objective();
  double length = 1;
  for (; length > 0.05; length /= 2) {
    Vector next = before;
    for (size_t i = 0; i < next.size(); ++i)
      next[i] += length * std::clamp(solved.value[i], -1.0, 1.0);
    move_to(next);
    if (objective() <= worst)
      break;
  }
  if (length <= 0.05)
    move_to(before);
  estimate_spread(solved.variance);
  error_ = std::max(kLeastSpread, std::sqrt(squares / double(cases_.size())));
  double change = 0;
  for (size_t i = 0; i < state_.size(); ++i)
    change = std::max(change, std::abs(state_[i] - before[i]));
  return change;
}

FieldFit Fitter::fit() {
  for (int i = 0; i < kRounds && round() > kSettled; ++i) {
  }
  FieldFit out;
  out.centre = scalars(stacks_.size());
  out.eager = scalars(stacks_.size() + 1);
  for (size_t s = 0; s < stacks_.size(); ++s)
    out.stacks[stacks_[s]] = {work_, stacks_[s], 0, 0, scalars(s)};
  const double deviation = std::sqrt(kDegrees / (kDegrees - 2));  // of a t distribution of scale 1
  out.error = error_ * deviation;
  out.source_spread = source_spread_ * deviation;
  return out;
}

}  // namespace

const SoftwareScalars& FieldFit::of(const std::string& stack) const {
  const std::string elsewhere(without_platform(stack));
  for (const std::string& wanted : {stack, elsewhere}) {
    if (const auto at = stacks.find(wanted); at != stacks.end())
      return at->second.scalars;
  }
  return launches_from_host(elsewhere) ? eager : centre;
}

double JudgedCase::log_error() const {
  return std::log(at->row.measured_s / predicted_s);
}

double JudgedCase::over_limit() const {
  return std::log(predicted_s / limit_s);
}

std::vector<FieldCase> field_cases(const std::vector<FieldRow>& rows, std::vector<std::string>& refused) {
  std::vector<FieldCase> out;
  for (const FieldRow& row : rows) {
    FieldCase c;
    c.row = row;
    c.stack = row.stack;
    try {
      const System system = row.system();
      if (const auto* run = std::get_if<TrainingRun>(&row.run)) {
        c.trained = std::make_shared<TrainedWork>(system, *run);
      } else {
        c.served = std::make_shared<ServedWork>(
            system,
            ServedLoad{
                std::get<InferenceRun>(row.run),
                c.stack,
                row.varied,
                row.server,
                row.cache_bits,
                row.at_once,
                row.scheduled});
        if (!c.served->fits())
          throw base::Error({}, "the cache holds no request");
      }
    } catch (const base::Error& e) {
      refused.push_back(row.source + ", " + row.model + " on " + row.chip + ": " + e.what());
      continue;
    }
    out.push_back(c);
  }
  return out;
}

FieldFit fit_field(const std::vector<const FieldCase*>& cases) {
  return Fitter(cases).fit();
}

std::vector<JudgedCase> judge_field(const std::vector<FieldCase>& cases, const base::Progress& progress) {
  std::vector<JudgedCase> out;
  std::set<std::pair<Work, std::string>> groups;
  for (const FieldCase& c : cases)
    groups.insert({c.row.work, c.row.group()});
  for (const auto& [work, group] : groups) {
    progress("sources", double(out.size()), double(cases.size()));
    std::vector<const FieldCase*> others;
    if (group.starts_with("table:"))
      continue;
    for (const FieldCase& c : cases) {
      if (c.row.work == work && c.row.group() != group && !c.row.faulty)
        others.push_back(&c);
    }
    const FieldFit fit = fit_field(others);
    for (const FieldCase& c : cases) {
      if (c.row.work != work || c.row.group() != group)
        continue;
      JudgedCase j;
      j.at = &c;
      j.limit_s = c.limit_s();
      j.predicted_s = std::max(c.seconds(fit.of(c.stack)), j.limit_s);
      j.known_stack = fit.stacks.contains(c.stack);
      out.push_back(j);
    }
  }
  return out;
}

SoftwareTable software_table(const std::vector<FieldCase>& cases, const std::vector<JudgedCase>& judged) {
  SoftwareTable table;
  for (const Work work : {Work::Train, Work::Serve}) {
    std::vector<const FieldCase*> of_work;
    std::map<std::string, std::set<std::string>> sources;
    std::map<std::string, size_t> runs;
    for (const FieldCase& c : cases) {
      if (c.row.work != work || c.row.faulty)
        continue;
      of_work.push_back(&c);
      std::set<std::string> counted = {"", c.stack};
      if (launches_from_host(without_platform(c.stack)))
        counted.insert(kEager);
      for (const std::string& stack : counted) {
        sources[stack].insert(c.row.group());
        ++runs[stack];
      }
    }
    if (of_work.empty())
      continue;
    FieldFit fit = fit_field(of_work);
    fit.stacks[""] = {work, "", 0, 0, fit.centre};
    if (work == Work::Serve)
      fit.stacks[kEager] = {work, kEager, 0, 0, fit.eager};
    for (auto& [stack, software] : fit.stacks) {
      software.runs = runs[stack];
      software.sources = sources[stack].size();
      table.stacks.push_back(software);
    }
  }
  for (const JudgedCase& j : judged) {
    const FieldRow& r = j.at->row;
    if (!r.faulty)
      table.errors.push_back(
          {r.work,
           r.group(),
           j.at->stack,
           j.known_stack,
           r.chip,
           r.precision,
           j.log_error(),
           j.over_limit()});
  }
  return table;
}

}  // namespace lento::predict
