// Confirms the suspects that the comparison by replay found. A suspect stays reported when the model's
// likelihood ratio is above its threshold, its raw records are slower than those of its peers, and the run
// with it slow looks like one of the file's chip. When none stays, the outcome is "cannot judge" with the
// reason.
#include "chip/model_judge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <variant>

#include "base/units.h"
#include "chip/detect/evidence.h"
#include "chip/detect/path.h"
#include "chip/detect/tuning.h"
#include "chip/kept_model.h"
#include "chip/model/runs.h"
#include "chip/model/unexplained.h"
#include "chip/model_findings.h"
#include "evidence/distribution.h"

namespace lento::chip {
namespace {

using base::format_number;

// Most records that are simulated to learn a model: about half a minute on one core of the machine that
// judges.
constexpr double kMostLearnt = 16e6;
// Most parts of a chip that is fitted, because the cost grows with the cube of their number. Chips with more
// parts are judged without the model. So are chips with an interconnect of their own (a data sheet), because
// the model was not validated on them.
constexpr uint32_t kMostParts = 400;

double planned_records(const ChipUnderTest& of) {
  double out = 0;
  for (const PatternCount& core : count_patterns(of.program, of.chip))
    out += core.computes + core.transfers;
  const Program::Totals t = of.program.totals();
  return std::max(out, double(t.reads + t.receives + t.computes + t.writes));
}

std::string factor_text(double factor) {
  return "x" + format_number(factor, 3);
}

}  // namespace

ModelJudge::ModelJudge(
    const ChipDiagnosisOptions& options,
    const ChipUnderTest& of,
    const Deviations& declared,
    const base::Progress& progress)
    : options_(options),
      of_(of),
      declared_(declared),
      progress_(progress),
      wanted_(
          options.model && options.replay && options.method.method == "lento" && !of.chip.interconnect &&
          declared == Deviations{} && InfluenceColumns(Grid(of.chip)).parts() <= kMostParts),
      model_(options.learnt) {
}

Prepare ModelJudge::prepare() {
  if (!wanted_)
    return {};
  return [this](std::vector<ProbeRecord>& records) {
    judge_records(records);
  };
}

Prepare ModelJudge::prepare_healthy() {
  if (!verdict_)
    return {};
  return [this](std::vector<ProbeRecord>& records) {
    if (!records.empty())
      healthy_ = judge(*model_, records, {.tolerance = options_.tolerance});
  };
}

Prepare ModelJudge::prepare_further(const std::string& path) {
  if (!verdict_)
    throw base::Error(
        {path},
        "further runs count in the chip's model alone, and the first one was not judged by it",
        "give probe records of whole runs, and leave --no-model, --no-replay and --method out");
  return [this, path](std::vector<ProbeRecord>& records) {
    uint32_t inferences = 0;
    for (const ProbeRecord& r : records)
      inferences = std::max(inferences, r.inference + 1);
    if (inferences == model_->setup.inferences)
      further_.push_back(judge(*model_, records));
    else
      doubts_.push_back(
          path + " has " + std::to_string(inferences) + " inferences, not the first run's " +
          std::to_string(model_->setup.inferences) + ", and was left out");
  };
}

void ModelJudge::judge_records(std::vector<ProbeRecord>& records) {
  constexpr uint64_t kLatest = uint64_t{1} << 60;  // no clock gives later times
  uint32_t inferences = 0;
  if (std::ranges::any_of(records, [](const ProbeRecord& r) {
        return r.end > kLatest;
      }))
    return;
  for (const ProbeRecord& r : records)
    inferences = std::max(inferences, r.inference < kMostInferences ? r.inference + 1 : 0);
  const LearnSetup setup{of_.chip, of_.program, inferences, declared_};
  if (inferences == 0)
    return;
  const bool fits = model_ && model_->setup.inferences == inferences;
  if (!fits) {
    const ModelPlace place{options_.models, options_.chip, options_.mapping};
    const LearnOptions learning{.false_alarms = options_.false_alarms};
    model_ = kept_model(place, setup, learning);
    if (!model_ && planned_records(of_) * inferences * simulations_to_learn() > kMostLearnt)
      return;
    if (!model_)
      model_ = learn_and_keep(place, setup, learning, progress_);
  }
  verdict_ = judge(*model_, records, {.tolerance = options_.tolerance});
}

FactorFit ModelJudge::fitted_factors(std::vector<SlowPart> parts, bool measured) {
  FactorFit out = factors_of(*model_, *verdict_, std::move(parts), measured);
  simulated_ += out.simulated;
  return out;
}

// Tests a suspect after the parts that time bins cannot distinguish from it (Suspect::alike) were simulated.
Confirmation ModelJudge::confirmed(Suspect& s) {
  compare_by_simulation(s);
  return confirm(*model_, *verdict_, s.component, double(s.begin), double(s.end));
}

// Simulates each of the parts in `s.alike`, of more than four those with the largest gains. The likeliest
// becomes the suspect, and those are kept whose log-likelihood is within log(1 / false_alarms) of it, either
// each with its fitted factor or both with the factor of the suspect: the simulated runs of parts with the
// same transfers are equal, while their fitted factors differ by chance. Parts on one path differ by
// transfers that use only one of them, and by the queues before them. The first-order gain cannot rank them,
// because it is larger for a part that serves more of the delayed transfers.
void ModelJudge::compare_by_simulation(Suspect& s) {
  constexpr size_t kMostCompared = 4;
  if (s.alike.size() < 2)
    return;
  if (s.alike.size() > kMostCompared) {
    std::ranges::stable_sort(s.alike, std::ranges::greater{}, [&](const Component& part) {
      return confirm(*model_, *verdict_, part, double(s.begin), double(s.end)).test.gain;
    });
    s.alike.resize(kMostCompared);
  }
  std::vector<FactorFit> fits;
  for (const Component& part : s.alike)
    fits.push_back(fitted_factors({{part, std::log(std::max(1.0, s.factor)), s.begin, s.end}}));
  const auto best = std::ranges::max_element(fits, {}, [](const FactorFit& fit) {
    return fit.solution.log_likelihood;
  });
  const double chance = std::log(1 / options_.false_alarms);
  s.component = s.alike[size_t(best - fits.begin())];
  std::vector<Component> kept;
  for (size_t i = 0; i < fits.size(); ++i)
    if (fits[i].solution.log_likelihood > best->solution.log_likelihood - chance ||
        fits[i].log_likelihood_at_start > best->log_likelihood_at_start - chance)
      kept.push_back(s.alike[i]);
  s.alike = std::move(kept);
}

void ModelJudge::confirm_reported(Detection& detection) {
  if (!verdict_)
    return;
  const Grid grid(of_.chip);
  std::vector<Suspect> kept;
  for (Suspect& s : detection.reported) {
    const Confirmation c = confirmed(s);
    const std::string name = name_of(s.component, grid);
    if (c.agrees()) {
      s.evidence.push_back(
          {"gain in log likelihood, twice, by the chip's model", c.test.gain, "", "records"});
      s.evidence.push_back(
          {"median of its records beside those of peers in that time", c.rank.slower, "", "records"});
      kept.push_back(std::move(s));
      continue;
    }
    doubts_.push_back(
        name + " looks slow beside a simulated chip, and " +
        (c.gains ? "its records are not slower than those of its peers"
                 : "the chip's model explains its records without it"));
  }
  if (kept.empty() && !detection.reported.empty() && detection.unjudged.empty()) {
    detection.unjudged = doubts_.front();
    detection.would_help =
        "a run of this chip that is known to be healthy (--healthy), or a chip file that is "
        "nearer to it";
  } else {
    detection.notes.insert(detection.notes.end(), doubts_.begin(), doubts_.end());
  }
  detection.reported = std::move(kept);
  if (detection.reported.empty())
    return;
  const FactorFit fit = take_factors(detection);
  withdraw_unexplained(detection, fit);
  if (detection.reported.size() == 1)
    doubt_beside_rival(detection, fit.solution.log_likelihood);
}

// Withdraws the reported parts that do not explain the run (not_explained()): even with all of them slow, it
// does not look like one of the file's chip, and the lower end of the part's 90 % interval is no larger than
// what differences between healthy parts could show.
void ModelJudge::withdraw_unexplained(Detection& detection, const FactorFit& fit) const {
  const Grid grid(of_.chip);
  std::string reason;
  std::vector<Suspect> kept;
  for (size_t k = 0; k < detection.reported.size(); ++k) {
    Suspect& s = detection.reported[k];
    const double least = fit.parts[k].log_factor - evidence::kNinety * fit.deviation[k];
    const std::string left = not_explained(*model_, *verdict_, fit.solution, {s.component, least});
    if (left.empty())
      kept.push_back(std::move(s));
    else
      reason = "with " + name_of(s.component, grid) + " slow, " + left;
  }
  detection.reported = std::move(kept);
  if (reason.empty())
    return;
  if (!detection.reported.empty()) {
    detection.notes.push_back("The chip file does not explain all transfers: " + reason);
    return;
  }
  detection.unjudged = "the chip file does not explain the run: " + reason;
  detection.would_help = "a chip file with the topology, routes, sizes and latencies of this chip";
}

// Withdraws the verdict when another part explains the run better, by a log-likelihood of more than 2 log(1 /
// false_alarms). On a chip that deviates from its file, the comparison by replay may name a part next to the
// slow one. The two leading parts of the first-order scan are therefore simulated too, up to the named one.
void ModelJudge::doubt_beside_rival(Detection& detection, double likelihood) {
  constexpr size_t kMostRivals = 2;
  const Suspect& named = detection.reported.front();
  const auto is_named = [&](const Component& part) {
    return part == named.component || std::ranges::find(named.alike, part) != named.alike.end();
  };
  const double chance = std::log(1 / options_.false_alarms);
  for (size_t i = 0; i < std::min(kMostRivals, verdict_->leading.size()); ++i) {
    const PartTest& rival = verdict_->leading[i];
    if (is_named(rival.component))
      return;  // later ones have a smaller gain
    const SlowPart part = slow_part(rival, verdict_->clock_map, verdict_->end_cycles);
    if (fitted_factors({part}).solution.log_likelihood <= likelihood + 2 * chance)
      continue;
    const Grid grid(of_.chip);
    detection.unjudged = name_of(named.component, grid) + " and " + name_of(rival.component, grid) +
                         " both look slow, and the one named by replay explains the records less";
    detection.would_help = "another run of the same mapping, or a chip file that is nearer to this chip";
    detection.reported.clear();
    return;
  }
}

// Takes over the factors that the model fits by simulation, with their intervals. Returns the fit of the run
// with all reported parts slow.
FactorFit ModelJudge::take_factors(Detection& detection) {
  std::vector<SlowPart> parts;
  for (const Suspect& s : detection.reported)
    parts.push_back({s.component, std::log(std::max(1.0, s.factor)), s.begin, s.end});
  const FactorFit fit = fitted_factors(std::move(parts), true);
  for (size_t k = 0; k < detection.reported.size(); ++k) {
    Suspect& s = detection.reported[k];
    const double log_factor = fit.parts[k].log_factor;
    const double half_width = evidence::kNinety * fit.deviation[k];
    s.factor = std::exp(log_factor);
    s.evidence.push_back(
        {kLowerEnd, std::exp(std::max(0.0, log_factor - half_width)), "x", "records beside simulated ones"});
    s.evidence.push_back(
        {kUpperEnd,
         std::exp(std::min(kMostLogFactor, log_factor + half_width)),
         "x",
         "records beside simulated ones"});
  }
  return fit;
}

void ModelJudge::doubt_all_clear(Detection& detection) const {
  if (!verdict_ || !detection.reported.empty() || !detection.unjudged.empty())
    return;
  const PartTest* const leading = verdict_->suspicious(options_.tolerance);
  if (leading == nullptr)
    return;
  const PartTest& first = *leading;
  const auto file_cycles = [&](double share) {
    return verdict_->clock_map.to_file(share * verdict_->end_cycles);
  };
  const Confirmation c =
      confirm(*model_, *verdict_, first.component, file_cycles(first.begin), file_cycles(first.end));
  const std::string about = "records through " + name_of(first.component, Grid(of_.chip)) + " are about " +
                            format_number(std::max(c.test.factor(), first.factor()), 3) +
                            " times as long as they should be, and ";
  detection.unjudged = about + (c.slower ? "no simulated slow part looks like the run"
                                         : "not slower by rank than those of other parts");
  detection.would_help = remedy_for(first, 1 + further_.size(), options_.tolerance);
}

void ModelJudge::rank_leading(Detection& detection) const {
  if (!detection.ranked.empty())
    return;
  for (const PartTest& test : verdict_->leading) {
    if (detection.ranked.size() == kMostRanked)
      break;
    const SlowPart part = slow_part(test, verdict_->clock_map, verdict_->end_cycles);
    Suspect& s = detection.ranked.emplace_back();
    s.component = part.part;
    s.factor = test.factor();
    s.begin = part.begin;
    s.end = std::min(part.end, detection.run_cycles);
    s.strength = test.gain / 2;
    s.score = score_of(s.strength) / 2;
  }
}

void ModelJudge::add_to(finding::Diagnosis& d) const {
  if (!verdict_)
    return;
  const ModelVerdict& v = *verdict_;
  for (finding::Finding& f : d.findings) {
    const bool is_verdict = d.verdict == f.summary;
    add_interval(f);
    if (is_verdict)
      d.verdict = f.summary;
  }
  for (const ClassDifference& c : v.classes) {
    if (c.factor > 1)
      d.findings.push_back(finding_of(c));
    else
      d.notes.push_back(c.what + " took " + format_number(c.factor, 3) + " times what the chip file says");
  }
  if (!d.findings.empty() && d.outcome != finding::Outcome::Findings) {
    finding::sort_findings(d.findings);
    d.verdict = d.findings.front().summary;
    d.outcome = finding::Outcome::Findings;
    if (!d.reason.empty())
      d.notes.push_back("Whether a single part is slow cannot be judged: " + d.reason);
  }
  d.notes.insert(d.notes.end(), v.notes.begin(), v.notes.end());
  if (v.clocks.grain > 1)
    d.facts.emplace_back("step of the recorders' timer", std::to_string(v.clocks.grain) + " cycles");
  if (v.clocks.aligned > 0)
    d.facts.emplace_back("recorders whose counter started elsewhere", std::to_string(v.clocks.aligned));
  if (v.clocks.wrapped > 0)
    d.facts.emplace_back("recorders whose counter wrapped", std::to_string(v.clocks.wrapped));
  if (v.clock_map.differs())
    d.facts.emplace_back(
        "clock of the recorders against the file's",
        factor_text(v.clock) + ", drifting to " + factor_text(std::exp(v.drift)) + " over the run");
  add_detectable(d);
  add_runs(d);
  for (finding::Figure& figure : d.figures)
    if (auto* mesh = std::get_if<finding::MeshFigure>(&figure.body))
      grey_unseen(*mesh);
}

// Adds after how many runs each named part is certain (PartInRuns). When no named part is among them, adds a
// finding for the most likely part if it is certain and its raw records are slower by rank in more than half
// of the runs.
void ModelJudge::add_runs(finding::Diagnosis& d) const {
  if (further_.empty())
    return;
  std::vector<ModelVerdict> runs{*verdict_};
  runs.insert(runs.end(), further_.begin(), further_.end());
  const std::string count = std::to_string(runs.size());
  d.facts.emplace_back("runs judged together", count);
  const Grid grid(of_.chip);
  const std::vector<PartInRuns> parts = parts_in_runs(*model_, runs);
  bool named = false;
  for (finding::Finding& f : d.findings)
    for (const PartInRuns& part : parts) {
      if (name_of(part.component, grid) != f.subject)
        continue;
      named = true;
      const bool certain = part.certain_after > 0;
      f.evidence.push_back(
          {certain ? "runs after which it is certain, of " + count
                   : "runs together, whose whole lengths do not make it certain",
           certain ? part.certain_after : double(runs.size()),
           "runs",
           "records"});
    }
  if (named || parts.empty() || parts.front().certain_after == 0)
    return;
  const PartInRuns& first = parts.front();
  const auto slower = std::ranges::count_if(runs, [&](const ModelVerdict& run) {
    const double end = run.clock_map.to_file(run.end_cycles);
    return confirm(*model_, run, first.component, 0, end).slower;
  });
  if (2 * size_t(slower) <= runs.size())
    return;
  d.findings.push_back(finding_of(first, name_of(first.component, grid), count));
  finding::sort_findings(d.findings);
  d.verdict = d.findings.front().summary;
  d.reason.clear();
  d.remedy.clear();
  finding::judged(d, count + " runs");
}

// Adds for each class of parts the median, over its parts, of the smallest slow-down that would not pass as
// healthy (ModelVerdict::detectable). It is no mean, because that of a part without records is infinite.
void ModelJudge::add_detectable(finding::Diagnosis& d) const {
  std::vector<std::pair<std::string, std::vector<double>>> classes;
  for (size_t p = 0; p < model_->parts.size(); ++p) {
    const std::string name = class_of(model_->parts[p].component);
    if (classes.empty() || classes.back().first != name)
      classes.push_back({name, {}});
    classes.back().second.push_back(verdict_->detectable[p]);
  }
  for (auto& [name, factors] : classes) {
    const auto middle = factors.begin() + int64_t(factors.size() / 2);
    std::ranges::nth_element(factors, middle);
    d.facts.emplace_back(
        "slow-down over the whole run that would not pass as healthy, median of " + name,
        std::isfinite(*middle) ? factor_text(*middle) : "not seen");
  }
}

// Removes the values of links on which no slow-down would have been seen, so that the picture shows them
// grey.
void ModelJudge::grey_unseen(finding::MeshFigure& mesh) const {
  const Grid grid(of_.chip);
  std::map<Component, double> detectable;
  for (size_t p = 0; p < model_->parts.size(); ++p)
    detectable[model_->parts[p].component] = verdict_->detectable[p];
  for (int id = 0; id < grid.link_count(); ++id) {
    const Position a = grid.router_position(grid.link(id).from);
    const Position b = grid.router_position(grid.link(id).to);
    const auto at = detectable.find(link_component(grid, id));
    if (at == detectable.end() || std::isfinite(at->second))
      continue;
    for (finding::MeshFigure::Link& link : mesh.links)
      if (link.value == 1 &&
          std::tie(link.from_x, link.from_y, link.to_x, link.to_y) == std::tie(a.x, a.y, b.x, b.y))
        link.value = std::nan("");
  }
}

}  // namespace lento::chip
