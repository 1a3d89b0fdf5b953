// SIGINT, SIGTERM and SIGHUP, while a command runs.
//
// The first one raises base::interrupted(): work stops at its next look and the best so far is printed. A
// command that has not ended after a short while, by the clock or by the processor, is ended by a thread that
// does nothing else: temporary files are removed, what was done so far is named, exit status 130. A second
// signal ends it at once.
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

// How far the work is, for the message of a command that had to be ended.
void note_progress(std::string_view what, double done, double total);

// From now on SIGHUP asks to read settings again instead of ending the command. Called by a command that runs
// for long.
void hangup_reloads();
bool take_reload();  // true once after each such SIGHUP

}  // namespace lento::cli
