// Writes and parses one result. Keys that are missing in older files take their defaults.
#include "lab/chip/result.h"

#include "chip/read/probe_record.h"

namespace lento::chip {
namespace {

static_assert(kRawRecordBytes == sizeof(ProbeRecord));

using base::Json;
using base::Location;

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const auto& n : names)
    list.push(n);
  return list;
}

std::vector<std::string> names_from(const Json& json, std::string_view key, const Location& where) {
  std::vector<std::string> out;
  const Location at = base::child(where, key);
  for (const Json& n : json.at(key, where).array(at))
    out.push_back(n.string(at));
  return out;
}

}  // namespace

std::string RunResult::variant() const {
  std::string text = method;
  if (!recorder.empty())
    text += " / " + recorder;
  if (!probes.empty())
    text += " / probes " + probes;
  if (!mismatch.empty())
    text += " / " + mismatch;
  return text;
}

double RunResult::number(const std::string& key) const {
  const auto at = numbers.find(key);
  if (at == numbers.end())
    return 0;
  return at->second;
}

double raw_bytes(const RunResult& r) {
  return kRawRecordBytes *
         (r.number("compute_records") + r.number("message_records") + r.number("memory_records"));
}

Json to_json(const RunResult& r) {
  Json scores = Json::array();
  Json numbers = Json::object();
  for (const double s : r.scores)
    scores.push(s);
  for (const auto& [name, value] : r.numbers)
    numbers.set(name, value);
  return Json::object()
      .set("workload", r.workload)
      .set("method", r.method)
      .set("recorder", r.recorder)
      .set("probes", r.probes)
      .set("mismatch", r.mismatch)
      .set("unjudged", r.unjudged)
      .set("case", r.name)
      .set("seed", r.seed)
      .set("training", r.training)
      .set("applicable", r.applicable)
      .set("hits", r.hits)
      .set("factor", r.factor)
      .set("truth", names_json(r.truth))
      .set("reported", names_json(r.reported))
      .set("ranked", names_json(r.ranked))
      .set("scores", scores)
      .set("overlap", r.overlap)
      .set("whole_overlap", r.whole_overlap)
      .set("numbers", numbers);
}

RunResult run_result_from_json(const Json& json, const Location& where) {
  RunResult r;
  const auto text = [&](std::string_view key) {
    return json.at(key, where).string(base::child(where, key));
  };
  const auto number = [&](std::string_view key) {
    return json.at(key, where).number(base::child(where, key));
  };
  r.workload = text("workload");
  r.method = text("method");
  r.recorder = text("recorder");
  r.probes = text("probes");
  if (json.find("mismatch") != nullptr)
    r.mismatch = text("mismatch");  // results of before have none
  if (const Json* unjudged = json.find("unjudged"))
    r.unjudged = unjudged->boolean(base::child(where, "unjudged"));
  r.name = text("case");
  r.seed = uint64_t(json.at("seed", where).integer(base::child(where, "seed"), 0));
  r.training = json.at("training", where).boolean(base::child(where, "training"));
  r.applicable = json.at("applicable", where).boolean(base::child(where, "applicable"));
  r.hits = uint64_t(json.at("hits", where).integer(base::child(where, "hits"), 0));
  r.factor = number("factor");
  r.truth = names_from(json, "truth", where);
  r.reported = names_from(json, "reported", where);
  r.ranked = names_from(json, "ranked", where);
  const Location at = base::child(where, "scores");
  for (const Json& s : json.at("scores", where).array(at))
    r.scores.push_back(s.number(at));
  if (r.scores.size() != r.ranked.size())
    throw base::Error(
        at,
        std::to_string(r.scores.size()) + " scores for " + std::to_string(r.ranked.size()) +
            " ranked components");
  r.overlap = number("overlap");
  r.whole_overlap = number("whole_overlap");
  for (const auto& [name, value] : json.at("numbers", where).object(base::child(where, "numbers")))
    r.numbers[name] = value.number(base::child(where, "numbers"));
  return r;
}

}  // namespace lento::chip
