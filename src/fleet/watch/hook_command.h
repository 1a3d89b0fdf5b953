// A command that is run with a machine's name, beside the watch.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fleet/feed.h"

namespace lento::fleet {

class HookCommand : public HookRunner {
 public:
  // A process that inherited SIGCHLD ignored never hears how a child ended: the default is put back.
  explicit HookCommand(std::string command);

  bool start(const std::string& machine) override;
  std::vector<std::pair<std::string, int>> ended() override;

 private:
  std::string command_;
  std::vector<std::pair<int, std::string>> children_;  // process, machine
};

}  // namespace lento::fleet
