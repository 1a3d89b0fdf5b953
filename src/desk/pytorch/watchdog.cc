// The watchdog of PyTorch's ProcessGroupNCCL writes how far a rank's queue of collectives has come and which
// collective timed out. Each such line becomes one event: collective/timeout or collective/progress, with the
// process group and the sequence number, by which the ranks of a job are compared.
//
//   place    = "[Rank 3]" | "[PG 0 Rank 3]" | "[PG 0 (default_pg) Rank 3]" | "[PG ID 0 PG GUID 0(default_pg)
//   Rank 3]" timeout  = place "Watchdog caught collective operation timeout: WorkNCCL(" {NAME "=" value ", "}
//   ") ran for" progress = place ... "last enqueued" ["NCCL"] "work: N, last completed" ["NCCL"] "work: N"
//
// Source: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp of PyTorch 1.13 to 2.8.
#include <utility>

#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

enum WatchdogForm {
  Timeout,
  Progress,
  Stuck,
  NoDump,
  Unhealthy,
};

const LineForm kWatchdogForms[] = {
    {"Watchdog caught collective operation timeout: WorkNCCL({work}) ran for {ms:int} milliseconds",
     {"[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=BROADCAST, "
      "NumelIn=4, "
      "NumelOut=4, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.",
      "[PG 1 Rank 5] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE, "
      "TensorShape=[1], "
      "Timeout(ms)=1800000) ran for 1803170 milliseconds before timing out.",
      "ProcessGroupNCCL.cpp:552] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
      "OpType=ALLGATHER, Timeout(ms)=10) ran for 12 milliseconds"}},
    {"ast enqueued (?NCCL ?)work: {enqueued:int}, last completed (?NCCL ?)work: {completed:int}",
     {"[Rank 1] Timeout at NCCL work: 20, last enqueued NCCL work: 25, last completed NCCL work: 19.",
      "[PG ID 0 PG GUID 0(default_pg) Rank 4] Exception (either an error or timeout) detected by watchdog at "
      "work: "
      "7, last enqueued NCCL work: 9, last completed NCCL work: 6.",
      "[PG ID 2 PG GUID 9 Rank 0] failure detected by watchdog at work sequence id: 5 PG status: last "
      "enqueued "
      "work: 5, last completed work: 4"}},
    {"watchdog got stuck for {s:count}",
     {"[PG ID 0 PG GUID 0(default_pg) Rank 7] ProcessGroupNCCL's watchdog got stuck for 480 seconds without "
      "making "
      "progress in monitoring enqueued collectives."}},
    {"Stack trace of the failed collective not found, potentially because FlightRecorder is disabled",
     {"Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You "
      "can "
      "enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value."}},
    {"[Rank {rank:int}] NCCL watchdog thread terminated with exception: {what}",
     {"[Rank 6] NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was "
      "encountered"}},
};

const Pattern kWithGroup("[PG ID {pg:int} PG GUID {guid:word} Rank {rank:int}]");
const Pattern kWithNumber("[PG {pg:int} Rank {rank:int}]");
const Pattern kWithName("[PG {pg:int} ({_}) Rank {rank:int}]");
const Pattern kWithRank("[Rank {rank:int}]");

// Returns the value of a name in "SeqNum=20731, OpType=ALLREDUCE".
std::string value_of(std::string_view work, std::string_view name) {
  const size_t at = work.find(std::string(name) + "=");
  if (at == work.npos)
    return "";
  const std::string_view rest = work.substr(at + name.size() + 1);
  const bool is_list = rest.starts_with("[");
  const size_t end = is_list ? rest.find(']') : rest.find(',');
  return std::string(rest.substr(0, end == rest.npos ? end : end + is_list));
}

class Watchdog : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    Event event;
    std::string group = place(sink, event);
    switch (form) {
      case Timeout:
        timeout(match, event);
        break;
      case Progress:
        event.kind = "collective/progress";
        event.severity = Severity::Note;
        event.meaning = "state of the queue of collectives";
        event.fields.emplace_back("enqueued", match.text("enqueued"));
        event.fields.emplace_back("completed", match.text("completed"));
        break;
      case Stuck:
        event.kind = "collective/watchdog stuck";
        event.severity = Severity::Warning;
        event.meaning =
            "the watchdog itself made no progress: a call into CUDA or the interpreter's lock hangs";
        event.action = "look at this rank's stacks (py-spy dump --native)";
        break;
      case NoDump:
        event.kind = "collective/no flight recorder";
        event.meaning = "the flight recorder is off";
        break;
      default:
        event.kind = "collective/exception";
        event.severity = Severity::Fault;
        event.origin = Origin::Program;
        event.meaning = "the rank ended with an exception: " + match.text("what");
        event.action = "look at this rank's log before that line; the ranks that timed out waited for it";
    }
    event.fields.emplace_back("group", std::move(group));
    sink.event(std::move(event));
  }

  // Fills the event of a collective that timed out.
  static void timeout(const Match& match, Event& event) {
    const std::string_view work = match["work"];
    event.kind = "collective/timeout";
    event.severity = Severity::Warning;
    event.origin = Origin::Consequence;
    event.meaning = "waited for a collective until the timeout";
    const std::vector<std::pair<std::string, std::string>> fields{
        {"seq", value_of(work, "SeqNum")},
        {"op", value_of(work, "OpType")},
        {"elements", value_of(work, "NumelIn")},
        {"shape", value_of(work, "TensorShape")},
        {"timeout_ms", value_of(work, "Timeout(ms)")},
        {"ran_ms", match.text("ms")},
    };
    event.fields.insert(event.fields.end(), fields.begin(), fields.end());
  }

  // Fills in the rank and returns the name of the group. The number in the line is the rank within the
  // group. The launcher's prefix, when present, holds the rank of the job.
  static std::string place(const Sink& sink, Event& event) {
    Match match;
    std::string group;  // empty: the line does not state it
    if (kWithGroup.match(sink.line(), match))
      group = match.text("pg") + " " + match.text("guid");
    else if (kWithNumber.match(sink.line(), match) || kWithName.match(sink.line(), match))
      group = match.text("pg");
    else if (!kWithRank.match(sink.line(), match))
      return group;
    event.fields.emplace_back("group rank", match.text("rank"));
    event.subject.rank = sink.subject().rank.empty() ? match.text("rank") : sink.subject().rank;
    return group;
  }
};

}  // namespace

const Format
    kPytorchWatchdog{"PyTorch watchdog", "pytorch", kWatchdogForms, Shape::Lines, make<Watchdog>, nullptr};

}  // namespace lento::desk
