#include "chip/read/noc_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_error.h"

namespace lento::chip {
namespace {

using testing::HasSubstr;

// The text has to live as long as the events.
NocEvent only(const std::string& text) {
  const NocEvents all = scan_noc_events(text, "t.json");
  EXPECT_EQ(all.events.size(), 1U);
  return all.events.empty() ? NocEvent{} : all.events.front();
}

std::string refusal(const std::string& text) {
  return base::test::error_of([&] {
    scan_noc_events(text, "t.json");
  });
}

TEST(NocScan, NumbersAndWordsInAnyOrderAndSpacing) {
  static const std::string text =
      "[ {\"type\" : \"READ\"   ,\"timestamp\":4349885131525,\"dx\":-1, \"sx\":1 ,\n\"proc\":\"BRISC\"} ]\n";
  const NocEvent event = only(text);
  EXPECT_EQ(event.type, "READ");
  EXPECT_EQ(event.proc, "BRISC");
  EXPECT_EQ(event.timestamp, 4349885131525);
  EXPECT_EQ(event.dx, -1);
  EXPECT_EQ(event.sx, 1);
  EXPECT_EQ(event.sy, NocEvent::kNone);
  EXPECT_EQ(event.zone, "");
}

TEST(NocScan, EachKeyHasItsOwnField) {
  static const std::string text =
      R"([{"sx":1,"sy":2,"dx":3,"dy":4,"noc":"N","proc":"P","type":"T","zone":"Z","num_bytes":5,"timestamp":6,
           "zone_phase":"H","run_host_id":7,"mcast_end_x":8,"mcast_end_y":9,"src_device_id":10,"dst_device_id":11}])";
  const NocEvent e = only(text);
  EXPECT_THAT(
      (std::vector<int64_t>{
          e.sx,
          e.sy,
          e.dx,
          e.dy,
          e.num_bytes,
          e.timestamp,
          e.run_host_id,
          e.mcast_end_x,
          e.mcast_end_y,
          e.src_device_id,
          e.dst_device_id}),
      testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(
      (std::vector<std::string_view>{e.noc, e.proc, e.type, e.zone, e.zone_phase}),
      testing::ElementsAre("N", "P", "T", "Z", "H"));
}

TEST(NocScan, WhatIsNoWholeNumberOrNoWordIsAbsent) {
  static const std::string text =
      R"([{"sx":1.5,"sy":"2","dx":1e3,"dy":null,"num_bytes":99999999999999999999,"type":7,"zone":{"a":[1]},"proc":"P"}])";
  const NocEvent event = only(text);
  EXPECT_EQ(event.sx, NocEvent::kNone);
  EXPECT_EQ(event.sy, NocEvent::kNone);
  EXPECT_EQ(event.dx, NocEvent::kNone);
  EXPECT_EQ(event.dy, NocEvent::kNone);
  EXPECT_EQ(event.num_bytes, NocEvent::kNone);
  EXPECT_EQ(event.type, "");
  EXPECT_EQ(event.zone, "");
  EXPECT_EQ(event.proc, "P");
}

TEST(NocScan, UnknownKeysAreSkippedWhateverTheyHold) {
  static const std::string text =
      R"([{"a":{"sx":9,"b":["}",{"c":"\"]"}]},"sx":1,"vc":-1,"d":[],"a_key_longer_than_any_known":true,"e":"\\"}])";
  EXPECT_EQ(only(text).sx, 1);
}

TEST(NocScan, EscapesAreDecodedAndOtherAlphabetsKept) {
  const std::string text = R"([{"type":"RE\"AD","zone":"Zürich"}])";
  const NocEvents all = scan_noc_events(text, "t.json");
  EXPECT_EQ(all.events[0].type, "RE\"AD");
  EXPECT_EQ(all.events[0].zone, "Zürich");
}

TEST(NocScan, EmptyArraysAndWhatIsNoObject) {
  EXPECT_TRUE(scan_noc_events(" [ ] ", "t.json").events.empty());
  const std::string text = R"([7, "x", {}, [1, 2]])";
  EXPECT_EQ(scan_noc_events(text, "t.json").events.size(), 4U);
}

TEST(NocScan, DamageIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("[{\"sx\":1},\n{\"sx\" 2}]"), HasSubstr("t.json:2"));
  for (const char* text :
       {"[",
        "[{",
        "[{\"sx\"",
        "[{\"sx\":",
        "[{\"sx\":1",
        "[{\"sx\":1}",
        "[{\"sx\":1,}]",
        "[{\"sx\":1}] x",
        "[1,]",
        "[{\"type\":\"RE",
        "[{\"type\":\"a\nb\"}]",
        "[{\"type\":\"\\q\"}]",
        "[{\"type\":\"\xff\"}]",
        "[{\"sx\":1x}]",
        "[{sx:1}]",
        "[{\"sx\":1}{\"sx\":2}]"})
    EXPECT_THAT(refusal(text), HasSubstr("not valid JSON")) << text;
  EXPECT_THAT(refusal(std::string("[{\"sx\":1}\0]", 11)), HasSubstr("not valid JSON"));
}

TEST(NocScan, AKeyThatStandsTwiceIsRefused) {
  EXPECT_THAT(refusal(R"([{"sx":1,"sy":2,"sx":1}])"), HasSubstr("stands twice"));
}

}  // namespace
}  // namespace lento::chip
