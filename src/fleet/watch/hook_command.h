// Runs a command for a machine without blocking the watch.
//
//   COMMAND -- MACHINE        with LENTO_JOB, LENTO_MACHINE, LENTO_VERDICT in its environment
//
// The command reads the alert from standard input as one JSON object. It inherits only PATH, HOME, LANG and
// TZ from the watch, so that it cannot read the store's credentials. Its output goes to standard error,
// because the watch prints alerts on standard output. A command that runs too long, or still runs when the
// watch ends, is killed with all processes of its group, and its status is 137. When a command ends, other
// processes of its group are killed.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fleet/feed.h"

namespace lento::fleet {

class HookCommand : public HookRunner {
 public:
  static constexpr std::chrono::milliseconds kLimit = std::chrono::minutes(5);

  // Restores the default action for SIGCHLD. If a process inherits it as ignored, the kernel discards the
  // exit status of its children.
  explicit HookCommand(std::string command, std::chrono::milliseconds limit = kLimit);
  HookCommand(const HookCommand&) = delete;
  HookCommand& operator=(const HookCommand&) = delete;
  ~HookCommand() override;

  bool start(const HookCall& call) override;
  std::vector<std::pair<std::string, int>> ended() override;
  void stop() override;

 private:
  struct Child {
    int process = 0;
    std::string machine;
    std::chrono::steady_clock::time_point until;
  };
  std::string command_;
  std::chrono::milliseconds limit_;
  std::vector<Child> children_;
};

// Returns the alert of a call as {"job", "machine", "labels": {}, "annotations": {}, "starts", "ends"}, with
// times in RFC 3339.
std::string hook_input(const HookCall& call);

}  // namespace lento::fleet
