// Commands and their options: a thin wrapper of the option parser, whose own header only args.cc includes (it
// costs seconds a file to compile). Pointers and references stay valid as long as the root command.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lento::cli {

// An error in the command line, with its explanation. It is caught once, where the command line is parsed.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The values that an option accepts.
struct Check {
  std::vector<std::string> words;  // one of these, unless empty
  // Bounds of a number, when `words` is empty.
  double low = 0;
  double high = 0;
  bool whole = false;  // and a whole one
};
Check one_of(std::vector<std::string> words);
Check range(double low, double high);
template <typename T>
requires std::is_integral_v<T> Check range(T low, T high) {
  return {{}, double(low), double(high), true};
}
template <typename T>
requires std::is_integral_v<T> Check range(T high) {
  return range(T{0}, high);
}

class Option {
 public:
  Option* required();
  Option* capture_default_str();  // help shows the value that the variable holds now
  Option* type_name(const std::string& name);
  Option* check(const Check& check);
  Option* check_any(const std::vector<Check>& any);
  Option* delimiter(char c);
  Option* expected(int count);
  Option* expected(int least, int most);
  Option* excludes(Option* other);
  size_t count() const;  // how often it was given

 private:
  friend class Command;
  explicit Option(void* option)
      : option_(option) {
  }
  void* option_;
};

// The texts of one option that help and completion show.
struct OptionWords {
  std::string name;   // "--json"; empty for an operand
  std::string names;  // "-o,--output"
  std::string text;   // its description
  std::string type;   // "FILE"; empty for a flag
};

class Command {
 public:
  Command(const std::string& text, const std::string& name);  // a root
  ~Command();
  Command(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& text);
  // Adds an option whose value is stored in `value`. T is std::string, bool, an arithmetic type, a vector of
  // strings or numbers, or an optional one. Others do not link.
  template <typename T>
  Option* add_option(const std::string& names, T& value, const std::string& text);
  Option* add_flag(const std::string& names, bool& value, const std::string& text);

  void callback(std::function<void()> run);
  void footer(const std::string& text);
  void require_subcommand(int count);

  const std::string& name() const;
  const std::string& text() const;
  std::string footer() const;
  std::string help(const std::string& parents) const;
  std::vector<const Command*> subcommands() const;
  std::vector<OptionWords> options() const;
  bool takes_operands() const;
  const Command* chosen() const;  // the subcommand that was named on the command line; nullptr: none
  size_t count(const std::string& option) const;  // how often the option was given

  // Fills the variables and runs the callback of the named command. Returns true when help was requested
  // instead. Throws UsageError.
  bool parse(const std::vector<std::string>& args);

 private:
  struct Inside;
  explicit Command(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace lento::cli
