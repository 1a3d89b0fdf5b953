// Describes a line format as data: fixed words with named parts between them.
//
//   "Watchdog caught {_} WorkNCCL(SeqNum={seq:int}, OpType={op:word}, (?Timeout(ms)={timeout:int}?))"
//
//   pattern  = ["^"] {piece} ["$"]
//   piece    = literal | " " (one or more blanks) | "~" (none or more blanks) | capture | "(?" {piece} "?)"
//   capture  = "{" name [":" type] "}"       "_" names a part that is not kept
//   type     = "int" digits with a sign | "count" digits with commas between them | "num" a decimal number
//            | "hex" hexadecimal digits, 0x before them | "name" letters, digits and _ . - / | "word" no
//            blank | "text" (the default) anything up to the next piece or the rest of the line
//
// Matching is one pass from the left without going back: "word" and "text" end at the first place where the
// next literal occurs, and an optional part that fails is left out. A pattern without "^" is tried at the
// first kTries places where its first literal occurs, so that a line costs a multiple of its length at most.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lento::desk {

class Match {
 public:
  static constexpr size_t kMost = 24;
  // Returns the text of the capture with that name. Empty when it is in an optional part that the line lacks.
  std::string_view operator[](std::string_view name) const;
  bool has(std::string_view name) const {
    return !(*this)[name].empty();
  }
  std::string text(std::string_view name) const {
    return std::string((*this)[name]);
  }
  // Parses a finite number, ignoring commas between digits.
  std::optional<double> number(std::string_view name) const;
  std::optional<int64_t> integer(std::string_view name) const;

 private:
  friend class Pattern;
  struct Part {
    std::string_view name;
    std::string_view text;
  };
  std::array<Part, kMost> parts_;
  size_t size_ = 0;
};

class Pattern {
 public:
  static constexpr int kTries = 8;

  // Compiles a pattern. `text` must outlive the pattern. A mistake in it is a base::Bug, because patterns
  // are part of this program.
  explicit Pattern(std::string_view text);

  bool match(std::string_view line, Match& out) const;

  // Returns the longest fixed text that every matching line contains.
  std::string_view literal() const {
    return literal_;
  }

 private:
  enum class Type {
    Literal,
    Blanks,
    MaybeBlanks,
    Int,
    Count,
    Num,
    Hex,
    Name,
    Word,
    Text,
    OptionalBegin,
    OptionalEnd
  };
  struct Piece {
    Type type;
    std::string_view text;  // of a literal
    std::string_view name;  // of a capture
    size_t end = 0;         // of an optional part: index of its OptionalEnd
  };
  void add_capture(std::string_view inside);
  bool run(size_t first, size_t last, std::string_view line, size_t& at, Match& out) const;
  bool take(size_t index, std::string_view line, size_t& at, Match& out) const;
  size_t find_literal(size_t index, std::string_view line, size_t at) const;
  size_t end_of_text(size_t index, std::string_view line, size_t at, bool blanks) const;

  std::vector<Piece> pieces_;
  std::string_view literal_;
  bool at_start_ = false;
  bool at_end_ = false;
};

}  // namespace lento::desk
