// NCCL's RAS service answers with a text: communicators, their status and, for operations whose counts
// differ, how many ranks have come how far. Each count becomes an event that the judge of hangs compares.
//
//   communicator = "#0-0 (HASH) MISMATCH|INCOMPLETE|..."
//   operation    = "Communicator ranks have different AllGather operation counts"
//   count        = "30 ranks have launched up to operation 640" {rank}
//   rank         = "Rank 12 -- GPU 4 managed by process 323032 on node host-b"
//   silent       = "Process 41822 on node 10.0.4.3 managing GPU 5" any "The missing rank: 21"
//
// Source: the RAS chapter of NCCL's user guide, 2.24 and 2.26.
#include "desk/pytorch/pytorch.h"

namespace lento::desk {
namespace {

enum RasForm {
  Communicator,
  Operation,
  Count,
  Member,
  Lost,
  Process,
  Silent,
};

const LineForm kRasForms[] = {
    {"#{number:name} ({hash:hex}) {status:name}",
     {"#0-0 (fa93daea854b060b) MISMATCH", "#1-0 (0x1c) INCOMPLETE", "#0-3 (27a079b828ff1a75) TIMEOUT"}},
    {"Communicator ranks have different {operation:name} operation counts",
     {"  Communicator ranks have different AllReduce operation counts",
      "Communicator ranks have different ReduceScatter operation counts"}},
    {"^~{ranks:count} rank(?s?) ha(?ve?)(?s?) launched up to operation {last:count}",
     {"  26 ranks have launched up to operation 650", "  1 rank has launched up to operation 3"}},
    {"Rank {rank:int} -- GPU {gpu:word} managed by process {pid:int} on node {node:name}",
     {"  Rank 12 -- GPU 4 managed by process 323032 on node host-b"}},
    {"Missing {what:count} rank", {"  Missing 1 rank", "Missing 3 ranks"}},
    {"Process {pid:int} on node {node:name} managing GPU {gpu:word}",
     {"  Process 41822 on node 10.0.4.3 managing GPU 5"}},
    {"The missing rank(?s?): {ranks}", {"  The missing rank: 21", "The missing ranks: 4, 5"}},
};

class Ras : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case Communicator:
        group_ = match.text("hash");
        operation_.clear();
        last_.clear();
        status(match.text("status"), sink);
        return;
      case Operation:
        operation_ = match.text("operation");
        last_.clear();
        return;
      case Count:
        last_ = match.text("last");
        sink.event(progress("collective/count", match.text("ranks")));
        return;
      case Member: {
        Event event = progress("collective/count member", "1");
        event.subject = {match.text("node"), "", match.text("rank")};
        sink.event(std::move(event));
        return;
      }
      case Process:
        processes_.push_back({{match.text("node"), "", ""}, match.text("gpu"), match.text("pid")});
        return;
      case Silent:
        silent(match["ranks"], sink);
        return;
      default:
        if (group_.empty())
          return;
        Event event = progress("collective/missing", "");
        event.severity = Severity::Warning;
        event.meaning = "RAS misses " + match.text("what") + " of its ranks";
        sink.event(std::move(event));
    }
  }

  // The process of a rank is known when both are alone.
  void silent(std::string_view ranks, Sink& sink) const {
    constexpr size_t kMost = 64;
    const bool is_one = processes_.size() == 1 && ranks.find(',') == ranks.npos;
    for (size_t n = 0; !ranks.empty() && n < kMost; ++n) {
      const size_t comma = ranks.find(',');
      std::string_view rank = ranks.substr(0, comma);
      rank.remove_prefix(std::min(rank.find_first_not_of(' '), rank.size()));
      ranks = comma == ranks.npos ? std::string_view() : ranks.substr(comma + 1);
      Event event = progress("collective/silent", "1");
      event.severity = Severity::Fault;
      event.meaning = "RAS gets no answer from it";
      event.subject.rank = rank.substr(0, rank.find_first_not_of("0123456789"));
      if (event.subject.rank.empty())
        continue;
      if (is_one) {
        event.subject.host = processes_[0].subject.host;
        event.fields.emplace_back("gpu", processes_[0].gpu);
        event.fields.emplace_back("pid", processes_[0].pid);
      }
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

  void status(const std::string& status, Sink& sink) const {
    Event event = progress("collective/status", "");
    event.meaning = "communicator " + group_ + " is " + status;
    event.fields.emplace_back("status", status);
    sink.event(std::move(event));
  }

  struct Lost {
    Subject subject;
    std::string gpu;
    std::string pid;
  };
  std::vector<Lost> processes_;  // that RAS misses
  std::string group_;
  std::string operation_;
  std::string last_;
};

}  // namespace

const Format kNcclRas{"NCCL RAS text", "pytorch", kRasForms, Shape::Lines, make<Ras>, nullptr};

Formats pytorch_formats() {
  return {&kPytorchWatchdog, &kNcclDebug, &kNcclRas};
}

}  // namespace lento::desk
