// Handles SIGINT, SIGTERM and SIGHUP while a command runs.
//
// The first one sets base::interrupted(). Work stops at its next check and prints the best so far. A command
// that has not ended after a short while, by the clock or by processor time, is ended by a watcher thread:
// temporary files are removed, the progress is printed, and the exit status is 130. A second signal ends it
// at once.
#pragma once

#include <memory>
#include <string_view>

namespace lento::cli {

class Signals {
 public:
  Signals();   // installs the handlers
  ~Signals();  // puts the former ones back
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Keeps the progress for the message of a command that has to be ended.
void note_progress(std::string_view what, double done, double total);

// Makes SIGHUP request a reload of settings instead of ending the command. Commands that run for long call
// it.
void hangup_reloads();
bool take_reload();  // true once after each such SIGHUP

}  // namespace lento::cli
