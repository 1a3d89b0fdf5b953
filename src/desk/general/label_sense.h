// The part that a labelled number plays in the log of a program: a speed, a position, a rank
// (step_series.cc).
#pragma once

#include <string>
#include <vector>

#include "desk/general/labels.h"

namespace lento::desk {

// The source of a series of speeds, most preferred first.
enum class Source {
  Named,   // label or unit shows that it is a speed
  Stamps,  // of lines that name steps
  Sums,    // a time since the program began
  Unnamed  // a time of something
};

// The meaning of a label with its unit. It is cached, because a log repeats its labels.
struct LabelSense {
  std::string name;  // of a series
  Measure measure;   // of a speed or a size of a step
  Source source = Source::Named;
  bool is_series = false;
  bool is_rank = false;
  bool is_step = false;
  double seconds = -1;  // of one, where the number is a time since the program began
};

LabelSense sense_of(const LabelledValue& value);

// Returns whether a label with these words names work that a rank does alone.
bool is_local_work(const std::vector<std::string>& words);

}  // namespace lento::desk
