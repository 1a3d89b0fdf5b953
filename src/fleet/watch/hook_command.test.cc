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

}  // namespace
}  // namespace lento::fleet
