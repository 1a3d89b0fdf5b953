#include "fleet/watch/hook_command.h"

#include <spawn.h>
#include <sys/wait.h>

#include <csignal>

extern char** environ;

namespace lento::fleet {

HookCommand::HookCommand(std::string command)
    : command_(std::move(command)) {
  struct sigaction now = {};
  if (::sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);
}

bool HookCommand::start(const std::string& machine) {
  std::string command = command_;
  std::string name = machine;
  char* argv[] = {command.data(), name.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, command.c_str(), nullptr, nullptr, argv, environ) != 0)
    return false;
  children_.emplace_back(child, machine);
  return true;
}

std::vector<std::pair<std::string, int>> HookCommand::ended() {
  std::vector<std::pair<std::string, int>> out;
  std::erase_if(children_, [&](const auto& child) {
    int status = 0;
    if (waitpid(child.first, &status, WNOHANG) == 0)
      return false;
    out.emplace_back(child.second, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return true;
  });
  return out;
}

}  // namespace lento::fleet
