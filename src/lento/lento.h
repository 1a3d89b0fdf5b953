// Lento as a library: one function per verdict, with the same conclusions as the command line.
//
//   const lento::Diagnosis d = lento::diagnose_chip({"run.probe", "chip.yaml", "net.map.json"});
//   if (d.outcome == lento::Outcome::Findings) std::cout << d.findings[0].subject << "\n";
//
// A member of a question that holds a path is read as a file, and "-" is standard input. Every function
// throws lento::Error when an input is broken or a question impossible. Records that do not allow a verdict
// are no error: the outcome is then CannotJudge, with reason and remedy. Functions may run side by side in
// several threads. Results do not depend on `threads`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "finding/finding.h"

namespace lento {

using base::Error;
using base::Progress;  // receives progress and can stop a function; {} does neither
using finding::Diagnosis;
using finding::Evidence;
using finding::Figure;
using finding::Finding;
using finding::Outcome;

const char* version();  // "0.1.0"

// Input of diagnose_chip, which finds the core, link, router, memory unit or DRAM port that has become slow.
struct ChipQuestion {
  std::string records;           // probe records or a sketch of them (docs/formats/probe.md, sketch.md)
  std::string chip;              // description of the chip (docs/formats/chip.md)
  std::string mapping;           // placement of the program on the chip (docs/formats/map.md)
  std::string healthy;           // records or sketch of a run known to be healthy; empty: none
  std::string method = "lento";  // or "paper", with parameters as in "paper:restart=1"
  bool replay = true;            // simulate the suspected faults and compare them with the records
  bool strict = false;           // stop at the first damaged record instead of skipping it
  uint64_t seed = 1;
};
Diagnosis diagnose_chip(const ChipQuestion& question, const Progress& progress = {});

// Input of diagnose_fleet, which finds the faulty machines of a training job from CSV files or a table in
// memory. A column that is not named is guessed, and the notes of the diagnosis state the guess.
struct FleetQuestion {
  std::vector<std::string> csv;  // docs/formats/fleet-csv.md
  std::string machine_column;
  std::string device_column;  // a row per device (GPU) of a machine
  std::string time_column;
  std::string time_unit;             // s, ms, us, ns
  std::string metric_column;         // tables with one value per row: holds the metric's name
  std::string value_column;          // and the metric's value
  std::vector<std::string> metrics;  // metrics to use; empty: all but annotations such as step or rank
  std::vector<std::string> labels;   // columns of labels; stage, pp_rank and hardware form peer groups
  double false_alarms_per_day = 0;   // allowed for the whole job; 0: one false finding in 200 data sets
  bool strict = false;
  unsigned threads = 0;  // 0: all cores
  std::string shown_as;  // replaces the path in messages; empty: the path itself
};
Diagnosis diagnose_fleet(const FleetQuestion& question, const Progress& progress = {});

// Samples of all machines and metrics on one time grid, in memory. Pass by std::move to avoid a copy.
struct Metrics {
  std::vector<std::string> machines;
  std::vector<std::string> names;  // of the metrics
  int64_t begin_ms = 0;            // time of step 0
  int64_t step_ms = 1000;
  size_t steps = 0;
  std::vector<float> values;  // [(metric * steps + step) * machines + machine]; NaN: no sample
};
Diagnosis diagnose_fleet(Metrics metrics, double false_alarms_per_day = 0, const Progress& progress = {});

// Input of diagnose_memory, which finds code whose memory accesses conflict, and the cores that run it.
struct MemoryQuestion {
  std::vector<std::string> traces;  // files of one run (docs/formats/access.md, foreign-traces.md)
  std::string format = "auto";
  std::vector<std::string> programs;  // ELF files that name code and data
  bool strict = false;
};
Diagnosis diagnose_memory(const MemoryQuestion& question, const Progress& progress = {});

// Mines item sets of transactions in FIMI form (one transaction per line, items as numbers), exactly.
struct ItemsetsQuestion {
  std::string path;
  std::string support;          // a count, or a share such as "65%"
  std::string kind = "closed";  // closed, maximal, frequent
  unsigned threads = 0;
};
using Itemset = std::pair<std::vector<uint32_t>, uint64_t>;  // items, support
std::vector<Itemset> itemsets(const ItemsetsQuestion& question, const Progress& progress = {});

// Input of predict_workload, which predicts how fast a training or serving run should be.
struct PredictQuestion {
  std::string workload;   // YAML (docs/formats/workload.md), a Hugging Face config.json or an ONNX model
  std::string system;     // a shipped data sheet ("h100"), a YAML file, or a design point
  bool training = false;  // for config.json and ONNX; true: training, false: serving
  int64_t batch = 1;      // training: global batch; serving: requests in one batch
  int64_t micro_batch = 1;
  int64_t sequence = 2048;         // tokens of a sequence or prompt
  int64_t generate = 128;          // tokens to generate
  std::string precision = "bf16";  // fp32, tf32, fp16, bf16, int8, fp8, fp4
  std::string parallel;            // "tp=8,pp=2,dp=4"
  std::string framework;           // software stack by name; empty: that of the data sheet
  std::string recompute = "none";  // none, selective, operators, full
  // The path of a YAML workload without a model, for use with a config.json. Its settings replace all
  // members from `training` on.
  std::string run;
};
Diagnosis predict_workload(const PredictQuestion& question);

// Answers a CSV with one question per row (docs/formats/questions.md) and returns it with the columns of the
// answers. `system` is one data sheet for all rows, and when it is empty each row names its device.
std::string predict_table(const std::string& csv, const std::string& system = {});

// A column of a table in memory.
struct Column {
  std::string name;
  // One of `integers`, `numbers` and `codes` has one entry per row. A code is an index into `words`, and a
  // negative code is an empty field.
  std::span<const int64_t> integers = {};
  std::span<const double> numbers = {};  // NaN: an empty field
  std::span<const int32_t> codes = {};
  std::vector<std::string> words = {};
};
// Writes the table as CSV to an anonymous memory file, for functions that take a path. The destructor removes
// the file. Throws Error when the columns differ in length.
class TableFile {
 public:
  explicit TableFile(const std::vector<Column>& table);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  std::string path() const;
  size_t rows() const {
    return rows_;
  }

 private:
  size_t rows_;
  int descriptor_;
};

// Diagnoses metrics in memory as if the table were one CSV file. Precondition: question.csv is empty.
Diagnosis diagnose_fleet(
    const std::vector<Column>& table,
    const FleetQuestion& question,
    const Progress& progress = {});

struct Answers {
  std::vector<double> seconds;      // NaN where the row cannot be answered
  std::vector<int8_t> bound;        // index into bounds of what limits the speed; -1: not answered
  std::vector<std::string> bounds;  // "compute", ...
  std::vector<double> p50_pct;      // half of such predictions err by no more, in per cent; p90: nine tenths
  std::vector<double> p90_pct;
  std::vector<int8_t> in_domain;  // 1: the question lies in the validated range; 0: outside; -1: not answered
};
// Answers a table in memory with one question per row. `system` is as in predict_table.
Answers predict_columns(
    const std::vector<Column>& table,
    const std::string& system = {},
    const Progress& progress = {});

// Input of search, which finds the best design of a machine and the best parallel layout of a job on it.
struct SearchQuestion {
  std::string space;   // docs/formats/search.md
  std::string method;  // exchange, subplex, soe; empty: what the space compares, else exchange
  int steps = 100;     // gradient steps a start, or as many evaluations
  int starts = 10;
  uint64_t seed = 1;
  unsigned threads = 0;
};
Diagnosis search(const SearchQuestion& question, const Progress& progress = {});

// Convert a diagnosis to plain text, to JSON (docs/formats/diagnosis.md), and to one HTML page that loads
// nothing from a network.
std::string to_text(const Diagnosis& diagnosis);
std::string to_json(const Diagnosis& diagnosis);
std::string to_html(const Diagnosis& diagnosis);

}  // namespace lento
