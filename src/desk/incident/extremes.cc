// Lines that state only the largest and smallest value over all ranks and the rank that had it (Megatron's
// and nvidia-resiliency-ext's straggler lines). Some rank is always the slowest, and often the same one.
// Therefore a rank is named only when it has the worst value without a break and that value became worse than
// before, or when it has the worst value of several quantities at once (the slowest is also the one with the
// lowest clock).
//
//   chance of n reports in a row with one rank, of R ranks that take turns: R^(1-n)
//   chance of k quantities at one rank in one report:                       R^(1-k)
#include <algorithm>
#include <map>

#include "base/number.h"
#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/incident/series.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// One report of one quantity: the worst value and the rank that had it.
struct Report {
  double position = 0;
  double value = 0;
  double good = kUnknown;  // value at the opposite end, of the best rank
  const Subject* subject = nullptr;
  const Track* track = nullptr;
  Where where;
};

struct Hold {
  const Quantity* quantity = nullptr;
  std::vector<Report> reports;  // the latest reports, in all of which the same rank had the worst value
  double before = kUnknown;     // median of the value in the reports before those
  bool worse = false;           // every report with this rank is worse than every earlier one
};

// Returns the samples of all ranks in order of position.
std::vector<Report> reports_of(const std::vector<Track>& tracks) {
  std::vector<Report> reports;
  for (const Track& track : tracks)
    for (size_t i = 0; i < track.value.size() && !track.subject.rank.empty(); ++i)
      reports.push_back(
          {track.position[i], track.value[i], track.expected[i], &track.subject, &track, track.where[i]});
  std::ranges::stable_sort(reports, {}, &Report::position);
  return reports;
}

// Returns the last stretch of samples in which the same rank is the extreme one.
Hold hold_of(const Quantity& quantity, const std::vector<Report>& reports) {
  Hold hold{&quantity, {}, kUnknown, false};
  size_t begin = reports.size();
  while (begin > 0 && *reports[begin - 1].subject == *reports.back().subject)
    --begin;
  hold.reports.assign(reports.begin() + std::ptrdiff_t(begin), reports.end());
  std::vector<double> before;
  for (size_t i = 0; i < begin; ++i)
    before.push_back(reports[i].value);
  if (before.empty())
    return hold;
  hold.before = evidence::median(before);
  double worst = 1;
  for (const double value : before)
    worst = std::max(worst, times_worse(quantity, value, hold.before));
  // The worst value of the earlier reports came about by chance, so a later one must exceed it.
  const auto is_worse = [&](const Report& report) {
    return times_worse(quantity, report.value, hold.before) > worst;
  };
  const auto first = std::ranges::find_if(hold.reports, is_worse);
  hold.worse = first != hold.reports.end() && std::all_of(first, hold.reports.end(), is_worse);
  if (hold.worse)
    hold.reports.erase(hold.reports.begin(), first);
  return hold;
}

// Returns text such as "100.2 TFLOP/s beside 129.7 of the best rank".
std::string beside_text(const Hold& hold) {
  const Report& last = hold.reports.back();
  return value_with_unit(last.value, *hold.quantity) +
         (std::isnan(last.good)
              ? ""
              : " beside " + value_with_unit(last.good, *hold.quantity) + " of the best rank");
}

}  // namespace

void judge_extremes(const Records& records, const JudgeOptions& options, Judgement& out) {
  const std::vector<Tracks> all = tracks_of(records, Scope::Extreme);
  double ranks = 2;
  size_t quantities = 0;
  for (const Tracks& tracks : all)
    for (const Track& track : tracks.tracks)
      if (const auto rank = base::try_int(track.subject.rank); rank && *rank >= 0 && *rank < 10'000'000)
        ranks = std::max(ranks, double(*rank + 1));
  std::map<Subject, std::vector<Hold>> holds;
  for (const Tracks& tracks : all) {
    const Quantity& quantity = records.quantities()[tracks.quantity];
    if (quantity.better == Better::Neither)
      continue;
    const std::vector<Report> reports = reports_of(tracks.tracks);
    if (reports.empty())
      continue;
    ++quantities;
    holds[*reports.back().subject].push_back(hold_of(quantity, reports));
  }
  if (quantities == 0)
    return;
  out.covered.push_back(
      "extremes over the ranks in " + std::to_string(quantities) + " quantities, at least " +
      base::format_number(ranks) + " ranks");
  for (auto& [subject, list] : holds) {
    std::ranges::stable_sort(list, [](const Hold& a, const Hold& b) {
      return a.worse > b.worse;
    });
    const Hold& lead = list[0];
    double chance = std::pow(ranks, 1 - double(lead.reports.size())) * double(quantities);
    if (lead.worse)
      chance *= 1 / (1 + double(lead.reports.size()));
    std::vector<const Hold*> also;
    for (const Hold& hold : list)
      if (&hold != &lead && hold.reports.size() >= 2)
        also.push_back(&hold);
    const double together = chance * std::pow(ranks, -double(also.size()));
    const double times =
        std::isnan(lead.before) ? 1 : times_worse(*lead.quantity, lead.reports.back().value, lead.before);
    const bool changed = lead.worse && times >= 1 + options.least_effect && chance < options.false_alarms;
    const bool agreed = also.size() >= 1 && std::isnan(lead.before) && together < options.false_alarms;
    if (!changed && !agreed) {
      if (std::isnan(lead.before) && chance < options.false_alarms)
        out.notes.push_back(
            subject_text(subject) + " holds " + lead.quantity->name + " in all reports, " +
            beside_text(lead) + ": a rank with another role, or a GPU of other quality, does so too");
      continue;
    }
    finding::Finding finding;
    finding.subject = subject_text(subject);
    finding.category = "straggler";
    finding.summary = finding.subject + " holds " + lead.quantity->name + ", " + beside_text(lead);
    if (!std::isnan(lead.before))
      finding.summary += " where it was " + value_with_unit(lead.before, *lead.quantity) + " before";
    finding.summary += ", from " + position_text(*lead.reports[0].track, lead.reports[0].position) + " on";
    for (const Hold* hold : also)
      finding.summary += ", and " + hold->quantity->name + ", " + beside_text(*hold);
    finding.score = 0.9;
    if (times > 1)
      finding.factor = times;
    finding.where = place_of(subject);
    for (const Hold& hold : list)
      finding.evidence.push_back(
          {hold.quantity->name + " in " + std::to_string(hold.reports.size()) + " reports in a row" +
               (std::isnan(hold.before) ? "" : ", before " + base::format_number(hold.before)),
           hold.reports.back().value,
           hold.quantity->unit,
           place_text(records, hold.reports[0].where)});
    finding.evidence.push_back(
        {"ranks that take turns give the same " + false_alarm_text(std::min(chance, together)),
         std::nullopt,
         "",
         "reports in a row"});
    finding.next_step = lead.quantity->advice.empty()
                            ? "look at that rank's clocks, temperature and kernel log"
                            : lead.quantity->advice;
    out.findings.push_back(std::move(finding));
  }
}

}  // namespace lento::desk
