// The rows that the readers of the desk wrote, in bounded memory whatever the size of the files.
//
// A series (one quantity of one subject in one file) keeps at most kSeriesRows samples: when it is full every
// second one is dropped and from then on only every second one is taken, so that a log of any length leaves
// an even sample of itself. Events of one kind and subject are kept up to kEventRows and counted beyond.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "desk/read/observation.h"

namespace lento::desk {

struct SourceFile {
  std::string path;                  // as the user named it
  std::vector<std::string> formats;  // that its content fits
  std::vector<std::string> covers;   // what the file would have shown if it existed
  std::string reason;                // why the file was recognised, for --explain
  std::string host;                  // of a part of a file that holds the output of several hosts
  bool is_broken = false;            // recognised, but not readable to its end
  uint64_t bytes = 0;
  uint64_t lines = 0;
  int64_t torn_line = 0;  // number of the last line when it has no line end, as in a cut file; 0: it has one
  uint64_t known_lines = 0;        // lines that a reader took
  uint64_t secrets = 0;            // secrets masked in quoted lines
  bool is_last_known = false;      // a reader took the last line
  bool is_last_partial = false;    // the torn line is the beginning of one before it, numbers apart
  bool is_first_partial = false;   // the first line is the end of one behind it, numbers apart
  bool is_log = false;             // read line by line, so that lost first lines leave no trace
  bool is_torn_in_number = false;  // the last cell of a table without its line end may have had more digits
  int64_t last_row = 0;            // the last line that became a row
  bool recognised() const {
    return !formats.empty();
  }
  // Returns whether the file was probably cut: the last line has no line end and, but for its numbers, is the
  // beginning of an earlier line, or it gave no row while readers took most other lines. Pasted text often
  // lacks the last line end although its last line is complete.
  bool is_cut() const {
    const bool is_whole = is_last_known && last_row >= torn_line && !is_torn_in_number;
    return torn_line > 0 && (is_last_partial || (!is_whole && known_lines * 2 > lines));
  }
};

struct Series {
  uint32_t subject = 0;
  uint32_t quantity = 0;
  int32_t file = 0;
  uint64_t seen = 0;    // samples that were offered
  uint64_t stride = 1;  // every stride-th sample is kept
  std::vector<Observation> rows;
};

class Records {
 public:
  static constexpr size_t kSeriesRows = size_t{1} << 13;
  static constexpr size_t kEventRows = 256;
  static constexpr size_t kMostSeries = size_t{1} << 16;
  static constexpr size_t kMostEvents = size_t{1} << 16;
  static constexpr size_t kMostRuns = size_t{1} << 16;

  uint32_t subject_id(const Subject& subject);
  uint32_t quantity_id(const Quantity& quantity);

  void add(Observation row);
  void add(Event event);
  void add(Run run);

  const std::vector<Subject>& subjects() const {
    return subjects_;
  }
  const std::vector<Quantity>& quantities() const {
    return quantities_;
  }
  const std::vector<Series>& series() const {
    return series_;
  }
  const std::vector<Event>& events() const {
    return events_;
  }
  const std::vector<Run>& runs() const {
    return runs_;
  }
  uint64_t dropped() const {  // rows over the limits
    return dropped_;
  }
  const Subject& subject(const Observation& row) const {
    return subjects_[row.subject];
  }

  // Notes that the device with an address is the one with a number: 0000:4b:00.0 is gpu3.
  void note_address(const Subject& by_number, const std::string& address, int32_t file);
  // Notes the node on which a pod runs. What is known of a pod is of its node when that runs no other one.
  void note_pod(const std::string& pod, const std::string& node);
  // Fills in hosts or ranks that the lines do not state, from the names of the files, and gives
  // devices by address their number. Called once all files are read.
  void name_by_files(const std::map<int32_t, Subject>& names);
  // Gives times without a year the latest one in which they are not a day after the newest time with a year,
  // so that they compare. Without any such time they stay as they are. Called once all files are read.
  void date_by_newest();
  // Takes times without a zone to be in the one zone that other times state. When several are stated, or only
  // UTC, such times count as UTC. Called once all files are read and dated.
  void place_in_zone();
  // Returns the newest time of a clock in seconds, or kUnknown.
  double newest(Clock clock) const {
    return newest_[size_t(clock)];
  }

  std::vector<SourceFile> files;

 private:
  std::vector<Subject> subjects_;
  std::map<Subject, uint32_t> subject_ids_;
  std::vector<Quantity> quantities_;
  std::map<std::tuple<std::string, std::string, Scope>, uint32_t> quantity_ids_;
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, size_t> series_ids_;
  std::vector<Series> series_;
  std::vector<Event> events_;
  std::map<std::tuple<std::string, Subject, int32_t>, std::pair<size_t, size_t>> event_counts_;
  std::vector<Run> runs_;
  std::map<std::tuple<std::string, std::string, int32_t>, std::string> numbers_;  // by host, address, file
  void note_time(const Moment& time);
  template <class Change>
  void change_times(const Change& change);

  std::array<double, 4> newest_{kUnknown, kUnknown, kUnknown, kUnknown};  // by clock
  std::map<std::string, std::string> node_of_pod_;
  std::set<int> zones_;  // that times state, in minutes ahead of UTC
  uint64_t dropped_ = 0;
};

}  // namespace lento::desk
