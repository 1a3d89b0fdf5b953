#include "fleet/watch/watch.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "fleet/source.h"

namespace lento::fleet {
namespace {

// ms
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
    o_.detect.expectations = read_expectations(o_.expect);
  o_.detect.keep_history = !o_.diagnosis.empty() || !o_.expect.empty();
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
    o_.detect.expectations = read_expectations(o_.expect);
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
  if (detector_) {
    d = conclude(*detector_, o_.detect);
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
  size_t active = 0;
  if (detector_) {
    for (const Verdict& v : detector_->verdicts())
      active += v.active;
  }
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
      {"machines", "gauge", detector_ ? double(detector_->roll().members()) : 0},
      {"verdicts", "gauge", double(active)},
      {"machines_together", "gauge", detector_ ? double(detector_->together_now()) : 0},
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
    known_machines_ = std::move(machines);
    known_metrics_ = std::move(metrics);
  } catch (const base::Error& e) {
    log_.note(std::string(e.what()) + "\n  (starting without the saved state)");
    state_ = {};
  }
}

void FleetWatch::save_state() {
  saved_ms_ = world_.clock.steady_ms();
  dirty_ = false;
  if (detector_)
    keep(o_.state, [&] {
      return base::write_json(detector_->save());
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

// A full disk must not end the watch: the file stays as it was, the next attempt comes.
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
