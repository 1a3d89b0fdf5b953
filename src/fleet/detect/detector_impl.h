// The parts of the streaming detector: rings of samples, one LevelTrack for each metric, group and horizon,
// verdicts. detector.cc judges rows, detector_verdicts.cc raises and resolves, detector_state.cc saves.
//
// Invariants
// 1. A verdict is raised only by an evaluation with score >= 1 and k-of-n continuity (level_track.h) that
//    exceeds the excursions of the noise (excursions.h).
// 2. While a stronger deviation of the same metric lasts, or is half a window old, in the group, weaker ones
//    (same_cause_share) are its consequences: "also affected", no verdict. The same holds across groups,
//    because a congested network does not stop at a stage.
// 3. A verdict resolves when no track has scored 0.7 or more for one shortest horizon.
// 4. While bursts are not known to be rare (bursts.h) a deviation must pass the threshold even without its
//    three strongest blocks, and in a window under 240 s it must have outlasted them (outlast.h).
// 5. In a row in which under three quarters of the members report, the source is at fault: silence does not
//    count (roll_call.h). A row with under a quarter is not kept: it is missing for everybody.
#pragma once

#include <vector>

#include "fleet/detect/bursts.h"
#include "fleet/detect/detect.h"
#include "fleet/detect/excursions.h"
#include "fleet/detect/level_track.h"
#include "fleet/detect/outlast.h"
#include "fleet/detect/row_ring.h"
#include "fleet/scan/roll_call.h"

namespace lento::fleet {

struct Detector::Impl {
  struct Group {
    std::string name;
    std::vector<size_t> machines;
    bool judged = false;
  };
  struct Track {
    size_t metric = 0;
    size_t group = 0;
    size_t horizon = 0;
    LevelTrack level;
    Excursions excursions;
    Outlast outlast;  // of the shortest window
    // At evenly spaced looks: the deviation that would have been named, and the peers' level.
    std::vector<double> named_from;
    std::vector<double> levels;
    uint64_t looks = 0;
    uint64_t looks_apart = 1;
    Together together;  // under way, or without machines
  };

  Fleet fleet;
  DetectOptions options;
  std::vector<size_t> judged_metrics;
  std::vector<Group> groups;
  std::vector<size_t> group_of;
  std::vector<size_t> horizon_samples;
  std::vector<Track> tracks;
  Bursts bursts{{}};
  struct Leader {  // the strongest deviation that lasts or is half a window old, of a metric, horizon and
                   // group
    double deviation = 0;
    size_t machine = 0;
    int64_t until_ms = INT64_MIN;  // it counts for two looks
  };
  std::vector<Leader> leaders;  // [(metric * horizons + horizon) * groups + group]
  RowRing ring{0, 1};
  std::vector<Verdict> verdicts;
  ScoreHistory history;
  size_t history_stride = 1;
  std::vector<float> current;  // [metric * machines + machine][horizon]: last score while steady, else 0
  std::vector<float> shown_score;
  std::vector<float> shown_level;
  std::vector<float> shown_low;
  std::vector<float> shown_median;
  std::vector<float> shown_high;
  std::vector<float> peak;  // [metric * machines + machine]
  RollCall roll{0, 1000, 1, 1};
  std::vector<uint8_t> reports;  // of the present row, by machine
  Coverage coverage;
  Together together;  // the longest
  int64_t first_ms = INT64_MIN;
  int64_t now_ms = 0;

  void build();
  void choose_metrics();
  void form_groups();
  double choose_horizons();  // returns the independent looks a day
  void make_tracks(double looks);
  void make_room();
  void evaluate(Track& track);
  void consider(const Track& track, const std::vector<Judged>& judged, const PeerBand& band);
  Leader find_leader(const Track& track, const std::vector<Judged>& judged);
  double crowd(const Track& track, const std::vector<Judged>& judged);
  bool believed(const Track& track, size_t machine, const Judged& j, const PeerBand& band, double crowd)
      const;
  void watch_together(Track& track);
  bool lasts(const Track& track) const;
  static void measure_reach(Track& track, const std::vector<Judged>& judged, const PeerBand& band);
  bool outlasts(const Track& track, std::span<const float> rows, double size) const;
  std::vector<float> distances(const Track& track, size_t machine, double normal) const;
  double seconds(size_t horizon) const {
    return double(horizon_samples[horizon]) * double(fleet.step_ms) / 1000;
  }
  void raise(const Track& track, size_t machine, const Judged& j, const PeerBand& band);
  void refresh(Verdict& v, const Track& track, const Judged& j, const PeerBand& band);
  void watch_bursts(Track& track, const std::vector<Judged>& judged);
  bool take_row(std::span<const float> values);
  void count(std::span<const float> values);
  void watch_silence();
  void resolve();
  void record();
  base::Json save_track(const Track& track) const;
  void restore_track(Track& track, const base::Json& json) const;
  int64_t onset(const Track& track, size_t machine, double deviation) const;
  Verdict* standing(size_t machine, bool silent);
  bool judging() const {
    return !options.judge_from_ms || now_ms >= *options.judge_from_ms;
  }
  size_t cell(size_t metric, size_t machine) const {
    return metric * fleet.machines.size() + machine;
  }
};

}  // namespace lento::fleet
