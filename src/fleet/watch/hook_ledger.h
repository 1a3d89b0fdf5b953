// Records which hooks were started, in a file that several watches share. A start is recorded before the hook
// runs, and a hook with a recorded start but no outcome is never started again.
//
// The file holds a JSON object a line, appended under a lock (flock) and synced to the disk:
//   {"time":MS,"task":"job","machine":"n3","event":"started","by":"host:pid:start"}
// Events: started, ended (with "status"), unknown (the process that started it is gone), cleared (the
// machine has recovered or has left the job). A line that was cut by a crash is skipped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  class Locked;
  std::vector<Event> events(Locked& file);
  void append(Locked& file, const Event& event);
  static bool alive(const std::string& by);

  std::string path_;
  std::string by_;
  std::vector<Event> memory_;
};

}  // namespace lento::fleet
