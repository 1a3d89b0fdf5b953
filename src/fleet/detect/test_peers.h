// Fleets of machines under one LevelTrack, for tests.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/rng.h"
#include "fleet/detect/level_track.h"

namespace lento::fleet::test {

inline constexpr size_t kWindow = 64;
inline constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

inline void spread(std::span<const float> window, float* to, size_t stride) {
  for (size_t i = 0; i < window.size(); ++i)
    to[i * stride] = window[i];
}

// The samples of every machine, as long as the test wants; a look judges the last kWindow of them.
class Peers {
 public:
  Peers(size_t machines, TrackOptions options, uint64_t seed = 1)
      : track(options, machines),
        samples_(machines),
        rng_(seed, "level") {
  }

  // `count` samples of level + noise; `own` gives a machine's own addition at a sample's place.
  template <class Own>
  void go_on(size_t count, double level, double noise, Own own) {
    for (size_t i = 0; i < count; ++i, ++at_) {
      for (size_t m = 0; m < samples_.size(); ++m)
        samples_[m].push_back(float(level + rng_.normal(0, 1) * noise + own(m, at_)));
    }
  }
  void go_on(size_t count, double level, double noise) {
    go_on(count, level, noise, [](size_t, size_t) {
      return 0.0;
    });
  }

  bool look() {
    return track.evaluate(
        [&](size_t m, float* to, size_t stride) {
          spread(std::span(samples_[m]).last(kWindow), to, stride);
        },
        judged,
        band);
  }
  // As a detector does: every stride samples.
  template <class Own>
  bool live(size_t looks, double level, double noise, Own own) {
    bool ok = true;
    for (size_t i = 0; i < looks; ++i) {
      go_on(track.options().stride, level, noise, own);
      ok = look();
    }
    return ok;
  }
  bool live(size_t looks, double level, double noise) {
    return live(looks, level, noise, [](size_t, size_t) {
      return 0.0;
    });
  }
  std::vector<float>& samples(size_t m) {
    return samples_[m];
  }
  size_t at() const {
    return at_;
  }

  LevelTrack track;
  std::vector<Judged> judged;
  PeerBand band;

 private:
  std::vector<std::vector<float>> samples_;
  base::Rng rng_;
  size_t at_ = 0;
};

inline TrackOptions options() {
  TrackOptions o;
  o.n = kWindow;
  o.stride = 8;
  return o;
}

}  // namespace lento::fleet::test
