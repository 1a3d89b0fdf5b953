// Hooks are real processes: each exit status reaches the watch, whatever its parent does with SIGCHLD.
#include "fleet/watch/hook_command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "base/file.h"

namespace lento::fleet {
namespace {

std::string script_file(const std::string& text) {
  std::string path = testing::TempDir() + "/lento_hook.sh";
  base::write_file(path, text);
  return path;
}

// The exit statuses of all that were started, by machine.
std::map<std::string, int> all_ended(HookCommand& hook, size_t count) {
  std::map<std::string, int> out;
  for (int i = 0; i < 1000 && out.size() < count; ++i) {
    for (const auto& [machine, status] : hook.ended())
      out[machine] = status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return out;
}

TEST(HookCommand, TellsHowEachEnded) {
  const std::string script =
      script_file("#!/bin/sh\n[ \"$1\" = good ] && exit 0\n[ \"$1\" = bad ] && exit 3\nkill -9 $$\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  HookCommand hook(script);
  for (const char* machine : {"good", "bad", "killed"})
    EXPECT_TRUE(hook.start(machine));
  const auto ended = all_ended(hook, 3);
  EXPECT_EQ(ended.at("good"), 0);
  EXPECT_EQ(ended.at("bad"), 3);
  EXPECT_EQ(ended.at("killed"), 128 + 9);
  EXPECT_TRUE(hook.ended().empty());
  EXPECT_FALSE(HookCommand("/no/such/command").start("m"));
}

// Under a parent that ignores SIGCHLD the kernel drops the status of children: a hook that failed looked as
// one that worked.
TEST(HookCommand, AnIgnoredSignalHidesNoFailure) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  HookCommand hook("/bin/false");
  EXPECT_TRUE(hook.start("m"));
  const auto ended = all_ended(hook, 1);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(ended.at("m"), 1);
}

}  // namespace
}  // namespace lento::fleet
