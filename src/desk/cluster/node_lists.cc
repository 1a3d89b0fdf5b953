// Lists of nodes with their states, or of the jobs on them: sinfo, squeue, kubectl get nodes, and the
// conditions of kubectl describe node.
//
//   sinfo    = header with NODELIST and STATE, {row of words, REASON up to the end of the line}
//   sinfo -R = "REASON USER TIMESTAMP NODELIST" {TEXT USER TIME LIST}
//   nodes    = "NAME STATUS ROLES AGE VERSION" any {row}     status = ("Ready" | "NotReady") {"," WORD}
//   describe = "Name:" HOST any "Conditions:" header {TYPE STATUS TIME TIME REASON MESSAGE}
//              "Capacity:" {NAME ":" N} "Allocatable:" {NAME ":" N}
//
// A node that Slurm marks with * does not answer. One that is drained or cordoned was taken out by an
// operator, which without a reason is only a note. Of a node's conditions Ready should be true, and
// so should others whose name ends with it (the node monitor of EKS). Every other one should be false, as
// those of node-problem-detector.
//
// Sources: sinfo of Slurm 20.11 to 25.05; kubectl 1.19 to 1.33; node-problem-detector 0.8.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/cluster/cluster.h"
#include "desk/read/log_date.h"

namespace lento::desk {
namespace {

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

struct Word {
  std::string_view text;
  size_t begin = 0;
};

// Splits a line at blanks, with the position of each word.
std::vector<Word> words(std::string_view line) {
  constexpr size_t kMost = 256;
  std::vector<Word> out;
  for (size_t at = 0; at < line.size() && out.size() < kMost;) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == line.npos)
      break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    out.push_back({line.substr(begin, at - begin), begin});
  }
  return out;
}

size_t column(const std::vector<Word>& header, std::string_view name) {
  return size_t(std::ranges::find(header, name, &Word::text) - header.begin());
}

// Returns the header line of a list, which must be near the beginning of the file.
std::string_view header_of(std::string_view head, bool (*is_wanted)(std::string_view)) {
  constexpr int kEarly = 16;
  for (int i = 0; i < kEarly && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    if (is_wanted(head.substr(0, end)))
      return head.substr(0, end);
    head = end == head.npos ? std::string_view() : head.substr(end + 1);
  }
  return {};
}

bool is_sinfo(std::string_view line) {
  const std::vector<Word> header = words(line);
  const bool has_list = column(header, "NODELIST") < header.size();
  const bool has_state = column(header, "STATE") < header.size();
  const bool has_reason = !header.empty() && header[0].text == "REASON";
  return has_list && (has_state || has_reason) && column(header, "JOBID") == header.size();
}

double score_sinfo(std::string_view head, std::string& reason) {
  if (header_of(head, is_sinfo).empty())
    return 0;
  reason = "it has the header of sinfo";
  return 0.9;
}

class Sinfo : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::vector<Word> cells = words(line);
    if (is_sinfo(line)) {
      header_.clear();
      for (const Word& cell : cells)
        header_.emplace_back(cell.text);
      return true;
    }
    if (header_.empty() || cells.size() < 4 || cells.size() + 1 < header_.size())
      return false;
    if (header_[0] == "REASON")
      return take_reason(line, cells, sink);
    const auto at = [&](std::string_view name) {
      return size_t(std::ranges::find(header_, name) - header_.begin());
    };
    const size_t state = at("STATE");
    const size_t list = at("NODELIST");
    const size_t why = at("REASON");
    if (state >= cells.size() || list >= cells.size())
      return false;
    const std::string reason(why < cells.size() ? trim(line.substr(cells[why].begin)) : std::string_view());
    for (const std::string& host : lists_.expand(cells[list].text))
      write(host, std::string(cells[state].text), reason == "none" ? "" : reason, sink);
    return true;
  }

  // Takes a row with the reason for which nodes were taken out of service.
  bool take_reason(std::string_view line, const std::vector<Word>& cells, Sink& sink) {
    const size_t n = cells.size();
    const std::string reason(trim(line.substr(0, cells[n - 3].begin)));
    for (const std::string& host : lists_.expand(cells[n - 1].text)) {
      // A reason that a person wrote, and whose words name no fault of hardware, is no fault of the node.
      const Severity severity = cells[n - 3].text == "slurm" ? Severity::Warning : Severity::Note;
      Event event = node_event("slurm/drained", severity, host, "Slurm took the node out: " + reason);
      event.time = iso_moment(cells[n - 2].text).value_or(Moment{});
      explain(event, reason);
      if (event.severity == Severity::Note && event.meaning.starts_with("Slurm took"))
        event.kind = "unread/state";
      sink.event(std::move(event));
    }
    return true;
  }

  // Reports a node that is out of service.
  static void
  write(const std::string& host, const std::string& state, const std::string& reason, Sink& sink) {
    const std::string why = reason.empty() ? "" : ": " + reason;
    const bool is_down =
        state.starts_with("down") || state.starts_with("fail") || state.starts_with("boot_fail");
    const bool is_silent = state.find('*') != state.npos;
    Event event;
    if (is_down || is_silent)
      event = node_event("slurm/down", Severity::Fault, host, "Slurm lists the node as " + state + why);
    else if (state.starts_with("drain") || state.starts_with("drng"))
      event = node_event(
          "slurm/drained",
          reason.empty() ? Severity::Note : Severity::Warning,
          host,
          "the node is drained" + why);
    else
      return;
    if (!reason.empty())
      explain(event, reason);
    sink.event(std::move(event));
  }

  std::vector<std::string> header_;
  HostLists lists_;
};

bool is_queue(std::string_view line) {
  const std::vector<Word> header = words(line);
  return column(header, "JOBID") < header.size() && column(header, "ST") < header.size() &&
         column(header, "NODELIST(REASON)") < header.size();
}

double score_queue(std::string_view head, std::string& reason) {
  if (header_of(head, is_queue).empty())
    return 0;
  reason = "it has the header of squeue";
  return 0.9;
}

// Reads the queue, which is no sign of health. A job may state the nodes that it waits for.
class Squeue : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    constexpr std::string_view kUnavailable = "UnavailableNodes:";
    const size_t at = line.find(kUnavailable);
    if (at == line.npos)
      return !words(line).empty();
    std::string_view list = line.substr(at + kUnavailable.size());
    list = trim(list.substr(0, list.find(')')));
    for (const std::string& host : lists_.expand(list))
      sink.event(node_event(
          "slurm/unavailable",
          Severity::Warning,
          host,
          "a job waits for it: Slurm has it as unavailable"));
    return true;
  }
  HostLists lists_;
};

bool is_nodes(std::string_view line) {
  const std::vector<Word> header = words(line);
  return header.size() >= 5 && header[0].text == "NAME" && header[1].text == "STATUS" &&
         column(header, "ROLES") < header.size() && column(header, "VERSION") < header.size();
}

double score_nodes(std::string_view head, std::string& reason) {
  if (header_of(head, is_nodes).empty())
    return 0;
  reason = "it has the header of kubectl get nodes";
  return 0.9;
}

class KubeNodes : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (is_nodes(line)) {
      has_header_ = true;
      return true;
    }
    const std::vector<Word> cells = words(line);
    if (!has_header_ || cells.size() < 5)
      return false;
    const std::string_view status = cells[1].text;
    const std::string host(cells[0].text);
    if (status.starts_with("NotReady") || status.starts_with("Unknown"))
      sink.event(node_event(
          "kubernetes/not ready",
          Severity::Fault,
          host,
          "Kubernetes lists the node as " + std::string(status)));
    else if (status.find("SchedulingDisabled") != status.npos)
      sink.event(node_event("kubernetes/cordoned", Severity::Note, host, "the node is cordoned"));
    return true;
  }
  bool has_header_ = false;
};

double score_describe(std::string_view head, std::string& reason) {
  if (head.find("Conditions:") == head.npos || head.find("LastHeartbeatTime") == head.npos)
    return 0;
  reason = "it has the conditions of kubectl describe node";
  return 0.9;
}

class KubeDescribe : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    constexpr std::string_view kName = "Name:";
    if (line.starts_with(kName)) {
      host_ = trim(line.substr(kName.size()));
      message_ = 0;
      section_.clear();
      capacity_.clear();
      return true;
    }
    if (!line.empty() && line[0] != ' ')
      section_ = line.ends_with(":") ? line : std::string_view();
    if (section_ == "Capacity:" || section_ == "Allocatable:")
      return resource(line, sink);
    if (line.find("LastHeartbeatTime") != line.npos) {
      message_ = line.find("Message");
      return message_ != line.npos;
    }
    const bool is_row = line.starts_with("  ") && line.size() > message_ && message_ != line.npos;
    if (message_ == 0 || !is_row) {
      message_ = line.starts_with(" ") ? message_ : 0;
      return false;
    }
    const std::vector<Word> cells = words(line);
    if (cells.size() < 4 || cells[0].text.starts_with("-"))
      return false;
    take(cells[0].text, cells[1].text, line, sink);
    return true;
  }

  // Takes a resource of a device plugin, "  nvidia.com/gpu:     8", which offers only the healthy ones of the
  // devices that it counts.
  bool resource(std::string_view line, Sink& sink) {
    static const Pattern pattern("^~{name:name}:~{n:int}$");
    Match match;
    if (host_.empty() || !pattern.match(line, match) || match["name"].find('/') == std::string_view::npos)
      return false;
    const std::string name = match.text("name");
    if (section_ == "Capacity:") {
      constexpr size_t kMostResources = 64;
      if (capacity_.size() < kMostResources)
        capacity_[name] = match.integer("n").value_or(0);
      return true;
    }
    const auto all = capacity_.find(name);
    const int64_t offered = match.integer("n").value_or(0);
    if (all != capacity_.end() && offered < all->second)
      sink.event(node_event(
          "kubernetes/unhealthy device",
          Severity::Fault,
          host_,
          "it offers " + std::to_string(offered) + " of its " + std::to_string(all->second) + " " + name +
              ": the device plugin holds the others for unhealthy"));
    return true;
  }

  // Takes a condition of a Kubernetes node.
  void take(std::string_view type, std::string_view status, std::string_view line, Sink& sink) const {
    const bool is_ready = type.ends_with("Ready");
    if (host_.empty() || status == (is_ready ? "True" : "False"))
      return;
    if (!is_ready && status != "True")  // Unknown is not reported as a problem
      return;
    const std::string message(trim(line.substr(message_)));
    Event event = node_event(
        "kubernetes/condition",
        Severity::Fault,
        host_,
        (type == "Ready" ? "the node is not ready: "
         : is_ready      ? "not " + std::string(type) + ": "
                         : std::string(type) + ": ") +
            message);
    explain_xid(event, message);
    sink.event(std::move(event));
  }

  std::string host_;
  size_t message_ = 0;
  std::string section_;
  std::map<std::string, int64_t> capacity_;  // of the node, by resource
};

}  // namespace

constexpr std::string_view kNodeCovers = "states of nodes";
const Format kSinfo{"sinfo", "cluster", {}, Shape::Table, make<Sinfo>, score_sinfo, {}, kNodeCovers};
const Format kSqueue{"squeue", "cluster", {}, Shape::Table, make<Squeue>, score_queue};
const Format kKubeNodes{
    "kubectl get nodes",
    "cluster",
    {},
    Shape::Table,
    make<KubeNodes>,
    score_nodes,
    {},
    kNodeCovers};
const Format kKubeDescribe{
    "kubectl describe node",
    "cluster",
    {},
    Shape::Table,
    make<KubeDescribe>,
    score_describe,
    {},
    "conditions of nodes"};

}  // namespace lento::desk
