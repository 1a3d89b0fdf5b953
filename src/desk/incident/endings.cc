// Judges lines that report the end of a job without naming a part that caused it: a time limit, a signal, an
// error of the program, a connection that its peer closed. When another judge names a part, such lines are
// listed as its consequences. Otherwise they are an open question, so that a log with such a line is never
// reported healthy.
//
// The peer that closed a connection is the end whose process ended. When at least two hosts name the same
// peer, and that peer reports no closed connection, its process ended first. When no peer or
// several peers are like that, these lines do not show which process ended first.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "base/units.h"
#include "desk/incident/judge.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

constexpr size_t kMostEndings = 4;

// Shortens "gpu17.cluster.example<4122>" to "gpu17".
std::string host_of(std::string_view peer) {
  peer = peer.substr(0, peer.find('<'));
  const bool is_name = peer.find_first_not_of("0123456789.") != peer.npos && peer.find(':') == peer.npos;
  return std::string(is_name ? peer.substr(0, peer.find('.')) : peer);
}

// Adds findings for processes whose peers saw the connection close.
void judge_closed(const Records& records, Judgement& out) {
  // Events by the peer that closed the connection, then by the reporting host.
  std::map<std::string, std::map<std::string, const Event*>> reporters;
  std::set<std::string> reporting;
  for (const Event& event : records.events()) {
    if (event.kind != "collective/closed")
      continue;
    const std::string host = host_of(event.subject.host);
    const std::string peer = host_of(field(event, "peer"));
    if (host.empty() || peer == host)
      continue;
    reporting.insert(host);
    reporters[peer].try_emplace(host, &event);
  }
  if (reporters.empty())
    return;
  out.covered.push_back("connections of " + std::to_string(reporting.size()) + " hosts that were closed");
  std::vector<std::string> first;
  for (const auto& [peer, hosts] : reporters)
    if (hosts.size() >= 2 && !reporting.contains(peer))
      first.push_back(peer);
  if (first.size() != 1) {
    const auto& [peer, hosts] = *reporters.begin();
    out.open.push_back(
        {"connections of " + std::to_string(reporting.size()) + (reporting.size() == 1 ? " host" : " hosts") +
             " were closed by their peers (" + place_text(records, hosts.begin()->second->where) +
             "), and which process ended first is not in these lines",
         "the logs of all ranks with times: the earliest error in them is the cause"});
    return;
  }
  finding::Finding finding;
  finding.subject = first[0];
  finding.category = "a process ended first";
  finding.summary = first[0] + " closed its connections to " + std::to_string(reporters[first[0]].size()) +
                    " other hosts: a process there ended first";
  finding.score = 0.8;
  finding.where = finding::Place{first[0], "", ""};
  for (const auto& [host, event] : reporters[first[0]])
    if (finding.evidence.size() < kMostEndings)
      finding.evidence.push_back(quoted(records, *event));
  finding.next_step = "look at the end of the logs of the ranks there and at its kernel log (dmesg -T)";
  out.findings.push_back(std::move(finding));
}

std::string process_of(const Subject& subject) {
  return subject.rank.empty() ? subject.host : "rank " + subject.rank;
}

// Adds a finding for the one process that ended by an error of its own, when the others state that a peer is
// gone, or when it crashed. An error that several processes have is one of the program.
void judge_first_error(const Records& records, Judgement& out) {
  std::map<std::string, const Event*> own;  // the first of each process
  std::set<std::string> followers;
  for (const Event& event : records.events()) {
    const std::string process = process_of(event.subject);
    if (event.kind != "job/error" || process.empty())
      continue;
    if (event.origin == Origin::Consequence)
      followers.insert(process);
    else
      own.try_emplace(process, &event);
  }
  if (own.size() != 1)
    return;
  const auto& [process, event] = *own.begin();
  followers.erase(process);
  const bool is_crash = field(*event, "sort") == "crash";
  if (field(*event, "error").empty() || (followers.empty() && !is_crash))
    return;
  out.covered.push_back("errors of " + std::to_string(followers.size() + 1) + " processes");
  finding::Finding finding;
  finding.subject = subject_text(event->subject);
  finding.category = "a process ended first";
  finding.summary =
      finding.subject + ": its process ended first, with " + field(*event, "error") +
      (followers.empty() ? ""
                         : "; " + std::to_string(followers.size()) +
                               (followers.size() == 1 ? " other" : " others") + " lost their peer");
  finding.score = is_crash ? 0.8 : 0.85;
  finding.where = place_of(event->subject);
  finding.evidence.push_back(quoted(records, *event));
  finding.next_step = "look at the end of its log and at the kernel log of its host (dmesg -T) at that time";
  out.findings.push_back(std::move(finding));
}

// Raises a question about the one rank that failed in each of several attempts. Where each of R ranks is as
// likely to fail, one rank fails n times in a row with the probability R^(1-n). The line must state the rank:
// the log of one rank alone shows no other.
void question_repeated(const Records& records, const JudgeOptions& options, Judgement& out) {
  std::map<std::string, std::vector<const Event*>> own;
  for (const Event& event : records.events())
    if (event.kind == "job/error" && event.origin != Origin::Consequence && !event.subject.rank.empty() &&
        rank_in(event.text).number == event.subject.rank)
      own[event.subject.rank].push_back(&event);
  if (own.size() != 1)
    return;
  const auto& [rank, events] = *own.begin();
  const std::vector<const Event*>& failures = events;
  const double ranks = double(base::try_int(rank).value_or(0)) + 1;
  double times = 0;
  for (const Event* event : failures)
    times += double(event->count);
  const double chance = std::pow(ranks, 1 - times);
  if (ranks < 2 || chance > options.false_alarms || !job_went_on(records, *failures[0]))
    return;
  out.open.push_back(
      {subject_text(failures[0]->subject) + " failed in each of " + base::format_number(times) +
           " attempts (" + failures[0]->meaning + ", " + place_text(records, failures[0]->where) +
           "), which one of " + base::format_number(ranks) + " ranks that are all alike does " +
           false_alarm_text(chance) + ": its GPU, or its share of the data",
       "a long test of that GPU (dcgmi diag -r 4), and one attempt with its host left out"});
}

bool is_of_rank(const Event& event, const finding::Place& where) {
  return event.subject.rank == where.rank && (event.subject.host.empty() || event.subject.host == where.host);
}

// Adds the error that a process printed to the finding that it ended first. An error of the program is then
// the cause, unless CUDA or the hardware reported it. Returns the meanings of the lines that were used.
std::set<std::string> explain_first_end(const Records& records, Judgement& out) {
  std::set<std::string> used;
  for (finding::Finding& finding : out.findings) {
    if (finding.category != "fault of hardware or a program" || !finding.where || finding.where->rank.empty())
      continue;
    const Event* error = nullptr;
    const Event* detail = nullptr;  // a line that states more: the memory of a GPU ran out
    bool is_hardware = false;
    for (const Event& event : records.events()) {
      if (!is_of_rank(event, *finding.where))
        continue;
      is_hardware |= event.origin == Origin::Hardware || event.origin == Origin::Link;
      if (event.origin != Origin::Program || !is_ending(event))
        continue;
      const bool is_error = event.kind == "job/error";
      if (const Event*& first = is_error ? error : detail;
          !first && (!is_error || field(event, "error") != ""))
        first = &event;
    }
    if (!error || is_hardware)
      continue;
    const std::string text = field(*error, "error");
    if (text.find("CUDA error") == text.npos && text.find("HIP error") == text.npos)
      finding.category = "fault of a program";
    finding.summary += ": " + text;
    finding.evidence.insert(finding.evidence.begin(), quoted(records, *error));
    finding.next_step =
        detail ? detail->action : "look at the traceback above that line in the log of the rank";
    used.insert(error->meaning);
    if (detail)
      used.insert(detail->meaning);
  }
  return used;
}

}  // namespace

bool job_went_on(const Records& records, const Event& event) {
  return std::ranges::any_of(records.series(), [&](const Series& series) {
    return series.file == event.where.file && !series.rows.empty() &&
           records.quantities()[series.quantity].scope == Scope::Job &&
           series.rows.back().where.line > event.where.line;
  });
}

void judge_endings(const Records& records, const JudgeOptions& options, Judgement& out) {
  judge_closed(records, out);
  judge_first_error(records, out);
  question_repeated(records, options, out);
  std::set<std::string> seen = explain_first_end(records, out);
  for (const Event& event : records.events()) {
    if (!is_ending(event) || !seen.insert(event.meaning).second || seen.size() > kMostEndings)
      continue;
    const std::string text = event.meaning + " (" + place_text(records, event.where) + ")";
    if (job_went_on(records, event))
      out.notes.push_back(text + ", after which the job went on");
    else if (out.findings.empty())
      out.open.push_back({text, event.action});
    else
      out.notes.push_back("Followed: " + text);
  }
}

}  // namespace lento::desk
