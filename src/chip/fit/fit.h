// A chip's twin, fitted to what was recorded: how its rates and bandwidths differ from its file, and each
// part from the others of its class. From the suspect run itself, since most parts are healthy most of the
// time: the fastest transfer and the median one of each pattern, and the typical operation of each core,
// against those of simulated runs; rows and parts that lie off alone count for nothing.
//
//   Fit fit = fit_twin(sketch, chip, {.replays = replays});
//   detect(sketch, fit.twin.chip, {.replay = replays(fit.twin)});
//
// What it cannot know: a difference that all parts of a class share for the whole run is taken for the chip,
// never for a fault; a part that is slow throughout by less than its class spreads passes for unequal.
// docs/methods/chip-detect.md, "A chip unlike its file".
#pragma once

#include <string>
#include <vector>

#include "chip/detect/detect.h"
#include "chip/map/twin.h"

namespace lento::chip {

// What was found about one kind of part.
struct FittedClass {
  Part part = Part::Core;
  double ratio = 1;   // times slower than the file says; below 1: faster
  double error = 0;   // of the ratio, one standard deviation, relative
  double spread = 0;  // of the parts around it, one standard deviation, relative
  int parts = 0;      // with a number of their own
  int told = 0;       // parts that the records say anything about
};

// What was found about one part beside the others of its class.
struct FittedPart {
  Component component;
  double ratio = 1;   // times slower than its class; below 1: faster
  double error = 0;   // of the ratio, one standard deviation, relative
  bool told = false;  // whether the records say anything about it
  double ill = 1;     // times slower than its class, when that is more than healthy parts are: not fitted
};

// A recorded run, and what simulates it again. What it points to outlives the fit.
struct FitRun {
  const Sketch* sketch = nullptr;
  ReplayOf replays;  // none: nothing is fitted
};

struct Fit;

struct FitOptions {
  ReplayOf replays;            // of the one run
  const Fit* given = nullptr;  // made before, from healthy runs: it is tested, not moved
  double tolerance = -1;       // largest share by which healthy parts of a class differ; below 0: estimated
  bool buffers = true;         // whether other sizes of buffers are tried
};

struct Fit {
  Twin twin;
  std::vector<FittedClass> classes;
  std::vector<FittedPart> parts;  // of the whole chip but its routers, in order
  bool differs = false;           // from the file
  int simulated = 0;              // runs
  // Mean square of how far patterns lie from the twin, in deviations of a healthy run, each up to a bound:
  // about 1 when the twin explains the run.
  double misfit = 0;
  // The same of the half of the patterns that lie nearest, as a standard deviation: far above 1 when the chip
  // is unlike its file in a way that the twin has no number for.
  double scatter = 0;
  double course = 0;               // of the whole time course, see course.h: to compare twins by
  int other_buffers = 0;           // segments of buffers that explain the run nearly as well; 0: none do
  bool explains() const;           // the healthy share of the run
  std::vector<std::string> notes;  // what differs, for people
};

Fit fit_twin(const Sketch& sketch, const spec::Chip& chip, const FitOptions& options);

// The same from several runs of one mapping on one chip, all at once. Precondition: at least one.
Fit fit_twin(
    const std::vector<FitRun>& runs,
    const spec::Chip& chip,
    double tolerance = -1,
    bool buffers = true);

// Whether a twin that was fitted before explains this run: its misfit and scatter, nothing moved.
Fit tested(const Fit& fit, const FitRun& run);

// The chip that these classes, parts and buffers make of its file.
Twin twin_of(const spec::Chip& file, const Fit& fit, int buffer_segments);

// "links", "DRAM ports", ...
std::string class_name(Part part);

}  // namespace lento::chip
