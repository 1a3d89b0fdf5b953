// Joins the three parts: one step reads rows, judges them and sends alerts. The state of the scan and the
// active alerts are written to a file each minute and whenever an alert begins or ends, so that they survive
// a restart.
#include "fleet/watch/watch.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "fleet/source.h"
#include "fleet/watch/verdicts.h"

namespace lento::fleet {
namespace {

// Periods in ms.
constexpr int64_t kSaveEvery = 60'000;
constexpr int64_t kWriteEvery = 10'000;
constexpr int64_t kDay = 86'400'000;
constexpr int64_t kSettled = 60'000;  // time after the last sign of an outage until hooks may run

std::string ledger_of(const WatchOptions& o) {
  if (!o.hook_live)
    return "";  // a dry run is remembered in memory only
  if (!o.ledger.empty())
    return o.ledger;
  if (o.state.empty())
    return "";
  return o.state + ".hooks";
}

WatchOptions checked(WatchOptions o) {
  if (o.hook_live && ledger_of(o).empty())
    throw base::Error(
        {"--hook-live"},
        "a live hook needs a ledger, or a restart could run it twice",
        "name one with --hook-ledger FILE, or a --state FILE that it is kept beside");
  if (!o.expect.empty())
    o.scan.expectations = read_expectations(o.expect);
  return o;
}

// Adds the error codes that metrics report as events, and sorts all events by time.
void add_code_events(const Scan& scan, CodeCatalogue xids, std::vector<MachineEvent>& events) {
  for (const CodeEvent& e : scan.codes())
    events.push_back({scan.fleet().machines[e.machine], e.begin_ms, code_text(e, xids)});
  std::ranges::stable_sort(events, {}, &MachineEvent::time_ms);
}

std::set<std::string> names_at(const base::Json& names, const base::Location& where) {
  std::set<std::string> out;
  for (const base::Json& name : names.array(where))
    out.insert(name.string(where));
  return out;
}

// Returns a diagnosis, or *cannot judge* with a note on it while its data do not come any more.
finding::Diagnosis unless_blind(finding::Diagnosis d, const std::string& why, const std::string& remedy) {
  if (why.empty() || d.outcome == finding::Outcome::CannotJudge)
    return d;
  d.notes.insert(d.notes.begin(), "Before, the verdict was: " + d.verdict);
  finding::cannot_judge(d, why, remedy, d.covered);
  return d;
}

}  // namespace

FleetWatch::FleetWatch(const WatchWorld& world, WatchLog log, WatchOptions options)
    : world_(world),
      log_(std::move(log)),
      o_(checked(std::move(options))),
      judge_(o_.scan, log_.note),
      reader_(world.clock, world.feed, judge_, {o_.step_s, o_.forget_s, log_.note}),
      hooks_(
          {o_.job, ledger_of(o_), o_.hook, o_.hook_live, o_.hook_per_hour},
          world.clock,
          world.hooks,
          log_),
      alert_sender_({o_.resend_s, o_.hold_off_s, o_.job}, log_, world.alerts, hooks_),
      saved_ms_(world.clock.steady_ms()),
      written_ms_(saved_ms_) {
  load_state();
}

void FleetWatch::step() {
  if (o_.metrics)
    reader_.pull();
  try {
    const int64_t now = world_.clock.steady_ms();
    if (world_.ranks)
      world_.ranks->step(now);
    send_alerts();
    if (alert_sender_.take_change() || now - saved_ms_ > kSaveEvery)
      save_state();
    if (now - written_ms_ > kWriteEvery)
      write_diagnosis();
  } catch (const std::exception& e) {
    log_.note(e.what());
  }
}

std::string FleetWatch::why_blind() const {
  const std::string ranks = world_.ranks ? world_.ranks->why_blind(world_.clock.steady_ms()) : "";
  return !ranks.empty() || !o_.metrics ? ranks : why_rows_blind(reader_, judge_);
}

void FleetWatch::send_alerts() {
  const StoreReader::Sight& sight = reader_.sight();
  const std::string why = why_blind();
  AlertSender::WatchState state;
  state.at = {world_.clock.steady_ms(), reader_.clock().now_ms()};
  state.judged = judge_.begun() && sight.failure.empty();
  state.in_job = [this](const std::string& machine) {
    return reader_.in_job(machine);
  };
  // Deviations that an outage could have caused do not run hooks.
  state.clean = state.judged && why.empty() &&
                (sight.outage_ms == INT64_MIN ||
                 state.at.steady_ms - sight.outage_ms > kSettled + reader_.cadence().step_ms());
  state.members = judge_.begun() ? judge_.scan().roll().members() : 0;
  const std::vector<finding::Finding> ranks =
      world_.ranks ? world_.ranks->standing() : std::vector<finding::Finding>{};
  std::vector<MachineEvent> events =
      o_.events ? o_.events->since(state.at.now_ms - kDay) : std::vector<MachineEvent>{};
  if (judge_.begun())
    add_code_events(judge_.scan(), o_.scan.xids, events);
  alert_sender_.update(wanted_alerts({o_.job, reader_, judge_, ranks, why, events}), state);
  if (judge_.begun())
    judge_.scan().forget_resolved(state.at.now_ms - kDay);
}

void FleetWatch::reload() {
  if (o_.expect.empty())
    return;
  try {
    judge_.expect(read_expectations(o_.expect));
    log_.note("read again: " + o_.expect);
  } catch (const std::exception& e) {
    log_.note(std::string(e.what()) + "\n  (keeping what was read before)");
  }
}

void FleetWatch::close() {
  hooks_.close();
  save_state();
  write_diagnosis();
}

finding::Diagnosis FleetWatch::diagnosis() const {
  const auto ranks = [this] {
    return unless_blind(
        world_.ranks->diagnosis(),
        world_.ranks->why_blind(world_.clock.steady_ms()),
        "check that the ranks still write their records");
  };
  if (world_.ranks && !o_.metrics)
    return ranks();
  finding::Diagnosis machines = unless_blind(
      judge_.diagnosis(),
      why_rows_blind(reader_, judge_),
      "run 'lento fleet doctor' on the store");
  return world_.ranks ? join_ranks(std::move(machines), ranks()) : machines;
}

std::vector<FleetWatch::Sample> FleetWatch::samples() const {
  const bool begun = judge_.begun();
  const std::vector<MachineVerdict> verdicts =
      begun ? standing_verdicts(judge_.scan()) : std::vector<MachineVerdict>{};
  const StoreReader::Counters& c = reader_.counters();
  return {
      {"pulls_total", "counter", double(c.pulls)},
      {"failed_pulls_total", "counter", double(c.failed)},
      {"rows_total", "counter", double(c.rows)},
      {"unanswered_rows_total", "counter", double(c.unanswered)},
      {"samples_total", "counter", double(c.samples)},
      {"skipped_samples_total", "counter", double(c.skipped)},
      {"alerts_total", "counter", double(alert_sender_.sent())},
      {"hooks_total", "counter", double(hooks_.ran())},
      {"unknown_hooks_total", "counter", double(hooks_.unknown_seen())},
      {"machines", "gauge", begun ? double(judge_.scan().roll().members()) : 0},
      {"verdicts", "gauge", double(verdicts.size())},
      {"machines_together", "gauge", double(machines_together(verdicts))},
      {"lag_seconds", "gauge", double(reader_.lag_ms()) / 1000},
      {"step_seconds", "gauge", double(step_ms()) / 1000},
      {"delay_seconds", "gauge", double(delay_ms()) / 1000},
      {"blind", "gauge", blind() ? 1.0 : 0.0},
      {"slow_ranks", "gauge", world_.ranks ? double(world_.ranks->standing().size()) : 0}};
}

void FleetWatch::load_state() {
  std::error_code unreadable;
  if (o_.state.empty() || !std::filesystem::exists(o_.state, unreadable))
    return;
  try {
    base::Json state = base::parse_json(base::read_file(o_.state, uint64_t{1} << 30), o_.state);
    const base::Location where{o_.state};
    std::set<std::string> machines = names_at(state.at("machines", where), where);
    std::set<std::string> metrics = names_at(state.at("metrics", where), where);
    const int64_t step_ms = state.integer_or("step_ms", 0, where);
    alert_sender_.load(state.at("alerts", where), where);
    reader_.members().know(std::move(machines), std::move(metrics));
    if (reader_.cadence().step_ms() == 0 && step_ms > 0)
      reader_.cadence().begin_with(step_ms);
    judge_.load(std::move(state));
  } catch (const base::Error& e) {
    log_.note(std::string(e.what()) + "\n  (starting without the saved state)");
  }
}

void FleetWatch::save_state() {
  saved_ms_ = world_.clock.steady_ms();
  keep(o_.state, [&]() -> std::string {
    std::optional<base::Json> state = judge_.save();
    return state ? base::write_json(state->set("alerts", alert_sender_.save())) : "";
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

// Writes a file unless its content is empty. A failure, such as a full disk, is only noted, because it must
// not end the watch, and the old file remains until a later attempt succeeds.
void FleetWatch::keep(const std::string& path, const std::function<std::string()>& content) const {
  if (path.empty())
    return;
  try {
    const std::string text = content();
    if (!text.empty())
      base::write_file(path, text);
  } catch (const std::exception& e) {
    log_.note(e.what());
  }
}

}  // namespace lento::fleet
