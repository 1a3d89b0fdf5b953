// The text of a VCD as events. Header grammar: { "$scope" type name "$end" | "$upscope" "$end" | "$var" type
// width code name [range] "$end" | other sections up to "$end" } "$enddefinitions" "$end". Then words: { "#"
// time | value code | ("b" | "r" | "s") value " " code | "$comment" text "$end" | "$dumpvars" and the like |
// "$end" }. A value and its code are on one line. Source: IEEE 1364-2005, section 18.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/read_report.h"
#include "tile/block/wave_names.h"

namespace lento::tile {

class VcdEvents {
 public:
  virtual ~VcdEvents() = default;
  virtual void time(uint64_t now) = 0;  // never before the time of the last call
  // A value of the variable VcdText::index_of() as digits, the most significant first.
  virtual void change(size_t variable, std::string_view digits) = 0;
  virtual void recording(bool is_on) = 0;  // at $dumpoff, and at the next section behind it
  virtual bool wants_more() const = 0;
};

class VcdText {
 public:
  VcdText(base::InputStream& in, const std::string& name, base::ReadReport& report)
      : in_(in),
        name_(name),
        report_(report) {
  }

  // Declares the variables of the header. Throws base::Error when the header cannot be read, because
  // identifier codes would be unknown.
  void read_header(WaveNames& names);
  // Passes the times and changes behind the header on, until the end or wants_more() is false. Skips and
  // counts damaged ones, and those of identifiers that the header does not declare.
  void read_changes(VcdEvents& events);
  size_t variables() const {
    return codes_.size();
  }
  size_t index_of(std::string_view code) const {
    return codes_.find(code)->second;
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  base::Location here() const {
    return {name_, int(in_.line_number())};
  }
  bool next_word(std::string& out);
  void declare(const std::vector<std::string>& section, WaveNames& names);
  void section(std::string_view word, VcdEvents& events);
  void time(std::string_view word, VcdEvents& events);
  void change(std::string_view word, std::string_view& rest, VcdEvents& events);

  base::InputStream& in_;
  const std::string& name_;
  base::ReadReport& report_;
  std::string line_;
  std::string_view rest_;  // of line_
  std::vector<std::string> scope_;
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> codes_;
  uint64_t time_ = 0;
  bool in_comment_ = false;
  bool is_off_ = false;  // since $dumpoff, when all values are x
};

}  // namespace lento::tile
