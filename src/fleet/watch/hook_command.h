// A command that is run for a machine while the watch goes on.
//
//   COMMAND -- MACHINE        with LENTO_JOB, LENTO_MACHINE, LENTO_VERDICT in its environment
//
// The alert is on its standard input as one JSON object. Of the watch's environment it gets PATH, HOME, LANG
// and TZ only, so that it cannot read the store's credentials. Its output goes to standard error, because
// standard output holds the watch's alerts. A command that does not end in time, or still runs when the watch
// ends, is killed with all processes of its group, and its status is 137. Processes that it leaves running in
// its group are killed when it ends.
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

  // Restores the default for SIGCHLD. A process that inherited it as ignored is not notified when a child
  // ends.
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

// The alert of a call: {"job", "machine", "labels": {}, "annotations": {}, "starts", "ends"}, times in RFC
// 3339.
std::string hook_input(const HookCall& call);

}  // namespace lento::fleet
