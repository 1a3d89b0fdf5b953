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

HookCall call_of(const std::string& machine) {
  return {machine, "training", {{{"machine", machine}}, {{"summary", machine + " is slow"}}, 1000, 2000}};
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
      script_file("#!/bin/sh\n[ \"$2\" = good ] && exit 0\n[ \"$2\" = bad ] && exit 3\nkill -9 $$\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  HookCommand hook(script);
  for (const char* machine : {"good", "bad", "killed"})
    EXPECT_TRUE(hook.start(call_of(machine)));
  const auto ended = all_ended(hook, 3);
  EXPECT_EQ(ended.at("good"), 0);
  EXPECT_EQ(ended.at("bad"), 3);
  EXPECT_EQ(ended.at("killed"), 128 + 9);
  EXPECT_TRUE(hook.ended().empty());
  EXPECT_FALSE(HookCommand("/no/such/command").start(call_of("m")));
}

// Under a parent that ignores SIGCHLD the kernel drops the status of children: a hook that failed looked as
// one that worked.
TEST(HookCommand, AnIgnoredSignalHidesNoFailure) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  HookCommand hook("/bin/false");
  EXPECT_TRUE(hook.start(call_of("m")));
  const auto ended = all_ended(hook, 1);
  std::signal(SIGCHLD, before);
  EXPECT_EQ(ended.at("m"), 1);
}

// A machine named like an option stays a name, and the store's credentials stay with the watch.
TEST(HookCommand, GetsNameVerdictAndAlertAndNothingElse) {
  const std::string seen = testing::TempDir() + "/lento_hook.seen";
  const std::string script =
      script_file("#!/bin/sh\n{ echo \"$#:$1:$2\"; cat; echo; env | sort; } > " + seen + "\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  setenv("LENTO_TOKEN", "secret", 1);
  HookCommand hook(script);
  EXPECT_TRUE(hook.start(call_of("--all")));
  EXPECT_EQ(all_ended(hook, 1).at("--all"), 0);
  unsetenv("LENTO_TOKEN");
  const std::string text = base::read_file(seen);
  EXPECT_TRUE(text.starts_with("2:--:--all\n")) << text;
  EXPECT_NE(text.find(hook_input(call_of("--all"))), std::string::npos) << text;
  EXPECT_NE(text.find("LENTO_VERDICT=--all is slow\n"), std::string::npos) << text;
  EXPECT_NE(text.find("LENTO_JOB=training\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

TEST(HookCommand, WhatItPrintsIsNotAmongTheAlerts) {
  const std::string script = script_file("#!/bin/sh\necho printed\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  HookCommand hook(script);
  EXPECT_TRUE(hook.start(call_of("m")));
  EXPECT_EQ(all_ended(hook, 1).at("m"), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "printed\n");
}

TEST(HookCommand, IsKilledWithItsChildrenAfterItsTime) {
  const std::string script = script_file("#!/bin/sh\nsleep 60 & sleep 60\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  HookCommand hook(script, std::chrono::milliseconds(50));
  EXPECT_TRUE(hook.start(call_of("m")));
  EXPECT_EQ(all_ended(hook, 1).at("m"), 128 + 9);
}

// Returns the process that the hook left, whose number is in the file, once it is there.
int process_in(const std::string& path) {
  for (int i = 0; i < 1000; ++i) {
    if (std::filesystem::exists(path) && std::filesystem::file_size(path) > 0)
      return std::stoi(base::read_file(path));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return 0;
}

// True once the process is gone. A killed child of a killed parent may stay a zombie of whoever adopted it.
bool is_gone(int process) {
  for (int i = 0; i < 1000; ++i) {
    const std::string stat = "/proc/" + std::to_string(process) + "/stat";
    if (!std::filesystem::exists(stat) || base::read_file(stat, 1 << 12).find(") Z") != std::string::npos)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(HookCommand, NoProcessOfAHookOutlivesItsWatch) {
  const std::string child = testing::TempDir() + "/lento_hook.child";
  std::filesystem::remove(child);
  const std::string script = script_file("#!/bin/sh\nsleep 60 & echo $! > " + child + "; wait\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  int process = 0;
  {
    HookCommand hook(script);
    EXPECT_TRUE(hook.start(call_of("m")));
    process = process_in(child);
    ASSERT_GT(process, 1);
    hook.stop();
    EXPECT_EQ(all_ended(hook, 1).at("m"), 128 + 9);
    EXPECT_TRUE(hook.start(call_of("m")));  // and one that runs when the watch is destroyed
  }
  EXPECT_TRUE(is_gone(process));
}

TEST(HookCommand, WhatACommandLeavesRunningIsKilledWhenItEnds) {
  const std::string child = testing::TempDir() + "/lento_hook.left";
  std::filesystem::remove(child);
  const std::string script = script_file("#!/bin/sh\nsleep 60 & echo $! > " + child + "\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  HookCommand hook(script);
  EXPECT_TRUE(hook.start(call_of("m")));
  const int process = process_in(child);
  ASSERT_GT(process, 1);
  EXPECT_EQ(all_ended(hook, 1).at("m"), 0);
  EXPECT_TRUE(is_gone(process));
}

}  // namespace
}  // namespace lento::fleet
