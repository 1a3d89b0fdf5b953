// Numbers of a line with the words and the unit that state their meaning, for text of programs that no reader
// is made for: "iter time: 112.2 ms", "Throughput (req/sec): 7.3", "1.2 GB/s", "errors=3".
//
//   number = digits {"," digits} ["." digits] ["e" digits] ["K" | "M" | "G" | "T"]
//   label  = up to five words before it, and blanks, ":", "=" or quotes between
//   unit   = letters behind it, or in parentheses at the end of the label
//
// Parts of dates, addresses and names are no numbers of the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

struct LabelledValue {
  std::string label;
  std::string unit;
  double value = 0;
  bool has_point = false;     // "398000.0"
  bool is_bracketed = false;  // "0.21 (0.23)": most often an average of the numbers before
};

// Returns at most 32 numbers of one line.
std::vector<LabelledValue> labelled_values(std::string_view line);

enum class Meaning {
  None,
  Rate,         // of work: high is fast
  Duration,     // of a unit of work: low is fast
  Clock,        // of a processor
  Capacity,     // how much of something is there: memory, processors, lanes; less is a part that is missing
  LostShare,    // percent that is lost: packets, time of waiting for a disk or taken by a hypervisor
  Errors,       // a counter of errors or drops
  Uncorrected,  // a counter of errors that hardware could not correct
  Corrected,    // errors that hardware corrected: ordinary
  Step,         // a position of the program
  Work          // a size of a step: batch, sequence
};

struct Measure {
  Meaning meaning = Meaning::None;
  std::string unit;  // of the scaled value: "s", "B/s", "FLOP/s"
  double scale = 1;
};

// Returns the meaning of a unit alone: "GB/s" is a rate, "ms" a duration.
Measure measure_of_unit(std::string_view unit);
// Returns 1000 for "k" and "K", and so on to "P". 1 for other letters.
double factor_of(char letter);
// Returns the seconds of a unit of time: 1e-3 for "ms". 0 for other words.
double seconds_of(std::string_view unit);

// Returns the meaning of a label with its unit. An ambiguous name has the meaning None.
Measure measure_of(std::string_view label, std::string_view unit);

// Returns whether a label names a time that does not measure how fast the work is done: "eta", "val time",
// "max".
bool is_other_time(std::string_view label);

// Returns whether a column holds the time in which requests were answered ("await", "rtt"). The rates beside
// it are then the load on the device and not its speed.
bool names_response_time(std::string_view label);

// Returns the words of a label in lower case: "CurrSamplesPerSec" has four.
std::vector<std::string> label_words(std::string_view label);

}  // namespace lento::desk
