// Writes the output of a watch: alerts to standard output, one line each, and all other messages to standard
// error.
#include "cli/fleet/watch_log.h"

#include "base/json.h"
#include "report/report.h"

namespace lento::cli {
namespace {

using base::Json;

Json object_of(const std::vector<std::pair<std::string, std::string>>& members) {
  Json object = Json::object();
  for (const auto& [key, value] : members)
    object.set(key, value);
  return object;
}

// Writes an alert in the form of Alertmanager, at the moment when it begins or ends.
std::string json_line(int64_t ms, const fleet::Alert& alert) {
  const bool ended = alert.ends_ms == ms;
  return base::write_json(Json::object()
                              .set("time", fleet::rfc3339(ms))
                              .set("state", ended ? "resolved" : "firing")
                              .set("labels", object_of(alert.labels))
                              .set("annotations", object_of(alert.annotations))
                              .set("startsAt", fleet::rfc3339(alert.starts_ms)));
}

}  // namespace

void add_watch_format(Command& app, std::string& format) {
  app.add_option(
         "--format",
         format,
         "Alerts on standard output: lines of text, or JSON Lines (jsonl) that also tell when one ends")
      ->check(one_of({"text", "jsonl"}))
      ->capture_default_str();
}

fleet::WatchLog watch_log(Context& context, const std::string& format) {
  fleet::WatchLog log;
  if (format == "jsonl") {
    log.line_of = json_line;
    log.say_ends = true;
  }
  log.say = [&context](const std::string& text) {
    context.streams.out << text << "\n";
    context.streams.out.flush();
  };
  log.note = [&context](const std::string& text) {
    context.streams.err << text << "\n";
  };
  log.text_of = [&context](finding::Diagnosis d) {
    return report::write_json(context.stamped(std::move(d)));
  };
  return log;
}

}  // namespace lento::cli
