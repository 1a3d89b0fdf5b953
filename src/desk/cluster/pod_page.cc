// The page of one pod: kubectl describe pod. Its containers state why they ended, the page where the pod ran.
//
//   page = "Name:" NAME any "Node:" HOST ["/" ADDRESS] any "Status:" WORD ["Reason:" WORD "Message:" TEXT]
//          "Containers:" {blanks KEY ":" VALUE} "Events:" {TYPE REASON AGE FROM MESSAGE}
//
// A node that could not give its devices to the pod is at fault. A container that was killed for want of
// memory or by a signal, or that ended with an error, is a fault of the program. Its event names the node
// beside the pod, so that a hardware fault of that node in another file can be found to be the cause.
//
// Source: kubectl 1.24 to 1.33.
#include "base/number.h"
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

std::string_view bare(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

class PodPage : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (bare(line).starts_with("Warning "))
      return warning(bare(line), sink);
    const size_t colon = line.find(':');
    if (colon == line.npos)
      return false;
    const std::string_view key = bare(line.substr(0, colon));
    const std::string_view value = bare(line.substr(colon + 1));
    const bool is_top = !line.starts_with(" ");
    if (is_top && key == "Name") {
      pod_ = value;
      node_.clear();
    }
    if (is_top && key == "Node")
      node_ = value.substr(0, value.find('/'));
    else if (is_top && key == "Status")
      is_failed_ = value == "Failed";
    else if (is_top && key == "Reason")
      rejected(value, sink);
    else if (key == "State" || key == "Last State")
      is_ended_ = value == "Terminated";
    else if (key == "Reason" && is_ended_)
      reason_ = value;
    else if (key == "Exit Code" && is_ended_)
      ended(value, sink);
    else
      return is_top;
    return true;
  }

  // Writes the reason why the pod as a whole failed, which follows its status.
  void rejected(std::string_view reason, Sink& sink) {
    const bool is_device = reason == "UnexpectedAdmissionError";
    write(
        std::string(reason),
        is_device ? Origin::Hardware : Origin::Unclear,
        is_device ? "its devices could not be given to it: " + std::string(reason)
                  : "it failed: " + std::string(reason),
        is_device ? "look at the node's device plugin and at nvidia-smi there: a GPU is missing or unhealthy"
                  : kLookAtPod,
        sink);
  }

  // Writes a warning of the pod's events, unless a more exact event was written before.
  bool warning(std::string_view line, Sink& sink) {
    constexpr size_t kMostText = 160;
    if (!has_event_)
      write("warning", Origin::Unclear, std::string(line.substr(0, kMostText)), kLookAtPod, sink);
    return true;
  }

  void end(Sink& sink) override {
    if (is_failed_ && !has_event_)
      write("failed", Origin::Unclear, "its status is Failed", kLookAtPod, sink);
  }

  static constexpr const char* kLookAtPod =
      "kubectl logs --previous of that pod, and the kernel log of its node (dmesg -T)";

  void write(const std::string& kind, Origin origin, std::string meaning, const char* action, Sink& sink) {
    has_event_ = true;
    Event event;
    event.kind = "kubernetes/" + kind;
    event.severity = Severity::Fault;
    event.origin = origin;
    event.subject = {node_, pod_.empty() ? "" : "pod " + pod_, ""};
    event.meaning = std::move(meaning);
    event.action = action;
    sink.event(std::move(event));
  }

  void ended(std::string_view code, Sink& sink) {
    is_ended_ = false;
    if (code == "0" || pod_.empty())
      return;
    const int64_t signal = base::try_int(code).value_or(0) - 128;
    const bool is_oom = reason_ == "OOMKilled";
    write(
        "container " + reason_,
        Origin::Program,
        is_oom ? "its container was killed for want of memory (OOMKilled)"
               : "its container ended: " + reason_ + ", exit code " + std::string(code) +
                     (signal > 0 ? " (signal " + std::to_string(signal) + ")" : ""),
        is_oom ? "give the container more memory (resources.limits.memory), or find what grows" : kLookAtPod,
        sink);
  }

  std::string pod_;
  std::string node_;
  std::string reason_;
  bool is_ended_ = false;
  bool is_failed_ = false;
  bool has_event_ = false;
};

double score_pod(std::string_view head, std::string& reason) {
  if (head.find("\nNode:") == head.npos || head.find("\nContainers:") == head.npos)
    return 0;
  reason = "it has the keys of kubectl describe pod";
  return 0.9;
}

}  // namespace

const Format kPodPage{
    "kubectl describe pod",
    "cluster",
    {},
    Shape::Table,
    make<PodPage>,
    score_pod,
    {},
    "how containers ended"};

}  // namespace lento::desk
