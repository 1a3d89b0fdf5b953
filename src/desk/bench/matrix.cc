// Bandwidths between all pairs of the parts of one kind, or between processors and GPUs: nvbandwidth, CUDA's
// p2pBandwidthLatencyTest, mpiGraph.
//
//   matrix = TITLE {any NEWLINE} [CORNER] NAME {NAME} NEWLINE {NAME {X | "N/A"} NEWLINE}
//   TITLE  = any ("andwidth" | "B/s)" | "b/s)") any
//
// The head is the line before the first row, which begins with the first of its names. A matrix between a
// processor and GPUs has a row per NUMA node and a column per GPU: the median of the column is the GPU's. A
// matrix between peers has both: the median of row and column, which one slow peer hardly moves, and the
// slowest pair of each part, which shows a single slow link at both of its ends. The diagonal is a part's own
// memory.
//
// Sources: nvbandwidth 0.2 to 0.8; p2pBandwidthLatencyTest of CUDA samples 11 and 12; mpiGraph 1.6.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/bench/bench.h"
#include "desk/bench/fields.h"
#include "desk/read/host_parts.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

using Cells = std::vector<std::string>;

bool is_matrix_title(std::string_view line) {
  return line.find("andwidth") != line.npos || line.find("B/s)") != line.npos ||
         line.find("b/s)") != line.npos;
}

bool is_value(const std::string& cell) {
  return base::try_double(cell).has_value() || cell == "N/A";
}

// Returns whether the line is the first row below the head.
bool begins_matrix(const Cells& head, const Cells& row) {
  const size_t corner = head.size() == row.size() ? 1 : 0;
  return row.size() > 2 && head.size() + 1 == row.size() + corner && head[corner] == row[0] &&
         std::all_of(row.begin() + 1, row.end(), is_value);
}

// Returns the part of a row or column: "0" is a GPU, "node7:0" is the first process of a host.
Subject subject_of_name(const std::string& name) {
  if (base::try_uint(name))
    return {"", "gpu" + name, ""};
  const std::string host = name.substr(0, name.find(':'));
  return may_be_host(host) ? Subject{host, "", ""} : Subject{"", name, ""};
}

class BandwidthMatrix : public Reader {
  struct Values {
    std::vector<double> values;
    int64_t number = 0;
    std::string line;
    std::string slowest;  // the other end of the slowest pair
  };
  using ByName = std::map<std::string, Values>;

  bool row(std::string_view line, Sink& sink) override {
    Cells cells = split_blanks(line);
    if (cells.empty())
      return false;
    const bool is_first = !title_.empty() && !is_begun_ && begins_matrix(columns_, cells);
    if (is_first && columns_.size() == cells.size())
      columns_.erase(columns_.begin());
    if (is_first || (is_begun_ && is_row(cells))) {
      is_begun_ = true;
      add_row(cells, line, sink.number());
      return true;
    }
    if (is_matrix_title(line)) {
      write(sink);
      title_ = title(line);
      const size_t open = line.rfind('(');
      unit_ = open == line.npos ? "" : line.substr(open + 1, line.find(')', open) - open - 1);
      is_pairs_ = line.find("CPU") == line.npos;
      is_begun_ = false;
      return true;
    }
    if (!is_begun_)
      columns_ = std::move(cells);
    return false;
  }

  bool is_row(const Cells& cells) const {
    const bool is_named = !is_pairs_ || std::ranges::find(columns_, cells[0]) != columns_.end();
    return is_named && cells.size() == columns_.size() + 1 &&
           std::all_of(cells.begin() + 1, cells.end(), is_value);
  }

  void add_row(const Cells& cells, std::string_view line, int64_t number) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto value = base::try_double(cells[i + 1]);
      if (!value || !(*value > 0))
        continue;
      if (is_pairs_ && cells[0] == columns_[i]) {
        add(own_, columns_[i], "", *value, line, number);
        continue;
      }
      add(parts_, columns_[i], cells[0], *value, line, number);
      if (is_pairs_)
        add(parts_, cells[0], columns_[i], *value, line, number);
    }
  }

  // Returns the title of a matrix up to its unit, so that the matrices of several runs have one name.
  static std::string title(std::string_view line) {
    std::string text(line.substr(0, line.find('(')));
    const size_t unit = line.rfind('(');
    if (unit != line.npos)
      text = line.substr(0, unit);
    text.erase(text.find_last_not_of(" \t:\r") + 1);
    return text;
  }

  static void add(
      ByName& parts,
      const std::string& name,
      const std::string& other,
      double value,
      std::string_view line,
      int64_t number) {
    Values& values = parts[name];
    if (values.values.empty())
      values.number = number;
    if (values.values.empty() || value < *std::ranges::min_element(values.values)) {
      values.slowest = other;
      values.line.assign(line);
    }
    values.values.push_back(value);
  }

  void end(Sink& sink) override {
    write(sink);
  }

  Quantity quantity(const char* more, const char* advice) const {
    return {title_ + more, unit_, Kind::Level, Better::Higher, "", Scope::Own, advice};
  }

  void write(Sink& sink) {
    const std::string before(sink.line());
    const int64_t number = sink.number();
    const Subject subject = sink.subject();
    for (const auto& [name, values] : parts_) {
      sink.at(values.line, values.number, subject, {});
      const Quantity bandwidth =
          quantity("", "compare its PCIe link (lspci -vv) and NVLinks (nvidia-smi nvlink -s) with a peer's");
      sink.state(bandwidth, evidence::median(values.values), {subject_of_name(name)});
      if (!is_pairs_)
        continue;
      Run run;
      run.kind = "slowest pair";
      run.members = {subject_text(subject_of_name(name)), subject_text(subject_of_name(values.slowest))};
      run.facts = {{"operation", title_}};
      run.measured = {{bandwidth, *std::ranges::min_element(values.values)}};
      sink.run(std::move(run));
    }
    for (const auto& [name, values] : own_) {
      sink.at(values.line, values.number, subject, {});
      sink.state(
          quantity(
              ", own memory",
              "compare its memory clock and its memory errors (nvidia-smi -q) with a peer's"),
          values.values[0],
          {subject_of_name(name)});
    }
    parts_.clear();
    own_.clear();
    sink.at(before, number, subject, {});
  }

  std::string title_;
  std::string unit_;
  bool is_pairs_ = false;
  bool is_begun_ = false;  // a row of the matrix was read
  Cells columns_;
  ByName parts_;
  ByName own_;  // bandwidth of its memory to itself
};

// Returns how certain it is that the text holds a bandwidth matrix, from 0 to 1.
double score_matrix(std::string_view head, std::string& reason) {
  std::string title;
  Cells before;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    Cells cells = split_blanks(line);
    if (!title.empty() && begins_matrix(before, cells)) {
      reason = "it has a matrix of bandwidths below '" + title + "'";
      return 0.9;
    }
    if (is_matrix_title(line))
      title = line.substr(0, 60);
    if (!cells.empty())
      before = std::move(cells);
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
  }
  return 0;
}

}  // namespace

const Format kBandwidthMatrix{
    "nvbandwidth and other matrices",
    "bench",
    {},
    Shape::Table,
    make<BandwidthMatrix>,
    score_matrix};

}  // namespace lento::desk
