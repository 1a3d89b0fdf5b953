#include "desk/log_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace lento::desk {
namespace {

TEST(LogEvents, NamesMachineTimeAndMeaningOfDriverErrors) {
  const std::string folder = testing::TempDir() + "/lento_log_events";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  base::write_file(
      folder + "/kern.log",
      "2026-11-20T12:00:00.000000+00:00 gpu037 kernel: usb 1-1: new device\n"
      "2026-11-20T12:03:10.000000+00:00 gpu037 kernel: NVRM: Xid (PCI:0000:3b:00): 63, pid=4711, Row "
      "Remapper: "
      "New row marked for remapping, reset gpu to activate.\n");
  LogEvents events({folder}, {});
  const auto all = events.since(0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].machine, "gpu037");
  EXPECT_EQ(all[0].time_ms, 1'795'176'190'000);
  EXPECT_THAT(all[0].text, testing::HasSubstr("Xid 63"));
  EXPECT_TRUE(events.since(all[0].time_ms + 1).empty());
}

TEST(LogEvents, AbsentFilesHoldNoEvent) {
  std::string noted;
  LogEvents events({"/no/such/folder"}, [&](const std::string& text) {
    noted = text;
  });
  EXPECT_TRUE(events.since(0).empty());
}

}  // namespace
}  // namespace lento::desk
