// The names of a recording's signals by the rules of the waveform viewers: bits and slices that were dumped
// one by one are joined to a vector, an array's elements keep their indices, an escaped name keeps its
// brackets, and a name that fits two variables is an error.
//
// Names that resolve() takes, each after its scopes joined by '.':
//   v           the whole vector, also when it was dumped as v [2], v [1], v [0]
//   v[2]        a bit, v[7:4] a slice by the declared range, whichever way it was dumped
//   q[3]        an element of an array (Verilator's `q[3] [15:0]`), then q[3][7:0] a slice of it
//   \x[0]       an escaped name as it is, x[0] also when nothing else has that name
//   @CODE       the variable with this identifier code
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace lento::tile {

// Bits `first` to first + width - 1 of the recorded variable with this VCD identifier code. Bit 0 is the
// least significant.
struct SignalPart {
  std::string code;
  uint32_t first = 0;
  uint32_t width = 1;
  bool operator==(const SignalPart&) const = default;
};

class WaveNames {
 public:
  // Adds the variable of one $var section. `section` holds its type, width, identifier code and the words of
  // its name. `scope` holds the enclosing scopes, each with a '.' behind it.
  void declare(const std::string& scope, const std::vector<std::string>& section);
  size_t size() const {
    return count_;
  }

  // Returns the parts of a signal, least significant first. Throws base::Error with similar names when no
  // variable has the name, and with the identifier codes of all that have it when there are several.
  std::vector<SignalPart> resolve(const std::string& name, const base::Location& where) const;

  // Returns whether resolve() finds variables for the name.
  bool has(std::string name) const;

  struct Bit {
    std::string name;
    std::string code;
  };
  // Returns at most `most` variables of one bit whose last name contains "clk" or "clock", each code once.
  std::vector<Bit> named_clocks(size_t most) const;
  // Returns the variables of one bit that stand in the scope itself ("top.core"), not in one below it.
  std::vector<Bit> bits_in(const std::string& scope) const;
  // Returns the scope of a signal's name, "" when it has none.
  static std::string scope_of(const std::string& name);

 private:
  struct Range {
    int64_t left = 0;
    int64_t right = 0;
    int64_t low() const;
    int64_t high() const;
    bool operator==(const Range&) const = default;
  };
  struct Variable {
    std::string code;
    uint32_t width = 1;
    std::optional<Range> range;
    bool has_bits = true;  // false for reals and strings
    bool escaped = false;
  };
  struct Vector {
    std::vector<SignalPart> parts;  // least significant first
    std::optional<Range> range;
  };
  static std::optional<Range> take_range(std::string& text);
  const std::vector<Variable>* find(const std::string& name) const;
  [[noreturn]] void refuse_unknown(const std::string& name, const base::Location& where) const;
  static Vector join(std::vector<Variable> pieces, const std::string& name, const base::Location& where);
  static std::vector<SignalPart>
  select(const Vector& whole, const Range& wanted, const std::string& name, const base::Location& where);

  std::map<std::string, std::vector<Variable>> variables_;
  std::map<std::string, std::string> unescaped_;
  size_t count_ = 0;
};

}  // namespace lento::tile
