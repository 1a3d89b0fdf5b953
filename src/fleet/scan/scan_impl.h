// The parts of a Scan. Two invariants hold: nothing is learned, as past or noise, from a machine's metric
// while the machine or its job is in an active episode of that metric, and tracks (one metric of one group
// of machines each) share no state but working memory, so that their order has no effect.
#pragma once

#include <cmath>
#include <deque>
#include <memory>
#include <vector>

#include "fleet/scan/cells.h"
#include "fleet/scan/level.h"
#include "fleet/scan/roll_call.h"
#include "fleet/scan/scan.h"

namespace lento::fleet {

inline constexpr size_t kNoEpisode = SIZE_MAX;
inline constexpr size_t kCells = 8;                        // cells of the shortest window
inline constexpr size_t kMostCells = kCells + kCells / 2;  // cells of the next length

// The episode that a machine, or the job as a whole, is in by one metric.
struct Standing {
  size_t episode = kNoEpisode;
  size_t member = 0;
  size_t level = 0;              // index of the window length that raised it
  int64_t shown_ms = 0;          // time of the last test that showed it
  int64_t ended_ms = INT64_MIN;  // end of the previous episode
};

// The values of the row counters Impl::answered and Impl::pushed when a machine's last sample came; 0: no
// sample yet.
struct Presence {
  size_t answered = 0;
  size_t pushed = 0;
};

// A length of window: a number of cells, each of which covers 2^doublings of the shortest cells.
struct Length {
  size_t doublings = 0;
  size_t cells = 0;
};

// The result of the last test of a machine by one length of window.
struct LastTest {
  float score = NAN;  // as Deviation::score; NaN: not judged
  float shown = 0;
};

// The tests of one metric at all lengths of window, for the machines of a group or for the job as one
// series.
struct WindowTests {
  std::vector<std::shared_ptr<CellRing>> rings;  // by doublings
  std::vector<Level> levels;                     // by length
  std::vector<std::vector<Deviation>> now;       // by length and machine, empty unless tested in this row
  std::vector<std::vector<LastTest>> last;       // by length and machine
  std::vector<uint8_t> suspected;  // not zero: in an episode, or in one that ended within a window
  bool crowd = false;              // many machines are suspected, or the job is
  std::vector<Standing> standing;

  Suspicion suspicion() const {
    return {suspected, crowd};
  }
};

// One metric of one group of peers, with its scale and its tests.
struct Track {
  size_t metric = 0;
  size_t group = 0;
  bool scaled = false;
  Scale scale;
  size_t scale_again = 0;  // number of rows after which the scale is chosen again
  std::deque<PeerQuantiles>
      peer_quantiles;  // quantiles of the peers in each row of the window, the newest first
  Dips dips;
  WindowTests machines;
  WindowTests job;
};

struct Scan::Impl {
  Impl(ScanFleet f, ScanOptions o);

  // Defined in scan_setup.cc: groups, lengths of windows and the threshold.
  void form_groups();
  void choose_lengths();
  void make_tracks();
  void share_budget();
  WindowTests window_tests(const Scale& scale, size_t machines, bool against_peers) const;
  // Defined in scan.cc, which turns rows into cells and tests.
  std::vector<Sensitivity> sensitivity();
  void note_reports(std::span<const float> values);
  void begin_pasts();
  void note_peer_quantiles();
  bool choose_scale(Track& track);
  size_t take(Track& track, size_t back);
  void step(Track& track);
  // Pushes one cell and tests the windows that it completes. Returns the number of lengths tested.
  size_t push_cell(WindowTests& tests, const Dips& dips, std::vector<float> cells) const;
  void keep_last(WindowTests& tests) const;
  void count_dips(Track& track, const CellPeers& peers);

  // Defined in raise.cc, which turns tests into episodes.
  struct Suspects {
    std::vector<size_t> members;  // indices in the group
    double raw = 0;               // median size of the change of their levels
    double others = 0;            // median size of the change of the other machines' levels
    bool alone = false;           // a single machine deviates
    bool uneven() const {
      return !alone && 2 * others > raw;
    }
  };
  Suspects suspects(const Track& track, size_t level, bool rises) const;
  void judge_silence();
  // Defined in scan_live.cc, which saves and restores the state, and in raise.cc.
  base::Json standing_json(const Track& track, const WindowTests& tests, size_t i) const;
  void take_over(Track& track, WindowTests& tests, size_t i, const base::Json& saved);
  void judge(Track& track, size_t level);
  void judge_job(Track& track, size_t level);
  void enter(Track& track, size_t level, bool rises, const std::vector<size_t>& members);
  void note_uneven(const Track& track, size_t level, bool rises, const std::vector<size_t>& members);
  void follow(WindowTests& tests);
  void end(Standing& standing);
  bool stained(const Standing& standing, size_t level) const;
  size_t open_episode(const Track& track, Episode::What what, bool rises, size_t level);
  int64_t onset(const WindowTests& tests, size_t level, size_t machine) const;
  size_t rows_of(size_t level) const {
    return lengths[level].cells * (cell << lengths[level].doublings);
  }
  int64_t window_ms(size_t level) const {
    return int64_t(rows_of(level)) * fleet.step_ms;
  }

  ScanFleet fleet;
  ScanOptions options;
  std::vector<MetricKind> kinds;
  std::vector<std::vector<size_t>> groups;
  std::vector<std::string> group_names;
  size_t block = 0;             // rows of the shortest window
  size_t cell = 0;              // rows of the shortest cell
  std::vector<Length> lengths;  // lengths of windows, rising
  double z = 0;
  RowWindow rows;
  RollCall roll;
  Codes codes;
  std::vector<uint8_t> reports;  // by machine: whether the last row has a sample
  std::vector<Standing> silent;  // by machine
  std::vector<Track> tracks;
  std::shared_ptr<std::vector<Difference>> differences = std::make_shared<std::vector<Difference>>();
  std::vector<Episode> episodes;
  std::vector<Presence> seen;         // by machine
  std::vector<uint8_t> late;          // by machine: joined after the job began, or came back
  uint64_t tests_made = 0;            // number of tests of machines
  std::vector<Sensitivity> half_way;  // sensitivity at the middle of a record
  bool half_passed = false;
  size_t pushed = 0;    // number of rows
  size_t answered = 0;  // number of rows in which the source answered
  int64_t now_ms = 0;
};

}  // namespace lento::fleet
