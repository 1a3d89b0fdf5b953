// The door of the chip's model: compares a run's records with the chip file and finds the slow part.
//
//   const ChipModel model = learn({chip, program, inferences});
//   ModelVerdict v = judge(model, records);      // times of `records` become cycles of the file's clock
//   bool named = confirm(model, v, suspect).agrees();
//
// likelihood.h holds the formula, whose nuisances explain what is no part's fault. The threshold is the
// extrapolated maximum over healthy draws with all nuisances drawn. A rank test on raw records must agree
// before a part is named.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chip/model/clocks.h"
#include "chip/model/factors.h"
#include "chip/model/parts.h"
#include "chip/model/rank.h"

namespace lento::chip {

// Chips with other settings, simulated when they are first asked for.
class Shifts {
 public:
  explicit Shifts(const LearnSetup& setup)
      : setup_(setup) {
  }
  const std::vector<float>& of(const Dictionary& dictionary, const spec::Chip& chip);
  int simulated() const {
    return simulated_;
  }

 private:
  LearnSetup setup_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::vector<float>> known_;  // by issue window and buffers
  int simulated_ = 0;
};

struct ChipModel {
  LearnSetup setup;
  Dictionary dictionary;
  std::vector<PartCells> parts;
  std::shared_ptr<Shifts> shifts;
  double threshold = 0;            // of the gain of a part
  std::array<double, 4> misfit{};  // of healthy draws at most, by kind of record
  std::vector<double> healthy_gains;
};

struct LearnOptions {
  int draws = 24;
  double false_alarms = 0.005;
};
// `setup` names a chip and a program that outlive the model.
ChipModel learn(const LearnSetup& setup, const LearnOptions& options = {});
// About how many runs that simulates.
int simulations_to_learn(const LearnOptions& options = {});

// A class, or the whole chip, that differs from the file by more than its tolerance.
struct ClassDifference {
  std::string what;  // "all links", "the whole chip"
  double factor = 1;
  // 90 %
  double low = 1;
  double high = 1;
};

struct ModelVerdict {
  Clocks clocks;
  ClockMap clock_map;
  double clock = 1;       // times slower than the file's, mean over the run
  double drift = 0;       // change of its log over the run
  double end_cycles = 1;  // of the recorder's clock
  spec::Chip chip;        // the file with its settings as they fit the run
  std::vector<std::string> notes;
  std::vector<ClassDifference> classes;
  std::vector<PartTest> leading;   // by first order, largest gain first
  std::vector<double> detectable;  // by part of the model
  double misfit = 0;               // times what healthy draws have at most
  double seen = 0;                 // share of the planned records
  uint64_t strange = 0;
  // The tests of single parts need these.
  std::vector<ProbeRecord> raw;  // aligned, in the recorder's clock
  std::shared_ptr<const CellSums> sums;
  std::shared_ptr<const Likelihood> likelihood;
  Solution none;

  double most_gain() const {
    return leading.empty() ? 0 : leading.front().gain;
  }
};

struct JudgeOptions {
  double tolerance = 0.1;  // of the file
  bool parts = true;       // some part may be slow: settings must explain the run better than it does
};
// Precondition: at least one record of the mapping.
ModelVerdict
judge(const ChipModel& model, std::vector<ProbeRecord>& records, const JudgeOptions& options = {});

// A part as it is simulated first: with the interval and about the factor that the first order has.
SlowPart slow_part(const PartTest& test, const ClockMap& clock, double end_cycles);

// Log factors of parts that are slow together, fitted by simulation; `parts` as the detector has them.
FactorFit factors_of(
    const ChipModel& model,
    const ModelVerdict& verdict,
    std::vector<SlowPart> parts,
    bool measured = false);

// A suspect of any detector before the model and the raw records. Times in cycles of the file's clock.
struct Confirmation {
  PartTest test;
  RankCheck rank;
  bool gains = false;   // the model's likelihood ratio is above its threshold
  bool slower = false;  // and so are the raw records by rank
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
