// Takes the statements of a report about hardware parts and services, whichever form it has (pairs, tables,
// boxes, JSON): a number, a condition or a flag under a key. Numbers are compared between peers. A bad
// condition and a flag that is set become events.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "desk/general/labels.h"
#include "desk/read/format.h"

namespace lento::desk {

inline constexpr size_t kLongestName = 80;  // of a key or a part

class Entries {
 public:
  // Takes a value under a key. Returns whether it has a known meaning.
  bool entry(const std::string& key, std::string_view value, const Subject& subject, Sink& sink);
  // Takes a value that may be a word for a state. Returns whether it is one.
  bool condition(std::string_view key, std::string_view value, const Subject& subject, Sink& sink);
  // Takes a number. A number without a known meaning is compared too, but raises only a question. Returns
  // whether it has a known meaning.
  bool
  number(const std::string& name, const Measure& measure, double value, const Subject& subject, Sink& sink);
  // Adds a part to those that the report lists, whatever it states about it, because incident/census.cc
  // compares the hosts by the number of parts that they list. With `by_name`, hosts are compared only when
  // they list the same names, because the rows of a table may be about anything.
  void part(const std::string& device, Sink& sink, bool by_name = false);
  // Writes an event for a part in a bad state.
  void bad_state(const std::string& meaning, const Subject& subject, Sink& sink);
  // Writes a question about the state of a service, or about an error, which names no part of a machine.
  // `remedy` would answer it.
  void open_state(const std::string& meaning, Sink& sink, const std::string& remedy = "");
  void note_states(Sink& sink);  // the report states conditions of parts, so it shows when none is bad
  void note_rows() {             // another function wrote rows, so the file counts as recognised
    has_rows_ = true;
  }
  // Writes the rows. `is_read_in_full`: each line of the report is one of these entries or frames them, so
  // that peers which state the same are shown to be set up alike.
  void end(bool is_read_in_full, Sink& sink);
  // Returns how many values and states were kept.
  size_t kept() const {
    return kept_;
  }

 private:
  static constexpr size_t kMostNames = 4096;
  static constexpr size_t kMostValues = 1024;  // of one name

  struct Value {
    Quantity quantity;
    Subject subject;
    std::vector<double> values;
    std::string text;
    int64_t line = 0;
    bool is_meant = false;
  };
  // A bad state of a whole that follows from that of a member (is_consequence()), such as of a disk array
  // from a disk. It is reported only when the report holds no other bad state.
  struct LesserState {
    std::string meaning;
    Subject subject;
    std::string line;
    int64_t number = 0;
  };
  bool share_of_members(const std::string& key, std::string_view value, const Subject& subject, Sink& sink);
  void lesser_state(const std::string& meaning, const Subject& subject, Sink& sink);
  bool flag(const std::string& key, std::string_view value, const Subject& subject, Sink& sink);
  Value* value_of(const std::string& name, const std::string& unit, const Subject& subject, Sink& sink);
  void odd_text(const std::string& key, std::string_view value, const Subject& subject, Sink& sink);

  size_t kept_ = 0;
  bool has_states_ = false;
  bool has_rows_ = false;
  bool has_fault_ = false;
  std::map<std::string, Value> values_;
  std::vector<LesserState> lesser_;
};

// Returns the meaning of a number under a key. The unit of a column may end its name: "Best Rate MB/s".
Measure column_measure(const std::string& name);

bool is_speed(Meaning meaning);

}  // namespace lento::desk
