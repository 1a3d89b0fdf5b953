// Events of Kubernetes: what happened to nodes and to pods, and on which node a pod ran.
//
//   table = ["NAMESPACE"] "LAST SEEN" "TYPE" "REASON" "OBJECT" ["SUBOBJECT" "SOURCE"] "MESSAGE" {row}
//         | "LASTSEEN" "FIRSTSEEN" "COUNT" "NAME" "KIND" "SUBOBJECT" "TYPE" "REASON" "SOURCE" "MESSAGE" {row}
//   JSON  = {"items": [{"involvedObject": {"kind": K, "name": N}, "reason": R, "message": M, "type": T,
//            "source": {"host": H}, "lastTimestamp": T}]}
//
// Columns begin where their names do. The node of a pod is stated by the event Scheduled ("Successfully
// assigned NAMESPACE/POD to NODE") or by the source of another event. The event of a
// pod that was evicted because its node was lost is a consequence, and its subject is the node.
//
// Source: kubectl 1.19 to 1.33, reasons of pkg/kubelet/events and pkg/controller of Kubernetes 1.24 to 1.33
// and of node-problem-detector 0.8.
#include <array>
#include <map>

#include "base/json.h"
#include "base/moment.h"
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

struct KubeEvent {
  std::string type;
  std::string reason;
  std::string object;  // "node/gpu017"
  std::string source;  // "kubelet, gpu017"
  std::string message;
  Moment time;
};

struct Reason {
  std::string_view reason;
  Severity severity;
  Origin origin;
  const char* meaning;
  const char* action;
};

constexpr const char* kLookAtNode = "look at the node's kernel log (dmesg -T), its kubelet and its network";
constexpr const char* kLookAtPod = "look at the pod's log (kubectl logs --previous) and description";

constexpr Reason kNodeReasons[] = {
    {"NodeNotReady", Severity::Fault, Origin::Unclear, "the node stopped answering", kLookAtNode},
    {"NodeNotSchedulable", Severity::Note, Origin::Operator, "the node was cordoned", ""},
    {"Rebooted", Severity::Fault, Origin::Unclear, "the node rebooted", kLookAtNode},
    {"KernelOops", Severity::Fault, Origin::Unclear, "the node's kernel reported an oops", kLookAtNode},
    {"KernelDeadlock", Severity::Fault, Origin::Unclear, "the node's kernel hangs", kLookAtNode},
    {"TaskHung", Severity::Warning, Origin::Unclear, "a task of the node's kernel hangs", kLookAtNode},
    {"SystemOOM", Severity::Warning, Origin::Program, "the node ran out of memory", kLookAtPod},
    {"OOMKilling", Severity::Warning, Origin::Program, "the node ran out of memory", kLookAtPod},
    {"InvalidDiskCapacity", Severity::Note, Origin::Unclear, "the kubelet had not measured its disk yet", ""},
};

constexpr Reason kPodReasons[] = {
    {"TaintManagerEviction", Severity::Note, Origin::Consequence, "a pod was removed from its node", ""},
    {"NodeNotReady", Severity::Note, Origin::Consequence, "the node of a pod stopped answering", ""},
    {"Evicted", Severity::Note, Origin::Consequence, "a pod was evicted", kLookAtNode},
    {"FailedScheduling", Severity::Note, Origin::Operator, "a pod found no node", ""},
    {"BackOff", Severity::Warning, Origin::Program, "its container keeps ending", kLookAtPod},
    {"Failed", Severity::Warning, Origin::Program, "it failed", kLookAtPod},
    {"UnexpectedAdmissionError",
     Severity::Fault,
     Origin::Hardware,
     "its devices could not be given to it",
     "look at the node's device plugin and at nvidia-smi there: a GPU is missing or unhealthy"},
};

// Returns the meaning of an event's reason, or null for reasons that do not concern hardware.
const Reason* reason_of(bool is_node, std::string_view reason) {
  if (is_node) {
    for (const Reason& entry : kNodeReasons)
      if (entry.reason == reason)
        return &entry;
    return nullptr;
  }
  for (const Reason& entry : kPodReasons)
    if (entry.reason == reason)
      return &entry;
  return nullptr;
}

// Keeps the nodes on which the pods of a cluster run.
class Pods {
 public:
  // Remembers on which node a pod runs.
  void place(const KubeEvent& event) {
    constexpr size_t kMost = size_t{1} << 16;
    const std::string node = node_of(event);
    if (!node.empty() && event.object.starts_with("pod/") && nodes_.size() < kMost)
      nodes_[event.object] = node;
  }
  std::string node(const KubeEvent& event) const {
    const auto at = nodes_.find(event.object);
    return at == nodes_.end() ? node_of(event) : at->second;
  }

 private:
  // Returns the node that an event concerns, or "".
  static std::string node_of(const KubeEvent& event) {
    constexpr std::string_view kAssigned = "Successfully assigned ";
    if (event.reason == "Scheduled" && event.message.starts_with(kAssigned)) {
      const size_t at = event.message.rfind(" to ");
      return at == event.message.npos ? "" : event.message.substr(at + 4);
    }
    constexpr std::string_view kKubelet = "kubelet, ";
    return event.source.starts_with(kKubelet) ? event.source.substr(kKubelet.size()) : "";
  }
  std::map<std::string, std::string> nodes_;
};

// Writes an event for warnings, and for normal events that report the loss of a node. All other normal
// events are ignored.
void write_event(const KubeEvent& in, const Pods& pods, Sink& sink) {
  const bool is_node = in.object.starts_with("node/");
  const Reason* reason = reason_of(is_node, in.reason);
  if (!reason && in.type != "Warning")
    return;
  Event event;
  event.kind = "kubernetes/" + in.reason;
  event.severity = reason ? reason->severity : is_node ? Severity::Warning : Severity::Note;
  event.origin = reason ? reason->origin : Origin::Unclear;
  event.meaning = reason ? reason->meaning : in.reason + ": " + in.message.substr(0, 160);
  event.action = reason ? reason->action : is_node ? kLookAtNode : kLookAtPod;
  event.time = in.time;
  const size_t slash = in.object.find('/');
  const std::string name = slash == in.object.npos ? in.object : in.object.substr(slash + 1);
  event.subject.host = is_node ? name : pods.node(in);
  // When a pod failed because of its node, the subject is the node, else the pod on its node.
  const bool follows = event.origin == Origin::Consequence && !event.subject.host.empty();
  if (!is_node && !follows)
    event.subject.device = "pod " + name;
  if (is_node)
    explain_xid(event, in.message);
  event.fields = {{"reason", in.reason}, {"object", in.object}, {"message", in.message}};
  sink.event(std::move(event));
}

using base::Json;

std::string small(std::string text) {
  for (char& c : text)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

constexpr std::array<std::string_view, 13> kColumns{
    "LAST SEEN",
    "TYPE",
    "REASON",
    "OBJECT",
    "SUBOBJECT",
    "SOURCE",
    "MESSAGE",
    "FIRST SEEN",
    "NAME",
    "KIND",
    "COUNT",
    "LASTSEEN",
    "FIRSTSEEN"};
constexpr size_t kOwnName = 8;
constexpr size_t kOwnKind = 9;

bool is_header(std::string_view line) {
  const bool is_old = line.find("LASTSEEN") != line.npos && line.find(" KIND ") != line.npos;
  const bool is_new = line.find("LAST SEEN") != line.npos && line.find(" OBJECT ") != line.npos;
  return (is_old || is_new) && line.find(" TYPE ") != line.npos && line.find(" REASON ") != line.npos;
}

class KubeTable : public Reader {
  static constexpr size_t kMostHeld = size_t{1} << 16;
  struct PendingEvent {
    KubeEvent event;
    std::string line;
    int64_t number;
  };

  bool row(std::string_view line, Sink& sink) override {
    ++number_;
    if (is_header(line)) {
      for (size_t i = 0; i < kColumns.size(); ++i)
        begin_[i] = column(line, kColumns[i]);
      has_header_ = true;
      return true;
    }
    if (!has_header_ || without_blanks(line).empty())
      return false;
    KubeEvent event{part(line, 1), part(line, 2), part(line, 3), part(line, 5), part(line, 6), sink.time()};
    if (event.object.empty() && !part(line, kOwnKind).empty())  // kubectl before 1.14
      event.object = small(part(line, kOwnKind)) + "/" + part(line, kOwnName);
    if (event.reason.empty() || event.object.empty())
      return false;
    pods_.place(event);
    if (pending_.size() < kMostHeld)
      pending_.push_back({std::move(event), std::string(line.substr(0, 1024)), number_});
    return true;
  }

  // Pods are reported at the end of the file, because their node may be stated after their other events.
  void end(Sink& sink) override {
    for (const PendingEvent& pending : pending_) {
      sink.at(pending.line, pending.number, {}, pending.event.time);
      write_event(pending.event, pods_, sink);
    }
  }

  static size_t column(std::string_view line, std::string_view name) {
    const std::string word = " " + std::string(name);
    if (line.starts_with(name))
      return 0;
    const size_t at = line.find(word);
    return at == line.npos ? at : at + 1;
  }

  // Returns the text from the begin of a column to the begin of the next one.
  std::string part(std::string_view line, size_t which) const {
    const size_t begin = begin_[which];
    if (begin == line.npos || begin >= line.size())
      return "";
    size_t end = line.size();
    for (const size_t other : begin_)
      if (other != line.npos && other > begin)
        end = std::min(end, other);
    return std::string(without_blanks(line.substr(begin, end - begin)));
  }

  bool has_header_ = false;
  std::array<size_t, kColumns.size()> begin_{};
  int64_t number_ = 0;
  Pods pods_;
  std::vector<PendingEvent> pending_;
};

std::string text(const Json* json, std::string_view key) {
  const Json* value = json ? json->find(key) : nullptr;
  return value && value->is_string() ? value->string({}) : std::string();
}

// Reads an event in the JSON form of kubectl.
KubeEvent of_json(const Json& item) {
  const Json* object = item.find("involvedObject");
  if (!object)
    object = item.find("regarding");  // the field's name in events.k8s.io/v1
  KubeEvent event;
  event.type = text(&item, "type");
  event.reason = text(&item, "reason");
  event.message = item.find("message") ? text(&item, "message") : text(&item, "note");
  event.object = small(text(object, "kind")) + "/" + text(object, "name");
  const std::string host = text(item.find("source"), "host");
  if (!host.empty())
    event.source = "kubelet, " + host;
  for (const char* key : {"firstTimestamp", "eventTime", "lastTimestamp"}) {
    if (const auto ms = base::try_moment_ms(text(&item, key))) {
      event.time = {Clock::Unix, double(*ms) / 1000};
      break;
    }
  }
  return event;
}

class KubeDocument : public Reader {
  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const Json json = base::parse_json(text, path);
    std::vector<KubeEvent> events;
    Pods pods;
    const Json* items = json.find("items");
    for (const Json& item : items ? items->items() : Json::Array{json}) {
      events.push_back(of_json(item));
      pods.place(events.back());
      if (!events.back().reason.empty())
        sink.took();
    }
    for (const KubeEvent& event : events) {
      const std::string line = event.object + " " + event.reason + ": " + event.message;
      sink.at(line, 0, {}, event.time);
      write_event(event, pods, sink);
    }
  }
};

double score_table(std::string_view head, std::string& reason) {
  constexpr int kMostLines = 5;
  for (int i = 0; i < kMostLines && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    if (is_header(head.substr(0, end))) {
      reason = "columns LAST SEEN, TYPE, REASON, OBJECT";
      return 0.9;
    }
    if (end == head.npos)
      break;
    head.remove_prefix(end + 1);
  }
  return 0;
}

double score_json(std::string_view head, std::string& reason) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  const bool is_object = begin != head.npos && head[begin] == '{';
  const bool is_event = head.find("\"kind\": \"Event\"") != head.npos ||
                        head.find("\"kind\":\"Event\"") != head.npos ||
                        head.find("\"kind\": \"EventList\"") != head.npos;
  if (!is_object || !is_event || head.find("\"reason\"") == head.npos)
    return 0;
  reason = "JSON objects of kind Event";
  return 0.95;
}

constexpr const char* kCovers = "nodes and pods that Kubernetes reports";

}  // namespace

const Format
    kKubeEvents{"Kubernetes events", "cluster", {}, Shape::Table, make<KubeTable>, score_table, {}, kCovers};
const Format kKubeJson{
    "Kubernetes events (JSON)",
    "cluster",
    {},
    Shape::Document,
    make<KubeDocument>,
    score_json,
    {},
    kCovers};

}  // namespace lento::desk
