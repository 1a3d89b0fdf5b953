// NCCL's RAS service answers with a text: communicators, their status and, for operations whose counts
// differ, how many ranks have come how far. Each count becomes an event that the judge of hangs compares.
//
//   communicator = "#0-0 (HASH) MISMATCH|INCOMPLETE|..."
//   operation    = "Communicator ranks have different AllGather operation counts"
//   count        = "30 ranks have launched up to operation 640" {rank}
//   rank         = "Rank 12 -- GPU 4 managed by process 323032 on node host-b"
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
      default:
        if (group_.empty())
          return;
        Event event = progress("collective/missing", "");
        event.severity = Severity::Warning;
        event.meaning = "RAS misses " + match.text("what") + " of its ranks";
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
