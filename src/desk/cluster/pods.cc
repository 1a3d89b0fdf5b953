// Reads pods with their nodes: kubectl get pods -o wide.
//
//   table = "NAME READY STATUS RESTARTS AGE IP NODE" any {row}        "5 (3h ago)" is one cell
//
// In some states the node is at fault: it could not admit the pod, or lost track of its containers. Other
// failures are the program's. They leave the cause open and name no node.
//
// Source: kubectl 1.19 to 1.33; pkg/kubelet and pkg/printers of Kubernetes 1.31.
#include <algorithm>
#include <array>

#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

constexpr std::array<std::string_view, 6> kOfNode{
    "UnexpectedAdmissionError",
    "ContainerStatusUnknown",
    "NodeLost",
    "Unknown",
    "NodeShutdown",
    "Evicted"};
constexpr std::array<std::string_view, 9> kOfProgram{
    "CrashLoopBackOff",
    "Error",
    "OOMKilled",
    "ImagePullBackOff",
    "ErrImagePull",
    "CreateContainerError",
    "CreateContainerConfigError",
    "RunContainerError",
    "StartError"};

// Returns the words of a line, without those in parentheses.
std::vector<std::string> pod_cells(std::string_view line) {
  constexpr size_t kMost = 64;
  std::vector<std::string> cells;
  bool is_inside = false;
  for (size_t at = 0; at < line.size() && cells.size() < kMost;) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos)
      break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    const std::string_view word = line.substr(begin, at - begin);
    is_inside = is_inside || word.starts_with("(");
    if (!is_inside)
      cells.emplace_back(word);
    is_inside = is_inside && !word.ends_with(")");
  }
  return cells;
}

bool is_pod_header(std::string_view line) {
  const std::vector<std::string> cells = pod_cells(line);
  const auto has = [&](std::string_view name) {
    return std::ranges::find(cells, name) != cells.end();
  };
  return has("NAME") && has("READY") && has("STATUS") && has("RESTARTS");
}

double score_pods(std::string_view head, std::string& reason) {
  if (!is_pod_header(head.substr(0, head.find('\n'))))
    return 0;
  reason = "it has the header of kubectl get pods";
  return 0.9;
}

class PodTable : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::vector<std::string> cells = pod_cells(line);
    if (is_pod_header(line)) {
      const auto column = [&](std::string_view name) {
        return size_t(std::ranges::find(cells, name) - cells.begin());
      };
      status_ = column("STATUS");
      node_ = column("NODE");
      return true;
    }
    if (status_ >= cells.size())
      return false;
    const std::string& status = cells[status_];
    const std::string node = node_ < cells.size() && cells[node_] != "<none>" ? cells[node_] : "";
    if (!node.empty())
      sink.pod(cells[0], node);
    if (!node.empty() && std::ranges::find(kOfNode, status) != kOfNode.end())
      sink.event(node_event("kubernetes/pod lost", Severity::Fault, node, "it lost a pod: " + status));
    else if (std::ranges::find(kOfProgram, status) != kOfProgram.end())
      fail(status, sink);
    return true;
  }

  static void fail(const std::string& status, Sink& sink) {
    Event event;
    event.kind = "job/pod failed";
    event.origin = Origin::Program;
    event.meaning = "a pod is in the state " + status;
    event.action = "kubectl describe pod NAME, kubectl logs --previous NAME";
    sink.event(std::move(event));
  }

  size_t status_ = std::string::npos;
  size_t node_ = std::string::npos;
};

}  // namespace

const Format kKubePods{
    "kubectl get pods",
    "cluster",
    {},
    Shape::Table,
    make<PodTable>,
    score_pods,
    {},
    "states of pods"};

}  // namespace lento::desk
