// Draws the time line of an incident: a lane for each host, events as marks, and deviations as spans from
// their onset. Files without calendar times cannot be placed and are left out.
//
// Times of a system log have no year: they are placed in the year of the other times, when there are some.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/moment.h"
#include "desk/incident/judge.h"

namespace lento::desk {
namespace {

constexpr size_t kMostSpans = 400;
constexpr double kYear = 366 * 86400.0;

struct Mark {
  std::string lane;
  double begin = 0;
  double end = 0;
  std::string label;
  bool is_blamed = false;  // the mark belongs to a part that was named
  bool is_lead = false;    // the mark belongs to the first finding
};

// Returns the year of the files, or "" when none of their times has a year.
std::string year_of(const Records& records) {
  for (const Event& event : records.events())
    if (event.time.clock == Clock::Unix)
      return base::format_moment(event.time.seconds).substr(0, 4);
  for (const Series& series : records.series())
    for (const Observation& row : series.rows)
      if (row.time.clock == Clock::Unix)
        return base::format_moment(row.time.seconds).substr(0, 4);
  return "";
}

// Returns a moment in seconds since 1970. A moment without a year is placed in `year`, or in 1972 when that
// is "". Returns kUnknown for moments of other clocks.
double on_axis(const Moment& moment, const std::string& year) {
  const std::string text = moment_text(moment);  // "11-20 09:20:44" without a year
  if (moment.clock == Clock::Unix)
    return moment.seconds;
  if (moment.clock != Clock::Yearless || text.empty())
    return kUnknown;
  const auto ms = base::try_moment_ms((year.empty() ? "1972" : year) + "-" + text);
  return ms ? double(*ms) / 1000 : kUnknown;
}

std::string lane_of(const Subject& subject) {
  if (!subject.host.empty())
    return subject.host;
  return subject.rank.empty() ? "the job" : "rank " + subject.rank;
}

// Returns the marks of all events on the time axis.
std::vector<Mark>
marks_of(const Records& records, const std::vector<finding::Finding>& findings, const std::string& year) {
  std::vector<Mark> marks;
  for (const Event& event : records.events()) {
    const double at = on_axis(event.time, year);
    if (std::isnan(at) || event.kind == "collective/progress")
      continue;
    const std::string subject = subject_text(event.subject);
    const auto named = std::ranges::find(findings, subject, &finding::Finding::subject);
    const bool is_blamed = named != findings.end();
    const std::string what = event.kind == "collective/timeout" ? "timed out in a collective" : event.meaning;
    marks.push_back(
        {lane_of(event.subject),
         at,
         at,
         (event.subject.device.empty() ? "" : event.subject.device + ": ") + what,
         is_blamed,
         is_blamed && named == findings.begin()});
  }
  for (const finding::Finding& finding : findings) {
    if (!finding.when || finding.when->end <= finding.when->begin)
      continue;
    const std::string host = finding.where ? finding.where->host : "";
    marks.push_back(
        {host.empty() ? finding.subject : host,
         finding.when->begin,
         finding.when->end,
         finding.category,
         true,
         &finding == &findings[0]});
  }
  return marks;
}

}  // namespace

void draw_lanes(const Records& records, Judgement& judgement) {
  const std::string year = year_of(records);
  std::vector<Mark> marks = marks_of(records, judgement.findings, year);
  if (marks.size() < 2 || judgement.findings.empty())
    return;
  // Marks far from those of the first finding are left out, because days before the incident would compress
  // the time line.
  double first = kUnknown;
  double last = kUnknown;
  for (const Mark& mark : marks) {
    if (!mark.is_lead)
      continue;
    first = std::isnan(first) ? mark.begin : std::min(first, mark.begin);
    last = std::isnan(last) ? mark.end : std::max(last, mark.end);
  }
  if (std::isnan(first) || last - first > kYear)
    return;
  // A symptom may appear when a collective times out, ten to thirty minutes after its cause.
  constexpr double kTimeouts = 2700;
  const double around = std::max(last - first, kTimeouts);
  std::erase_if(marks, [&](const Mark& mark) {
    return mark.end < first - around || mark.begin > last + around;
  });
  std::ranges::stable_sort(marks, {}, &Mark::begin);
  const double origin = std::ranges::min(marks, {}, &Mark::begin).begin;
  const double grain = around / 100;  // width of an event, so that it is visible
  finding::TimelineFigure figure;
  constexpr size_t kYearAndDash = 5;  // a year that no file states is not shown
  figure.x_name = "seconds after " + base::format_moment(origin).substr(year.empty() ? kYearAndDash : 0);
  for (const Mark& mark : marks)
    if (figure.spans.size() < kMostSpans)
      figure.spans.push_back(
          {mark.lane,
           mark.begin - origin,
           std::max(mark.end, mark.begin + grain) - origin,
           mark.label,
           mark.is_blamed});
  judgement.figures.insert(
      judgement.figures.begin(),
      {"What happened when",
       "A lane a host. Red are the parts that are named, and the lines behind them are quoted below.",
       figure});
}

}  // namespace lento::desk
