// Writes figures in formats of other programs: comma-separated values for spreadsheets, Chrome traces for
// timeline viewers. A trace has one process a figure and one thread a track, because viewers show that
// hierarchy.
#include <cmath>
#include <map>

#include "base/json.h"
#include "base/scan/csv.h"
#include "report/figures.h"
#include "report/report.h"

namespace lento::report {
namespace {

using base::Json;
using finding::TimelineFigure;

// Returns the microseconds in one unit of an axis, from a name such as "time (ms)" or "ms".
double microseconds_per_unit(const std::string& axis) {
  const auto ends = [&](const std::string& unit) {
    return axis == unit || axis.ends_with(" " + unit) || axis.ends_with("(" + unit + ")");
  };
  if (ends("ns"))
    return 1e-3;
  if (ends("ms"))
    return 1e3;
  return ends("s") ? 1e6 : 1;
}

// Returns an event that names a process or thread in the Chrome trace format.
Json name_event(const char* what, int process, int thread, const std::string& name) {
  return Json::object()
      .set("ph", "M")
      .set("name", what)
      .set("pid", process)
      .set("tid", thread)
      .set("args", Json::object().set("name", name));
}

// Adds the spans of a timeline.
void add_timeline(const TimelineFigure& figure, const std::string& title, int process, Json::Array& events) {
  const double scale = microseconds_per_unit(figure.x_name);
  std::map<std::string, int> threads;
  events.push_back(name_event("process_name", process, 0, title));
  for (const auto& span : figure.spans) {
    const auto [thread, fresh] = threads.emplace(span.track, int(threads.size()) + 1);
    if (fresh)
      events.push_back(name_event("thread_name", process, thread->second, span.track));
    if (!std::isfinite(span.begin) || !std::isfinite(span.end))
      continue;
    Json event = Json::object();
    event.set("ph", "X");
    event.set("name", span.label.empty() ? span.track : span.label);
    event.set("cat", span.blamed ? "blamed" : "normal");
    event.set("pid", process);
    event.set("tid", thread->second);
    event.set("ts", span.begin * scale);
    event.set("dur", (span.end - span.begin) * scale);
    events.push_back(std::move(event));
  }
}

}  // namespace

std::string write_csv(const finding::Figure& figure) {
  const finding::TableFigure table = as_table(figure.body, SIZE_MAX, 6);  // for other programs
  std::string out = base::csv_line(table.columns) + "\n";
  for (const auto& row : table.rows)
    out += base::csv_line(row) + "\n";
  return out;
}

std::string write_trace(const finding::Diagnosis& diagnosis) {
  Json::Array events;
  int process = 0;
  for (const auto& figure : diagnosis.figures) {
    const auto* timeline = std::get_if<TimelineFigure>(&figure.body);
    if (timeline)
      add_timeline(*timeline, figure.title, ++process, events);
  }
  return base::write_json(Json::object().set("displayTimeUnit", "ms").set("traceEvents", std::move(events))) +
         "\n";
}

}  // namespace lento::report
