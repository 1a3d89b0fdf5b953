// NCCL's RAS service answers with a text: processes that do not answer, communicators, their status and, for
// operations whose counts differ, how many ranks have come how far. Each becomes an event that the judge of
// hangs compares.
//
//   summary      = "Group Comms Nodes Ranks ..." any {N N N N N N STATUS ("OK" | ERROR)}
//   missing      = "Missing communicator data from " N ("job process" | "rank") {process | rank}
//   dead         = N " job process is considered dead" {process}
//   process      = "Process 41822 on node host-b managing GPU 5"
//   communicator = "#0-0 (HASH) MISMATCH|INCOMPLETE|..."
//   operation    = "Communicator ranks have different AllGather operation counts"
//   count        = "30 ranks have launched up to operation 640" {rank}
//                | "Rank 12 has launched up to operation 639 -- GPU 4 managed by process 7 on node host-b"
//   rank         = "Rank 12 -- GPU 4 managed by process 323032 on node host-b" | "The missing rank: 12"
//
// A rank below "Missing" is one without an answer, below a count it has launched that many. Where a rank is
// only a number and one process is missing, the process is that of the rank.
//
// Source: the RAS chapter of NCCL's user guide and ras/client_support.cc, 2.24 to 2.28.
#include <algorithm>

#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

enum RasForm {
  Communicator,
  Operation,
  Count,
  CountOfOne,
  Member,
  MissingRanks,
  MissingProcesses,
  DeadProcess,
  DeadProcesses,
  Process,
  MissingRank,
  Summary,
};

const LineForm kRasForms[] = {
    {"#{number:name} ({hash:hex}) {status:name}",
     {"#0-0 (fa93daea854b060b) MISMATCH", "#1-0 (0x1c) INCOMPLETE", "#0-3 (27a079b828ff1a75) TIMEOUT"}},
    {"Communicator ranks have different {operation:name} operation counts",
     {"  Communicator ranks have different AllReduce operation counts",
      "Communicator ranks have different ReduceScatter operation counts"}},
    {"^~{ranks:count} rank(?s?) ha(?ve?)(?s?) launched up to operation {last:count}",
     {"  26 ranks have launched up to operation 650", "  1 rank has launched up to operation 3"}},
    {"Rank {rank:int} has launched up to operation {last:count} -- GPU {gpu} managed by process {pid:int} on "
     "node {node:name}",
     {"  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 1650386 on node node1"}},
    {"Rank {rank:int} -- GPU {gpu} managed by process {pid:int} on node {node:name}",
     {"  Rank 12 -- GPU 4 managed by process 323032 on node host-b"}},
    {"Missing communicator data from {what:count} rank",
     {"  Missing communicator data from 1 rank", "  Missing communicator data from 3 ranks"}},
    {"Missing communicator data from {what:count} job process",
     {"  Missing communicator data from 1 job process", "  Missing communicator data from 2 job processes"}},
    {"job process is considered dead", {"  1 job process is considered dead (unreachable)"}},
    {"job processes are considered dead", {"  2 job processes are considered dead (unreachable)"}},
    {"Process {pid:int} on node {node:name} managing GPU(?s?) {gpu}",
     {"  Process 3487984 on node 172.16.64.213 managing GPU 5", "  Process 7 on node n1 managing GPUs 0,1"}},
    {"The missing rank(?s?): {rank:int}", {"  The missing rank: 21"}},
    {"^~Group Comms Nodes Ranks",
     {"Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors"}},
};

constexpr int kSummaryLines = 64;

class Ras : public Reader {
  enum class Section {
    Other,
    Counts,
    Missing,
    Dead
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Communicator:
        group_ = match.text("hash");
        operation_.clear();
        last_.clear();
        section_ = Section::Other;
        status(match.text("status"), sink);
        return;
      case Operation:
        operation_ = match.text("operation");
        last_.clear();
        section_ = Section::Counts;
        return;
      case Count:
        last_ = match.text("last");
        section_ = Section::Counts;
        sink.event(progress("collective/count", match.text("ranks")));
        return;
      case CountOfOne:
        last_ = match.text("last");
        sink.event(progress("collective/count", "1"));
        count_member(match, sink);
        return;
      case Member:
        if (section_ == Section::Missing)
          silent(part(match), match.text("pid"), sink);
        else if (section_ == Section::Counts)
          count_member(match, sink);
        return;
      case MissingRanks:
        missing_ = match.text("what");
        section_ = Section::Missing;
        return;
      case MissingProcesses:
        section_ = Section::Missing;
        return;
      case DeadProcess:
      case DeadProcesses:
        section_ = Section::Dead;
        return;
      case Process:
        if (section_ == Section::Missing || section_ == Section::Dead)
          silent(part(match), match.text("pid"), sink);
        return;
      case Summary:
        sink.follow(kSummaryLines);
        return;
      default:
        if (missing_ == "1" && silent_.size() == 1 && silent_[0].subject.rank.empty())
          silent_[0].subject.rank = match.text("rank");
        else
          silent({"", "", match.text("rank")}, "", sink);
    }
  }

  // Reads a line of the summary, whose last word is OK or the problem.
  void behind(std::string_view line, Sink& sink) override {
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (line.empty()) {
      sink.follow(0);
      return;
    }
    const std::string_view last = line.substr(line.rfind(' ') + 1);
    const bool is_row = line.find_first_of("0123456789") == line.find_first_not_of(" \t");
    if (is_row && last != "OK" && problem_.empty())
      problem_ = std::string(last);
  }

  // Returns the GPU of "4", or of "4 (NVML 0)" where the numbers of CUDA and of the driver differ.
  static Subject part(const Match& match) {
    const std::string gpu = match.text("gpu");
    return {
        match.text("node"),
        "gpu" + gpu.substr(0, gpu.find_first_not_of("0123456789,")),
        match.text("rank")};
  }

  // Reports a member of the communicator with its number of launched operations.
  void count_member(const Match& match, Sink& sink) const {
    Event event = progress("collective/count member", "1");
    event.subject = part(match);
    event.subject.device.clear();
    sink.event(std::move(event));
  }

  // Keeps a process that gave no answer, so that a later paragraph can name its rank. Each communicator
  // numbers its own ranks, the largest communicator first. Of several rank numbers the first one is kept.
  void silent(const Subject& subject, const std::string& pid, const Sink& sink) {
    constexpr size_t kMost = 1024;
    const auto known = std::ranges::find_if(silent_, [&](const Silent& one) {
      const bool is_same =
          (!pid.empty() && one.pid == pid) ||
          (!subject.device.empty() && one.subject.device == subject.device && one.subject.rank.empty());
      return is_same && one.subject.host == subject.host;
    });
    if (known != silent_.end() && known->subject.rank.empty())
      known->subject.rank = subject.rank;
    else if (known == silent_.end() && silent_.size() < kMost)
      silent_.push_back({subject, pid, section_ == Section::Dead, std::string(sink.line()), sink.number()});
  }

  void end(Sink& sink) override {
    if (!problem_.empty() && silent_.empty() && last_.empty()) {
      Event event;
      event.kind = "job/ras";
      event.meaning = "NCCL's RAS service lists a communicator as " + problem_;
      event.action = "the whole answer, with -v, twice in a minute";
      sink.event(std::move(event));
    }
    for (const Silent& one : silent_) {
      sink.at(one.line, one.number, {}, {});
      Event event = progress("collective/silent", "1");
      event.subject = one.subject;
      if (!event.subject.rank.empty())  // a rank has its GPU in a field
        event.subject.device.clear();
      event.fields.emplace_back("gpu", one.subject.device);
      event.fields.emplace_back("pid", one.pid);
      event.fields.emplace_back("dead", one.is_dead ? "yes" : "");
      sink.event(std::move(event));
    }
  }

  Event progress(const char* kind, std::string ranks) const {
    Event event;
    event.kind = kind;
    event.meaning = "count of launched operations";
    event.fields = {{"group", group_}, {"op", operation_}, {"enqueued", last_}, {"ranks", std::move(ranks)}};
    return event;
  }

  // Reports the status of the communicator.
  void status(const std::string& status, Sink& sink) const {
    Event event = progress("collective/status", "");
    event.meaning = "communicator " + group_ + " is " + status;
    event.fields.emplace_back("status", status);
    sink.event(std::move(event));
  }

  std::string group_;
  std::string operation_;
  std::string last_;
  std::string problem_;  // from the summary
  std::string missing_;  // ranks of the communicator that do not answer
  Section section_ = Section::Other;
  struct Silent {
    Subject subject;
    std::string pid;
    bool is_dead = false;
    std::string line;
    int64_t number = 0;
  };
  std::vector<Silent> silent_;
};

}  // namespace

const Format kNcclRas{
    "NCCL RAS text",
    "pytorch",
    kRasForms,
    Shape::Lines,
    make<Ras>,
    nullptr,
    {},
    "communicators of NCCL's RAS service"};

Formats pytorch_formats() {
  return {&kPytorchWatchdog, &kNcclDebug, &kNcclRas, &kCudaErrors, &kStacks};
}

}  // namespace lento::desk
