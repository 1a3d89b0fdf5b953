// The one table behind every door of the desk: a log, a scrape, a CSV file and a page of counters all become
// rows of it. A reader writes rows and draws no conclusion. A judge reads rows and never sees a format.
//
//   event        something happened: a time, a subject, a kind of the catalogue, the quoted line
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

// Where in the machine or in the job. An empty member is not stated by the file.
struct Subject {
  std::string host;
  std::string device;  // "gpu3", "0000:4b:00.0", "mlx5_6"
  std::string rank;    // a number of the job
  auto operator<=>(const Subject&) const = default;
  bool empty() const {
    return host.empty() && device.empty() && rank.empty();
  }
};
// "node17/gpu3", "rank 37", "node17 rank 3"; "the job" when nothing is stated.
std::string subject_text(const Subject& subject);

// Times of different clocks have no order among them. Boot time is seconds since the kernel of one host
// started. A Yearless time counts from the first of January of a year that the file does not name.
enum class Clock {
  None,
  Unix,
  Yearless,
  Boot
};
struct Moment {
  Clock clock = Clock::None;
  double seconds = 0;
};
// "2026-10-02 11:08:25", "10-02 11:08:25", "1209341.1 s after boot"; "" without a clock.
std::string moment_text(const Moment& moment);

// The place a record was read from. Lines count from 1; 0 stands for the file as a whole.
struct Where {
  int32_t file = 0;  // index into Records::files
  int64_t line = 0;
};

// The behaviour of a quantity decides the statistic that may judge it.
enum class Kind {
  Level,      // a physical size: clock, temperature, step time
  Counter,    // counts since some start: packets, errors
  Share,      // between 0 and 1, or percent
  FewValued,  // one of a handful of values: a link width, a transport
  Code,       // an identifier or a set of bits
  Flag,       // yes or no
  Annotation  // a name, a version, a label: never judged
};

// The side on which a deviation from the peers is a fault. Same: any difference is one.
enum class Better {
  Neither,
  Higher,
  Lower,
  Same
};

// Own: the row holds the subject's own value. Job: it holds a value of the job as a whole, whichever rank
// wrote it, since all ranks take their steps together. Extreme: it holds the largest or smallest value over
// all ranks and the subject is the rank that had it, or none where the file does not state it. What the
// opposite end had is then expected of it.
enum class Scope {
  Own,
  Job,
  Extreme
};

struct Quantity {
  std::string name;  // "step time", "PCIe width"
  std::string unit;  // "s", "lanes", "" for a text
  Kind kind = Kind::Level;
  Better better = Better::Neither;
  std::string group;  // only subjects of one group are peers: a device model, a communicator
  Scope scope = Scope::Own;
  std::string advice;  // what to do about a subject that deviates
  // Parts may differ in the work that they have (pipeline stages), so that only a change is a fault.
  bool by_role = false;
  bool is_wait = false;  // time in which a part waits for others
};

struct Observation {
  uint32_t subject = 0;   // index into Records::subjects
  uint32_t quantity = 0;  // index into Records::quantities
  Moment time;
  double step = kUnknown;
  double value = kUnknown;
  std::string text;            // the value of a state that is no number
  std::string note;            // on the value: "the counter is full"
  double expected = kUnknown;  // what the subject itself states it could reach
  Where where;
  bool is_state() const {
    return time.clock == Clock::None && std::isnan(step);
  }
};

enum class Severity {
  Note,     // worth a lane on the time axis
  Warning,  // may explain something slow
  Fault     // a part or a program is broken
};

// The side that an event accuses. Consequence: another event came first and this one follows from it.
enum class Origin {
  Unclear,
  Hardware,
  Link,
  Program,
  Operator,
  Consequence
};

struct Event {
  std::string kind;  // key of a catalogue: "xid/79", "collective/timeout"
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
// The value of a field; "" when the event has none of that name.
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
