// Decides whether a hook may run, from the events that all watches have recorded. Each decision and its
// record are one exclusive transaction of SQLite, synced to the disk before the hook starts, so that neither
// a crash nor a second watch can run a hook twice.
#include "fleet/watch/hook_ledger.h"

#include <sqlite3.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace lento::fleet {
namespace {

constexpr int64_t kElsewhere =
    900'000;                       // ms after which a start on another host without an outcome is unknown
constexpr int kPatience = 60'000;  // ms that a watch waits for the transaction of another

// A database is a ledger when it has this table and nothing else.
constexpr const char* kTable =
    "hook(id INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, task TEXT NOT NULL, machine TEXT "
    "NOT NULL, "
    "event TEXT NOT NULL, status INTEGER NOT NULL, by TEXT NOT NULL) STRICT";

// Returns field 22 of /proc/PID/stat: when the process began, in ticks since boot. "" without such a
// process.
std::string start_of(const std::string& pid) {
  std::string text;
  try {
    text = base::read_file("/proc/" + pid + "/stat", 1 << 16);
  } catch (const base::Error&) {
    return "";
  }
  size_t at = text.rfind(')');  // the name before it may hold spaces
  for (int field = 2; field < 22 && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  if (at == std::string::npos)
    return "";
  return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// Returns whether the process "host:pid:start" exists on this host.
bool alive(const std::string& by) {
  const size_t second = by.rfind(':');
  const size_t first = second == std::string::npos || second == 0 ? second : by.rfind(':', second - 1);
  if (first == std::string::npos)
    return false;
  const std::string start = start_of(by.substr(first + 1, second - first - 1));
  return !start.empty() && start == by.substr(second + 1);
}

std::string text_of(sqlite3_stmt* row, int column) {
  const auto* at = sqlite3_column_text(row, column);
  return at ? std::string(reinterpret_cast<const char*>(at), size_t(sqlite3_column_bytes(row, column))) : "";
}

void bind(sqlite3_stmt* statement, int at, const std::string& text) {
  sqlite3_bind_text(statement, at, text.data(), int(text.size()), SQLITE_TRANSIENT);
}
void bind(sqlite3_stmt* statement, int at, int64_t number) {
  sqlite3_bind_int64(statement, at, number);
}

void ignore(sqlite3_stmt*) {
}

}  // namespace

HookLedger::HookLedger(std::string path, std::string by)
    : path_(std::move(path)),
      by_(std::move(by)) {
}

void HookLedger::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

// Runs one statement with its values bound in order and calls `each` for every row of its answer. Throws
// base::Error.
template <typename Each, typename... Values>
void HookLedger::run(const char* sql, Each each, const Values&... values) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_.get(), sql, -1, &statement, nullptr);
  int at = 0;
  (bind(statement, ++at, values), ...);
  int step = statement ? sqlite3_step(statement) : SQLITE_ERROR;
  for (; step == SQLITE_ROW; step = sqlite3_step(statement))
    each(statement);
  sqlite3_finalize(statement);
  if (step != SQLITE_DONE)
    throw base::Error(
        {path_},
        std::string("the ledger of hooks: ") + sqlite3_errmsg(database_.get()),
        "no hook is run without it: name another file with --hook-ledger");
}

// Opens the database and makes its table when it has none. Throws base::Error when the file is damaged or
// another one.
void HookLedger::open() {
  sqlite3* opened = nullptr;
  const std::string name = path_.empty() ? ":memory:" : path_;
  const int status =
      sqlite3_open_v2(name.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(opened);
  const auto demand = [&](bool fine, const std::string& what) {
    if (!fine)
      throw base::Error({path_}, what, "no hook is run without it: name another file with --hook-ledger");
  };
  demand(status == SQLITE_OK, std::string("the ledger of hooks: ") + sqlite3_errmsg(opened));
  sqlite3_busy_timeout(opened, kPatience);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  run("PRAGMA synchronous = EXTRA", ignore);
  run((std::string("CREATE TABLE IF NOT EXISTS ") + kTable).c_str(), ignore);
  std::string found;
  const auto keep = [&](sqlite3_stmt* row) {
    found += text_of(row, 0) + ";";
  };
  run("PRAGMA quick_check(1)", keep);
  run("SELECT sql FROM sqlite_master", keep);
  demand(found == std::string("ok;CREATE TABLE ") + kTable + ";", "is damaged or no ledger of hooks");
  open_ = true;
}

// An exclusive transaction, rolled back unless it was committed.
struct HookLedger::Transaction {
  explicit Transaction(HookLedger& ledger)
      : ledger_(ledger) {
    if (!ledger_.open_)
      ledger_.open();
    ledger_.run("BEGIN IMMEDIATE", ignore);
  }
  Transaction(const Transaction&) = delete;
  ~Transaction() {
    sqlite3_exec(ledger_.database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);  // no effect after COMMIT
  }
  void append(const Event& e) const {
    ledger_.run(
        "INSERT INTO hook(time_ms, task, machine, event, status, by) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
        ignore,
        e.time_ms,
        e.task,
        e.machine,
        e.event,
        int64_t(e.status),
        e.by);
    ledger_.run("COMMIT", ignore);
  }

 private:
  HookLedger& ledger_;
};

std::string HookLedger::process_name() {
  const std::string pid = std::to_string(::getpid());
  return host_name() + ":" + pid + ":" + start_of(pid);
}

HookLedger::Answer
HookLedger::claim(const std::string& task, const std::string& machine, int64_t now_ms, size_t per_hour) {
  const Transaction change(*this);
  // A time in the future, from a clock that stepped back since, counts as within the last hour.
  const int64_t hour_ago = now_ms - kHour;
  bool before = false;
  int64_t used = 0;
  run(
      "SELECT time_ms > ?3 OR (SELECT event FROM hook WHERE task = ?1 AND machine = ?2 ORDER BY id DESC "
      "LIMIT 1)"
      " <> 'cleared' FROM hook WHERE task = ?1 AND machine = ?2 AND event = 'started' ORDER BY id DESC LIMIT "
      "1",
      [&](sqlite3_stmt* row) {
        before = sqlite3_column_int(row, 0) != 0;
      },
      task,
      machine,
      hour_ago);
  run(
      "SELECT count(*) FROM hook WHERE task = ?1 AND event = 'started' AND time_ms > ?2",
      [&](sqlite3_stmt* row) {
        used = sqlite3_column_int64(row, 0);
      },
      task,
      hour_ago);
  if (before || size_t(used) >= per_hour)
    return before ? Answer::Before : Answer::Capped;
  change.append({now_ms, task, machine, "started", by_});
  return Answer::Run;
}

void HookLedger::ended(const std::string& task, const std::string& machine, int64_t now_ms, int status) {
  Transaction(*this).append({now_ms, task, machine, "ended", by_, status});
}

void HookLedger::cleared(const std::string& task, const std::string& machine, int64_t now_ms) {
  const Transaction change(*this);
  bool open = false;
  run(
      "SELECT event <> 'cleared' FROM hook WHERE task = ?1 AND machine = ?2 ORDER BY id DESC LIMIT 1",
      [&](sqlite3_stmt* row) {
        open = sqlite3_column_int(row, 0) != 0;
      },
      task,
      machine);
  if (open)
    change.append({now_ms, task, machine, "cleared", by_});
}

std::vector<HookLedger::Event> HookLedger::unknown(const std::string& task, int64_t now_ms) {
  const Transaction look(*this);
  std::vector<Event> out;
  run(
      "SELECT time_ms, machine, by FROM hook WHERE event = 'started'"
      " AND id IN (SELECT max(id) FROM hook WHERE task = ?1 GROUP BY machine) ORDER BY machine",
      [&](sqlite3_stmt* row) {
        const Event e{sqlite3_column_int64(row, 0), task, text_of(row, 1), "started", text_of(row, 2)};
        const bool here = e.by.substr(0, e.by.find(':')) == host_name();
        if (here ? !alive(e.by) : now_ms - e.time_ms > kElsewhere)
          out.push_back(e);
      },
      task);
  return out;
}

void HookLedger::told_unknown(const Event& start, int64_t now_ms) {
  Transaction(*this).append({now_ms, start.task, start.machine, "unknown", by_});
}

}  // namespace lento::fleet
