// Starts hooks safely. Names of machines come from a store, so the command must not mistake a name for an
// option, must not see the watch's environment, and must not delay the watch. Standard input is a file in
// memory with the alert, so that a command that never reads it does not block the watch.
#include "fleet/watch/hook_command.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/json.h"

namespace lento::fleet {
namespace {

base::Json object_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  base::Json out = base::Json::object();
  for (const auto& [name, value] : pairs)
    out.set(name, value);
  return out;
}

std::string verdict_of(const Alert& alert) {
  const auto summary = std::ranges::find(alert.annotations, "summary", [](const auto& a) {
    return a.first;
  });
  return summary == alert.annotations.end() ? "" : summary->second;
}

// Returns the text before the first NUL, because arguments and environment end there.
std::string until_nul(const std::string& text) {
  return text.substr(0, text.find('\0'));
}

std::vector<std::string> environment_of(const HookCall& call) {
  std::vector<std::string> out;
  for (const char* name : {"PATH", "HOME", "LANG", "TZ"}) {
    if (const char* value = std::getenv(name))
      out.push_back(std::string(name) + "=" + value);
  }
  out.push_back("LENTO_JOB=" + until_nul(call.job));
  out.push_back("LENTO_MACHINE=" + until_nul(call.machine));
  out.push_back("LENTO_VERDICT=" + until_nul(verdict_of(call.alert)));
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Returns the descriptor of a file in memory that holds the text, at its start, or -1 when there is no
// memory.
int file_of(const std::string& text) {
  const int file = memfd_create("lento-hook", MFD_CLOEXEC);
  if (file < 0)
    return -1;
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(file, text.data() + written, text.size() - written);
    if (n <= 0)
      break;
    written += size_t(n);
  }
  if (written == text.size() && lseek(file, 0, SEEK_SET) == 0)
    return file;
  close(file);
  return -1;
}

int spawn(const std::string& command, int input, char** arguments, char** environment) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command.c_str(), &files, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed ? -1 : child;
}

bool runs(int process) {
  siginfo_t seen = {};
  return waitid(P_PID, id_t(process), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 && seen.si_pid == 0;
}

}  // namespace

std::string hook_input(const HookCall& call) {
  base::Json out = base::Json::object();
  out.set("job", call.job);
  out.set("machine", call.machine);
  out.set("labels", object_of(call.alert.labels));
  out.set("annotations", object_of(call.alert.annotations));
  out.set("starts", rfc3339(call.alert.starts_ms));
  out.set("ends", rfc3339(call.alert.ends_ms));
  return base::write_json(out);
}

HookCommand::HookCommand(std::string command, std::chrono::milliseconds limit)
    : command_(std::move(command)),
      limit_(limit) {
  struct sigaction now = {};
  if (::sigaction(SIGCHLD, nullptr, &now) == 0 && now.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);
}

bool HookCommand::start(const HookCall& call) {
  std::vector<std::string> arguments{command_, "--", until_nul(call.machine)};
  std::vector<std::string> environment = environment_of(call);
  const int input = file_of(hook_input(call));
  if (input < 0)
    return false;
  const int child = spawn(command_, input, pointers_to(arguments).data(), pointers_to(environment).data());
  close(input);
  if (child < 0)
    return false;
  children_.push_back({child, call.machine, std::chrono::steady_clock::now() + limit_});
  return true;
}

std::vector<std::pair<std::string, int>> HookCommand::ended() {
  std::vector<std::pair<std::string, int>> out;
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(children_, [&](const Child& child) {
    if (now >= child.until)
      kill(-child.process, SIGKILL);
    // The ended process stays a zombie until its group is killed, so that no other process gets its number.
    if (runs(child.process))
      return false;
    kill(-child.process, SIGKILL);
    int status = 0;
    waitpid(child.process, &status, 0);
    out.emplace_back(child.machine, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return true;
  });
  return out;
}

void HookCommand::stop() {
  for (Child& child : children_) {
    child.until = {};
    kill(-child.process, SIGKILL);
  }
  // A process in uninterruptible disk I/O dies late, so the watch waits only one second for the killed
  // processes.
  for (int i = 0; i < 100; ++i) {
    if (std::ranges::none_of(children_, runs, &Child::process))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

HookCommand::~HookCommand() {
  stop();
  ended();
}

}  // namespace lento::fleet
