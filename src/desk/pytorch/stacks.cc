// Reads stacks of processes that hang, as py-spy, Python's faulthandler and gdb print them, and records the
// function in which the main thread of each process waits or computes. incident/stacks.cc compares the
// processes and decides which one the others wait for.
//
//   process = "Process" N ":" COMMAND
//   py-spy  = "Thread" ID "(" STATE ")" [": \"" NAME "\""] {"    " FUNCTION " (" FILE ":" N ")"}
//   gdb     = "Thread" N "(" ... "(LWP" N ... {frame}
//   frame   = "#" N [ADDRESS "in"] FUNCTION "(" ARGUMENTS ")" ("from" | "at") FILE
//   handler = ("Thread" | "Current thread") ID "(most recent call first):"
//             {"  File \"" FILE "\", line" N "in" FUNCTION}
//
// The main thread is the one with a frame of "<module>". It waits when one of its frames is a collective or
// waits for the GPU. Else its place is the innermost frame outside the modules that wait for anything.
//
// Sources: py-spy 0.3 and 0.4 (dump.rs), faulthandler of Python 3.8 to 3.13.
#include <algorithm>
#include <array>
#include <vector>

#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

struct Frame {
  std::string function;
  std::string file;
  std::string line;  // as it was printed
  int64_t number = 0;
};

// Names that mean a collective wherever they are, and those that do so in a module of communication only.
constexpr std::array<std::string_view, 19> kCollectives{
    "all_reduce",
    "allreduce",
    "all_gather",
    "all_gather_into_tensor",
    "_all_gather_base",
    "all_gather_object",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "all_to_all",
    "all_to_all_single",
    "batch_isend_irecv",
    "monitored_barrier",
    "wait_at_barrier",
    "broadcast_object_list",
    "gather_object",
    "sync_global_devices",
    "_reduce_scatter_base",
    "allgather",
    "alltoall"};
constexpr std::array<std::string_view, 11> kAmbiguous{
    "broadcast",
    "barrier",
    "reduce",
    "gather",
    "scatter",
    "send",
    "recv",
    "isend",
    "irecv",
    "wait",
    "synchronize"};
constexpr std::array<std::string_view, 8>
    kModules{"distributed", "c10d", "nccl", "comm", "mpi", "horovod", "multihost", "torch/cuda"};
constexpr std::array<std::string_view, 13> kWaitingModules{
    "libc.so",
    "libpthread",
    "libcuda",
    "threading.py",
    "queue.py",
    "selectors.py",
    "socket.py",
    "connection.py",
    "popen_fork.py",
    "subprocess.py",
    "ssl.py",
    "_utils.py",
    "synchronize.py"};

template <size_t N>
bool is_one(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
template <size_t N>
bool holds_one(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

bool waits_for_peers(const Frame& frame) {
  return frame.function.starts_with("nccl") || frame.function.starts_with("MPI_") ||
         frame.function.starts_with("PMPI_") || is_one(kCollectives, frame.function) ||
         (is_one(kAmbiguous, frame.function) && holds_one(kModules, frame.file));
}

class Stacks : public Reader {
  static constexpr size_t kMostFrames = 512;
  static constexpr size_t kMostProcesses = 4096;

  bool row(std::string_view line, Sink& sink) override {
    static const Pattern process("^Process {pid:int}: ");
    static const Pattern spy("^~{function} ({file}:{_:int})$");
    static const Pattern native("^#{_:int} {_:hex} in {function} ({_}) from {file}");
    static const Pattern source("^#{_:int} (?{_:hex} in ?){function} ({_}) at {file}:{_:int}$");
    static const Pattern handler("^~File \"{file}\", line {_:int} in {function}$");
    Match match;
    if (process.match(line, match)) {
      end_thread();
      ++processes_;
      pid_ = match.text("pid");
      return true;
    }
    const bool is_thread = line.starts_with("Thread ") || line.starts_with("Current thread ");
    if (is_thread) {
      end_thread();
      static const Pattern light_weight("(LWP {pid:int})");  // of the main thread: the process
      if (processes_ == 0 && light_weight.match(line, match))
        pid_ = match.text("pid");
      return true;
    }
    const bool is_frame = native.match(line, match) || source.match(line, match) || spy.match(line, match) ||
                          handler.match(line, match);
    if (is_frame && frames_.size() < kMostFrames) {
      frames_.push_back({match.text("function"), match.text("file"), std::string(line), sink.number()});
      return true;
    }
    return false;
  }

  void end_thread() {
    const bool is_main = std::ranges::any_of(frames_, [](const Frame& frame) {
      return frame.function == "<module>" || frame.function == "main";
    });
    if (is_main && mains_.size() < kMostProcesses)
      mains_.push_back({pid_, std::move(frames_)});
    frames_.clear();
  }

  void end(Sink& sink) override {
    end_thread();
    for (const Main& main : mains_) {
      const auto call = std::ranges::find_if(main.frames, waits_for_peers);
      auto at = call;
      if (at == main.frames.end())
        at = std::ranges::find_if(main.frames, [](const Frame& frame) {
          return !holds_one(kWaitingModules, frame.file);
        });
      if (at == main.frames.end())
        at = main.frames.begin();
      sink.at(at->line, at->number, sink.subject(), sink.time());
      Event event;
      event.kind = call == main.frames.end() ? "stack/elsewhere" : "stack/waits";
      event.origin = Origin::Unclear;
      event.meaning = (call == main.frames.end() ? "is in " : "waits in ") + at->function;
      if (mains_.size() > 1)
        event.subject.device = "process " + main.pid;
      const auto caller = std::find_if(at, main.frames.end(), [&](const Frame& frame) {
        return frame.file != at->file;
      });
      std::string place = at->function + " (" + at->file + ")";
      if (caller != main.frames.end())
        place += " below " + caller->function + " (" + caller->file + ")";
      event.fields = {{"call", at->function}, {"place", place}};
      sink.event(std::move(event));
    }
  }

  struct Main {
    std::string pid;
    std::vector<Frame> frames;
  };
  size_t processes_ = 0;
  std::string pid_;
  std::vector<Frame> frames_;
  std::vector<Main> mains_;
};

// Returns how certain it is that the text holds stacks, from 0 to 1.
double score_stacks(std::string_view head, std::string& reason) {
  const bool is_spy = head.find("\"MainThread\"\n") != head.npos && head.find("Thread ") != head.npos;
  const bool is_handler = head.find("(most recent call first):\n") != head.npos &&
                          (head.starts_with("Thread 0x") || head.starts_with("Current thread 0x") ||
                           head.find("\nThread 0x") != head.npos);
  const bool is_only_stacks = head.starts_with("Process ") || head.starts_with("Thread ") ||
                              head.starts_with("Current thread ") || head.starts_with("Fatal Python error");
  const bool is_gdb = head.find("(LWP ") != head.npos && head.find("\n#0  ") != head.npos;
  if (!is_gdb && ((!is_spy && !is_handler) || !is_only_stacks))
    return 0;
  reason = is_gdb   ? "it has the threads of gdb"
           : is_spy ? "it has the threads of py-spy dump"
                    : "it has the threads of faulthandler";
  return 0.9;
}

}  // namespace

const Format
    kStacks{"stacks (py-spy, faulthandler, gdb)", "pytorch", {}, Shape::Table, make<Stacks>, score_stacks};

}  // namespace lento::desk
