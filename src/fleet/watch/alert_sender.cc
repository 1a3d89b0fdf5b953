// Repeats active alerts every minute, with an end some minutes in the future, because an Alertmanager drops
// an alert that is not repeated. An alert from metrics stays active until its machine was healthy for a
// while, so that a machine whose state alternates causes one alert. The alert names the metric that raised
// it, and a later change in another metric does not prolong it.
#include "fleet/watch/alert_sender.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace lento::fleet {
namespace {

base::Json pairs_of(const std::vector<std::pair<std::string, std::string>>& members) {
  base::Json object = base::Json::object();
  for (const auto& [key, value] : members)
    object.set(key, value);
  return object;
}

std::vector<std::pair<std::string, std::string>> pairs_at(
    const base::Json& object,
    const base::Location& where) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : object.object(where))
    out.emplace_back(key, value.string(where));
  return out;
}

// Returns the metric or the code that an alert is about, "" for one without.
std::string evidence_of(const Alert& alert) {
  for (const auto& [name, value] : alert.annotations) {
    if (name == "metric" || name == "code")
      return value;
  }
  return "";
}

void say(const WatchLog& log, int64_t ms, const Alert& alert) {
  if (log.line_of)
    return log.say(log.line_of(ms, alert));
  for (const auto& [name, text] : alert.annotations) {
    if (name == "summary")
      log.say(rfc3339(ms) + " " + text);
  }
}

}  // namespace

AlertSender::AlertSender(Options options, const WatchLog& log, AlertSink& sink, WatchHooks& hooks)
    : o_(options),
      log_(log),
      sink_(sink),
      hooks_(hooks) {
}

int64_t AlertSender::expiry(const WatchState& state) const {
  return state.at.now_ms + 4 * int64_t(o_.resend_s * 1000);
}

size_t AlertSender::standing_ranks() const {
  return size_t(std::ranges::count_if(standing_, [](const auto& entry) {
    return entry.first.starts_with("LentoSlowRank ");
  }));
}

bool AlertSender::take_change() {
  return std::exchange(changed_, false);
}

// Returns whether an alert stays active although no verdict supports it any more: during an outage, and for a
// while after its machine recovered.
bool AlertSender::outlasts(Standing& s, const WatchState& state) const {
  if (!s.wanted.of_rows || !state.in_job(s.wanted.machine))
    return false;
  if (!state.judged)
    return true;
  if (s.well_ms == 0)
    s.well_ms = state.at.steady_ms;
  return state.at.steady_ms - s.well_ms < int64_t(o_.hold_off_s * 1000);
}

void AlertSender::begin(const std::string& key, WantedAlert wanted) {
  say(log_, wanted.since_ms, wanted.alert);
  if (wanted.of_rows && wanted.may_hook)
    hooks_.want(key);
  changed_ |= wanted.of_rows;
  standing_[key].wanted = std::move(wanted);
}

void AlertSender::end(const std::string& key, Standing& s, const WatchState& state) {
  s.wanted.alert.ends_ms = state.at.now_ms;
  if (log_.say_ends)
    say(log_, state.at.now_ms, s.wanted.alert);
  const bool gone = s.wanted.of_rows && !state.in_job(s.wanted.machine);
  log_.note(gone ? s.wanted.machine + " has left the job" : s.wanted.over);
  if (s.wanted.of_rows)
    hooks_.cleared(s.wanted.machine, key);
  changed_ |= s.wanted.of_rows;
}

void AlertSender::update(WantedAlerts wanted, const WatchState& state) {
  const int64_t steady = state.at.steady_ms;
  const bool resend = resent_ms_ == INT64_MIN || steady - resent_ms_ >= int64_t(o_.resend_s * 1000);
  std::vector<Alert> alerts = hooks_.unknown(state.at.now_ms);
  for (const Alert& alert : alerts)
    say(log_, state.at.now_ms, alert);
  std::erase_if(wanted, [&](const auto& entry) {  // another change, which begins an alert when this one ends
    const auto known = standing_.find(entry.first);
    return known != standing_.end() && known->second.wanted.since_ms > 0 &&
           entry.second.alert.starts_ms > known->second.wanted.since_ms &&
           evidence_of(entry.second.alert) != evidence_of(known->second.wanted.alert);
  });
  for (auto& [key, w] : wanted) {
    const auto known = standing_.find(key);
    if (known == standing_.end()) {
      begin(key, std::move(w));
    } else {
      known->second.well_ms = 0;
      WantedAlert& before = known->second.wanted;
      // An annotation that collectives or events add about the machine is sent at once.
      const bool more = before.alert.annotations.size() != w.alert.annotations.size();
      const bool same = evidence_of(before.alert) == evidence_of(w.alert);
      if (!resend && !(more && same))
        continue;
      w.alert.starts_ms = before.alert.starts_ms;
      w.since_ms = before.since_ms;
      if (same)
        before = std::move(w);
    }
    Alert& alert = standing_[key].wanted.alert;
    alert.ends_ms = expiry(state);
    alerts.push_back(alert);
  }
  for (auto it = standing_.begin(); it != standing_.end();) {
    Standing& s = it->second;
    const bool asked = wanted.contains(it->first);
    if (!asked && !outlasts(s, state)) {
      end(it->first, s, state);
      alerts.push_back(s.wanted.alert);
      it = standing_.erase(it);
      continue;
    }
    if (!asked && resend) {
      s.wanted.alert.ends_ms = expiry(state);
      alerts.push_back(s.wanted.alert);
    }
    ++it;
  }
  if (resend)
    resent_ms_ = steady;
  sent_ += alerts.size();
  if (sink_.send(alerts))
    hooks_.unknown_told();
  run_hooks(state);
}

void AlertSender::run_hooks(const WatchState& state) {
  hooks_.collect();
  if (!state.clean)
    return;
  for (const auto& [key, s] : standing_) {
    if (s.well_ms == 0 && hooks_.waits(key))
      hooks_.run(key, {s.wanted.machine, o_.job, s.wanted.alert}, state.members);
  }
}

base::Json AlertSender::save() const {
  base::Json out = base::Json::array();
  for (const auto& [key, s] : standing_) {
    if (!s.wanted.of_rows)
      continue;
    out.push(base::Json::object()
                 .set("key", key)
                 .set("machine", s.wanted.machine)
                 .set("starts_ms", s.wanted.alert.starts_ms)
                 .set("since_ms", s.wanted.since_ms)
                 .set("over", s.wanted.over)
                 .set("labels", pairs_of(s.wanted.alert.labels))
                 .set("annotations", pairs_of(s.wanted.alert.annotations))
                 .set("hook_waits", hooks_.waits(key)));
  }
  return out;
}

void AlertSender::load(const base::Json& saved, const base::Location& where) {
  std::map<std::string, Standing> standing;
  for (const base::Json& a : saved.array(where)) {
    const std::string& key = a.at("key", where).string(where);
    WantedAlert& w = standing[key].wanted;
    w.machine = a.at("machine", where).string(where);
    w.alert.starts_ms = a.at("starts_ms", where).integer(where, 0, int64_t{1} << 53);
    w.since_ms = a.integer_or("since_ms", 0, where);
    w.over = a.at("over", where).string(where);
    w.alert.labels = pairs_at(a.at("labels", where), where);
    w.alert.annotations = pairs_at(a.at("annotations", where), where);
    w.of_rows = true;
    if (a.at("hook_waits", where).boolean(where))
      hooks_.want(key);
  }
  standing_ = std::move(standing);
}

}  // namespace lento::fleet
