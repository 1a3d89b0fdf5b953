// Signals that another clock drives than the one that samples them.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tile/block/test_edges.h"

namespace lento::tile {
namespace {

std::vector<UnsampledSignal> unsampled_in(const std::string& text, const std::string& map) {
  VcdReading reading;
  edges_of(text, map, &reading);
  return reading.unsampled;
}

// The changes of several bits over time as a VCD.
class Waves {
 public:
  void set(int time, char code, int value) {
    changes_[time] += std::to_string(value) + code + "\n";
  }
  void clock(int begin, int end, int period, char code) {
    for (int t = begin; t < end; t += period) {
      set(t, code, 1);
      set(t + period / 2, code, 0);
    }
  }
  std::string text(const std::string& header) const {
    std::string out = header + "$enddefinitions $end\n";
    for (const auto& [time, change] : changes_)
      out += "#" + std::to_string(time) + "\n" + change;
    return out;
  }

 private:
  std::map<int, std::string> changes_;
};

const std::string kOne = kTop + "clock: t.ck_wr\ninputs:\n  - {ioreg: 0, signal: t.en, valid: t.en}\n";
const std::string kBits =
    "$scope module t $end\n$var wire 1 w ck_wr $end\n$var wire 1 e en $end\n$var wire 1 n noise $end\n";

// SPI's clock stands still between words of eight bits, where chip select changes twice. The same changes
// inside a word are lost.
TEST(ClockDomains, ChangesWhileAClockStandsStillAreNotLost) {
  const std::string header =
      "$scope module t $end\n$var wire 1 c clk $end\n$var wire 1 ! sclk $end\n$var wire 1 s cs $end\n"
      "$enddefinitions $end\n";
  const std::string map = kTop + "clock: t.sclk\ninputs:\n  - {ioreg: 0, signal: t.cs}\n";
  const auto recording = [&](int at) {
    std::string out = "#0\n0!\n0s\n0c\n";
    for (int time = 1; time < 8000; ++time) {
      const int phase = time % 400;
      std::string changes = time % 5 == 0 ? (time % 10 == 0 ? "1c\n" : "0c\n") : "";
      if (phase < 160 && phase % 10 == 0)
        changes += phase % 20 == 0 ? "1!\n" : "0!\n";
      if (phase == at || phase == at + 10)
        changes += phase == at ? "1s\n" : "0s\n";
      if (!changes.empty())
        out += "#" + std::to_string(time) + "\n" + changes;
    }
    return out;
  };
  VcdReading reading;
  edges_of(header + recording(250), map, &reading);
  EXPECT_TRUE(reading.unsampled.empty());
  edges_of(header + recording(85), map, &reading);
  EXPECT_EQ(reading.unsampled.size(), 1u);
}

// Pulses of a clock that is not a multiple of the block's own, and a twin whose signal glitches in its own
// domain.
TEST(ClockDomains, SignalsOfAnotherClockAreCounted) {
  const std::string header =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 1 f clk_other $end\n$var wire 1 p pulse $end\n"
      "$enddefinitions $end\n";
  const std::string map = kTop + "clock: t.clk\ninputs:\n  - {ioreg: 0, signal: t.pulse}\n";
  std::string foreign;
  std::string own;
  bool pulse = false;
  for (int time = 0; time < 5000; ++time) {
    foreign += "#" + std::to_string(time) + "\n";
    own += "#" + std::to_string(time) + "\n";
    if (time % 10 == 0)
      foreign += "1!\n", own += "1!\n0p\n";
    if (time % 10 == 5)
      foreign += "0!\n", own += "0!\n1p\n";
    if (time % 7 == 0)
      foreign += std::string("1f\n") + ((pulse = !pulse) ? "1p\n" : "0p\n"), own += "1f\n";
    if (time % 7 == 3)
      foreign += "0f\n", own += "0f\n";
  }
  VcdReading reading;
  edges_of(header + foreign, map, &reading);
  ASSERT_EQ(reading.unsampled.size(), 1u);
  EXPECT_EQ(reading.unsampled[0].signal, "t.pulse");
  EXPECT_EQ(reading.unsampled[0].likely, "t.clk_other");
  EXPECT_NEAR(double(reading.unsampled[0].changes), 713, 2);
  EXPECT_GT(reading.unsampled[0].lost, 100u);
  edges_of(header + own, map, &reading);
  EXPECT_TRUE(reading.unsampled.empty()) << "it changes twice a cycle by its own clock";
}

// A valid signal of a clock of 14, sampled by one of 10, and the same signal by its own clock.
TEST(ClockDomains, AValidSignalOfASlowerClockIsCountedAtBoth) {
  std::string text =
      "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 1 s slow_clk $end\n$var wire 1 v valid $end\n"
      "$var wire 8 d d $end\n$enddefinitions $end\n0v\n";
  for (int time = 0; time < 7000; ++time) {
    text += "#" + std::to_string(time) + "\n";
    if (time % 5 == 0)
      text += time % 10 == 0 ? "1!\n" : "0!\n";
    if (time % 14 == 0)
      text += "1s\n" + std::string(time % 56 == 0 ? "1v\n" : "0v\n");
    if (time % 14 == 7)
      text += "0s\n";
  }
  const auto unsampled = [&](const std::string& input) {
    VcdReading reading;
    edges_of(
        text,
        kTop + "clock: t.clk\ninputs:\n  - {ioreg: 0, signal: t.d, valid: t.valid" + input + "}\n",
        &reading);
    return reading.unsampled;
  };
  const std::vector<UnsampledSignal> found = unsampled("");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].likely, "t.slow_clk");
  EXPECT_EQ(found[0].meant, 125u);
  EXPECT_EQ(found[0].sampled, 175u);
  EXPECT_TRUE(unsampled(", clock: t.slow_clk").empty());
  EXPECT_TRUE(unsampled(", tap: {when: change}").empty()) << "repeats are no events";
}

// No clock here has a telling name, and a bit that toggles at random is none. A signal that is both the data
// and the valid of an input is one finding.
TEST(ClockDomains, AClockIsKnownByItsBehaviour) {
  base::Rng rng(5);
  const auto recording = [&](bool has_clock, int jitter) {
    Waves waves;
    waves.clock(5000, 20'000'000, 10000, 'w');
    int en = 0;
    for (int t = 3300; t < 20'000'000; t += 7000 + (jitter > 0 ? int(rng.below(uint64_t(jitter))) : 0)) {
      if (has_clock) {
        waves.set(t, 'r', 1);
        waves.set(t + 3500, 'r', 0);
      }
      en = int(rng.below(2));
      waves.set(t + 1, 'e', en);
      if (rng.below(3) == 0)
        waves.set(t + 2, 'n', int(rng.below(2)));
    }
    return waves.text(kBits + "$var wire 1 r rx_c $end\n");
  };
  for (const int jitter : {0, 300}) {
    const std::vector<UnsampledSignal> found = unsampled_in(recording(true, jitter), kOne);
    ASSERT_EQ(found.size(), 1u) << jitter;
    EXPECT_EQ(found[0].likely, "t.rx_c");
    EXPECT_GT(found[0].lost, found[0].changes / 5);
  }
  const std::vector<UnsampledSignal> found = unsampled_in(recording(false, 300), kOne);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].likely, "") << "its clock was not recorded";
}

// A signal that glitches in its own domain, beside a divider, an inverted clock and a strobe.
TEST(ClockDomains, DividersAndStrobesAreNoForeignClocks) {
  base::Rng rng(6);
  Waves waves;
  waves.clock(0, 5'000'000, 1000, 'w');
  waves.clock(500, 5'000'000, 1000, 'i');
  waves.clock(1, 5'000'000, 2000, 'd');
  waves.clock(1, 5'000'000, 8000, 'q');
  for (int t = 0; t < 5'000'000; t += 1000) {
    const int en = int(rng.below(2));
    waves.set(t + 1 + int(rng.below(700)), 'e', 1 - en);
    waves.set(t + 800, 'e', en);
  }
  const std::string header =
      kBits + "$var wire 1 i inv $end\n$var wire 1 d half $end\n$var wire 1 q strobe $end\n";
  EXPECT_TRUE(unsampled_in(waves.text(header), kOne).empty());
}

// A block whose clock is gated off while `push` stays set. The same block with a clock buffer instead.
TEST(ClockDomains, InputsOfABlockWhoseClockIsGatedOffAreTooMany) {
  const auto found_with = [](int delay, bool gated, const std::string& valid) {
    Waves waves;
    for (int t = 0; t < 40'000; t += 10) {
      const bool on = !gated || t < 15'000 || t >= 26'000;
      waves.set(t, 'w', 1);
      waves.set(t + 5, 'w', 0);
      if (on) {
        waves.set(t + delay, 'g', 1);
        waves.set(t + 5 + delay, 'g', 0);
      }
      waves.set(t + 5, 'e', t > 14'900 && t < 26'000 ? 1 : t / 10 % 3 == 0);
    }
    const std::string header =
        "$scope module t $end\n$var wire 1 w ck_wr $end\n$var wire 1 e en $end\n$scope module dut $end\n"
        "$var wire 1 g ck $end\n$var wire 1 e push $end\n$upscope $end\n$upscope $end\n";
    return unsampled_in(
        waves.text(header),
        kTop + "clock: t.ck_wr\ninputs:\n  - {ioreg: 0, signal: t.dut.push, valid: " + valid + "}\n");
  };
  for (const int delay : {0, 1}) {
    const std::vector<UnsampledSignal> found = found_with(delay, true, "t.dut.push");
    ASSERT_EQ(found.size(), 1u) << delay;
    EXPECT_EQ(found[0].likely, "t.dut.ck");
    EXPECT_NEAR(double(found[0].sampled - found[0].meant), 1100, 2);
    EXPECT_TRUE(found_with(delay, false, "t.dut.push").empty()) << delay;
  }
  EXPECT_TRUE(found_with(0, true, "t.en").empty()) << "it may belong to the clock of its scope";
}

}  // namespace
}  // namespace lento::tile
