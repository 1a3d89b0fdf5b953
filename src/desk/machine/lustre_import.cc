// Reads how a client of the Lustre file system sees each of its servers: whether the connection stands, how
// long requests wait, and how fast data come. One slow or lost target holds up every rank whose files are
// striped over it.
//
//   file    = {[PARAMETER ".import=" newline] import}                           lctl get_param osc.*.import
//   import  = "import:" newline {key | section}
//   key     = blanks ("target: " NAME "_UUID" | "state: " STATE | "import_flags: [" FLAGS "]" | any ": " any)
//   section = blanks ("connection:" | "rpcs:" | "read_data_averages:" | "write_data_averages:" | any ":")
//             {blanks ("current_connection: " SERVER | "timeouts: " N | "avg_waittime: " N UNIT
//             | "MB_per_sec: " NUMBER | any ": " any)}
//   UNIT    = " usec" | " usecs"
//
// Targets of one file system and kind (OST, MDT) are peers. A client drops the connection of an unused target
// on purpose (IDLE). The averages of such a target are of a few requests and are not compared.
//
// Source: lprocfs_import_seq_show of Lustre 2.5 to 2.16 (its lprocfs_status.c). Newer versions print
// addresses in quotes.
#include <algorithm>

#include "base/number.h"
#include "desk/machine/machine.h"

namespace lento::desk {
namespace {

constexpr const char* kCheckTarget = "look at the load, disks and network of the server of that target";

// States of a connection that does not stand. A file may be cut inside the name of a state, so that other
// words are no state.
struct StateMeaning {
  std::string_view state;
  Severity severity;
  const char* meaning;
};
constexpr const char* kLost = "the connection to this target of the file system is lost";
constexpr const char* kRecovers = "the connection to this target of the file system recovers";
constexpr StateMeaning kStates[] = {
    {"DISCONN", Severity::Fault, kLost},
    {"CONNECTING", Severity::Fault, kLost},
    {"EVICTED", Severity::Fault, kLost},
    {"CLOSED", Severity::Fault, kLost},
    {"NEW", Severity::Warning, kRecovers},
    {"REPLAY", Severity::Warning, kRecovers},
    {"REPLAY_LOCKS", Severity::Warning, kRecovers},
    {"REPLAY_WAIT", Severity::Warning, kRecovers},
    {"RECOVER", Severity::Warning, kRecovers},
};

std::string_view without_blanks(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return begin == line.npos ? std::string_view()
                            : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// "scratch OST" for scratch-OST0005, so that file systems and kinds of targets are compared apart.
std::string group_of_target(std::string_view target) {
  constexpr size_t kKind = 4;  // "-OST", "-MDT"
  const size_t kind = std::min(target.rfind("-OST"), target.rfind("-MDT"));
  if (kind == target.npos)
    return std::string(target);
  return std::string(target.substr(0, kind)) + " " + std::string(target.substr(kind + 1, kKind - 1));
}

double score_import(std::string_view head, std::string& reason) {
  constexpr size_t kNear = 512;  // name, target and state follow each other at once
  for (size_t at = head.find("import:"); at != head.npos; at = head.find("import:", at + 1)) {
    const std::string_view near = head.substr(at, kNear);
    const size_t target = near.find(" target: ");
    if (target == near.npos || near.find(" state: ", target) == near.npos)
      continue;
    reason = "it has the import of a Lustre target";
    return 0.9;
  }
  return 0;
}

class LustreImport : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::string_view text = without_blanks(line);
    if (text.ends_with(".import=") || text == "import:") {
      is_inside_ = true;
      target_.clear();
      return true;
    }
    const size_t colon = text.find(':');
    if (!is_inside_ || colon == text.npos)
      return false;
    const std::string_view value = without_blanks(text.substr(colon + 1));
    if (value.empty())
      section_ = text.substr(0, colon);
    else
      take_value(text.substr(0, colon), value, sink);
    return true;
  }

  void take_value(std::string_view key, std::string_view value, Sink& sink) {
    if (key == "target") {
      target_ = value.substr(0, value.rfind("_UUID"));
      server_.clear();
    } else if (key == "state") {
      state_ = value;
      is_reported_ = false;
    } else if (key == "import_flags") {
      report_state(value.find("deactive") != value.npos, sink);
    } else if (key == "current_connection") {
      server_ = value.front() == '"' ? value.substr(1, value.find('"', 1) - 1) : value;
    } else if (state_ == "FULL" && !target_.empty()) {
      take_average(key, value, sink);
    }
  }

  void take_average(std::string_view key, std::string_view value, Sink& sink) const {
    const auto number = base::try_double(value.substr(0, value.find(' ')));
    if (!number)
      return;
    const std::string group = group_of_target(target_);
    const auto kind = key == "timeouts" ? Kind::Counter : Kind::Level;
    const auto write = [&](const char* name, const char* unit, Better better) {
      const std::string note = server_.empty() ? "" : "served by " + server_;
      sink.state(
          {name, unit, kind, better, group, Scope::Own, kCheckTarget},
          *number,
          {{"", target_, ""}, kUnknown, kUnknown, note});
    };
    // A wait of 0 is that of a target which has answered no request yet.
    if (key == "avg_waittime" && *number > 0 && value.find(" usec") != value.npos)
      write("wait of a file server's requests", "us", Better::Lower);
    else if (key == "timeouts")
      write("requests to a file server that timed out", "", Better::Lower);
    else if (key == "MB_per_sec" && section_ == "read_data_averages")
      write("read rate of a file server", "MB/s", Better::Higher);
    else if (key == "MB_per_sec" && section_ == "write_data_averages")
      write("write rate of a file server", "MB/s", Better::Higher);
  }

  // Reports the last target also when the file is cut in front of its flags.
  void end(Sink& sink) override {
    report_state(false, sink);
  }

  // Reports a target whose connection does not stand.
  void report_state(bool is_deactivated, Sink& sink) {
    const auto* known = std::ranges::find(kStates, state_, &StateMeaning::state);
    if (is_reported_ || known == std::end(kStates) || target_.empty())
      return;
    is_reported_ = true;
    Event event;
    event.kind = "lustre/" + state_;
    event.severity = is_deactivated ? Severity::Note : known->severity;
    event.origin = is_deactivated ? Origin::Operator : Origin::Unclear;
    event.subject.device = target_;
    event.meaning =
        is_deactivated ? "an operator switched this target of the file system off" : known->meaning;
    event.action = kCheckTarget;
    sink.event(std::move(event));
  }

  bool is_inside_ = false;
  bool is_reported_ = false;
  std::string section_;
  std::string target_;
  std::string state_;
  std::string server_;
};

}  // namespace

const Format kLustreImport{
    "Lustre import",
    "machine",
    {},
    Shape::Table,
    make<LustreImport>,
    score_import,
    {},
    "lost connections to targets of Lustre"};

}  // namespace lento::desk
