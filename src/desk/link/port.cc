// Ports of network cards: whether they are up, how fast, and on how many lanes. ibstatus and ibstat describe
// one port after the other and end each with its link layer, where the port is written. Ports of one link
// layer and, where it is stated, of one type of card are peers. A port that is down has no rate.
//
//   ibstatus = "Infiniband device 'mlx5_0' port 1 status:" ... "state: 4: ACTIVE" "rate: 400 Gb/sec (4X NDR)"
//              "link_layer: InfiniBand"
//   ibstat   = "CA 'mlx5_0'" ["CA type: MT4129"] {"Port 1:" "State: Active" "Rate: 400" "Link layer: ..."}
//   rdma     = "link mlx5_0/1 state ACTIVE physical_state LINK_UP"
//   ethtool  = "Settings for eth0:" "Speed: 100000Mb/s" "Link detected: yes"
//   mlxlink  = "Speed : IB-NDR" "Width : 4x" "Status Opcode : 0" "Recommendation : No issue was observed"
//
// Source: infiniband-diags 39 (ibstat.c, the script ibstatus), ethtool 6.1, mlxlink of the NVIDIA firmware
// tools 4.2x.
#include "desk/link/link.h"

namespace lento::desk {
namespace {

constexpr const char* kCable =
    "reseat or replace cable and transceiver, look at the switch port and its counters";

enum PortForm {
  StatusDevice,
  StatusState,
  StatusRate,
  StatusLayer,
  Card,
  CardType,
  CardPort,
  Active,
  Down,
  Initializing,
  CardRate,
  CardLayer,
  Settings,
  Speed,
  RdmaLink,
};

const LineForm kPortForms[] = {
    {"Infiniband device '{device:name}' port {port:int} status:",
     {"Infiniband device 'mlx5_0' port 1 status:"}},
    {"^~state:~{_:int}: {state:name}$", {"\tstate:\t\t 4: ACTIVE", "\tstate:\t\t 1: DOWN"}},
    {"^~rate:~{rate:num} Gb/sec(? ({width:int}X {_:word})?)",
     {"\trate:\t\t 100 Gb/sec (4X EDR)", "\trate:\t\t 25 Gb/sec"}},
    {"^~link_layer:~{layer:name}$", {"\tlink_layer:\t InfiniBand"}},
    {"^~CA '{device:name}'$", {"CA 'mlx5_4'"}},
    {"^~CA type: {type:word}$", {"\tCA type: MT4123"}},
    {"^~Port {port:int}:$", {"\tPort 1:"}},
    {"^~State:~Active$", {"\t\tState: Active"}},
    {"^~State:~Down$", {"\t\tState: Down"}},
    {"^~State:~Initializing$", {"\t\tState: Initializing"}},
    {"^~Rate: {rate:int}$", {"\t\tRate: 100"}},
    {"^~Link layer: {layer:name}$", {"\t\tLink layer: InfiniBand"}},
    {"^~Settings for {device:name}:$", {"Settings for eth0:"}},
    {"^~Speed: {rate:int}Mb/s$", {"\tSpeed: 100000Mb/s"}},
    {"^link {device:name} state {state:name} physical_state",
     {"link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0"}},
};

class Ports : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case StatusDevice:
        begin(match["device"], match["port"], sink);
        return;
      case Card:
        begin(match["device"], "", sink);
        card_ = match.text("device");
        return;
      case Settings:
        begin(match["device"], "", sink);
        layer_ = "Ethernet";
        return;
      case CardPort:
        begin(card_, match["port"], sink);
        return;
      case CardType:
        type_ = match.text("type");
        return;
      case RdmaLink:
        begin(match["device"].substr(0, match["device"].find('/')), "", sink);
        [[fallthrough]];
      case StatusState:
        is_active_ = match["state"] == "ACTIVE";
        state_ = is_active_ ? "active" : match["state"] == "DOWN" ? "down" : match.text("state");
        return;
      case Active:
      case Down:
      case Initializing:
        is_active_ = form == Active;
        state_ = form == Active ? "active" : form == Down ? "down" : "initializing";
        return;
      case StatusRate:
      case CardRate:
        rate_ = match.number("rate").value_or(kUnknown);
        lanes_ = match.number("width").value_or(kUnknown);
        return;
      case Speed:
        rate_ = match.number("rate").value_or(kUnknown) / 1000;
        is_active_ = true;
        write(sink);
        return;
      default:
        layer_ = match.text("layer");
        write(sink);
    }
  }

  void end(Sink& sink) override {
    write(sink);
  }

  // Writes the previous port, whose link layer may have been cut off, before the next one begins.
  void begin(std::string_view card, std::string_view port, Sink& sink) {
    write(sink);
    if (card != card_)
      type_.clear();
    device_ = port_device(card, port);
  }

  // Reports state, speed and width of a port.
  void write(Sink& sink) {
    if (!device_.empty()) {
      const Sink::Place place{{"", device_, ""}};
      const std::string group = layer_ + (type_.empty() ? "" : " " + type_);
      if (!state_.empty())
        sink.state(
            {"port state", "", Kind::FewValued, Better::Same, group, Scope::Own, kCable},
            state_,
            place);
      if (is_active_) {
        sink.state(
            {"port rate", "Gb/s", Kind::FewValued, Better::Higher, group, Scope::Own, kCable},
            rate_,
            place);
        sink.state(
            {"port width", "lanes", Kind::FewValued, Better::Higher, group, Scope::Own, kCable},
            lanes_,
            place);
      }
    }
    device_.clear();
    state_.clear();
    layer_.clear();
    rate_ = lanes_ = kUnknown;
    is_active_ = false;
  }

  std::string card_;
  std::string type_;
  std::string device_;
  std::string state_;
  std::string layer_;
  double rate_ = kUnknown;
  double lanes_ = kUnknown;
  bool is_active_ = false;
};

enum MlxlinkForm {
  InfinibandSpeed,
  EthernetSpeed,
  Width,
  Opcode,
  Recommendation,
  PhysicalErrors,
  LinkDowns,
};

const LineForm kMlxlinkForms[] = {
    {"^~Speed~:~IB-{speed:name}$", {"Speed                              : IB-HDR"}},
    {"^~Speed~:~{speed:int}G$", {"Speed                              : 100G"}},
    {"^~Width~:~{lanes:int}x$", {"Width                              : 2x"}},
    {"^~Status Opcode~:~{code:int}$", {"Status Opcode                      : 0"}},
    {"^~Recommendation~:~{what}", {"Recommendation                     : No issue was observed"}},
    {"^~Effective Physical Errors~:~{n:int}$", {"Effective Physical Errors          : 0"}},
    {"^~Link Down Counter~:~{n:int}$", {"Link Down Counter                  : 2"}},
};

const Quantity kSpeed{"port speed", "", Kind::FewValued, Better::Same, "mlxlink", Scope::Own, kCable};
const Quantity kLanes{"port width", "lanes", Kind::FewValued, Better::Higher, "mlxlink", Scope::Own, kCable};
const Quantity kErrors{
    "symbol errors after correction",
    "",
    Kind::Counter,
    Better::Lower,
    "mlxlink",
    Scope::Own,
    kCable};
const Quantity
    kDowns{"times the link went down", "", Kind::Counter, Better::Lower, "mlxlink", Scope::Own, kCable};

class Mlxlink : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case InfinibandSpeed:
      case EthernetSpeed:
        sink.state(kSpeed, match.text("speed"), {});
        return;
      case Width:
        sink.state(kLanes, match.number("lanes").value_or(kUnknown), {});
        return;
      case PhysicalErrors:
        sink.state(kErrors, match.number("n").value_or(kUnknown), {});
        return;
      case LinkDowns:
        sink.state(kDowns, match.number("n").value_or(kUnknown), {});
        return;
      case Opcode:
        code_ = match.integer("code").value_or(0);
        return;
      default:
        write_advice(match, sink);
    }
  }

  // Writes the port's advice. Opcode 0 means no fault. 1 and 1024 mean a port that was disabled or has no
  // cable, which is intended.
  void write_advice(const Match& match, Sink& sink) const {
    if (code_ == 0)
      return;
    Event event;
    event.kind = "mlxlink/" + std::to_string(code_);
    event.severity = code_ == 1 || code_ == 1024 ? Severity::Note : Severity::Warning;
    event.origin = Origin::Link;
    event.meaning = "the firmware of the network card finds: " + match.text("what");
    event.action = kCable;
    sink.event(std::move(event));
  }

  int64_t code_ = 0;
};

}  // namespace

std::string port_device(std::string_view card, std::string_view port) {
  std::string device(card);
  if (!port.empty() && port != "1")
    device += "/" + std::string(port);
  return device;
}

const Format
    kPorts{"ports (ibstatus, ibstat, ethtool)", "link", kPortForms, Shape::Lines, make<Ports>, nullptr};
const Format kMlxlink{
    "mlxlink",
    "link",
    kMlxlinkForms,
    Shape::Lines,
    make<Mlxlink>,
    nullptr,
    "",
    "findings of a network card's firmware"};

}  // namespace lento::desk
