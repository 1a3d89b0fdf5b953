// Closed forms of the two tests: fleets whose windows are built to have a known deviation, without noise or
// with known noise.
#include "fleet/detect/level_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "fleet/detect/test_peers.h"
#include "fleet/detect/tuning.h"

namespace lento::fleet {
namespace {

using test::kNone;
using test::kWindow;
using test::options;
using test::Peers;
using test::spread;

TEST(LevelTrack, HealthyPeersStayUnderTheThreshold) {
  Peers p(32, options());
  p.go_on(kWindow, 100, 3);
  double most = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(p.live(1, 100, 3));
    for (const Judged& j : p.judged)
      most = std::max<double>(most, j.score);
  }
  EXPECT_LT(most, 0.9);
  EXPECT_GT(most, 0.3);  // and noise is seen
}

TEST(LevelTrack, ADeviationIsToldInItsUnitAgainstThePeers) {
  Peers p(32, options());
  p.go_on(kWindow, 100, 1);
  p.live(5, 100, 1);
  const auto slow = [](size_t m, size_t) {
    return m == 7 ? -20.0 : 0.0;
  };
  ASSERT_TRUE(p.live(8, 100, 1, slow));
  const Judged& j = p.judged[7];
  EXPECT_GE(j.score, 1);
  EXPECT_NEAR(j.deviation, -20, 1);
  EXPECT_NEAR(j.level, 80, 1);
  EXPECT_TRUE(j.steady);
  EXPECT_EQ(j.blocks, 8);
  EXPECT_NEAR(j.rest, 1, 0.15);
  EXPECT_NEAR(std::abs(j.deviation) / j.threshold, j.score, 0.02 * j.score);
  for (size_t m = 0; m < 32; ++m)
    EXPECT_TRUE(m == 7 || p.judged[m].score < 1) << m;
}

TEST(LevelTrack, TheBandHoldsTenthMiddleAndNinetiethOfThePeers) {
  Peers p(11, options());
  p.go_on(kWindow, 100, 0, [](size_t m, size_t) {
    return double(m);
  });
  p.look();
  EXPECT_FLOAT_EQ(p.band.low, 101);
  EXPECT_FLOAT_EQ(p.band.median, 105);
  EXPECT_FLOAT_EQ(p.band.high, 109);
}

TEST(LevelTrack, TheThresholdFollowsItsZ) {
  std::vector<float> thresholds;
  for (const double z : {5.0, 10.0}) {
    TrackOptions o = options();
    o.z_level = z;
    o.z_change = z;
    Peers p(32, o);
    p.go_on(kWindow, 100, 3);
    p.live(3, 100, 3);
    thresholds.push_back(p.judged[0].threshold);
  }
  EXPECT_NEAR(thresholds[1] / thresholds[0], 2, 1e-4);
}

TEST(LevelTrack, FewPeersWidenTheThreshold) {
  std::vector<double> relative;
  for (const size_t machines : {4, 8, 64}) {
    double sum = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Peers p(machines, options(), seed);
      p.go_on(kWindow, 100, 3);
      p.look();
      sum += p.judged[0].threshold;
    }
    relative.push_back(sum / 20);
  }
  EXPECT_GT(relative[0], 1.5 * relative[1]);
  EXPECT_GT(relative[1], 1.2 * relative[2]);
}

TEST(LevelTrack, WithoutNoiseTheFloorDecides) {
  const auto share = [](double off, size_t machines) {
    Peers p(machines, options());
    p.go_on(kWindow, 100, 0, [&](size_t m, size_t) {
      return m == 2 ? off : 0.0;
    });
    p.look();
    return p.judged[2].score;
  };
  // 0.2 % of the level and 0.4 / 64^2 of it, a normal law's 6.5 of those, widened by 6 / 63.
  const double floor = 100 * (0.002 + 0.4 / (64.0 * 64.0));
  const double threshold = 6.5 * floor * (1 + 6.0 / 63);
  EXPECT_NEAR(share(2 * threshold, 64), 2, 0.01);
  EXPECT_NEAR(share(0.5 * threshold, 64), 0.5, 0.01);
  // Four machines agree by chance within 2.5 %.
  const double four = 6.5 * 100 * (0.002 + 0.4 / 16) * (1 + 6.0 / 3);
  EXPECT_NEAR(share(four, 4), 1, 0.01);
}

TEST(LevelTrack, AScoreStaysFinite) {
  Peers p(16, options());
  p.go_on(kWindow, 1, 0, [](size_t m, size_t) {
    return m == 3 ? 1e9 : 0.0;
  });
  p.look();
  EXPECT_LE(p.judged[3].score, tuning::kMaxScore.value);
  EXPECT_TRUE(std::isfinite(p.judged[3].score));
}

TEST(LevelTrack, ABurstOfLessThanSixBlocksIsNotSteady) {
  for (size_t blocks = 1; blocks <= 8; ++blocks) {
    Peers p(32, options());
    p.go_on(4 * kWindow, 100, 1);
    p.look();
    const size_t from = p.at() + kWindow - blocks * kWindow / 8;
    p.go_on(kWindow, 100, 1, [&](size_t m, size_t t) {
      return m == 4 && t >= from ? -40.0 : 0.0;
    });
    p.look();
    const Judged& j = p.judged[4];
    if (blocks >= 2) {
      EXPECT_GE(j.score, 1) << blocks;
    }
    EXPECT_EQ(j.steady, blocks >= 6) << blocks;
    if (j.score > 0.3f) {
      EXPECT_EQ(j.blocks, blocks) << blocks;
    }
  }
}

TEST(LevelTrack, WhatHangsOnItsStrongestBlocksIsNotSteady) {
  Peers p(32, options());
  p.go_on(4 * kWindow, 100, 1);
  p.look();
  const size_t from = p.at();
  // All blocks deviate, three of them by ten times as much.
  p.go_on(kWindow, 100, 1, [&](size_t m, size_t t) {
    if (m != 4)
      return 0.0;
    return (t - from) / (kWindow / 8) < 3 ? -200.0 : -20.0;
  });
  p.look();
  EXPECT_GE(p.judged[4].score, 1);
  EXPECT_LT(p.judged[4].rest, tuning::kRest.value);
  EXPECT_FALSE(p.judged[4].steady);
}

TEST(LevelTrack, ABreakInAClearDeviationIsTwoBursts) {
  Peers p(32, options());
  p.go_on(4 * kWindow, 100, 1);
  for (int i = 0; i < 10; ++i)
    p.live(1, 100, 1);
  const size_t from = p.at();
  p.go_on(kWindow, 100, 1, [&](size_t m, size_t t) {
    const size_t block = (t - from) / (kWindow / 8);
    return m == 4 && block != 3 ? -40.0 : 0.0;
  });
  p.look();
  EXPECT_EQ(p.judged[4].blocks, 7);
  EXPECT_FALSE(p.judged[4].steady);
}

TEST(LevelTrack, AnOffsetThatWasAlwaysThereBecomesNormal) {
  Peers p(32, options());
  const auto offset = [](size_t m, size_t) {
    return m == 9 ? 0.9 : 0.0;
  };
  p.go_on(kWindow, 100, 3, offset);
  p.live(200, 100, 3, offset);
  EXPECT_LT(p.judged[9].score, 0.7);
  // And a change from there is one against that offset.
  p.live(10, 100, 3, [](size_t m, size_t) {
    return m == 9 ? 15.9 : 0.0;
  });
  EXPECT_NEAR(p.judged[9].deviation, 15, 2);
  EXPECT_GE(p.judged[9].score, 1);
}

TEST(LevelTrack, AnOffsetInProportionToTheLevelHasNotChanged) {
  Peers p(32, options());
  const auto by = [](double level) {
    return [level](size_t m, size_t) {
      return m == 9 ? 0.03 * level : 0.0;
    };
  };
  p.go_on(kWindow, 100, 1, by(100));
  p.live(300, 100, 1, by(100));
  const double before = p.judged[9].score;
  p.go_on(kWindow, 40, 1, by(40));
  p.look();
  EXPECT_LT(p.judged[9].score, before + 0.5);
  EXPECT_LT(p.judged[9].score, 1);
}

TEST(LevelTrack, AChangeOfTheWholeJobAccusesNobody) {
  Peers p(32, options());
  p.go_on(kWindow, 100, 1);
  p.live(30, 100, 1);
  // A third of the machines goes elsewhere at once.
  const bool ok = p.live(8, 100, 1, [](size_t m, size_t) {
    return m % 3 == 0 ? -30.0 : 0.0;
  });
  EXPECT_FALSE(ok);
}

TEST(LevelTrack, AQuarterOfAGroupIsStillMachines) {
  Peers p(32, options());
  p.go_on(kWindow, 100, 1);
  p.live(30, 100, 1);
  const bool ok = p.live(8, 100, 1, [](size_t m, size_t) {
    return m < 4 ? -30.0 : 0.0;
  });
  EXPECT_TRUE(ok);
  for (size_t m = 0; m < 4; ++m)
    EXPECT_GE(p.judged[m].score, 1) << m;
}

// A storm on one of eight machines reaches its two neighbours: three deviate, one stands out.
TEST(LevelTrack, SmallDeviationsBesideALargeOneAreNoChangeOfTheJob) {
  const auto storm = [](double neighbours) {
    return [neighbours](size_t m, size_t) {
      return m == 4 ? 500.0 : m == 3 || m == 5 ? neighbours : 0.0;
    };
  };
  for (const auto& [neighbours, told] : {std::pair{50.0, true}, std::pair{400.0, false}}) {
    Peers p(8, options());
    p.go_on(kWindow, 50, 1);
    p.live(60, 50, 1);
    EXPECT_EQ(p.live(8, 50, 1, storm(neighbours)), told) << neighbours;
    EXPECT_GE(p.judged[3].score, 1) << neighbours;
    EXPECT_GE(p.judged[4].score, 1) << neighbours;
  }
}

TEST(LevelTrack, MissingSamplesAreNotJudgedOnceAQuarterIsGone) {
  Peers p(16, options());
  p.go_on(kWindow, 100, 1);
  for (size_t i = 0; i < kWindow / 4; ++i)
    p.samples(5)[i] = kNone;
  for (size_t i = 0; i <= kWindow / 4; ++i)
    p.samples(6)[i] = kNone;
  EXPECT_TRUE(p.look());
  EXPECT_TRUE(p.judged[5].judged);
  EXPECT_FALSE(p.judged[6].judged);
  EXPECT_EQ(p.judged[6].score, 0);
}

TEST(LevelTrack, UnderTheLeastPeersNothingIsSaid) {
  TrackOptions o = options();
  o.min_peers = 6;
  Peers p(6, o);
  p.go_on(kWindow, 100, 1);
  EXPECT_TRUE(p.look());
  for (float& v : p.samples(0))
    v = kNone;
  EXPECT_FALSE(p.look());
}

TEST(LevelTrack, GoesOnAfterARestartAsIfThereHadBeenNone) {
  const auto offset = [](size_t m, size_t) {
    return m == 9 ? 3.0 : 0.0;
  };
  Peers p(16, options());
  p.go_on(kWindow, 100, 2, offset);
  p.live(120, 100, 2, offset);
  LevelTrack copy(options(), 16);
  copy.restore_shared(p.track.shared_state());
  for (size_t m = 0; m < 16; ++m)
    copy.restore_own(m, p.track.own_state(m));
  std::vector<Judged> again;
  PeerBand band;
  p.go_on(8, 100, 2, offset);
  p.look();
  copy.evaluate(
      [&](size_t m, float* to, size_t stride) {
        spread(std::span(p.samples(m)).last(kWindow), to, stride);
      },
      again,
      band);
  for (size_t m = 0; m < 16; ++m) {
    EXPECT_FLOAT_EQ(again[m].score, p.judged[m].score) << m;
    EXPECT_FLOAT_EQ(again[m].threshold, p.judged[m].threshold) << m;
  }
}

TEST(LevelTrack, AStateThatCannotBeIsIgnored) {
  Peers p(8, options());
  p.go_on(kWindow, 100, 2);
  p.live(10, 100, 2);
  const std::vector<double> before = p.track.shared_state();
  std::vector<double> bad = before;
  bad[1] = std::numeric_limits<double>::infinity();
  p.track.restore_shared(bad);
  p.track.restore_shared(std::span(before).first(before.size() - 1));
  EXPECT_EQ(p.track.shared_state(), before);
  const std::vector<double> own = p.track.own_state(2);
  p.track.restore_own(2, std::vector<double>(LevelTrack::kOwnNumbers + 1, 0));
  p.track.restore_own(2, std::vector<double>(LevelTrack::kOwnNumbers, kNone));
  EXPECT_EQ(p.track.own_state(2), own);
}

TEST(LevelTrack, AliasedWavesAreCancelledByTheLearnedWeights) {
  // Every machine sees the job's wave at its own phase: the mean of a window scatters, its quantiles hardly.
  TrackOptions o = options();
  Peers p(32, o);
  const auto wave = [](size_t m, size_t t) {
    const double turn = double(t) * 0.37 + double(m * m % 17);
    return std::sin(turn) > 0.2 ? 30.0 : 0.0;
  };
  p.go_on(kWindow, 100, 0.5, wave);
  p.live(10, 100, 0.5, wave);
  const float early = p.judged[3].threshold;
  p.live(200, 100, 0.5, wave);
  EXPECT_LE(p.judged[3].threshold, 1.05f * early);
}

TEST(LevelTrack, AQuietMomentDoesNotNarrowTheThreshold) {
  Peers p(32, options());
  p.go_on(kWindow, 100, 6);
  p.live(60, 100, 6);
  const float noisy = p.judged[0].threshold;
  p.go_on(kWindow, 100, 0.1);
  p.look();
  EXPECT_GT(p.judged[0].threshold, 0.6f * noisy);
  Peers fresh(32, options());
  fresh.go_on(kWindow, 100, 0.1);
  fresh.look();
  EXPECT_LT(fresh.judged[0].threshold, 0.6f * noisy);
}

// What is normal follows the machine: entries that left the queue are not entered again.
TEST(LevelTrack, TheNormalOffsetFollowsASlowChange) {
  Peers p(32, options());
  const auto offset = [](double by) {
    return [by](size_t m, size_t) {
      return m == 9 ? by : 0.0;
    };
  };
  p.go_on(kWindow, 100, 3);
  p.live(100, 100, 3);
  EXPECT_NEAR(p.track.own_state(9)[0], 0, 0.3);
  p.live(600, 100, 3, offset(1));
  EXPECT_GT(p.track.own_state(9)[0], 0.5);
}

// The combined level is a mean of features: its weights add up to one, and where the mean is the noisiest
// feature others get most.
TEST(LevelTrack, WeightsAreLearnedAndAddUpToOne) {
  TrackOptions o = options();
  o.n = 128;
  LevelTrack track(o, 32);
  base::Rng rng(3, "level.weights");
  std::vector<std::vector<float>> window(32, std::vector<float>(o.n));
  std::vector<Judged> judged;
  PeerBand band;
  for (int look = 0; look < 60; ++look) {
    for (auto& w : window) {
      for (float& v : w)
        v = float(100 + rng.normal(0, 1));
      // One sample in twelve is a spike: the mean follows, the median does not.
      for (size_t i = 0; i < w.size(); i += 12)
        w[i] += float(rng.normal(0, 60));
    }
    track.evaluate(
        [&](size_t m, float* to, size_t stride) {
          spread(window[m], to, stride);
        },
        judged,
        band);
  }
  const auto state = track.shared_state();
  const auto end = state.end() - Echo::kNumbers;
  const std::vector<double> weights(end - LevelTrack::kFeatures, end);
  double sum = 0;
  for (const double w : weights) {
    EXPECT_GE(w, 0);
    sum += w;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_LT(weights[0], 0.2);
}

}  // namespace
}  // namespace lento::fleet
