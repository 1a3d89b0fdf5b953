// The result of every detector and the input of every report.
//
//   records -> detector -> Diagnosis -> text, JSON, HTML, serve
//
// A Diagnosis holds findings by falling score, the figures that show them, and all that is needed to check
// and repeat it: tool version, command, seed, options, digests of the inputs, and the records that were
// skipped. `outcome` separates a healthy subject from one that could not be judged, because both have no
// findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/read_report.h"
#include "finding/figure.h"

namespace lento::finding {

// A window in seconds since the start of the recording (fleet: Unix seconds) or in cycles, according to
// `unit`.
struct TimeWindow {
  double begin = 0;
  double end = 0;
  std::string unit = "s";
};

// One fact that a sceptical engineer can check: "median service time 3.4 times that of 7 equal-work peers".
struct Evidence {
  std::string text;             // a sentence without the number's origin
  std::optional<double> value;  // the number it rests on
  std::string unit;             // of value: "x", "cycles", "W", "" for a plain ratio
  std::string source;           // where it came from: record kind, metric name, file and column
};

// A host, rank and GPU of a job. A member is empty where the records do not state it. `rank` and `gpu` are
// the numbers that the job uses.
struct Place {
  std::string host;
  std::string rank;
  std::string gpu;
};

struct Finding {
  std::string subject;               // "core5", "link5-9", "machine-0017", "conv2_3x3/gemm12"
  std::string category;              // "slow core", "false sharing", "slower than predicted"
  std::string summary;               // one sentence for a person
  double score = 0;                  // 0..1, how sure; findings are sorted by score, then subject
  std::optional<double> factor;      // how many times worse, never below 1; factor_of says of what
  std::optional<double> lost_share;  // share of run time lost to it, 0..1
  std::optional<TimeWindow> when;
  std::optional<Place> where;
  std::vector<Evidence> evidence;
  std::string next_step;       // what to do about it
  std::string factor_of = {};  // completes "N times ...": "less nvlink_bandwidth"; empty means "slower"
};

// Sets factor and factor_of from a value and what it should be: 3.4 of 74.7 GB/s is a factor of 22, "less
// nvlink_bandwidth". Values of unlike signs, zeros and NaN have no ratio, and leave the finding as it is.
void set_ratio(Finding& finding, double seen, double expected, const std::string& quantity);

// Returns the factor for a person: "22 times less nvlink_bandwidth", "9.2 times slower", and below 2 "20 %
// less sm_clock" or "1.08 times slower". Returns an empty text without a factor.
std::string factor_text(const Finding& finding);

// An expected time or rate, as a plain value: predict writes it, fleet and chip read it.
struct Expectation {
  std::string subject;  // "step", "gemm 4096x4096x4096"
  std::string metric;   // "time"
  double value = 0;
  std::string unit = "s";
  double relative_error = 0;  // one-sided hold-out error of the model, 0.05 = 5 %
  std::string source;         // which model and calibration
};

struct Input {
  std::string role;    // "records", "chip", "mapping"
  std::string name;    // as the user named it
  std::string digest;  // base::digest of its bytes; empty for live sources
};

// The answer of a detector: findings, none, or no verdict.
enum class Outcome {
  Answer,      // nothing was judged: a prediction, a table, a conversion
  Findings,    // something is wrong: `findings` is not empty
  Healthy,     // looked at what `covered` says, and nothing is wrong
  CannotJudge  // the records do not allow a verdict: `reason` says why, `remedy` what would help
};
const char* name(Outcome outcome);  // "answer", "findings", "healthy", "cannot judge"

struct Diagnosis {
  static constexpr const char* kSchema = "lento.diagnosis/2";
  static constexpr const char* kFormerSchema = "lento.diagnosis/1";  // still read; had no outcome

  std::string scale;  // "chip", "memory", "fleet", "predict", "tile"
  std::string title;
  std::string verdict;  // one sentence: what was found, or that nothing was
  Outcome outcome = Outcome::Answer;
  std::string reason;   // why it could not be judged
  std::string remedy;   // what would help
  std::string covered;  // what was looked at: period, machines, metrics, share of events
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, std::string>> facts;  // headline figures, name -> text with unit
  std::vector<Expectation> expectations;
  std::vector<Figure> figures;
  std::vector<std::string> notes;  // limits, insufficient evidence, what could not be judged

  std::string version;  // of Lento
  std::string command;  // that repeats this result
  std::optional<uint64_t> seed;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<Input> inputs;
  uint64_t records_taken = 0;
  uint64_t records_skipped = 0;
  std::vector<std::pair<std::string, uint64_t>> skip_reasons;
};

// Ends a detector that reached a verdict: sets the outcome to Findings or Healthy by whether there are
// findings. A factor below 1 says nothing about slowness and is dropped. An empty `covered` is a Bug, because
// an all-clear must name what was examined.
void judged(Diagnosis& diagnosis, std::string covered);

// Ends a detector that reached no verdict: drops its findings, because a wrong finding costs more than a
// missing one, and sets the verdict to "Cannot judge: REASON". `covered` may be empty.
void cannot_judge(Diagnosis& diagnosis, std::string reason, std::string remedy, std::string covered = {});

// Sorts findings by falling score, then by subject.
void sort_findings(std::vector<Finding>& findings);

// Copies counts and reasons of a reader into the diagnosis.
void add_read_report(Diagnosis& diagnosis, const base::ReadReport& report);

// Converts to and from the JSON of schema lento.diagnosis/2 (docs/formats/diagnosis.md). A file of version 1
// has no outcome, which is then derived from its findings. Reading throws Error for other versions and, with
// the path of the field, for unknown shapes.
base::Json to_json(const Diagnosis& diagnosis);
Diagnosis diagnosis_from_json(const base::Json& json, const std::string& file);

// Throws Error when the lengths inside a figure do not agree (values against rows and columns, x against y).
void check_shapes(const Diagnosis& diagnosis, const base::Location& where);

}  // namespace lento::finding
