// scontrol shows a job or a node as NAME=value pairs over several lines, or over one (scontrol -o).
//
//   job  = "JobId=" N ... "JobState=" STATE ... "NodeList=" LIST ...
//   node = "NodeName=" HOST ... "State=" STATE {"+" FLAG} ["*"] ... "Reason=" TEXT "[" USER "@" TIME "]"
//
// A "*" behind a node's state means that the node does not answer. A node that an operator drains is taken
// out on purpose, and the reason explains it.
//
// Source: scontrol of Slurm 20.11 to 25.05.
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

// Returns the value of "NAME=value", up to a blank or, with `up_to_end`, to the end of the line. Empty when
// the line has no such name.
std::string value_of(std::string_view line, std::string_view name, bool up_to_end = false) {
  for (size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    const size_t equals = at + name.size();
    if ((at > 0 && line[at - 1] != ' ') || equals >= line.size() || line[equals] != '=')
      continue;
    const std::string_view rest = line.substr(equals + 1);
    return std::string(rest.substr(0, up_to_end ? rest.npos : rest.find(' ')));
  }
  return "";
}

enum JobForm {
  JobId,
  JobState,
  NodeList,
};

const LineForm kJobForms[] = {
    {"JobId={id:word} JobName={name}", {"JobId=101 JobName=pretrain"}},
    {"JobState={state:word} Reason=", {"   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)"}},
    {"NodeList={nodes:word}", {"   NodeList=gpu[001-064]", "   ReqNodeList=(null) ExcNodeList=(null)"}},
};

class ScontrolJob : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == JobId) {
      write(sink);
      run_.kind = "job";
      run_.facts = {{"id", match.text("id")}, {"name", value_of(sink.line(), "JobName")}};
    }
    if (form == JobState && !run_.kind.empty())
      run_.facts.emplace_back("state", match.text("state"));
    if (form == NodeList && !run_.kind.empty() && run_.members.empty())
      run_.members = hosts_.expand(value_of(sink.line(), "NodeList"));
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    write(sink);
  }

  void write(Sink& sink) {
    if (!run_.kind.empty())
      sink.run(std::move(run_));
    run_ = {};
  }

  HostLists hosts_;
  Run run_;
};

enum NodeForm {
  NodeName,
  NodeState,
  NodeReason,
  NodeBoot,
};

const LineForm kNodeForms[] = {
    {"NodeName={host:name} ",
     {"NodeName=gpu017 Arch=x86_64 CoresPerSocket=56", "NodeName=n1 CoresPerSocket=8"}},
    {"State={state:word} ThreadsPerCore=", {"   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1"}},
    {"Reason={reason} [{user:name}@", {"   Reason=Not responding [slurm@2026-10-01T12:00:00]"}},
    {"BootTime={time:word}", {"   BootTime=2026-10-01T11:08:11 SlurmdStartTime=2026-10-01T11:12:31"}},
};

class ScontrolNode : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case NodeName:
        write(sink);
        host_ = match.text("host");
        return;
      case NodeState:
        state_ = match.text("state");
        return;
      case NodeBoot:
        boot_ = match.text("time");
        return;
      default:
        reason_ = match.text("reason");
        write(sink);
    }
  }

  void end(Sink& sink) override {
    sink.at({}, 0, {}, {});
    write(sink);
  }

  void write(Sink& sink) {
    const bool is_down = state_.find("DOWN") != state_.npos || state_.find("FAIL") != state_.npos ||
                         state_.find('*') != state_.npos;
    const bool is_drained = state_.find("DRAIN") != state_.npos;
    if (!host_.empty() && (is_down || is_drained)) {
      Event event = node_event(
          is_down ? "slurm/down" : "slurm/drained",
          is_down ? Severity::Fault : Severity::Warning,
          host_,
          is_down ? "Slurm lists the node as down" : "the node is drained");
      event.origin = is_down ? Origin::Unclear : Origin::Operator;
      event.fields = {{"state", state_}};
      if (!reason_.empty()) {
        event.meaning += " (" + reason_ + ")";
        explain(event, reason_);
      }
      if (!boot_.empty() && event.origin == Origin::Hardware)
        event.meaning += ", booted at " + boot_;
      sink.event(std::move(event));
    }
    host_.clear();
    state_.clear();
    reason_.clear();
    boot_.clear();
  }

  std::string host_;
  std::string state_;
  std::string reason_;
  std::string boot_;
};

}  // namespace

const Format kScontrolJob{"scontrol show job", "cluster", kJobForms, Shape::Lines, make<ScontrolJob>};
const Format kScontrolNode{
    "scontrol show node",
    "cluster",
    kNodeForms,
    Shape::Lines,
    make<ScontrolNode>,
    nullptr,
    {},
    "nodes that Slurm took out"};

}  // namespace lento::desk
