// The one interface of a reader of the desk. A format is data (line patterns with sample lines) and a reader
// that turns matches into rows.
//
//   const LineForm kForms[] = {{"Watchdog caught collective {_} SeqNum={seq:int}, ", {"..."}}};
//   class Watchdog : public Reader { void take(size_t form, const Match& m, Sink& sink) override { ... } };
//   const Format kWatchdog{"PyTorch watchdog", "pytorch", kForms, Shape::Lines, make<Watchdog>};
//
// Lines: a reader gets the lines that match one of its forms, wherever they stand in a file: one log may feed
// several formats. Table: the file as a whole is of this form, its reader gets every line. Document: the file
// is one JSON value or the like, its reader gets the whole text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "desk/read/observation.h"
#include "desk/read/pattern.h"
#include "desk/read/records.h"

namespace lento::desk {

struct LineForm {
  std::string_view pattern;               // grammar: desk/read/pattern.h
  std::vector<std::string_view> samples;  // lines that must match it, which the tests check
};

// Where the readers of one file write. It adds to each row what the line's prefixes state (rank, host, time),
// file and line number, and masks secrets in quoted text.
class Sink {
 public:
  Sink(Records& records, int32_t file)
      : records_(records),
        file_(file) {
  }

  // The position that the next rows belong to.
  void at(std::string_view line, int64_t number, const Subject& subject, const Moment& time);

  struct Place {
    Subject subject;         // members left empty are filled from the line's prefixes
    double step = kUnknown;  // a sample without a step has the line's time
    double expected = kUnknown;
    std::string note = {};  // on the value of a state
  };
  void sample(const Quantity& quantity, double value, const Place& place);
  void state(const Quantity& quantity, double value, const Place& place);
  void state(const Quantity& quantity, std::string text, const Place& place);
  // `text`, `time`, `where` and empty members of the subject are filled in.
  void event(Event event);
  void run(Run run);

  // Lines: hands the next `lines` lines of the file to Reader::behind too, for reports of several lines.
  void follow(int lines) {
    following_ = lines;
  }
  int following() const {
    return following_;
  }

  // Documents: a part of it was understood, whether it becomes a row or shows that nothing is wrong.
  void took() {
    ++taken_;
  }
  uint64_t taken() const {
    return taken_;
  }

  const Subject& subject() const {
    return subject_;
  }
  const Moment& time() const {
    return time_;
  }
  std::string_view line() const {
    return line_;
  }
  int64_t number() const {
    return number_;
  }
  void set_time(const Moment& time) {  // for tables, whose times are data
    time_ = time;
  }
  uint64_t secrets() const {
    return secrets_;
  }

 private:
  Subject filled(Subject subject) const;
  Observation row(const Quantity& quantity, const Place& place);

  Records& records_;
  int32_t file_ = 0;
  std::string_view line_;
  int64_t number_ = 0;
  Subject subject_;
  Moment time_;
  size_t secrets_ = 0;
  int following_ = 0;
  uint64_t taken_ = 0;
};

class Reader {
 public:
  virtual ~Reader() = default;
  // Lines: a line that matches the format's form of that index. `match` lives as long as the call.
  virtual void take(size_t form, const Match& match, Sink& sink);
  // Lines: one of the lines behind a match that the reader asked for with Sink::follow.
  virtual void behind(std::string_view line, Sink& sink);
  // Table: every line, prefixes of launchers peeled off. False: the line is not one of the table.
  virtual bool row(std::string_view line, Sink& sink);
  // Document: the whole text. Throws base::Error when it is broken.
  virtual void document(std::string_view text, const std::string& path, Sink& sink);
  // The end of the file: what a reader has gathered becomes rows.
  virtual void end(Sink& sink);
};

enum class Shape {
  Lines,
  Table,
  Document
};

struct Format {
  std::string_view name;            // "PyTorch watchdog"
  std::string_view family;          // its folder: "pytorch"
  std::span<const LineForm> forms;  // empty for tables and documents
  Shape shape = Shape::Lines;
  std::unique_ptr<Reader> (*make)() = nullptr;
  // Tables and documents: how well the beginning of a file fits, 0 to 1, and the reason in a few words.
  double (*score)(std::string_view head, std::string& reason) = nullptr;
  // Lines whose prefix names this program ("kernel") are of the format even where none of its forms matches,
  // so that a log without faults is known for what it is.
  std::string_view sender = {};
  std::string_view covers = {};  // what a file of it without a finding shows to be absent
  // Gets only the lines that no other format took, and makes no file known.
  bool is_fallback = false;
};

template <class T>
std::unique_ptr<Reader> make() {
  return std::make_unique<T>();
}

using Formats = std::vector<const Format*>;

}  // namespace lento::desk
