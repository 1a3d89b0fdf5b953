// Holds the expected times of a healthy chip under a mapping, and the sensitivity of each to every part and
// nuisance.
//
// A cell is the records of one core, kind, peer, layer, size and inference in one third of the layer's steps.
// Expectation, variance and sensitivities come from a few simulated runs that keep their derivatives
// (chip/sim/influence.h); issue window, buffers and transit variation have no derivative and are simulated at
// other values. A share (Dictionary::Share) is the sensitivity of a cell to one part or nuisance. A
// dictionary is made once for a chip, a mapping and a number of inferences.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "chip/map/program.h"
#include "chip/map/twin.h"
#include "chip/model/other_sheets.h"
#include "chip/read/probe_record.h"
#include "chip/sim/influence.h"
#include "spec/chip.h"

namespace lento::chip {

inline constexpr double kTolerance = 0.1;  // largest deviation of a healthy part or class from its file

// Identifies a record by everything except its times.
struct RecordKey {
  uint64_t work = 0;
  uint32_t layer = 0;
  uint32_t inference = 0;
  uint16_t core = 0;
  uint16_t peer = 0;
  uint16_t step = 0;
  ProbeKind kind = ProbeKind::Compute;
  auto operator<=>(const RecordKey&) const = default;
};
RecordKey key_of(const ProbeRecord& record);

// Nuisances of the whole chip that no derivative covers. The fit tries other values of them by simulation.
enum class ChipSetting : uint8_t {
  IssueWindow,
  Buffers,
  TransitVariation
};
inline constexpr int kChipSettings = 3;
double value_of(ChipSetting setting, const spec::Chip& chip);
void set(ChipSetting setting, double value, spec::Chip& chip);

struct Dictionary {
  struct Expected {  // the expectation of one key
    float cycles = 0;
    float begin = 0;  // cycles
    uint32_t cell = 0;
  };
  struct Share {
    uint32_t column = 0;    // column of InfluenceColumns
    float sensitivity = 0;  // change of the log duration per change of the log slowness
    // Whether the part itself serves these records. Otherwise they wait in queues for records that it
    // serves, and the first-order sensitivity is approximate.
    uint8_t served = 1;
  };
  struct Cell {
    ProbeKind kind = ProbeKind::Compute;
    uint16_t core = 0;
    uint32_t records = 0;  // in a complete run
    double cycles = 0;     // expected sum over all records
    double center = 0;     // mean over simulated healthy runs of log(summed durations / expectation)
    double middle = 1;     // median ratio of single records to their expectation, which queues skew
    double variance = 0;   // of the log ratio of one healthy run to the expectation
    // Sums of all sensitivities (Share::sensitivity) by class of part: cores, links, memory units, DRAM
    // ports. They include those too small for `shares`.
    std::array<float, 4> classes{};
    // Range in `shares`.
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  // The effect of a setting on a chip with another value than the file's: by cell the shift, the change of
  // the natural log of the summed durations.
  struct Setting {
    ChipSetting setting = ChipSetting::IssueWindow;
    double step = 0;           // log of the simulated value over the file's
    std::vector<float> shift;  // by cell
  };

  explicit Dictionary(const Grid& grid)
      : columns(grid) {
  }

  InfluenceColumns columns;
  uint32_t inferences = 1;
  double run_cycles = 0;        // mean over the simulated runs
  std::vector<RecordKey> keys;  // in ascending order
  std::vector<Expected> expected;
  std::vector<Cell> cells;
  std::vector<Share> shares;
  std::vector<Setting> settings;
  std::vector<OtherSheet> sheets;  // chips whose file is wrong about their routes
  // The log of the summed durations over their expectation on the chip of the file, by seed (from 1 on) and
  // cell. Other chips are simulated with the same seeds, so that their differences from these runs have
  // little noise.
  std::vector<std::vector<double>> file_runs;
  int simulated = 0;

  // Returns the index of `key` in `keys`, or -1 when the mapping has no such record.
  int64_t find(const RecordKey& key) const;
  std::span<const Share> shares_of(const Cell& cell) const {
    return std::span(shares).subspan(cell.begin, cell.end - cell.begin);
  }
};

// The sums of one run by cell, against the expectations of the dictionary.
struct CellSums {
  std::vector<double> log_ratio;  // log of the summed durations over their expectation; NaN: no record
  std::vector<double> middle;     // mean of the midpoints of its records' times, cycles
  std::vector<uint32_t> records;
  uint64_t strange = 0;  // records that the mapping does not produce
};
CellSums sums_of(const Dictionary& dictionary, std::span<const ProbeRecord> records);

struct LearnSetup {
  const spec::Chip& chip;
  const Program& program;
  uint32_t inferences = 1;
  Deviations own = {};          // declared deviations of single parts
  uint64_t until = UINT64_MAX;  // cycle at which recordings were cut
  Twin twin() const {
    return {chip, own};
  }
};
std::vector<ProbeRecord>
simulated_records(const LearnSetup& setup, const Twin& twin, const std::vector<Fault>& faults, uint64_t seed);

Dictionary make_dictionary(const LearnSetup& setup);

inline constexpr uint32_t kShiftSeeds = 2;
// The shift of each cell: the change of the natural log of its summed durations when the chip differs from
// its file or has slow parts. `mean` is over kShiftSeeds simulations, each against the file's chip with the
// same seed.
struct SimulatedShift {
  std::vector<float> mean;
  std::vector<float> noise;  // ratio of each cell's variance to that on the file's chip, at least 1
};
// Returns the shifts of `runs`, at most kShiftSeeds runs that were simulated with the seeds 1 and 2 in this
// order. The shift of a cell without a record in any of them is 0.
SimulatedShift shift_of_runs(const Dictionary& dictionary, const std::vector<std::vector<ProbeRecord>>& runs);
SimulatedShift simulated_shift(
    const Dictionary& dictionary,
    const LearnSetup& setup,
    const Twin& twin,
    const std::vector<Fault>& faults = {});

// Returns the shift of each cell on a chip that differs from its file and has no faults, shrunk by the share
// of its square that is noise of the simulations.
std::vector<float> shift_of(const Dictionary& dictionary, const LearnSetup& setup, const Twin& twin);

}  // namespace lento::chip
