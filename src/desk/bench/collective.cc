// nccl-tests and rccl-tests print the GPUs that took part and a row for each size of message. The row of the
// largest size becomes one run: sizes below it measure latency as well, and a run that was cut short is only
// compared with runs that reached the same size.
//
//   start  = "# Collective test starting: " NAME
//   device = "#  Rank " N [" Group " N] " Pid " N " on " HOST " device " N " [" PCI "] " GPU
//   row    = SIZE COUNT TYPE [REDOP] [ROOT] timing [timing]     timing = TIME(us) ALGBW BUSBW WRONG
//   end    = "# Avg bus bandwidth    : " X
//
// Source: nccl-tests 2.10 to 2.17 (common.cu), rccl-tests of ROCm 5 to 7.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/units.h"
#include "desk/bench/bench.h"
#include "desk/bench/fields.h"

namespace lento::desk {
namespace {

enum CollectiveForm {
  Begin,
  Threads,
  Member,
  OldMember,
  Average,
  FirstRow,  // the first row; all forms after it are rows too
};

// The data types of a row, which are its only fixed text.
constexpr const char* kTypes[] = {
    "float",
    "half",
    "double",
    "bfloat16",
    "int8",
    "uint8",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "f8e4m3",
    "f8e5m2",
    "fp8_e4m3",
    "fp8_e5m2"};

struct RowText {
  std::string pattern;
  std::string sample;
};

// Returns the forms of a result row of nccl-tests, one for each data type.
std::vector<RowText> row_texts() {
  std::vector<RowText> texts;
  for (const char* type : kTypes)
    texts.push_back(
        {"^~{size:int} {count:int} " + std::string(type) + " {rest}",
         "  1073741824     268435456  " + std::string(type) +
             "     sum      -1  5410.9  198.44  372.07      0  5398.2  198.91  372.95      0"});
  return texts;
}
const std::vector<RowText> kRowTexts = row_texts();

// Returns the forms of all lines of nccl-tests' output.
std::vector<LineForm> collective_forms() {
  std::vector<LineForm> forms{
      {"Collective test starting: {name:name}", {"# Collective test starting: all_reduce_perf"}},
      {"nThread {_:int} nGpus {_:int} minBytes",
       {"# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20"}},
      {"Rank {rank:int} Group {_:int} Pid {_:int} on {host:name} device {device:int} [{pci:word}] {gpu}",
       {"#  Rank  0 Group  0 Pid 204199 on  nid005471 device  0 [0009:01:00] NVIDIA GH200 120GB",
        "# Rank 11 Group 0 Pid 10 on node-b device 3 [0x2b] NVIDIA H100"}},
      {"Rank {rank:int} Pid {_:int} on {host:name} device {device:int} [{pci:word}] {gpu}",
       {"#   Rank  3 Pid  14069 on   worker-7 device  3 [0x1c] AMD Instinct MI300X"}},
      {"Avg bus bandwidth~:~{average:num}", {"# Avg bus bandwidth    : 189.88"}},
  };
  for (const RowText& text : kRowTexts)
    forms.push_back({text.pattern, {text.sample}});
  return forms;
}
const std::vector<LineForm> kCollectiveForms = collective_forms();

const Quantity kBusBandwidth{"bus bandwidth", "GB/s", Kind::Level, Better::Higher};

struct Row {
  int64_t size = 0;
  double algorithm_bandwidth = 0;
  bool is_reduced = false;  // the values are summed
  double bus_bandwidth = 0;
  int64_t wrong = 0;
};

// Parses the columns after the type. Operation and root may be missing, and "N/A" in the error column counts
// no error.
std::optional<Row> row_of(int64_t size, std::string_view rest) {
  std::vector<std::string> words = split_blanks(rest);
  const bool is_reduced = !words.empty() && words[0] != "none" && !base::try_double(words[0]);
  if (!words.empty() && !base::try_double(words[0]))
    words.erase(words.begin());
  const bool has_root = words.size() == 5 || words.size() == 9;
  if (has_root)
    words.erase(words.begin());
  if (words.size() != 3 && words.size() != 4 && words.size() != 8)
    return std::nullopt;
  const auto time = base::try_double(words[0]);
  const auto bandwidth = base::try_double(words[2]);
  if (!time || !bandwidth || *time <= 0)
    return std::nullopt;
  Row row{size, base::try_double(words[1]).value_or(0), is_reduced, *bandwidth, 0};
  for (const size_t column : {size_t{3}, size_t{7}})
    if (column < words.size())
      row.wrong += std::clamp<int64_t>(base::try_int(words[column]).value_or(0), 0, INT32_MAX);
  return row;
}

class CollectiveBench : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Begin:
        write(sink);
        name_ = match.text("name");
        return;
      case Threads:
        if (largest_.size > 0)
          write(sink);
        return;
      case Member:
      case OldMember:
        if (largest_.size > 0)
          write(sink);
        add_host(match.text("host"));
        ++devices_;
        gpu_ = match.text("gpu");
        return;
      case Average:
        write(sink);
        return;
      default:
        row(match, sink);
    }
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    write(sink);
  }

  // Adds a host. "self" is the host of a run of one process, which only the name of the file may state.
  void add_host(const std::string& host) {
    if (host == "self" || host == "localhost")
      return;
    constexpr size_t kMost = size_t{1} << 16;
    if (hosts_.size() < kMost && (hosts_.empty() || hosts_.back() != host) &&
        std::ranges::find(hosts_, host) == hosts_.end())
      hosts_.push_back(host);
  }

  // Takes a result row: keeps the one of the largest message, and writes an event for wrong results.
  void row(const Match& match, Sink& sink) {
    const auto row = row_of(match.integer("size").value_or(0), match["rest"]);
    if (!row)
      return;
    if (row->size >= largest_.size)
      largest_ = *row;
    if (sizes_.size() < kMostSizes)
      sizes_.emplace_back(row->size, row->bus_bandwidth);
    if (row->wrong == 0)
      return;
    Event event;
    event.kind = "collective benchmark/wrong results";
    event.severity = Severity::Fault;
    event.origin = Origin::Hardware;
    event.meaning = "a collective returned wrong values";
    event.action = "run it on single hosts to find which one computes or transfers wrongly, and drain it";
    if (hosts_.size() == 1)
      event.subject.host = hosts_[0];
    sink.event(std::move(event));
  }

  // Writes one run when there were rows since the previous one.
  void write(Sink& sink) {
    if (largest_.size > 0) {
      Run run;
      run.kind = "collective benchmark";
      run.members = hosts_;
      run.facts = {
          {"operation",
           (name_.empty() ? "collective" : name_) + " of " +
               base::format_quantity(double(largest_.size), base::Dimension::Bytes)},
          {"test", name_.empty() ? "collective" : name_},
          {"GPU", gpu_}};
      run.facts.emplace_back("collective", collective());
      run.measured = {
          {kBusBandwidth, largest_.bus_bandwidth},
          {{"message", "B"}, double(largest_.size)},
          {{"GPUs", ""}, devices_}};
      for (const auto& [size, bandwidth] : sizes_)
        run.measured.push_back(
            {{"bus bandwidth at " + base::format_quantity(double(size), base::Dimension::Bytes), "GB/s"},
             bandwidth});
      sink.run(std::move(run));
    }
    largest_ = {};
    sizes_.clear();
    hosts_.clear();
    devices_ = 0;
    name_.clear();
    gpu_.clear();
  }

  // Returns the collective that follows from the factor between bus bandwidth and algorithm bandwidth:
  // 2(n-1)/n for an all-reduce, (n-1)/n for an all-gather or a reduce-scatter, "" for other factors.
  std::string collective() const {
    constexpr double kRounding = 0.02;
    const double half = devices_ > 1 ? (devices_ - 1) / devices_ : 0;
    const double factor =
        largest_.algorithm_bandwidth > 0 ? largest_.bus_bandwidth / largest_.algorithm_bandwidth : 0;
    if (half == 0 || factor <= 0)
      return "";
    if (std::abs(factor / (2 * half) - 1) < kRounding && largest_.is_reduced)
      return "all-reduce";
    if (std::abs(factor / half - 1) < kRounding)
      return largest_.is_reduced ? "reduce-scatter" : "all-gather";
    return "";
  }

  static constexpr size_t kMostSizes = 64;
  Row largest_;
  std::vector<std::pair<int64_t, double>> sizes_;  // of the message (B), and its bus bandwidth (GB/s)
  std::vector<std::string> hosts_;
  double devices_ = 0;
  std::string name_;
  std::string gpu_;
};

}  // namespace

const Format kCollectiveBench{"nccl-tests", "bench", kCollectiveForms, Shape::Lines, make<CollectiveBench>};

Formats bench_formats() {
  return {
      &kCollectiveBench,
      &kGpuBurn,
      &kServingText,
      &kServingJson,
      &kNsysKernels,
      &kNcuKernels,
      &kRocprofKernels,
      &kServerLog,
      &kLlamaTimes,
      &kPerftest,
      &kIperf,
      &kBandwidthMatrix};
}

}  // namespace lento::desk
