// Interface of the chip's model: compares a run's records with the chip file and finds the slow part.
//
//   const ChipModel model = learn({chip, program, inferences});
//   ModelVerdict v = judge(model, records);      // times of `records` become cycles of the file's clock
//   bool named = confirm(model, v, suspect).agrees();
//
// likelihood.h holds the formula, whose nuisances cover every deviation that is not the fault of a part. The
// threshold is extrapolated from the largest gain in each of many healthy draws (simulated healthy runs with
// random values of all nuisances, draws.h). A part is reported only when a rank test on its raw records
// agrees.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/progress.h"
#include "chip/model/clocks.h"
#include "chip/model/factors.h"
#include "chip/model/parts.h"
#include "chip/model/rank.h"

namespace lento::chip {

// The shifts (SimulatedShift) of all cells on a chip with another issue window or number of buffers. Each
// pair of values is simulated on first use.
class Shifts {
 public:
  explicit Shifts(const LearnSetup& setup)
      : setup_(setup) {
  }
  // Returns the shift of each cell for the settings of `chip`, and adds to `simulated` the number of runs
  // that had to be simulated.
  const std::vector<float>& of(const Dictionary& dictionary, const spec::Chip& chip, int& simulated);

 private:
  LearnSetup setup_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::vector<float>> known_;  // by issue window and number of buffers
};

struct ChipModel {
  LearnSetup setup;
  Dictionary dictionary;
  std::vector<PartCells> parts;
  std::shared_ptr<Shifts> shifts;
  // Thresholds of the gain of a part (twice the log-likelihood ratio). The first is for a chip that behaves
  // as its file states, the second for a chip with other settings or unequal parts, on which the first-order
  // model is less exact.
  double threshold = 0;
  double unlike_threshold = 0;
  // The largest spread (Solution::spread) of each class in healthy draws, extrapolated to the allowed number
  // of false alarms: of chips that behave as their file, and of other healthy ones.
  std::array<double, 4> spread{};
  std::array<double, 4> unlike_spread{};
  // The largest Solution::deviance of healthy draws, extrapolated in the same way, by kind of record.
  std::array<double, 4> deviance{};
  DetectionLimits limits;
};

struct LearnOptions {
  int draws = 24;  // of chips that behave as their file, and as many of other chips
  double false_alarms = 0.005;
};
// Simulates what the judgement needs. The chip and program of `setup` must outlive the model. Throws
// base::Error when stopped.
ChipModel
learn(const LearnSetup& setup, const LearnOptions& options = {}, const base::Progress& progress = {});
// Returns the approximate number of runs that learn() simulates.
int simulations_to_learn(const LearnOptions& options = {});

// A class, or the whole chip, that deviates from the file by more than the tolerance, at both ends of its 90
// % interval.
struct ClassDifference {
  std::string what;  // "all links", "the whole chip"
  double factor = 1;
  // The 90 % interval of `factor`.
  double low = 1;
  double high = 1;
};

struct ModelVerdict {
  Clocks clocks;
  ClockMap clock_map;
  double clock = 1;       // slowness of the clock against the file's, mean over the run
  double drift = 0;       // change of the log of the clock over the run
  double end_cycles = 1;  // Likelihood::end_cycles(), in the recorder's clock
  spec::Chip chip;        // the file's chip with the settings and deviating classes that fit the run
  std::vector<std::string> notes;
  std::vector<ClassDifference> classes;
  std::vector<PartTest> leading;  // by first-order gain, largest first
  // The factor that, lasting for the whole run, makes a part suspicious in 95 % of runs; by part of the
  // model.
  std::vector<double> detectable;
  double threshold = 0;  // for the gain, on a chip that deviates from its file as this one does
  double seen = 0;       // records over planned records
  bool cut = false;      // the recording lacks its end
  uint64_t strange = 0;  // records that the mapping does not produce
  int simulated = 0;     // runs
  // Inputs of the statistical tests whether a single part is slow. `none` is the fit without a slow part.
  std::vector<ProbeRecord> raw;  // records in the recorder's clock, with aligned counters
  std::shared_ptr<const CellSums> sums;
  std::shared_ptr<const Likelihood> likelihood;
  Solution none;

  double most_gain() const {
    return leading.empty() ? 0 : leading.front().gain;
  }
  // Returns the first of the leading parts whose gain exceeds the threshold and whose factor may lie beyond
  // half of the tolerance (in logarithms): the upper end of its 90 % interval does. nullptr: none.
  const PartTest* suspicious(double tolerance) const;
};

struct JudgeOptions {
  double tolerance = kTolerance;  // allowed deviation from the file
  bool parts = true;  // a part may be slow, so settings must explain the run better than a slow part
};
// Compares a run with the model, and converts the times of its records to cycles of the chip file's clock.
// Precondition: at least one record of the mapping.
ModelVerdict
judge(const ChipModel& model, std::vector<ProbeRecord>& records, const JudgeOptions& options = {});

// Returns a slow part with the interval and factor of the first-order scan, with which its simulation begins.
SlowPart slow_part(const PartTest& test, const ClockMap& clock, double end_cycles);

// Fits by simulation the log factors of parts that are slow together. `parts` are those that the detector
// reported.
FactorFit factors_of(
    const ChipModel& model,
    const ModelVerdict& verdict,
    std::vector<SlowPart> parts,
    bool measured = false);

// A suspect tested against the model and the raw records. Times are in cycles of the file's clock.
struct Confirmation {
  PartTest test;
  RankCheck rank;
  bool gains = false;   // the likelihood ratio is above the threshold, there or where the scan found the part
  bool slower = false;  // its raw records are slower than their peers' by rank, or there are none to compare
  bool agrees() const {
    return gains && slower;
  }
};
Confirmation confirm(
    const ChipModel& model,
    const ModelVerdict& verdict,
    const Component& suspect,
    double begin,
    double end);

}  // namespace lento::chip
