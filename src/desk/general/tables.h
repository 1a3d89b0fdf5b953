// Tables and boxes in reports: a head of names above rows of cells (grammar: report.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "desk/general/entries.h"

namespace lento::desk {

class Tables {
 public:
  explicit Tables(Entries& entries)
      : entries_(entries) {
  }
  // The next functions take a line without blanks around it. `host` is the host that wrote it, or empty. They
  // return whether the line is a row with a known meaning, or a head.
  bool table_row(std::string_view text, const std::string& host, Sink& sink);
  bool box_line(std::string_view text, const std::string& host, Sink& sink);
  bool begin_table(std::string_view text);

  // Takes a line of dashes or other rule signs, which marks the line before it as the head of a table. A rule
  // with gaps ("-----  ----") also states where the columns begin, so that a row may leave cells empty.
  void rule(std::string_view text);
  // Keeps a line as a possible head. A row of at least five numbers makes the line before it the head, when
  // both have as many words.
  void note_line(std::string_view text);
  // Keeps a line of a box as a possible line of the head of rows below the box.
  void note_above(std::string_view text);
  void blank_line();
  // Sets the device ("gpu3", "" for none) that rows are about when no cell of theirs names a subject.
  void set_device(const std::string& device) {
    device_ = device;
  }
  // Sets how many blanks precede the next line, because columns are compared by their place.
  void set_indent(size_t indent) {
    indent_ = indent;
  }
  // Returns whether the line is a row of two cells in a box without a head, so a key and its value.
  bool is_pair_of_box(const std::vector<std::string>& cells) const {
    return head_.empty() && cells.size() == 2 && !cells[0].empty() && !cells[1].empty();
  }
  bool is_open() const {
    return !columns_.empty();
  }
  // Sets the unit of later numbers that state none, from a line such as "are in MB/sec".
  void set_unit(const std::string& unit) {
    unit_ = unit;
  }

 private:
  bool is_first_row(std::string_view text, size_t& names) const;
  void promote(std::vector<std::string> cells);
  void name_rows(size_t count);
  void start_table(std::vector<std::string> cells);
  static bool means(const std::string& name);
  std::vector<std::string> cells_below(std::string_view text) const;
  bool fields(
      const std::vector<std::string>& columns,
      const std::vector<std::string>& cells,
      const std::string& prefix,
      Sink& sink);
  bool cell(
      const std::string& column,
      const std::string& value,
      const std::string& name,
      const Subject& subject,
      Sink& sink);
  bool box_row(const std::vector<std::vector<std::string>>& lines, Sink& sink);
  std::vector<std::string> cells_below_begins(std::string_view text) const;
  void list_part(
      const std::vector<std::string>& columns,
      const std::vector<std::string>& cells,
      const Subject& subject,
      Sink& sink);

  Entries& entries_;
  std::string host_;  // that wrote the line
  std::string device_;
  bool has_rows_ = false;             // of the last head
  size_t name_words_ = 1;             // in front of the numbers of a row
  char separator_ = ' ';              // ',' or '|' sets the cells apart, else gaps do
  bool is_ruled_ = false;             // a rule is below the head
  std::vector<size_t> begins_;        // of the columns, where the rule or gaps of the head state them
  bool is_load_ = false;              // its rates are loads on the parts
  std::vector<std::string> columns_;  // the head, set apart by gaps
  std::vector<std::string> words_;    // the same, set apart by blanks
  std::string head_line_;
  std::vector<std::string> above_;  // the last lines of a possible head, as they stand
  bool has_bars_ = false;           // the columns are found by their place, whatever bars lie between
  std::string candidate_;           // the line before
  size_t indent_ = 0;               // of the line
  size_t candidate_indent_ = 0;
  std::string prefix_;
  std::string unit_;
  Measure of_row_;  // of the row's name, for columns without a meaning of their own
  std::vector<std::vector<std::string>> head_;  // of a box
  std::vector<std::vector<std::string>> box_;
  bool has_box_rows_ = false;  // below the head
};

}  // namespace lento::desk
