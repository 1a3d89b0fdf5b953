// Errors with a place and a hint, and checks for our own bugs.
//
//   throw Error({"chip.yaml", 4, 12}, "unit 'Ghz' is not known", "write 'GHz'");
//   -> chip.yaml:4:12: error: unit 'Ghz' is not known
//      hint: write 'GHz'
//
// Error: the input or the environment makes it impossible to go on. It is caught once, in cli::run (exit 2).
// Bug: a promise of our own code is broken. LENTO_CHECK throws it (exit 3). User input never reaches a check.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lento::base {

// A place in an input. Lines and columns count from 1, and 0 means that there is none. `path` names a place
// inside a structured file (`layers[3].name`) and is shown when there is no line.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  std::string path = {};
};

std::string to_string(const Location& where);

class Error : public std::runtime_error {
 public:
  // An empty Location ({}) adds no place: the message starts with "error: ".
  Error(const Location& where, std::string_view message, std::string_view hint = {});
};

class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Collects several errors of one input, so that one run reports all of them.
class ErrorList {
 public:
  void add(const Location& where, std::string_view message, std::string_view hint = {});
  bool empty() const {
    return messages_.empty();
  }
  // Throws one Error that holds all messages (at most 20 are written out). Does nothing when there are none.
  void throw_if_any() const;

 private:
  std::vector<std::string> messages_;
};

// Returns the candidate nearest to `word` by edit distance, or "" when none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// Returns "did you mean 'x'?" for the nearest candidate, else "one of: a, b, c".
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

[[noreturn]] void fail_check(const char* file, int line, const char* condition, std::string_view what);

}  // namespace lento::base

#define LENTO_CHECK(condition, what)                                     \
  do {                                                                   \
    if (!(condition))                                                    \
      ::lento::base::fail_check(__FILE__, __LINE__, #condition, (what)); \
  } while (false)
