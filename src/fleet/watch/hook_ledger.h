// Records which hooks were started, in a SQLite database that several watches share. A start is recorded
// before the hook runs, and a hook with a recorded start but no outcome is never started again.
//
// The table `hook` has a row an event: time_ms (Unix time), task (the job), machine, event, status and by
// ("host:pid:start" of the watch). Events: started, ended (with its status), unknown (the process that
// started it is gone), cleared (the machine has recovered or has left the job).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace lento::fleet {

class HookLedger {
 public:
  struct Event {
    int64_t time_ms = 0;
    std::string task;
    std::string machine;
    std::string event;
    std::string by;
    int status = 0;
  };
  enum class Answer {
    Run,     // the hook may run, and its start is recorded on the disk
    Before,  // the hook has run for this incident, or another watch is running it
    Capped,  // the limit of starts per hour is reached
  };

  // Opens a ledger. With an empty path it is in memory and lasts as long as the process.
  explicit HookLedger(std::string path, std::string by = process_name());

  // Returns whether the hook may run for the machine now, and records the start. Throws base::Error when the
  // ledger cannot be read or written, in which case the hook may not run.
  Answer claim(const std::string& task, const std::string& machine, int64_t now_ms, size_t per_hour);
  void ended(const std::string& task, const std::string& machine, int64_t now_ms, int status);
  void cleared(const std::string& task, const std::string& machine, int64_t now_ms);

  // Returns the starts of this task without an outcome whose process no longer exists and that were not
  // marked by told_unknown().
  std::vector<Event> unknown(const std::string& task, int64_t now_ms);
  void told_unknown(const Event& start, int64_t now_ms);

  // Returns "host:pid:start time", which is unique to this process.
  static std::string process_name();

  static constexpr int64_t kHour = 3'600'000;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  struct Transaction;
  void open();
  template <typename Each, typename... Values>
  void run(const char* sql, Each each, const Values&... values);

  std::string path_;
  std::string by_;
  std::unique_ptr<sqlite3, Close> database_;
  bool open_ = false;  // the database is a ledger; false until the first use
};

}  // namespace lento::fleet
