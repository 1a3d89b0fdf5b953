// The judges of the desk. Each reads the rows of all files and adds its findings, the parts that it checked,
// and the questions that it could not answer. None depends on a format. incident.h runs them all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "desk/read/records.h"
#include "finding/finding.h"

namespace lento::desk {

inline constexpr const char* kTheJob = "the job";              // a subject
inline constexpr const char* kBecameSlower = "became slower";  // a category

// A question that the rows raise but do not answer.
struct OpenQuestion {
  std::string reason;     // "which of 30 ranks holds the others up is not in this text"
  std::string remedy;     // one file and the command that makes it
  std::string host = {};  // of which only a scheduler's list speaks
};

struct Judgement {
  std::vector<finding::Finding> findings;
  std::vector<std::string> covered;  // "network transport of 4 hosts"
  std::vector<OpenQuestion> open;
  // Verdict when nothing is found and no question is open; empty: the default sentence.
  std::string all_clear;
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, std::string>> facts;  // name -> text with unit
  std::vector<finding::Figure> figures;
};

// A speed that a file states, and the load at which it was reached. Numbers that are not stated are 0.
struct MeasuredSpeed {
  enum class Kind {
    RequestTime,   // s, from arrival to the last token, of `together` requests that run at one time
    StepTime,      // s
    TokensPerGpu,  // 1/s
    FlopsPerGpu,   // flop/s
    BusBandwidth   // byte/s, of a collective
  };
  Kind kind = Kind::RequestTime;
  double value = 0;
  std::string model;         // as the file names it
  std::string software;      // "vllm"
  double together = 0;       // serving: concurrent requests
  double input_tokens = 0;   // serving: of a request
  double output_tokens = 0;  // serving: of a request
  double first_token_s = 0;  // serving
  double per_token_s = 0;    // serving
  double tokens_per_s = 0;   // serving: over all answers
  double batch = 0;          // training: samples in a step
  double sequence = 0;       // training: tokens in a sample
  std::string collective;    // "all-reduce", "all-gather", "reduce-scatter"
  double bytes = 0;          // of the collective's buffer
  double devices = 0;        // that take part in it
};

// A measured speed compared with the speed that a model of hardware and software expects.
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
  // Predicts the speed for the hardware that the user names (desk/expected.h). Empty: the user named none.
  // Returns no value when the model or the load is unknown, and then `reason` states what is missing.
  std::function<std::optional<ComparedSpeed>(const MeasuredSpeed&, std::string& reason)> compare;
  // The probability that a healthy case gets any finding from the comparisons of one question.
  double false_alarms = 0.01;
  // The smallest slow-down that is reported: 0.03 is 3 %. A smaller one may be statistically significant
  // without practical importance.
  double least_effect = 0.03;
  // Verdicts on files that lie beside the logs and that another module judges (desk/houses.h).
  std::vector<finding::Diagnosis> beside;
};

void judge_hangs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_stacks(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_progress(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_counts(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_completions(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_events(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_states(const Records& records, const JudgeOptions& options, Judgement& out);
// Compares how many parts of one kind the hosts list.
void judge_census(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_samples(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_standstill(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_extremes(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_onset(const Records& records, const JudgeOptions& options, Judgement& out);
// Must run after judge_onset, because it explains that judge's finding about the job.
void judge_spreads(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_runs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_pairs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_serving(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_speed_of_job(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_job_shares(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_jobs(const Records& records, const JudgeOptions& options, Judgement& out);
void judge_unread(const Records& records, const JudgeOptions& options, Judgement& out);
// Must run after all others, because their findings explain the end of a job.
void judge_endings(const Records& records, const JudgeOptions& options, Judgement& out);

// Jobs with the hosts that took part. Names the nodes whose jobs fail more often than chance allows. Returns
// false when no node is named.
using PlacedJobs = std::vector<const Run*>;
using IsFailed = bool (*)(const Run&);
bool accuse_by_share(
    const Records& records,
    PlacedJobs jobs,
    IsFailed is_failed,
    const JudgeOptions& options,
    Judgement& out);

// Returns whether an event reports the end of a job without a cause.
inline bool is_ending(const Event& event) {
  return event.kind.starts_with("job/");
}

// Returns whether the file of an event has samples of the job behind it: what ended was an earlier attempt.
bool job_went_on(const Records& records, const Event& event);

// Draws events and deviations on one time axis with a lane for each host, as the first figure.
void draw_lanes(const Records& records, Judgement& judgement);

// Draws the part of the first finding beside its peers, as the first figure.
void draw_peers(const Records& records, Judgement& judgement);
// Draws one value for each part, with that of `subject` in a colour of its own. Draws nothing when a part has
// no value.
void draw_levels(
    const std::string& subject,
    const Quantity& quantity,
    const std::vector<std::pair<Subject, double>>& parts,
    Judgement& out);

// Returns whether a finding reports hardware or a link that broke. Without an event for a day its score is
// lower (events.cc), because it may have been mended.
inline bool is_broken(const finding::Finding& finding) {
  constexpr double kPresent = 0.8;
  return finding.category.starts_with("faulty") && finding.score > kPresent;
}

// Lists symptoms (a hang, a node that was taken out) under the part of their host that explains them.
void place_symptoms(std::vector<finding::Finding>& findings);
// Returns the index of the part that best explains why the job became slower, or parts.size() when none does:
// a fault that was over before the job began, or one at another time. `span` is that of the job, if known. A
// part that is chosen for its time gets that as evidence.
size_t explain_job(
    std::vector<finding::Finding>& parts,
    const finding::Finding& job,
    const std::optional<finding::TimeWindow>& span);
// Returns how probable it is by chance that the nearest of `moments` unrelated moments in a span lies at most
// `distance` s from a given one, as evidence, or no value when it is more than one in ten or the span
// unknown.
std::optional<finding::Evidence>
nearness(double distance, size_t moments, const std::optional<finding::TimeWindow>& span);
// Returns the times of the job's first and last sample (Unix time, s), if there are any.
std::optional<finding::TimeWindow> span_of_job(const Records& records);
// Returns whether a log shows the course of the job as a whole: eight samples of one quantity and more.
bool has_course_of_job(const Records& records);
// Returns a finding about the part with the event that is nearest to `moment` (Unix time, s), faults and
// notes alike, or no value when none is near (nearness).
std::optional<finding::Finding> part_with_event_at(const Records& records, double moment);

// Adds the comparison of one speed, as a finding about `subject` when it is too slow.
void add_compared(
    const ComparedSpeed& compared,
    const std::string& subject,
    const std::string& source,
    Judgement& out);

// Quotes the line of an event as evidence: "file:line: text".
finding::Evidence quoted(const Records& records, const Event& event);
// Formats the location of a row as "file:line".
std::string place_text(const Records& records, const Where& where);
// Returns host, rank and GPU of a subject.
finding::Place place_of(const Subject& subject);
// Formats a probability of a false alarm: "once in 12,000 healthy cases", or "more often than once in 10
// healthy cases".
std::string false_alarm_text(double share);
// Formats a list of names: "3 of them: a, b, c", with at most `most` names.
std::string list_text(const std::vector<std::string>& names, size_t most = 8);

}  // namespace lento::desk
