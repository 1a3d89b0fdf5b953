// What hooks were run, in a file that several watches share: nothing is run before it stands there, and what
// stands there without an outcome is never run again.
//
// The file holds a JSON object a line, appended under a lock (flock) and synced to the disk:
//   {"time":MS,"task":"job","machine":"n3","event":"started","by":"host:pid:start"}
// Events: started, ended (with "status"), unknown (the process that started it is gone), cleared (the machine
// is well again or has left). A line that is torn by a crash is passed over.
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
    Run,     // the start is on the disk
    Before,  // it was run for this incident, or is being run by another watch
    Capped,  // the hour's share is used up
  };

  // "" is no file: remembered as long as the process lives.
  explicit HookLedger(std::string path, std::string by = process_name());

  // May the hook run for the machine now? Throws base::Error when the ledger cannot be read or written: then
  // it may not.
  Answer claim(const std::string& task, const std::string& machine, int64_t now_ms, size_t per_hour);
  void ended(const std::string& task, const std::string& machine, int64_t now_ms, int status);
  void cleared(const std::string& task, const std::string& machine, int64_t now_ms);

  // Starts of this task without an outcome whose process is gone, until they are marked as told.
  std::vector<Event> unknown(const std::string& task, int64_t now_ms);
  void told_unknown(const Event& start, int64_t now_ms);

  // "host:pid:start time", as no other process is called.
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
