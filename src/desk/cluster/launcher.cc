// The programs that start the processes of a job and watch them: srun and slurmstepd, slurmctld, torchrun,
// mpirun, JAX's coordination service, Horovod's stall inspector. Their lines
// show which process or node was lost first.
//
//   torchrun = "Root Cause (first observed failure):" {line}
//   line     = "host : " HOST | "rank : " N " (local_rank: " N ")" | "exitcode : " N
//   barrier  = "[Rank 0]: Ranks " N {", " N} " failed to pass monitoredBarrier"          (torch.distributed)
//   JAX      = any "Some timed out task names:" {newline "/job:" NAME "/replica:" N "/task:" N}
//   MPI      = "Remote daemon: [" NAME "] on node " HOST      behind "has lost communication"
//   Horovod  = "Missing ranks:" {N ": [" TENSOR {", " TENSOR} "]"} | "[missing ranks: " N {", " N} "]"
//
// A line that states only that the job ended ("job/...") names no part: the judges take it for an open
// question where nothing else explains it (incident/endings.cc). Processes that are stopped because another
// one failed are no causes. Several ranks that have not come are listed, since one of them may hold up the
// others.
//
// Sources: Slurm 20.11 to 25.05 (srun, slurmstepd, slurmctld); torch.distributed.elastic of PyTorch 1.13
// to 2.8; Open MPI 4 and 5 (orterun, prte); the coordination service of XLA, 2023 to 2025; the stall
// inspector of Horovod 0.19 to 0.28.
#include <algorithm>
#include <set>

#include "base/number.h"
#include "desk/cluster/cluster.h"
#include "desk/read/event_form.h"

namespace lento::desk {
namespace {

using enum Origin;
using enum Severity;
constexpr const char* kNode =
    "look at its power, its kernel log (dmesg -T) and its network; drain it until the reason is known";
constexpr const char* kRank =
    "look at the end of that rank's log and at the kernel log of its host at that time";
constexpr const char* kLonger = "ask for a longer time limit, or write checkpoints more often";
constexpr const char* kFirstError = "the logs of all ranks: the earliest error in them is the cause";

const EventForm kLauncherForms[] = {
    {{"srun: error: Node failure on {host:name}", {"srun: error: Node failure on gpu017"}},
     "slurm/node failed",
     Hardware,
     Fault,
     "Slurm lost the node while the job ran",
     kNode},
    {{"Killing job_id {job:int} on failed node {host:name}", {"Killing job_id 4711 on failed node gpu017"}},
     "slurm/node failed",
     Hardware,
     Fault,
     "Slurm lost the node while a job ran",
     kNode},
    {{"error: Nodes {host:name} not responding", {"error: Nodes gpu017 not responding, setting DOWN"}},
     "slurm/not responding",
     Hardware,
     Fault,
     "the node does not answer Slurm",
     kNode},
    {{"Node {host:name} now responding", {"Node gpu017 now responding"}},
     "slurm/responding",
     Hardware,
     Note,
     "the node answers Slurm again",
     kNode},
    {{"slurmstepd: error: *** {step} ON {_:name} CANCELLED AT {_:word} DUE TO TIME LIMIT",
      {"slurmstepd: error: *** JOB 4711 ON gpu001 CANCELLED AT 2026-03-01T12:00:01 DUE TO TIME LIMIT ***"}},
     "job/time limit",
     Operator,
     Note,
     "the job reached its time limit",
     kLonger},
    {{"slurmstepd: error: *** {step} ON {_:name} CANCELLED AT",
      {"slurmstepd: error: *** STEP 88.0 ON n1 CANCELLED AT 2026-03-01T12:00:01 ***",
       "slurmstepd: error: *** JOB 4711 ON n3 CANCELLED AT 2026-03-01T12:00:01 DUE TO NODE FAILURE, SEE "
       "SLURMCTLD LOG FOR DETAILS ***"}},
     "job/cancelled",
     Unclear,
     Note,
     "Slurm cancelled the job",
     "sacct -j JOB -o State,Reason,NodeList, and the end of the job's log"},
    {{"slurmstepd: error: Detected {n:int} oom",
      {"slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM "
       "Killed."}},
     "job/memory",
     Program,
     Note,
     "a process of the job was killed for want of memory",
     "give the job more host memory, or find what grows; the kernel log of its hosts names the process"},
    {{"srun: error: {_:name}: task{_} Killed",
      {"srun: error: n2: task 8: Killed", "srun: error: n2: tasks 8-15: Killed"}},
     "job/killed",
     Consequence,
     Note,
     "processes of the job were killed",
     kFirstError},
    {{"srun: error: {_:name}: task{_} Exited with exit code {code:int}",
      {"srun: error: n2: task 8: Exited with exit code 1"}},
     "job/failed",
     Program,
     Note,
     "processes of the job ended with an error",
     kFirstError},
    {{"noticed that process rank {rank:int} with PID {_:word} on node {host:name} exited on signal "
      "{signal:int}",
      {"mpirun noticed that process rank 3 with PID 0 on node n1 exited on signal 9 (Killed)."}},
     "process/killed",
     Unclear,
     Fault,
     "its process was the first that was killed by a signal",
     kRank},
    {{"Task launch for StepId={_:word} failed on node {host:name}: {why}",
      {"srun: error: Task launch for StepId=4711.0 failed on node gpu07: Communication connection failure"}},
     "slurm/launch failed",
     Hardware,
     Fault,
     "Slurm could not start the job's processes there",
     kNode},
    {{"srun: error: Unable to {what}",
      {"srun: error: Unable to create step for job 4711: Job/step already completing or completed"}},
     "job/failed",
     Unclear,
     Note,
     "srun could not start the job",
     "sacct -j JOB -o State,Reason,NodeList"},
    {{"Memory on the node (IP: {host:word}, ID: {_:word}) where the task {_} was running was",
      {"Memory on the node (IP: 10.8.0.5, ID: 4d1c) where the task (actor ID: 77aa, name=Worker.__init__, "
       "pid=771, "
       "memory used=411.20GB) was running was 957.11GB / 1007.40GB (0.950080)"}},
     "memory/killed",
     Program,
     Fault,
     "Ray killed a process for want of memory",
     "give the node more memory, or find what grows (ray memory, ray logs)"},
    {{"and node name: {host:name} has been marked dead",
      {"WARNING worker.py:1829 -- The node with node id: 5ad7 and address: 10.2.0.4 and node name: gpu004 "
       "has been "
       "marked dead because the detector has missed too many heartbeats from it."}},
     "ray/node dead",
     Hardware,
     Fault,
     "Ray lost the node: it missed too many heartbeats",
     kNode},
    {{"Remote daemon: [{_}] on node {host:name}",
      {"  Remote daemon: [prterun-gpu01-4711@0,3] on node gpu04",
       "Remote daemon: [[17757,0],13] on node node1001"}},
     "mpi/daemon lost",
     Hardware,
     Fault,
     "mpirun lost its daemon there: the node or its network failed",
     kNode},
    {{"MPI_ABORT was invoked on rank {rank:int} ",
      {"MPI_ABORT was invoked on rank 5 in communicator MPI_COMM_WORLD"}},
     "process/aborted",
     Program,
     Fault,
     "its process ended the job",
     kRank},
    {{"SignalException: Process {_:int} got signal: {signal:int}",
      {"torch.distributed.elastic.multiprocessing.api.SignalException: Process 811 got signal: 15"}},
     "job/stopped",
     Unclear,
     Note,
     "the launcher was stopped from outside",
     "the scheduler's reason (sacct -j JOB -o State,Reason) and the logs of the other hosts"},
    {{"failed (exitcode: {code:int}) local_rank: {_:int} (pid:",
      {"failed (exitcode: -9) local_rank: 4 (pid: 2260) of binary: /usr/bin/python3"}},
     "job/failed",
     Unclear,
     Note,
     "a process of this host failed",
     "the report of the launcher at the end of its log, and the logs of all ranks"},
    {{"detected fatal errors",
      {"Terminating process because the JAX distributed service detected fatal errors."}},
     "job/failed",
     Consequence,
     Note,
     "the job ended because another process failed",
     kFirstError},
};

const std::vector<LineForm> kForms = forms_of(kLauncherForms);

enum FailureForm {
  RootCause,
  Host,
  Rank,
  ExitCode,
};

const LineForm kFailureForms[] = {
    {"Root Cause (first observed failure):", {"Root Cause (first observed failure):"}},
    {"^~host~: {host:name}$", {"  host      : gpu017"}},
    {"^~rank~: {rank:int} (local_rank: {_:int})", {"  rank      : 12 (local_rank: 4)"}},
    {"^~exitcode~: {code:int} (pid:", {"  exitcode  : -9 (pid: 22604)"}},
};

// Returns what an exit code of the first failed process means.
const char* exit_meaning(int64_t code) {
  switch (code) {
    case -9:
      return "its process was the first that ended: killed (SIGKILL), as the kernel does for want of memory";
    case -11:
      return "its process was the first that ended: it crashed (SIGSEGV)";
    case -6:
      return "its process was the first that ended: it stopped itself (SIGABRT), as a watchdog does";
    case -7:
      return "its process was the first that ended: a memory access failed (SIGBUS)";
    default:
      return "its process was the first that ended, with an error";
  }
}

// Reads the report after "Root Cause". The failures listed before it happened later.
class Failure : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == RootCause)
      is_open_ = true;
    if (!is_open_)
      return;
    if (form == Host)
      subject_.host = match.text("host");
    if (form == Rank)
      subject_.rank = match.text("rank");
    if (form != ExitCode)
      return;
    Event event;
    event.kind = "process/failed first";
    event.severity = Fault;
    event.subject = subject_;
    event.meaning = exit_meaning(match.integer("code").value_or(0));
    event.action = kRank;
    sink.event(std::move(event));
    is_open_ = false;
    subject_ = {};
  }

  bool is_open_ = false;
  Subject subject_;
};

enum MissingForm {
  Heartbeats,
  OneHeartbeat,
  MissingHead,
  MissingInline,
  Barrier,
  LateHead,
  MissingSet,
};

const LineForm kMissingForms[] = {
    {"stopped sending heartbeats): {tasks}",
     {"Unavailable: The following tasks are unhealthy (stopped sending heartbeats): "
      "/job:jax_worker/replica:0/task:5. The tasks have crashed."}},
    {"/task:{rank:int} heartbeat timeout",
     {"Task /job:jax_worker/replica:0/task:7 heartbeat timeout. This indicates that the remote task has "
      "failed"}},
    {"^~Missing ranks:$", {"Missing ranks:"}},
    {"[missing ranks: {ranks}]",
     {"allreduce.conv1.weight [missing ranks: 2]", "HorovodBroadcast_w_0 [missing ranks: 1, 3]"}},
    {"]: Rank(?s?) {ranks} failed to pass monitoredBarrier",
     {"RuntimeError: [Rank 0]: Ranks 4, 5 failed to pass monitoredBarrier in 2000000 ms",
      "RuntimeError: [Rank 0]: Rank 3 failed to pass monitoredBarrier in 1800000 ms"}},
    {"Some timed out task names:",
     {"The first task at the barrier: /job:jax_worker/replica:0/task:13. Some timed out task names:"}},
    {"^~missing ranks: {ranks}", {"missing ranks: {3}", "missing ranks: {1, 2, 5}"}},
};

class Missing : public Reader {
  static constexpr size_t kMostRanks = 4096;
  static constexpr int kMostLines = 4096;

  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Heartbeats:
        numbers_behind(match["tasks"], "task:", gone_);
        break;
      case OneHeartbeat:
        gone_.insert(match.text("rank"));
        break;
      case MissingHead:
      case LateHead:
        sink.follow(kMostLines);
        return;
      default:
        numbers_behind(match["ranks"], "", missing_);
    }
    quote(sink);
  }

  // Takes a line behind a report: a task after JAX's barrier, or a rank of Horovod's list. Such a line, "3:
  // [TENSOR, TENSOR ...]", was parsed as output of rank 3 with srun's label.
  void behind(std::string_view line, Sink& sink) override {
    if (line.starts_with("/job:") && line.find("/task:") != line.npos) {
      numbers_behind(line, "/task:", missing_);
      quote(sink);
      return;
    }
    if (!line.starts_with("[") || sink.subject().rank.empty()) {
      sink.follow(0);
      return;
    }
    if (missing_.size() < kMostRanks)
      missing_.insert(sink.subject().rank);
    quote(sink);
  }

  void quote(const Sink& sink) {
    line_.assign(sink.line());
    number_ = sink.number();
    time_ = sink.time();
  }

  // Collects the numbers that follow each occurrence of `word`.
  static void numbers_behind(std::string_view text, std::string_view word, std::set<std::string>& out) {
    for (size_t at = 0; at < text.size() && out.size() < kMostRanks;) {
      if (!text.substr(at).starts_with(word)) {
        ++at;
        continue;
      }
      at += word.size();
      const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
      if (end > at && end - at < 8)
        out.emplace(text.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  }

  void end(Sink& sink) override {
    sink.at(line_, number_, {}, time_);
    for (const std::string& rank : gone_)
      write(sink, rank, "process/no heartbeat", "its process stopped sending heartbeats");
    if (missing_.size() == 1)
      write(
          sink,
          *missing_.begin(),
          "process/missing",
          "it alone has not come to what the other ranks wait for");
    else if (!missing_.empty())
      write(
          sink,
          "",
          "job/stalled",
          std::to_string(missing_.size()) +
              " ranks have not come to what the others wait for, and which of them holds up the rest is not "
              "in "
              "this log");
  }

  static void write(Sink& sink, const std::string& rank, const char* kind, std::string meaning) {
    Event event;
    event.kind = kind;
    event.severity = rank.empty() ? Note : Fault;
    event.subject.rank = rank;
    event.meaning = std::move(meaning);
    event.action = rank.empty() ? "the stacks of these ranks (py-spy dump --pid PID on their hosts)" : kRank;
    sink.event(std::move(event));
  }

  std::set<std::string> gone_;
  std::set<std::string> missing_;
  std::string line_;
  int64_t number_ = 0;
  Moment time_;
};

}  // namespace

const Format kLauncher{
    "launcher (srun, mpirun, torchrun)",
    "cluster",
    kForms,
    Shape::Lines,
    make<EventLines<kLauncherForms>>};
const Format kFailure{"failure report of torchrun", "cluster", kFailureForms, Shape::Lines, make<Failure>};
const Format kMissing{
    "ranks that have not come (JAX, Horovod)",
    "cluster",
    kMissingForms,
    Shape::Lines,
    make<Missing>};

}  // namespace lento::desk
