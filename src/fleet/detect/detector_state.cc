// What the streaming detector keeps over a restart, by name.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "fleet/detect/detector_impl.h"

namespace lento::fleet {
namespace {

using base::Json;

constexpr const char* kSchema = "lento.fleet-state/2";
const base::Location kWhere{"state"};

Json numbers(std::span<const double> values) {
  Json out = Json::array();
  for (const double x : values)
    out.push(x);
  return out;
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> out;
  for (const Json& x : json.array(kWhere))
    out.push_back(x.is_null() ? NAN : x.number(kWhere));
  return out;
}

// Where a name of the state is in this fleet; nothing when it is gone.
class Places {
 public:
  explicit Places(const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i)
      places_.emplace(names[i], i);
  }
  std::optional<size_t> find(const Json& name) const {
    const auto at = places_.find(name.string(kWhere));
    return at == places_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  std::unordered_map<std::string, size_t> places_;
};

Json to_json(const Verdict& v, const Fleet& fleet) {
  Json metrics = Json::array();
  Json affected = Json::array();
  for (const MetricScore& s : v.metrics) {
    metrics.push(
        Json::object()
            .set("metric", fleet.metrics[s.metric])
            .set("numbers", numbers(std::array{s.score, s.deviation, s.level, s.peers, s.threshold})));
  }
  for (const size_t m : v.also_affected)
    affected.push(fleet.machines[m]);
  return Json::object()
      .set("machine", fleet.machines[v.machine])
      .set("silent", v.silent)
      .set("active", v.active)
      .set("onset_ms", v.onset_ms)
      .set("raised_ms", v.raised_ms)
      .set("last_ms", v.last_ms)
      .set("score", v.score)
      .set("horizon_s", v.horizon_s)
      .set("metrics", std::move(metrics))
      .set("also_affected", std::move(affected));
}

// Nothing when its machine or all its metrics are gone.
std::optional<Verdict> verdict_of(const Json& json, const Places& machines, const Places& metrics) {
  const auto machine = machines.find(json.at("machine", kWhere));
  if (!machine)
    return std::nullopt;
  Verdict v;
  v.machine = *machine;
  v.silent = json.at("silent", kWhere).boolean(kWhere);
  v.active = json.at("active", kWhere).boolean(kWhere);
  v.onset_ms = json.at("onset_ms", kWhere).integer(kWhere);
  v.raised_ms = json.at("raised_ms", kWhere).integer(kWhere);
  v.last_ms = json.at("last_ms", kWhere).integer(kWhere);
  v.score = json.at("score", kWhere).number(kWhere);
  v.horizon_s = json.at("horizon_s", kWhere).number(kWhere);
  for (const Json& entry : json.at("metrics", kWhere).array(kWhere)) {
    const auto metric = metrics.find(entry.at("metric", kWhere));
    const std::vector<double> n = numbers(entry.at("numbers", kWhere));
    if (metric && n.size() == 5)
      v.metrics.push_back({*metric, n[0], n[1], n[2], n[3], n[4]});
  }
  for (const Json& name : json.at("also_affected", kWhere).array(kWhere)) {
    if (const auto m = machines.find(name))
      v.also_affected.push_back(*m);
  }
  return v.silent || !v.metrics.empty() ? std::optional(std::move(v)) : std::nullopt;
}

Json names_of(const std::vector<std::string>& names) {
  Json out = Json::array();
  for (const std::string& name : names)
    out.push(name);
  return out;
}

}  // namespace

Json Detector::Impl::save_track(const Track& t) const {
  Json own = Json::array();
  for (size_t i = 0; i < groups[t.group].machines.size(); ++i) {
    own.push(Json::object()
                 .set("machine", fleet.machines[groups[t.group].machines[i]])
                 .set("numbers", numbers(t.level.own_state(i))));
  }
  return Json::object()
      .set("metric", fleet.metrics[t.metric])
      .set("group", groups[t.group].name)
      .set("samples", t.level.options().n)
      .set("excursion", t.excursions.largest())
      .set("bursts", numbers(t.outlast.state()))
      .set("shared", numbers(t.level.shared_state()))
      .set("own", std::move(own));
}

void Detector::Impl::restore_track(Track& t, const Json& json) const {
  t.excursions.restore(json.number_or("excursion", 0, kWhere));
  if (const Json* learned = json.find("bursts"))  // states of before hold none
    t.outlast.restore(numbers(*learned));
  t.level.restore_shared(numbers(json.at("shared", kWhere)));
  std::unordered_map<std::string_view, size_t> members;
  for (size_t i = 0; i < groups[t.group].machines.size(); ++i)
    members.emplace(fleet.machines[groups[t.group].machines[i]], i);
  for (const Json& own : json.at("own", kWhere).array(kWhere)) {
    const auto at = members.find(own.at("machine", kWhere).string(kWhere));
    if (at != members.end())
      t.level.restore_own(at->second, numbers(own.at("numbers", kWhere)));
  }
}

Json Detector::save() const {
  const Impl& d = *impl_;
  Json tracks = Json::array();
  Json verdicts = Json::array();
  Json seen = Json::array();
  for (const Impl::Track& t : d.tracks)
    tracks.push(d.save_track(t));
  for (const Verdict& v : d.verdicts)
    verdicts.push(to_json(v, d.fleet));
  for (size_t m = 0; m < d.fleet.machines.size(); ++m)
    seen.push(d.roll.seen_ms(m));
  return Json::object()
      .set("schema", kSchema)
      .set("machines", names_of(d.fleet.machines))
      .set("metrics", names_of(d.fleet.metrics))
      .set("step_ms", d.fleet.step_ms)
      .set("seen_ms", std::move(seen))
      .set("bursts", d.bursts.count())
      .set("watched_h", d.bursts.hours())
      .set("verdicts", std::move(verdicts))
      .set("tracks", std::move(tracks));
}

void Detector::restore(const Json& json) {
  Impl& d = *impl_;
  if (json.string_or("schema", "", kWhere) != kSchema)
    throw base::Error(kWhere, "not a state of this version of 'lento fleet watch'");
  const Places machines(d.fleet.machines);
  const Places metrics(d.fleet.metrics);
  d.bursts.restore(json.number_or("bursts", 0, kWhere), json.number_or("watched_h", 0, kWhere));
  const Json::Array& names = json.at("machines", kWhere).array(kWhere);
  const Json::Array& seen = json.at("seen_ms", kWhere).array(kWhere);
  for (size_t i = 0; i < std::min(names.size(), seen.size()); ++i) {
    const auto m = machines.find(names[i]);
    const int64_t ms = seen[i].integer(kWhere);
    if (m && ms != RollCall::kNever)
      d.roll.join(*m, ms);
  }
  std::map<std::tuple<std::string, std::string, int64_t>, const Json*> tracks;
  for (const Json& t : json.at("tracks", kWhere).array(kWhere)) {
    tracks[{
        t.at("metric", kWhere).string(kWhere),
        t.at("group", kWhere).string(kWhere),
        t.at("samples", kWhere).integer(kWhere)}] = &t;
  }
  for (Impl::Track& t : d.tracks) {
    const auto at =
        tracks.find({d.fleet.metrics[t.metric], d.groups[t.group].name, int64_t(t.level.options().n)});
    if (at != tracks.end())
      d.restore_track(t, *at->second);
  }
  for (const Json& entry : json.at("verdicts", kWhere).array(kWhere)) {
    if (auto v = verdict_of(entry, machines, metrics))
      d.verdicts.push_back(std::move(*v));
  }
}

}  // namespace lento::fleet
