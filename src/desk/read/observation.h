// Defines the rows into which all formats are converted: logs, scrapes, CSV files and pages of counters.
// Readers write rows and draw no conclusions. Judges read rows and do not depend on formats.
//
//   event        something happened: a time, a subject, a kind such as "xid/79", the quoted line
//   observation  a quantity of a subject has a value; with a time or a step it is a sample, else a state
//   run          a benchmark or a training run as a whole: how it was set up and what it reached
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lento::desk {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A part of a machine or of the job. Empty members are not stated by the file.
struct Subject {
  std::string host;
  std::string device;  // "gpu3", "0000:4b:00.0", "mlx5_6"
  std::string rank;    // number of the rank in the job
  auto operator<=>(const Subject&) const = default;
  bool empty() const {
    return host.empty() && device.empty() && rank.empty();
  }
};
// Formats a subject: "node17/gpu3", "rank 37", "node17 rank 3", or "the job" when it is empty.
std::string subject_text(const Subject& subject);

// The clock of a time. Times of different clocks cannot be compared. Boot is in seconds since the kernel of
// a host started. Yearless counts from the first of January of a year that the file does not state.
enum class Clock {
  None,
  Unix,
  Yearless,
  Boot
};
struct Moment {
  Clock clock = Clock::None;
  double seconds = 0;
  // How far the zone that the text states is ahead of UTC (minutes), kLocal for a date without a zone, and
  // kAbsolute for a number of seconds.
  int zone = kAbsolute;
  static constexpr int kAbsolute = INT32_MAX;
  static constexpr int kLocal = INT32_MIN;
};
// Formats a time: "2026-10-02 11:08:25", "10-02 11:08:25", "1209341.1 s after boot". "" without a clock.
std::string moment_text(const Moment& moment);

// The location of a record. Lines count from 1, and 0 is the file as a whole.
struct Where {
  int32_t file = 0;  // index into Records::files
  int64_t line = 0;
};

// The kind of a quantity, which decides the statistic that may judge it.
enum class Kind {
  Level,      // a physical quantity: clock, temperature, step time
  Counter,    // counts since some start: packets, errors
  Share,      // between 0 and 1, or percent
  FewValued,  // one of a handful of values: a link width, a transport
  Code,       // an identifier or a set of bits
  Flag,       // yes or no
  Annotation  // a name, a version, a label: never judged
};

// The side on which a deviation from peers is a fault. With Same, any difference is a fault.
enum class Better {
  Neither,
  Higher,
  Lower,
  Same
};

// The meaning of a row's value. Own: the subject's own value. Job: a value of the whole job, whichever rank
// wrote it, because all ranks take their steps together. Extreme: the largest or smallest value over all
// ranks, where the subject is the rank that had it (empty when not stated), and `expected` is the value at
// the opposite end.
enum class Scope {
  Own,
  Job,
  Extreme
};

// The group of parts that a table lists by names that the hosts share: a host that lacks a name has lost that
// part.
inline constexpr const char* kListedByName = "listed by name";

struct Quantity {
  std::string name;  // "step time", "PCIe width"
  std::string unit;  // "s", "lanes", "" for a text
  Kind kind = Kind::Level;
  Better better = Better::Neither;
  std::string group;  // only subjects of one group are peers: a device model, a communicator
  Scope scope = Scope::Own;
  std::string advice;  // what to do about a subject that deviates
  // Ranks may have different work by their role in the job (pipeline stages), so that only a change is a
  // fault and not a constant difference.
  bool by_role = false;
  bool is_wait = false;  // time in which a part waits for others
  // Work that a part was given or does (utilisation in percent, power): a part with less of it than its peers
  // may be idle, so that it raises a question and is not compared by quantities that need load.
  bool is_load = false;
  bool needs_load = false;  // a clock: low on an idle part
};

struct Observation {
  uint32_t subject = 0;   // index into Records::subjects
  uint32_t quantity = 0;  // index into Records::quantities
  Moment time;
  double step = kUnknown;
  double value = kUnknown;
  std::string text;            // the value of a state that is not a number
  std::string note;            // about the value: "the counter is full"
  double expected = kUnknown;  // what the subject states as its capability
  Where where;
  bool is_state() const {
    return time.clock == Clock::None && std::isnan(step);
  }
};

enum class Severity {
  Note,     // shown on the time axis only
  Warning,  // may explain something slow
  Fault     // a part or a program is broken
};

// The probable cause of an event. Consequence: it follows from an earlier event.
enum class Origin {
  Unclear,
  Hardware,
  Link,
  Program,
  Operator,
  Consequence
};

struct Event {
  std::string kind;  // a fixed key that judges compare: "xid/79", "collective/timeout"
  Severity severity = Severity::Note;
  Origin origin = Origin::Unclear;
  Moment time;
  Subject subject;
  std::string meaning;                                      // a noun phrase: "GPU fell off the bus"
  std::string action;                                       // a sentence in the imperative
  std::string text;                                         // the line, secrets masked
  std::vector<std::pair<std::string, std::string>> fields;  // named parts of the line
  uint64_t count = 1;
  Where where;
};
// Returns the value of a field, or "" when the event has no such field.
const std::string& field(const Event& event, std::string_view name);

struct Run {
  std::string kind;                                        // "collective benchmark", "job", "kernel summary"
  Subject subject;                                         // empty for the job as a whole
  std::vector<std::string> members;                        // hosts that took part
  std::vector<std::pair<std::string, std::string>> facts;  // "model" -> "llama", "state" -> "FAILED"
  std::vector<std::pair<Quantity, double>> measured;
  std::string text;
  Where where;
};
const std::string& fact(const Run& run, std::string_view name);
std::optional<double> measured(const Run& run, std::string_view name);

}  // namespace lento::desk
