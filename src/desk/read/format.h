// The one interface of a reader of the desk. A format is data (line patterns with sample lines) and a reader
// that turns matches into rows.
//
//   const LineForm kForms[] = {{"Watchdog caught collective {_} SeqNum={seq:int}, ", {"..."}}};
//   class Watchdog : public Reader { void take(size_t form, const Match& m, Sink& sink) override { ... } };
//   const Format kWatchdog{"PyTorch watchdog", "pytorch", kForms, Shape::Lines, make<Watchdog>};
//
// Lines: a reader gets the lines that match one of its forms, wherever they are in a file: one log may feed
// several formats. Table: the file as a whole is of this form, its reader gets every line. Document: the file
// is one JSON value or the like, its reader gets the whole text. Rest: its reader gets the lines that no
// other one took, of a file whose beginning no format fits.
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

// The output of the readers of one file. It adds to each row the information of the line's prefixes (rank,
// host, time), the file and the line number, and masks secrets in quoted text.
class Sink {
 public:
  Sink(Records& records, int32_t file)
      : records_(records),
        file_(file) {
  }

  // Sets the location and prefixes for the next rows.
  void at(std::string_view line, int64_t number, const Subject& subject, const Moment& time);

  struct Place {
    Subject subject;         // members left empty are filled from the line's prefixes
    double step = kUnknown;  // a sample without a step has the line's time
    double expected = kUnknown;
    std::string note = {};  // about the value of a state
  };
  void sample(const Quantity& quantity, double value, const Place& place);
  void state(const Quantity& quantity, double value, const Place& place);
  void state(const Quantity& quantity, std::string text, const Place& place);
  // Adds an event. `text`, `time`, `where` and empty members of the subject are filled in.
  void event(Event event);
  void run(Run run);

  // For lines: passes the next `lines` lines of the file to Reader::behind, for reports that span several
  // lines.
  void follow(int lines) {
    following_ = lines;
  }
  int following() const {
    return following_;
  }

  // For documents and fallbacks: counts a statement of the file that the reader understood, whether it
  // becomes a row or shows that nothing is wrong. Without any, the file is not recognised.
  void took() {
    ++taken_;
  }
  uint64_t taken() const {
    return taken_;
  }
  // Notes the PCI address of a device that has a number.
  void address(const Subject& by_number, const std::string& address) {
    records_.note_address(filled(by_number), address, file_);
  }
  // Notes the node on which a pod runs.
  void pod(const std::string& name, const std::string& node) {
    records_.note_pod(name, node);
  }
  // Notes a kind of fault that the file, as far as it was read, would have shown.
  void covers(std::string_view what);

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
  void set_time(const Moment& time) {  // for tables, whose time is a column
    time_ = time;
  }
  uint64_t secrets() const {
    return secrets_;
  }

 private:
  Subject filled(Subject subject) const;
  void note_row();
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
  // For lines: receives a line that matches the form with that index. `match` is valid during the call.
  virtual void take(size_t form, const Match& match, Sink& sink);
  // For lines: receives one of the lines that the reader requested with Sink::follow.
  virtual void behind(std::string_view line, Sink& sink);
  // For tables: receives every line without the prefixes of launchers. Returns false when the line is not
  // part of the table.
  virtual bool row(std::string_view line, Sink& sink);
  // For documents: receives the whole text. Throws base::Error when it is damaged.
  virtual void document(std::string_view text, const std::string& path, Sink& sink);
  // Called at the end of the file, to write rows that the reader has collected.
  virtual void end(Sink& sink);
};

enum class Shape {
  Lines,
  Table,
  Document,
  Rest
};

struct Format {
  std::string_view name;            // "PyTorch watchdog"
  std::string_view family;          // its folder: "pytorch"
  std::span<const LineForm> forms;  // empty for tables and documents
  Shape shape = Shape::Lines;
  std::unique_ptr<Reader> (*make)() = nullptr;
  // For tables and documents: returns how well the beginning of a file matches, 0 to 1, and the reason in a
  // few words.
  double (*score)(std::string_view head, std::string& reason) = nullptr;
  // A program's name in line prefixes ("kernel"). Lines of that program belong to the format even when no
  // form matches, so that a log without faults is recognised.
  std::string_view sender = {};
  std::string_view covers = {};  // what a file of this format shows to be absent when it gives no finding
  // The format receives only lines that no other format took. It makes a file recognised only when its reader
  // reports that it took something (Sink::took).
  bool is_fallback = false;
  // Fallbacks get the lines of this format too, since its reader takes only a part of what they state.
  bool is_shared = false;
  // Its forms match a line with its prefixes. Only for fallbacks.
  bool is_of_whole_line = false;
};

template <class T>
std::unique_ptr<Reader> make() {
  return std::make_unique<T>();
}

using Formats = std::vector<const Format*>;

}  // namespace lento::desk
