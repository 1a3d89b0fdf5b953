// The step of a watch: pull, judge, report, and save state and diagnosis to files.
#include "fleet/watch/watch.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "fleet/source.h"

namespace lento::fleet {
namespace {

// Intervals in milliseconds.
constexpr int64_t kSaveEvery = 60'000;
constexpr int64_t kWriteEvery = 10'000;

std::string ledger_of(const WatchOptions& o) {
  if (!o.hook_live)
    return "";  // a dry run is remembered in memory only
  if (!o.ledger.empty())
    return o.ledger;
  if (o.state.empty())
    return "";
  return o.state + ".hooks";
}

base::Json object_of(const std::vector<std::pair<std::string, std::string>>& members) {
  base::Json object = base::Json::object();
  for (const auto& [key, value] : members)
    object.set(key, value);
  return object;
}

}  // namespace

FleetWatch::FleetWatch(WatchWorld world, WatchLog log, WatchOptions options)
    : world_(world),
      log_(std::move(log)),
      o_(std::move(options)),
      ledger_(ledger_of(o_)),
      started_ms_(world.clock.steady_ms()),
      looked_ms_(started_ms_),
      saved_ms_(started_ms_),
      written_ms_(started_ms_) {
  if (o_.hook_live && ledger_of(o_).empty())
    throw base::Error(
        {"--hook-live"},
        "a live hook needs a ledger, or a restart could run it twice",
        "name one with --hook-ledger FILE, or a --state FILE that it is kept beside");
  if (!o_.expect.empty())
    o_.scan.expectations = read_expectations(o_.expect);
  step_ms_ = int64_t(o_.step_s * 1000);
  source_ms_ = world.clock.wall_ms();
  source_steady_ms_ = started_ms_;
  load_state();
}

FleetWatch::~FleetWatch() = default;

void FleetWatch::step() {
  if (o_.metrics)
    step_metrics();
  try {
    if (world_.ranks)
      world_.ranks->step(world_.clock.steady_ms());
    tell();
    const int64_t now = world_.clock.steady_ms();
    if (dirty_ || now - saved_ms_ > kSaveEvery)
      save_state();
    if (now - written_ms_ > kWriteEvery)
      write_diagnosis();
  } catch (const std::exception& e) {
    log_.note(e.what());
  }
}

void FleetWatch::step_metrics() {
  try {
    pull();
    if (failing_)
      log_.note("the store answers again");
    failing_ = false;
  } catch (const std::exception& e) {
    ++counters_.failed_pulls;
    outage_ms_ = world_.clock.steady_ms();
    failure_ = e.what();
    if (!failing_)
      log_.note(failure_ + "\n  (keeping state, trying again)");
    failing_ = true;
  }
}

void FleetWatch::reload() {
  if (o_.expect.empty())
    return;
  try {
    o_.scan.expectations = read_expectations(o_.expect);
    log_.note("read again: " + o_.expect);
  } catch (const std::exception& e) {
    log_.note(std::string(e.what()) + "\n  (keeping what was read before)");
  }
}

void FleetWatch::close() {
  save_state();
  write_diagnosis();
}

finding::Diagnosis FleetWatch::diagnosis() const {
  if (world_.ranks && !o_.metrics)
    return world_.ranks->diagnosis();
  finding::Diagnosis d;
  if (scan_) {
    d = conclude(history_->series(scan_->fleet()), *scan_, o_.scan);
  } else {
    d.scale = "fleet";
    d.title = "Fleet";
    finding::cannot_judge(d, "no sample was seen", "run 'lento fleet doctor' on the store");
  }
  if (world_.ranks)
    return join_ranks(std::move(d), world_.ranks->diagnosis());
  return d;
}

std::vector<FleetWatch::Sample> FleetWatch::samples() const {
  const std::vector<MachineVerdict> verdicts =
      scan_ ? standing_verdicts(*scan_) : std::vector<MachineVerdict>{};
  const Counters& c = counters_;
  const double lag = next_ms_ == INT64_MIN ? 0 : double(now_ms() - (next_ms_ - step_ms_)) / 1000;
  return {
      {"pulls_total", "counter", double(c.pulls)},
      {"failed_pulls_total", "counter", double(c.failed_pulls)},
      {"rows_total", "counter", double(c.rows)},
      {"unanswered_rows_total", "counter", double(c.unanswered)},
      {"samples_total", "counter", double(c.samples)},
      {"skipped_samples_total", "counter", double(c.skipped)},
      {"alerts_total", "counter", double(c.alerts)},
      {"hooks_total", "counter", double(c.hooks)},
      {"unknown_hooks_total", "counter", double(c.unknown_hooks)},
      {"machines", "gauge", scan_ ? double(scan_->roll().members()) : 0},
      {"verdicts", "gauge", double(verdicts.size())},
      {"machines_together", "gauge", double(machines_together(verdicts))},
      {"lag_seconds", "gauge", lag},
      {"step_seconds", "gauge", double(step_ms_) / 1000},
      {"delay_seconds", "gauge", double(delay_ms_) / 1000},
      {"blind", "gauge", blind_ ? 1.0 : 0.0},
      {"slow_ranks", "gauge", double(slow_ranks_.size() + rank_of_.size())}};
}

void FleetWatch::load_state() {
  std::error_code unreadable;
  if (o_.state.empty() || !std::filesystem::exists(o_.state, unreadable))
    return;
  try {
    std::set<std::string> machines;
    std::set<std::string> metrics;
    state_ = base::parse_json(base::read_file(o_.state, uint64_t{1} << 30), o_.state);
    const base::Location where{o_.state};
    for (const base::Json& m : state_.at("machines", where).array(where))
      machines.insert(m.string(where));
    for (const base::Json& k : state_.at("metrics", where).array(where))
      metrics.insert(k.string(where));
    if (step_ms_ == 0)
      step_ms_ = int64_t(state_.number_or("step_ms", 0, where));
    std::map<Key, Standing> standing;
    for (const base::Json& a : state_.at("alerts", where).array(where)) {
      Standing& s = standing[{a.at("machine", where).string(where), a.at("silent", where).boolean(where)}];
      s.alert.starts_ms = a.at("starts_ms", where).integer(where, 0, int64_t{1} << 53);
      for (const auto& [name, text] : a.at("labels", where).object(where))
        s.alert.labels.emplace_back(name, text.string(where));
      for (const auto& [name, text] : a.at("annotations", where).object(where))
        s.alert.annotations.emplace_back(name, text.string(where));
      s.hook_waits = o_.hook && a.at("hook_waits", where).boolean(where);
    }
    known_machines_ = std::move(machines);
    known_metrics_ = std::move(metrics);
    standing_ = std::move(standing);
  } catch (const base::Error& e) {
    log_.note(std::string(e.what()) + "\n  (starting without the saved state)");
    state_ = {};
  }
}

void FleetWatch::save_state() {
  saved_ms_ = world_.clock.steady_ms();
  dirty_ = false;
  if (!scan_ || !state_.is_null())  // what was loaded is not taken over yet
    return;
  keep(o_.state, [&] {
    base::Json alerts = base::Json::array();
    for (const auto& [key, s] : standing_)
      alerts.push(base::Json::object()
                      .set("labels", object_of(s.alert.labels))
                      .set("annotations", object_of(s.alert.annotations))
                      .set("machine", key.first)
                      .set("silent", key.second)
                      .set("starts_ms", s.alert.starts_ms)
                      .set("hook_waits", s.hook_waits));
    return base::write_json(scan_->save().set("alerts", std::move(alerts)));
  });
}

void FleetWatch::write_diagnosis() {
  written_ms_ = world_.clock.steady_ms();
  if (!log_.text_of)
    return;
  keep(o_.diagnosis, [&] {
    return log_.text_of(diagnosis());
  });
}

// Writes a file. A full disk must not end the watch: the file remains as it was, and the next attempt
// follows.
void FleetWatch::keep(const std::string& path, const std::function<std::string()>& content) {
  if (path.empty())
    return;
  try {
    base::write_file(path, content());
  } catch (const std::exception& e) {
    log_.note(e.what());
  }
}

}  // namespace lento::fleet
