// Lento as a library: one function per verdict, with the same conclusions as the command line.
//
//   const lento::Diagnosis d = lento::diagnose_chip({"run.probe", "chip.yaml", "net.map.json"});
//   if (d.outcome == lento::Outcome::Findings) std::cout << d.findings[0].subject << "\n";
//
// Files are read where a question names them, and "-" is standard input. Every function throws lento::Error
// when an input is broken or a question impossible. Records that do not allow a verdict are no error: the
// outcome is then CannotJudge, with reason and remedy. Functions may run side by side in several threads.
// Results do not depend on `threads`.
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
using base::Progress;  // work reports and can be stopped through it; {} does neither
using finding::Diagnosis;
using finding::Evidence;
using finding::Figure;
using finding::Finding;
using finding::Outcome;

const char* version();  // "0.1.0"

// Which core, link, router, memory unit or DRAM port of a many-core accelerator has gone slow?
struct ChipQuestion {
  std::string records;           // probe records or a sketch of them (docs/formats/probe.md, sketch.md)
  std::string chip;              // what they are from (docs/formats/chip.md)
  std::string mapping;           // what ran (docs/formats/map.md)
  std::string healthy;           // records or sketch of a run known to be healthy; empty: none
  std::string method = "lento";  // or "paper", with parameters as in "paper:restart=1"
  bool replay = true;            // simulate hypotheses beside the records
  bool strict = false;           // stop at the first damaged record instead of skipping it
  uint64_t seed = 1;
};
Diagnosis diagnose_chip(const ChipQuestion& question, const Progress& progress = {});

// Which machine of a training job is faulty? Metrics from files, or from a table in memory. A column that is
// not named is guessed, and the notes of the diagnosis state the guess.
struct FleetQuestion {
  std::vector<std::string> csv;  // docs/formats/fleet-csv.md
  std::string machine_column;
  std::string device_column;  // a row per device (GPU) of a machine
  std::string time_column;
  std::string time_unit;             // s, ms, us, ns
  std::string metric_column;         // tidy tables: names the metric of a row
  std::string value_column;          // and its value
  std::vector<std::string> metrics;  // columns (tidy: names); empty: all that are no annotation
  std::vector<std::string> labels;   // columns kept as labels; stage, pp_rank and hardware separate peers
  double false_alarms_per_day = 0;   // budget of the whole job; 0: one false finding in 200 records
  bool strict = false;
  unsigned threads = 0;  // 0: all cores
  std::string shown_as;  // stands for the path in messages; empty: the path itself
};
Diagnosis diagnose_fleet(const FleetQuestion& question, const Progress& progress = {});

// Diagnoses metrics in memory, on one time grid. When moved in they are not copied.
struct Metrics {
  std::vector<std::string> machines;
  std::vector<std::string> names;  // of the metrics
  int64_t begin_ms = 0;            // time of step 0
  int64_t step_ms = 1000;
  size_t steps = 0;
  std::vector<float> values;  // [(metric * steps + step) * machines + machine]; NaN: no sample
};
Diagnosis diagnose_fleet(Metrics metrics, double false_alarms_per_day = 0, const Progress& progress = {});

// Which code on which cores fights over memory?
struct MemoryQuestion {
  std::vector<std::string> traces;  // one run (docs/formats/access.md, foreign-traces.md)
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

// How fast should it be?
struct PredictQuestion {
  std::string workload;   // YAML (docs/formats/workload.md), a Hugging Face config.json or an ONNX model
  std::string system;     // a shipped data sheet ("h100"), a YAML file, or a design point
  bool training = false;  // config.json, ONNX: trained, not served
  int64_t batch = 1;      // training: global batch; serving: requests together
  int64_t micro_batch = 1;
  int64_t sequence = 2048;         // tokens of a sequence or prompt
  int64_t generate = 128;          // tokens to generate
  std::string precision = "bf16";  // fp32, tf32, fp16, bf16, int8, fp8, fp4
  std::string parallel;            // "tp=8,pp=2,dp=4"
  std::string framework;           // whose software stack; empty: the system's own
  std::string recompute = "none";  // none, selective, operators, full
  // A workload in YAML without its model, for config.json, in place of all members from `training` on.
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
  // negative one is an empty field.
  std::span<const int64_t> integers = {};
  std::span<const double> numbers = {};  // NaN: an empty field
  std::span<const int32_t> codes = {};
  std::vector<std::string> words = {};
};
// The table as CSV in a memory file without a name, for commands and readers that take a path. The file goes
// when the object does. Throws Error when the columns differ in length.
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

// The verdict on metrics in such columns is that on the same table as CSV. Precondition: question.csv is
// empty.
Diagnosis diagnose_fleet(
    const std::vector<Column>& table,
    const FleetQuestion& question,
    const Progress& progress = {});

struct Answers {
  std::vector<double> seconds;      // NaN where the row cannot be answered
  std::vector<int8_t> bound;        // what holds it up, an index into bounds; -1: not answered
  std::vector<std::string> bounds;  // "compute", ...
  std::vector<double> p50_pct;      // error that half, and nine tenths, of such predictions stay within
  std::vector<double> p90_pct;
  std::vector<int8_t> in_domain;  // 1: within what was validated; 0: not; -1: not answered
};
// Answers a table of questions in memory.
Answers predict_columns(
    const std::vector<Column>& table,
    const std::string& system = {},
    const Progress& progress = {});

// What should be built, and how should it run?
struct SearchQuestion {
  std::string space;   // docs/formats/search.md
  std::string method;  // exchange, subplex, soe; empty: what the space compares, else exchange
  int steps = 100;     // gradient steps a start, or as many evaluations
  int starts = 10;
  uint64_t seed = 1;
  unsigned threads = 0;
};
Diagnosis search(const SearchQuestion& question, const Progress& progress = {});

// Print a diagnosis: for people, for machines (docs/formats/diagnosis.md), and as one page that needs no
// network.
std::string to_text(const Diagnosis& diagnosis);
std::string to_json(const Diagnosis& diagnosis);
std::string to_html(const Diagnosis& diagnosis);

}  // namespace lento
