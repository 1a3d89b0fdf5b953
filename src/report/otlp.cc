// Writes findings as OpenTelemetry log records, in the JSON form of an OTLP request (docs/formats/otlp.md),
// so that a collector can route them like any other log.
#include <cmath>

#include "base/json.h"
#include "report/report.h"

namespace lento::report {
namespace {

using base::Json;
using finding::Finding;

enum Severity {
  kInfo = 9,
  kWarn = 13
};

Json text_value(const std::string& text) {
  return Json::object().set("stringValue", text);
}

// Collects the list of {"key", "value"} by which OTLP represents a map.
class Attributes {
 public:
  Attributes& add(const char* key, const std::string& text) {
    if (text.empty())
      return *this;
    return put(key, text_value(text));
  }
  Attributes& add(const char* key, std::optional<double> number) {
    if (number && std::isfinite(*number))
      return put(key, Json::object().set("doubleValue", *number));
    return *this;
  }
  Attributes& add(const char* key, const std::vector<finding::Evidence>& evidence) {
    Json values = Json::array();
    for (const finding::Evidence& e : evidence)
      values.push(text_value(e.text));
    Json list = Json::object().set("values", std::move(values));
    if (evidence.empty())
      return *this;
    return put(key, Json::object().set("arrayValue", std::move(list)));
  }
  Json take() {
    return std::move(all_);
  }

 private:
  Attributes& put(const char* key, Json value) {
    all_.push(Json::object().set("key", key).set("value", std::move(value)));
    return *this;
  }
  Json all_ = Json::array();
};

// True for Unix seconds of this century or the last. A time since the start of a recording is no date.
bool is_date(const finding::TimeWindow& when) {
  constexpr double kEarliest = 1e8;
  constexpr double kLatest = 9e9;
  return when.unit == "s" && when.begin > kEarliest && when.begin < kLatest;
}

// Returns the time of a finding as text, because protobuf's JSON writes 64-bit integers as strings. "0" means
// that there is no time.
std::string nanoseconds(const Finding& finding) {
  if (!finding.when || !is_date(*finding.when))
    return "0";
  return std::to_string(uint64_t(std::llround(finding.when->begin * 1e3)) * 1'000'000);
}

// Returns a log record of OpenTelemetry. Times are nanoseconds since 1970.
Json record(
    Severity severity,
    const std::string& body,
    const std::string& time,
    uint64_t observed,
    Json attributes) {
  Json out = Json::object();
  out.set("timeUnixNano", time);
  out.set("observedTimeUnixNano", std::to_string(observed));
  out.set("severityNumber", int(severity));
  out.set("severityText", severity == kWarn ? "WARN" : "INFO");
  out.set("body", text_value(body));
  out.set("attributes", std::move(attributes));
  return out;
}

// Returns the log record of the verdict.
Json verdict_record(const finding::Diagnosis& d, uint64_t observed) {
  const bool calm = d.outcome == finding::Outcome::Healthy || d.outcome == finding::Outcome::Answer;
  Attributes attributes;
  attributes.add("event.name", "lento.verdict");
  attributes.add("lento.outcome", finding::name(d.outcome));
  attributes.add("lento.scale", d.scale);
  attributes.add("lento.reason", d.reason);
  attributes.add("lento.remedy", d.remedy);
  attributes.add("lento.covered", d.covered);
  attributes.add("lento.command", d.command);
  return record(calm ? kInfo : kWarn, d.verdict, "0", observed, attributes.take());
}

// Returns the log record of a finding.
Json finding_record(const finding::Diagnosis& d, const Finding& finding, uint64_t observed) {
  Attributes attributes;
  attributes.add("event.name", "lento.finding");
  attributes.add("lento.scale", d.scale);
  attributes.add("lento.finding.subject", finding.subject);
  attributes.add("lento.finding.category", finding.category);
  attributes.add("lento.finding.score", finding.score);
  attributes.add("lento.finding.factor", finding.factor);
  attributes.add("lento.finding.lost_share", finding.lost_share);
  if (finding.when) {
    attributes.add("lento.finding.begin", finding.when->begin);
    attributes.add("lento.finding.end", finding.when->end);
    attributes.add("lento.finding.unit", finding.when->unit);
  }
  if (finding.where) {
    attributes.add("host.name", finding.where->host);
    attributes.add("lento.finding.rank", finding.where->rank);
    attributes.add("lento.finding.gpu", finding.where->gpu);
  }
  attributes.add("lento.finding.evidence", finding.evidence);
  attributes.add("lento.finding.next_step", finding.next_step);
  const std::string body =
      finding.summary.empty() ? finding.subject + ": " + finding.category : finding.summary;
  return record(kWarn, body, nanoseconds(finding), observed, attributes.take());
}

}  // namespace

std::string write_otlp(const finding::Diagnosis& d, uint64_t observed_unix_ns) {
  Json records = Json::array();
  records.push(verdict_record(d, observed_unix_ns));
  for (const Finding& finding : d.findings)
    records.push(finding_record(d, finding, observed_unix_ns));
  Json scope = Json::object();
  scope.set("scope", Json::object().set("name", "lento").set("version", d.version));
  scope.set("logRecords", std::move(records));
  Attributes resource;
  resource.add("service.name", "lento");
  resource.add("service.version", d.version);
  Json logs = Json::object();
  logs.set("resource", Json::object().set("attributes", resource.take()));
  logs.set("scopeLogs", Json::array().push(std::move(scope)));
  return base::write_json(Json::object().set("resourceLogs", Json::array().push(std::move(logs)))) + "\n";
}

}  // namespace lento::report
