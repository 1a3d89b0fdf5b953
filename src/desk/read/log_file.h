// Recognises a file by its content and reads it with every format that fits, as a stream.
//
// Tables and documents are recognised by the first kHead bytes: the format with the largest score reads the
// whole file. Every other file is read line by line: one automaton finds the fixed words of all line forms,
// the prefixes of a line with such a word are peeled, and each form that matches hands the line to its
// reader. Memory does not grow with the file (desk/read/records.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "desk/read/format.h"
#include "desk/read/line_source.h"
#include "desk/read/prefilter.h"
#include "desk/read/records.h"

namespace lento::desk {

inline constexpr size_t kHead = size_t{1} << 16;
inline constexpr uint64_t kMostDocument = uint64_t{64} << 20;  // bytes of a file that is read whole

// Returns whether a text begins one JSON value, and is not a list of one in each line.
bool is_json_document(std::string_view head);

// All formats with compiled patterns. Built once and used for all files.
class LogReader {
 public:
  explicit LogReader(Formats formats);

  // The format that best matches the beginning of a file, and its score.
  struct Recognition {
    const Format* format = nullptr;  // nullptr: none
    double score = 0;
    std::string reason;
    bool is_mixed = false;  // its program wrote a part of the lines only
  };
  // Scores each format of tables and documents with its Format::score, and each line format by the share of
  // the lines that match one of its forms.
  Recognition recognise(std::string_view head) const;

  // Adds the rows of one file to `records`, and a SourceFile with the result of the recognition, or one for
  // each host of the output of several hosts (desk/read/host_parts.h). A file that is not recognised adds no
  // rows. Throws base::Error when the file is damaged.
  void read(LineSource& in, const std::string& name, Records& records, const base::Progress& progress = {})
      const;
  // Reads a text as read() reads a file.
  void read_text(std::string_view text, const std::string& name, Records& records) const;

  const Formats& formats() const {
    return formats_;
  }

 private:
  struct Form {
    size_t format;  // index into formats_
    size_t index;   // of the form within it
    Pattern pattern;
  };
  enum class Fallbacks {
    None,   // another reader took the line
    Lines,  // those of Shape::Lines; the readers of Shape::Rest get the line as a row instead
    All
  };
  template <class Use>
  bool each_match(std::string_view line, const Use& use, Fallbacks fallbacks) const;
  void read_one(LineSource& in, const std::string& name, Records& records, const base::Progress& progress)
      const;
  void read_document(const std::string& raw, const Format& format, int32_t file, Records& records) const;
  // Reads a file line by line. `is_known`: the file is a log of a known format, whose other lines can be
  // ignored. Then the readers for unknown text (formats of Shape::Rest) get no lines.
  void read_lines(
      LineSource& in,
      int32_t file,
      bool is_known,
      Records& records,
      const base::Progress& progress) const;
  void read_table(LineSource& in, const Format& format, int32_t file, Records& records) const;
  Recognition recognise_lines(std::string_view head) const;
  std::map<size_t, size_t> sent(std::string_view head) const;

  Formats formats_;
  std::vector<Form> forms_;
  Prefilter prefilter_;
};

// Returns one sentence about why a file is not recognised: "not known: no line fits one of 31 line forms
// ...".
std::string tried(const LogReader& reader);

}  // namespace lento::desk
