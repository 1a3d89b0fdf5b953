// The log of the subnet manager of InfiniBand and NVLink fabrics (opensm.log, nvlsm.log): ports of switches
// that go down, hosts that leave the fabric, and ports that report that they are overrun.
//
//   line   = DATE MICROSECONDS "[" THREAD "]" LEVEL "->" [FUNCTION ":"] text
//   port   = "Switch" GUID NAME "port" N ["(" LABEL ")"] "changed state from" STATE "to" STATE
//   left   = "Removed port with GUID:" GUID "LID range [" N "," N "] of node:" NODE
//   came   = "Discovered new port with GUID:" GUID "LID range [" N "," N "] of node:" NODE
//   notice = "Received Generic Notice type:" N "num:" N "(" MEANING ")" any "from LID:" N "Port" N "TID:"
//   GUID node   = HOST [CARD]
//
// One loss of a port or a host that comes back is a restart and no fault. Ports that leave in one sweep (up
// to the next "SUBNET UP") are behind one link or switch when they are of three hosts or more: they are
// counted together, and none of them is named.
//
// Source: opensm/ of OpenSM 3.3.20 to 3.3.24.
#include <algorithm>
#include <map>
#include <set>

#include "desk/link/link.h"

namespace lento::desk {
namespace {

enum SubnetForm {
  PortDown,
  PortUp,
  NodeLeft,
  NodeCame,
  Overrun,
  Disabled,
  SubnetUp,
};

const LineForm kSubnetForms[] = {
    {"Switch {_:hex} {switch} port {port:int}{_} from ACTIVE to DOWN",
     {"Nov 27 11:30:01 927893 [4F2006C0] 0x02 -> osm_pi_rcv_process: Switch 0x200000 leaf3 port 7 changed "
      "state "
      "from ACTIVE to DOWN",
      "Nov 27 11:30:01 896261 [85BA8640] 0x02 -> osm_spst_rcv_process: Switch 0xb0cf0e0300e31440 "
      "MF0;rack7-switch03:N5110_LD/U1 port 61 (sw7p1s1) changed state from ACTIVE to DOWN"}},
    {"Switch {_:hex} {switch} port {port:int}{_} from DOWN to",
     {"Nov 27 11:30:09 927893 [4F2006C0] 0x02 -> osm_pi_rcv_process: Switch 0x200000 leaf3 port 7 changed "
      "state "
      "from DOWN to INIT"}},
    {"Removed port with GUID:{guid:hex} LID range [{_}] of node:{node}",
     {"Nov 27 11:30:02 123456 [A1B2C700] 0x02 -> drop_mgr_remove_port: Removed port with "
      "GUID:0x0c42a10300a1b2c3 LID range [37, 37] of node:gpu07 mlx5_0"}},
    {"Discovered new port with GUID:{guid:hex} LID range [{_}] of node:{node}",
     {"Nov 27 11:40:02 123456 [A1B2C700] 0x02 -> state_mgr_report_new_ports: Discovered new port with "
      "GUID:0x0c42a10300a1b2c3 LID range [37,37] of node:gpu07 mlx5_0"}},
    {"Received Generic Notice type:{_:int} num:{what:int} ({_}from LID:{lid:int} Port {port:int}",
     {"Nov 27 11:31:01 123456 [A1B2C700] 0x01 -> log_trap_info: Received Generic Notice type:0 num:131 (Flow "
      "Control Update watchdog timer expired) Producer:2 (Switch) from LID:14 Port 7 "
      "TID:0x0000000000000004"}},
    {"ERR 3810: Disabling physical port {guid:hex} num:{port:int}",
     {"Nov 27 11:32:01 123456 [A1B2C700] 0x01 -> disable_port: ERR 3810: Disabling physical port "
      "0x0002c90300a1b2c3 num:7"}},
    {"-> SUBNET UP", {"Nov 27 11:30:03 323456 [A1B2C700] 0x02 -> SUBNET UP"}},
};

constexpr const char* kReseat = "reseat or replace cable and transceiver of that link, look at its other end";

class SubnetManager : public Reader {
  static constexpr size_t kMostParts = 65536;
  static constexpr size_t kLongestLine = 512;  // of one that is kept: quotes are shorter

  // A port of a switch or of a host in the fabric.
  struct FabricPart {
    int losses = 0;
    bool is_gone = false;
    int64_t sweep = 0;  // of the first loss
    std::string line;   // of the first loss
    int64_t number = 0;
    Moment time;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    sink.took();
    switch (form) {
      case PortDown:
      case PortUp:
        see(ports_, {match.text("switch"), "port " + match.text("port"), ""}, form == PortDown, sink);
        break;
      case NodeLeft:
      case NodeCame:
        see(hosts_, subject_of(match["node"]), form == NodeLeft, sink);
        break;
      case Overrun:
        overrun(match, sink);
        break;
      case Disabled:
        report(
            {.kind = "fabric/disabled",
             .severity = Severity::Fault,
             .subject = {match.text("guid"), "port " + match.text("port"), ""},
             .meaning = "the subnet manager switched off its port, which sent notices without end"},
            sink);
        break;
      default:
        ++sweep_;
    }
  }

  static Subject subject_of(std::string_view node) {
    const size_t blank = std::min(node.find(' '), node.size());
    std::string_view card = node.substr(std::min(blank + 1, node.size()));
    return {std::string(node.substr(0, blank)), std::string(card), ""};
  }

  using Parts = std::map<Subject, FabricPart>;

  void see(Parts& parts, Subject subject, bool is_loss, const Sink& sink) const {
    if (parts.size() >= kMostParts && !parts.contains(subject))
      return;
    if (!is_loss && !parts.contains(subject))
      return;
    FabricPart& part = parts[std::move(subject)];
    part.is_gone = is_loss;
    if (!is_loss || part.losses++ > 0)
      return;
    part.sweep = sweep_;
    part.line = sink.line().substr(0, kLongestLine);
    part.number = sink.number();
    part.time = sink.time();
  }

  static void report(Event event, Sink& sink) {
    event.origin = Origin::Link;
    event.action = kReseat;
    sink.event(std::move(event));
  }

  // Reports notices 129 to 131 of the architecture's volume 1: a port exceeded a threshold.
  static void overrun(const Match& match, Sink& sink) {
    const std::string what = match.text("what");
    const char* meaning = what == "129"   ? "its link had more errors than its threshold allows"
                          : what == "130" ? "its receive buffer was overrun"
                          : what == "131" ? "its link partner sent no credits in time"
                                          : "";
    if (*meaning != 0)
      report(
          {.kind = "fabric/notice " + what,
           .severity = Severity::Warning,
           .subject = {"LID " + match.text("lid"), "port " + match.text("port"), ""},
           .meaning = meaning},
          sink);
  }

  void end(Sink& sink) override {
    for (const auto& [subject, part] : ports_)
      lost(subject, part, "its link", sink);
    std::map<int64_t, std::map<std::string, Parts>> sweeps;  // ports that left in it for good, by host
    for (const auto& [subject, part] : hosts_) {
      if (part.is_gone && part.losses == 1)
        sweeps[part.sweep][subject.host].emplace(subject, part);
      else
        lost(subject, part, "its port of the fabric", sink);
    }
    for (const auto& [sweep, hosts] : sweeps)
      lost_in_sweep(hosts, sink);
  }

  static void lost(const Subject& subject, const FabricPart& part, const std::string& what, Sink& sink) {
    sink.at(part.line, part.number, {}, part.time);
    const bool is_fault = part.losses > 1 || part.is_gone;
    report(
        {.kind = "fabric/lost",
         .severity = is_fault ? Severity::Warning : Severity::Note,
         .subject = subject,
         .meaning = part.losses > 1 ? what + " went down " + std::to_string(part.losses) + " times"
                    : part.is_gone  ? what + " went down and did not come back"
                                    : what + " went down once and came back"},
        sink);
  }

  // Reports ports that left in one sweep and did not return: behind one switch, of one host, or one alone.
  static void lost_in_sweep(const std::map<std::string, Parts>& hosts, Sink& sink) {
    constexpr size_t kFewestTogether = 3;
    const Parts& first = hosts.begin()->second;
    if (hosts.size() >= kFewestTogether) {
      sink.at(first.begin()->second.line, first.begin()->second.number, {}, first.begin()->second.time);
      report(
          {.kind = "fabric/lost together",
           .severity = Severity::Warning,
           .subject = {"the fabric", "", ""},
           .meaning = std::to_string(hosts.size()) +
                      " hosts left it in one sweep and did not come back, as "
                      "behind one switch: " +
                      hosts.begin()->first + " to " + hosts.rbegin()->first},
          sink);
      return;
    }
    for (const auto& [host, parts] : hosts) {
      const auto& [subject, part] = *parts.begin();
      if (parts.size() == 1)
        lost(subject, part, "its port of the fabric", sink);
      else
        lost(
            {host, "", ""},
            part,
            "the host with " + std::to_string(parts.size()) + " ports of the fabric",
            sink);
    }
  }

  Parts ports_;
  Parts hosts_;
  int64_t sweep_ = 0;
};

}  // namespace

const Format kSubnetManager{
    "log of a subnet manager (OpenSM, NVLSM)",
    "link",
    kSubnetForms,
    Shape::Lines,
    make<SubnetManager>,
    nullptr,
    {},
    "ports and hosts that the subnet manager lost"};

}  // namespace lento::desk
