// Reads errors by which processes end: Python's tracebacks and fatal errors, the signal reports of Open MPI,
// PRRTE and UCX, and a shell's message about a crash. An error that only states that a peer is gone follows
// from another error. incident/endings.cc compares the processes and decides which one failed first.
//
//   traceback = "Traceback (most recent call last):" {line} TYPE [": " TEXT]
//   fatal     = "Fatal Python error: " TEXT
//   MPI       = place "*** Process received signal ***" place "Signal: " NAME " (" N ")"
//   HCCL      = "Cluster Exception Location[IP/ID]:[" HOST "/" DEVICE "]" any "ExceptionType:[" TEXT "]"
//   UCX       = place "Caught signal " N " (" TEXT ")"
//   place     = "[" HOST ":" PID [":" N] "] "
//
// Sources: Python 3.8 to 3.13; Open MPI 3 to 5 (opal/util/stacktrace.c); UCX 1.12 to 1.18; HCCL of CANN 7
// and 8.
#include <algorithm>
#include <array>
#include <map>

#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

enum ErrorForm {
  Traceback,
  Fatal,
  MpiSignal,
  UcxSignal,
  GlogSignal,
  MvapichSignal,
  SrunSignal,
  SrunMemory,
  RankSignal,
  Hydra,
  Keepalive,
  Heartbeat,
  Terminate,
  Status,
};

const LineForm kErrorForms[] = {
    {"^~Traceback (most recent call last)", {"Traceback (most recent call last):"}},
    {"Fatal Python error: {what}",
     {"Fatal Python error: Segmentation fault", "Fatal Python error: Bus error"}},
    {"[{host:name}:{_:int}] Signal: {what} ({_:int})", {"[gpu07:12345] Signal: Bus error (7)"}},
    {"[{host:name}:{_:int}{_}] Caught signal {_:int} ({what}",
     {"[gpu07:12345:0:12345] Caught signal 11 (Segmentation fault: address not mapped to object at address "
      "0x8)"}},
    {"*** {what:name} (@{_}) received by PID",
     {"*** SIGBUS (@0x7f2a5c000000) received by PID 4711 (TID 0x7f2a6e000000) from PID 0; stack trace: ***"}},
    {"[{host:name}:mpi_rank_{rank:int}][error_sighandler] Caught error: {what}",
     {"[gpu07:mpi_rank_5][error_sighandler] Caught error: Bus error (signal 7)"}},
    {"srun: error: {host:name}: task {rank:int}: {what} (core dumped)",
     {"srun: error: gpu07: task 5: Bus error (core dumped)"}},
    {"srun: error: {host:name}: task {rank:int}: {what:name} Of Memory",
     {"srun: error: gpu07: task 5: Out Of Memory"}},
    {"^{host:name}: rank {rank:int} died from {what}",
     {"x1000c0s5b0n0.hsn.cm.example: rank 5 died from signal 9"}},
    {"RANK {rank:int} PID {_:int} RUNNING AT {host:name}", {"=   RANK 5 PID 4711 RUNNING AT gpu07"}},
    {"The node '{host:word}_{_:int}_{_:int}' has failed to send a keep-alive {what}",
     {"The node 'gpu07_4711_0' has failed to send a keep-alive heartbeat to the rendezvous 'job-88' due to "
      "an error of "
      "type RendezvousConnectionError."}},
    {"Exception Location[IP/ID]:[{host:word}/{device:int}], {_}ExceptionType:[{what}]",
     {"Cluster Exception Location[IP/ID]:[10.90.1.2/5], Arrival Time:[Fri Nov 20 09:37:34 2026], "
      "Discoverer:[10.90.1.2/0], ExceptionType:[Heartbeat Lost Occurred], Possible Reason:1. Process has "
      "exited"}},
    {"terminate called after throwing an instance of {what}",
     {"terminate called after throwing an instance of 'gloo::IoException'"}},
    {"exits with return code = {code:int}",
     {"[launch.py:341:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py'] exits with return code = -9"}},
    {"exited with exit code {code:int}", {"worker 3 exited with exit code 1"}},
    {"exited with code {code:int}", {"Main process exited with code 137"}},
    {"rank {_:int} exited with code {code:int}", {"x1000c0s5b0n0.hsn.cm.example: rank 5 exited with code 1"}},
    {"returned non-zero exit status {code:int}",
     {"subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1."}},
};

// Words of an error which state that another process has ended or does not arrive.
constexpr std::array<std::string_view, 22> kOfPeers{
    "NCCL",
    "nccl",
    "DistBackendError",
    "DistNetworkError",
    "DistStoreError",
    "closed by peer",
    "reset by peer",
    "Broken pipe",
    "refused",
    "imed out",
    "imeout",
    "SIGTERM",
    "signal: 15",
    "ChildFailed",
    "ProcessExited",
    "ProcessRaised",
    "heartbeat",
    "gloo",
    "KeyboardInterrupt",
    "Socket",
    "Terminated",
    "SystemExit"};

bool is_of_peers(std::string_view text) {
  return std::ranges::any_of(kOfPeers, [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

// Returns whether the line names an error: "OSError: [Errno 5] ...", "torch.OutOfMemoryError", "KeyError:
// 'a'".
bool names_error(std::string_view line) {
  const std::string_view type = line.substr(0, line.find_first_of(": "));
  const bool is_name = std::ranges::all_of(type, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
  const bool is_whole = line.size() == type.size() || line[type.size()] == ':';
  constexpr std::array<std::string_view, 8>
      kEnds{"Error", "Exception", "Interrupt", "Exit", "Timeout", "Expired", "Failure", "Aborted"};
  return is_name && is_whole && std::ranges::any_of(kEnds, [&](std::string_view end) {
           return type.ends_with(end);
         });
}

class ProcessErrors : public Reader {
  static constexpr int kMostLines = 512;  // of a traceback
  static constexpr size_t kMostOpen = 4096;
  static constexpr int kHydraLines = 2;

  struct Open {
    std::string line;
    int64_t number = 0;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == Traceback) {
      if (open_.size() < kMostOpen)
        open_.try_emplace(sink.subject(), Open{std::string(sink.line()), sink.number()});
      sink.follow(kMostLines);
      return;
    }
    if (form >= Status) {
      status(match.text("code"), sink);
      return;
    }
    Subject subject;
    subject.host = match.text("host");
    subject.rank = match.text("rank");
    if (form == Hydra) {
      hydra_ = std::move(subject);
      sink.follow(kHydraLines);
      return;
    }
    if (match.has("device"))
      subject.device = "npu" + match.text("device");
    if (form == Keepalive)
      write(
          "a lost rendezvous: no keep-alive heartbeat of its agent",
          "crash",
          std::move(subject),
          sink,
          Origin::Link);
    else
      write(
          form == SrunMemory ? "Out Of Memory" : match["what"],
          form == Terminate ? "" : "crash",
          std::move(subject),
          sink,
          form == Heartbeat ? Origin::Link : Origin::Program);
  }

  // Takes a line of a launcher about a process that has ended.
  static void status(const std::string& code, Sink& sink) {
    if (code == "0")
      return;
    Event event;
    event.kind = "job/failed";
    event.meaning = "a process of the job ended with status " + code +
                    (code == "-9" || code == "137" ? ": killed, as the kernel does for want of memory" : "");
    event.action = "the logs of all ranks: the earliest error in them is the cause";
    sink.event(std::move(event));
  }

  // Ranks that write into one log at once interleave: the next line of the same rank that names an error ends
  // its traceback.
  void behind(std::string_view line, Sink& sink) override {
    if (line.starts_with(" ") && !line.starts_with("  "))  // behind a label of the rank
      line.remove_prefix(1);
    static const Pattern killed("KILLED BY SIGNAL: {what}");
    static const Pattern status("EXIT STATUS: {what}");
    Match match;
    if (killed.match(line, match) || status.match(line, match)) {
      const bool is_crash = line.find("KILLED") != line.npos;
      write(
          (is_crash ? "signal " : "exit status ") + match.text("what"),
          is_crash ? "crash" : "",
          hydra_,
          sink);
      return;
    }
    const auto at = open_.find(sink.subject());
    if (at == open_.end() || !names_error(line))
      return;
    write(line, "", {}, sink);
    open_.erase(at);
    if (open_.empty())
      sink.follow(0);
  }

  void end(Sink& sink) override {
    for (const auto& [subject, open] : open_) {
      sink.at(open.line, open.number, subject, {});
      write("", "", {}, sink);
    }
  }

  static void write(
      std::string_view what,
      const char* sort,
      Subject subject,
      Sink& sink,
      Origin origin = Origin::Program) {
    const std::string error(what.substr(0, 200));
    Event event;
    event.kind = "job/error";
    event.origin = origin == Origin::Program && is_of_peers(what) ? Origin::Consequence : origin;
    event.subject = std::move(subject);
    event.meaning = "the log holds an error of the program" + (error.empty() ? "" : ": " + error);
    event.action = "the logs of all ranks: the earliest error in them is the cause";
    event.fields = {{"error", error}, {"sort", sort}};
    sink.event(std::move(event));
  }

  std::map<Subject, Open> open_;
  Subject hydra_;  // of the last line of Hydra that names a rank
};

}  // namespace

const Format kProcessErrors{"errors of processes", "cluster", kErrorForms, Shape::Lines, make<ProcessErrors>};

}  // namespace lento::desk
