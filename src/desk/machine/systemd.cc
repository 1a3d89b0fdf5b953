// Services of a host: systemctl list-units, systemctl --failed.
//
//   unit = [mark] NAME LOAD ACTIVE SUB DESCRIPTION          "nvidia-fabricmanager.service loaded failed
//   failed ..."
//
// Source: systemctl of systemd 245 to 257.
#include "desk/machine/machine.h"

namespace lento::desk {
namespace {

const LineForm kUnitForms[] = {
    {"loaded failed failed ",
     {"\xe2\x97\x8f nvidia-fabricmanager.service loaded failed failed NVIDIA fabric manager"}},
    {"loaded active running ", {"  slurmd.service  loaded active running Slurm node daemon"}},
};

class Units : public Reader {
  void take(size_t form, const Match&, Sink& sink) override {
    if (form > 0)
      return;
    // The last word in front of the states.
    std::string_view name = sink.line().substr(0, sink.line().find("loaded "));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    name = name.substr(name.find_last_of(' ') + 1);
    Event event;
    event.kind = "service/failed";
    event.severity = Severity::Fault;
    event.origin = Origin::Operator;
    event.subject.device = name;
    event.meaning = "the service failed";
    event.action = "systemctl status UNIT and journalctl -u UNIT there; restart it";
    sink.event(std::move(event));
  }
};

}  // namespace

const Format kUnits{
    "systemctl",
    "machine",
    kUnitForms,
    Shape::Lines,
    make<Units>,
    nullptr,
    {},
    "services that failed"};

}  // namespace lento::desk
