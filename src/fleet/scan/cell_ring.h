// Stores the last cells of all machines of a group. Windows of 8 and of 12 cells of one length share a ring,
// and two cells of a ring are joined into one of double length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lento::fleet {

// Statistics of a cell. kMean, kUpper and kLower are differences from the peers'
// median. kRaw is the mean itself, which is not tested but shows whether the machine or its peers changed.
enum Statistic : uint8_t {
  kMean,
  kUpper,  // the 90 % quantile over the shortest window: it falls only when nearly all samples fall
  kLower,  // the 10 % quantile: it rises only when nearly all samples rise
  kRaw,
  kStatistics
};
inline constexpr size_t kTested = kRaw;
inline constexpr size_t kLeastPeers = 3;  // fewest machines whose median says what is usual

class CellRing {
 public:
  struct Options {
    size_t machines = 0;
    size_t cells = 0;       // number of cells that are kept
    bool quantiles = true;  // false: kUpper and kLower are not kept
    bool ranks = false;     // kMean is a mean of ranks, so that kRaw does not follow from it
  };
  explicit CellRing(const Options& options);

  // Adds one cell of every machine, with each statistic at [machine * kStatistics + statistic], NaN where
  // missing, followed by a cell of the peers' medians.
  void push(std::span<const float> cells);
  // Returns a statistic of a machine, or with machine == Options::machines of the peers' medians, `back`
  // cells before the newest.
  float at(size_t machine, size_t statistic, size_t back) const;
  void forget(size_t machine);
  // Returns the two newest cells as one of double length, in the layout of push().
  std::vector<float> joined() const;
  uint64_t pushed() const {
    return pushed_;
  }

 private:
  static constexpr uint8_t kNowhere = UINT8_MAX;
  size_t row(size_t back) const {
    const size_t at = newest_ + back;
    return (at < o_.cells ? at : at - o_.cells) * (o_.machines + 1) * stored_;
  }

  Options o_;
  std::array<uint8_t, kStatistics> place_{};  // by statistic: its place among the stored ones
  size_t stored_ = 0;                         // number of stored statistics
  size_t newest_ = 0;
  uint64_t pushed_ = 0;
  std::vector<float> values_;  // the cells of one time are neighbours
};

}  // namespace lento::fleet
