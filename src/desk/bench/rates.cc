// Bandwidths of one host or of its GPUs, which peers should share: perftest (ib_write_bw and its kind),
// nvbandwidth and CUDA's p2pBandwidthLatencyTest.
//
//   perftest = "#bytes #iterations BW peak[UNIT] BW average[UNIT] MsgRate[Mpps]" {N N X X X}
//   matrix   = TITLE NEWLINE N {N} NEWLINE {N {X | "N/A"}}
//
// Of perftest the row of the largest message is taken. A matrix between a processor and GPUs has a row per
// NUMA node and a column per GPU: the median of the column is the GPU's. A matrix between GPUs has both: the
// median of row and column, which one slow peer hardly moves, and the slowest pair, which shows a single slow
// link at both of its ends. The diagonal is the GPU's own memory.
//
// Sources: perftest 4.5 to 24; nvbandwidth 0.2 to 0.8; p2pBandwidthLatencyTest of CUDA samples 11 and 12.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/bench/bench.h"
#include "desk/bench/fields.h"
#include "evidence/sample.h"

namespace lento::desk {
namespace {

// Splits a line at blanks.
std::vector<std::string> words(std::string_view line) {
  constexpr size_t kMost = 128;
  std::vector<std::string> out;
  for (size_t at = 0; at < line.size() && out.size() < kMost;) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos)
      break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    out.emplace_back(line.substr(begin, at - begin));
  }
  return out;
}

class Perftest : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (line.find("RDMA_") != line.npos || line.find("Send BW") != line.npos)
      test_ = words(line)[0];
    if (line.find("BW average[") != line.npos) {
      // GB and MB stand for bytes, Gb for bits.
      scale_ = line.find("average[Gb/sec]") != line.npos   ? 1
               : line.find("average[MB/sec]") != line.npos ? 8e-3
                                                           : 8;
      return true;
    }
    const std::vector<std::string> cells = words(line);
    const auto size = cells.size() == 5 ? base::try_uint(cells[0]) : std::nullopt;
    const auto average = size ? base::try_double(cells[3]) : std::nullopt;
    if (!average || *average <= 0)
      return false;
    if (*size >= largest_) {
      largest_ = *size;
      average_ = *average * scale_;
      line_.assign(line);
      number_ = sink.number();
    }
    return true;
  }

  void end(Sink& sink) override {
    if (largest_ == 0)
      return;
    sink.at(line_, number_, sink.subject(), {});
    sink.state(
        {"RDMA bandwidth",
         "Gb/s",
         Kind::Level,
         Better::Higher,
         test_,
         Scope::Own,
         "compare its card's PCIe link (lspci -vv), port rate (ibstat), NUMA node and counters with a "
         "peer's"},
        average_,
        {});
  }

  std::string test_;
  double scale_ = 1;
  uint64_t largest_ = 0;
  double average_ = 0;
  std::string line_;
  int64_t number_ = 0;
};

double score_perftest(std::string_view head, std::string& reason) {
  if (head.find("#bytes") == head.npos || head.find("BW average[") == head.npos)
    return 0;
  reason = "it has the header of perftest";
  return 0.9;
}

class BandwidthMatrix : public Reader {
  struct Values {
    std::vector<double> values;
    Where where;
    std::string line;
  };

  bool row(std::string_view line, Sink& sink) override {
    if (line.find("(GB/s)") != line.npos) {
      write(sink);
      title_ = title(line);
      is_pairs_ = line.find("CPU") == line.npos;
      columns_.clear();
      return true;
    }
    std::vector<std::string> cells = words(line);
    if (title_.empty() || cells.empty())
      return false;
    if (cells[0].find("D\\D") != std::string::npos)
      cells.erase(cells.begin());
    if (columns_.empty()) {
      for (const std::string& cell : cells)
        if (base::try_uint(cell) && cell.size() < 4)
          columns_.push_back(cell);
      return !columns_.empty();
    }
    if (cells.size() != columns_.size() + 1 || !base::try_uint(cells[0]))
      return false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto value = base::try_double(cells[i + 1]);
      if (!value || *value <= 0)
        continue;
      if (is_pairs_ && cells[0] == columns_[i]) {
        add(own_, columns_[i], *value, line, sink);
        continue;
      }
      add(gpus_, columns_[i], *value, line, sink);
      if (is_pairs_)
        add(gpus_, cells[0], *value, line, sink);
    }
    return true;
  }

  // Returns the title of a matrix up to its unit, so that the matrices of several runs have one name.
  static std::string title(std::string_view line) {
    std::string text(line.substr(0, line.find("(GB/s)")));
    text.erase(text.find_last_not_of(" \t") + 1);
    return text;
  }

  // Adds a measured bandwidth of a GPU.
  using ByGpu = std::map<std::string, Values>;
  static void
  add(ByGpu& gpus, const std::string& gpu, double value, std::string_view line, const Sink& sink) {
    Values& values = gpus[gpu];
    if (values.values.empty()) {
      values.where.line = sink.number();
      values.line.assign(line);
    }
    values.values.push_back(value);
  }

  void end(Sink& sink) override {
    write(sink);
  }

  // Reports the median bandwidth of each GPU in the matrix.
  void write(Sink& sink) {
    const std::string_view before = sink.line();
    const int64_t number = sink.number();
    for (const auto& [gpu, values] : gpus_) {
      if (values.values.empty())
        continue;
      sink.at(values.line, values.where.line, sink.subject(), {});
      Quantity quantity{
          title_,
          "GB/s",
          Kind::Level,
          Better::Higher,
          "",
          Scope::Own,
          "compare its PCIe link (lspci -vv) and NVLinks (nvidia-smi nvlink -s) with a peer's"};
      sink.state(quantity, evidence::median(values.values), {{"", "gpu" + gpu, ""}});
      if (!is_pairs_)
        continue;
      quantity.name += ", slowest pair";
      sink.state(quantity, *std::ranges::min_element(values.values), {{"", "gpu" + gpu, ""}});
    }
    for (const auto& [gpu, values] : own_) {
      sink.at(values.line, values.where.line, sink.subject(), {});
      sink.state(
          {title_ + ", own memory",
           "GB/s",
           Kind::Level,
           Better::Higher,
           "",
           Scope::Own,
           "compare its memory clock and its memory errors (nvidia-smi -q) with a peer's"},
          values.values[0],
          {{"", "gpu" + gpu, ""}});
    }
    gpus_.clear();
    own_.clear();
    sink.at(before, number, sink.subject(), {});
  }

  std::string title_;
  bool is_pairs_ = false;
  std::vector<std::string> columns_;
  ByGpu gpus_;
  ByGpu own_;  // bandwidth of its memory to itself
};

// Returns whether the line numbers the columns of a matrix: "0 1 2 3", "D\\D 0 1 2 3".
bool numbers_columns(std::string_view line) {
  std::vector<std::string> cells = words(line);
  if (!cells.empty() && !base::try_uint(cells[0]))
    cells.erase(cells.begin());
  for (size_t i = 0; i < cells.size(); ++i)
    if (cells[i] != std::to_string(i))
      return false;
  return cells.size() > 1;
}

// Returns how certain it is that the text holds a bandwidth matrix, from 0 to 1.
double score_matrix(std::string_view head, std::string& reason) {
  std::string_view title;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (title.find("(GB/s)") != title.npos && numbers_columns(line)) {
      reason = "it has a matrix of bandwidths below '" + std::string(title.substr(0, 60)) + "'";
      return 0.9;
    }
    title = line;
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
  }
  return 0;
}

}  // namespace

const Format kPerftest{"perftest", "bench", {}, Shape::Table, make<Perftest>, score_perftest};
const Format kBandwidthMatrix{"nvbandwidth", "bench", {}, Shape::Table, make<BandwidthMatrix>, score_matrix};

}  // namespace lento::desk
