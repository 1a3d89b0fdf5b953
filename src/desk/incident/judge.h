// The judges of the desk: each reads the rows of all files, and adds what it found, what it looked at and
// what it could not judge. None knows a format. Together they are one incident (incident.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "desk/read/records.h"
#include "finding/finding.h"

namespace lento::desk {

// A question that the rows raise and do not answer.
struct OpenQuestion {
  std::string reason;  // "which of 30 ranks holds the others up is not in this text"
  std::string remedy;  // one file and the command that makes it
};

struct Judgement {
  std::vector<finding::Finding> findings;
  std::vector<std::string> covered;  // "network transport of 4 hosts"
  std::vector<OpenQuestion> open;
  std::string all_clear;  // the verdict when nothing is found and nothing is open; empty: the usual sentence
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;  // name -> text with unit
  std::vector<finding::Figure> figures;
};

// A speed that a file states, with the load that it was reached at. Unknown numbers are 0.
struct MeasuredSpeed {
  enum class Kind {
    RequestTime,   // s, from arrival to the last token, of `together` requests that run at one time
    StepTime,      // s
    TokensPerGpu,  // 1/s
    FlopsPerGpu    // flop/s
  };
  Kind kind = Kind::RequestTime;
  double value = 0;
  std::string model;         // as the file names it
  std::string software;      // "vllm"
  double together = 0;       // serving
  double input_tokens = 0;   // serving: of a request
  double output_tokens = 0;  // serving: of a request
  double first_token_s = 0;  // serving
  double per_token_s = 0;    // serving
  double tokens_per_s = 0;   // serving: of all answers
  double batch = 0;          // training: samples in a step
  double sequence = 0;       // training: tokens in a sample
};

// The speed beside what a model of the hardware and of such software expects.
struct ComparedSpeed {
  enum class Outcome {
    AsExpected,
    Slow,       // slower than nine of ten such runs
    Fast,       // faster than nine of ten such runs
    Impossible  // faster than the hardware allows
  };
  Outcome outcome = Outcome::AsExpected;
  double factor = 1;  // measured over expected time
  std::string text;   // one sentence
  std::vector<std::pair<std::string, std::string>> facts;
};

struct JudgeOptions {
  // Answers from the hardware that the user names (desk/expected.h). Empty: nothing is named. No value: the
  // model or the load is not known, and `reason` says what is missing.
  std::function<std::optional<ComparedSpeed>(const MeasuredSpeed&, std::string& reason)> compare;
  // The share of healthy cases in which all comparisons of one question together may name a part.
  double false_alarms = 0.01;
  // The smallest slow-down that is worth a finding: 0.03 is 3 %. What is smaller may be certain and is
  // nobody's concern on the day something is slow.
  double least_effect = 0.03;
};

void judge_hangs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_counts(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_completions(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_events(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_states(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_samples(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_standstill(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_extremes(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_onset(const Records& records, const JudgeOptions& options, Judgement& out);
// Behind judge_onset, whose finding of the job it explains.
void judge_spreads(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_runs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_serving(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_speed_of_job(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_job_shares(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_jobs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_unread(const Records& records, const JudgeOptions& options, Judgement& out);
// Behind all others: what they found explains the end of a job.
void judge_endings(const Records& records, const JudgeOptions& options, Judgement& out);

// An event that states that the job ended, and no cause.
inline bool is_ending(const Event& event) {
  return event.kind.starts_with("job/");
}

// Puts the events and deviations on one time axis with a lane a host, in front of the other figures.
void draw_lanes(const Records& records, Judgement& judgement);

// Places symptoms (a hang, a node that was taken out) under the part of their host that explains them.
void place_symptoms(std::vector<finding::Finding>& findings);
// The index of the part that explains best why the job became slower; `parts` is not empty.
size_t explains_job(const std::vector<finding::Finding>& parts, const finding::Finding& job);

// Adds the comparison of one speed: a finding of `subject` when it is slow.
void add_compared(
    const ComparedSpeed& compared,
    const std::string& subject,
    const std::string& source,
    Judgement& out);

// The quoted line of a row as evidence: "file:line: text".
finding::Evidence quoted(const Records& records, const Event& event);
// "file:line" of a row.
std::string place_text(const Records& records, const Where& where);
// Host, rank and GPU of a subject.
finding::Place place_of(const Subject& subject);
// "once in 12,000 healthy cases", "more often than once in 10 healthy cases" for a large share.
std::string false_alarm_text(double share);
// "3 of them: a, b, c", at most `most` names.
std::string list_text(const std::vector<std::string>& names, size_t most = 8);

}  // namespace lento::desk
