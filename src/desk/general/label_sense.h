// Derives the role of a labelled number in the log of a program: a speed, the number of a step, a rank
// (step_series.cc).
#pragma once

#include <string>
#include <vector>

#include "desk/general/labels.h"

namespace lento::desk {

// How the values of a speed are found in a log, most preferred first.
enum class Source {
  Named,   // a number whose label or unit shows that it is a time or a rate of the work
  Stamps,  // the time stamps of lines that name one step after another, as seconds a step
  Sums,    // the increase of a number that counts the time since the program began
  Unnamed  // a number with a unit of time, whose label does not show what took that time
};

// The meaning of a label with its unit. It is cached, because a log repeats its labels.
struct LabelSense {
  std::string name;  // of the quantity, when the number is a value of a series
  Measure measure;   // meaning, unit and scale: a rate, a duration, or a size of a step such as the batch
  Source source = Source::Named;
  bool is_series = false;
  bool is_rank = false;
  bool is_step = false;
  double seconds = -1;  // the number's unit in seconds, when it is a time since the program began; else -1
};

LabelSense sense_of(const LabelledValue& value);

// Returns whether a word of a line is a state, a measure, a rank, or names parts or states, so that it has a
// meaning without the words beside it.
bool has_meaning_alone(std::string_view word);

// Returns whether a label with these words names work that a rank does alone.
bool is_local_work(const std::vector<std::string>& words);

}  // namespace lento::desk
