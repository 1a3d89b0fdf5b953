// The log of NVIDIA's fabric manager: errors of NVSwitches, beside those that the kernel log holds as SXid.
//
//   line = "[" TIME "] [" LEVEL "] [tid " N "] " text
//   error = "detected NVSwitch" ("fatal" | "non-fatal") "error" N "on fid" N "on NVSwitch pci bus id" PCI
//   "physical id" N "port" N
//
// Source: the user guide of the fabric manager, releases 470 to 570.
#include "desk/kernel/kernel.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

const LineForm kFabricForms[] = {
    {"detected NVSwitch {kind:name} error {code:int} on fid {_:int} on NVSwitch pci bus id {pci:word} "
     "physical id "
     "{_:int} port {port:int}",
     {"[Mar 01 2026 07:53:55] [ERROR] [tid 411] detected NVSwitch fatal error 20034 on fid 0 on NVSwitch pci "
      "bus id "
      "00000000:87:00.0 physical id 2 port 31"}},
    {"Fabric Manager version {_:word} is running",
     {"Fabric Manager version 550.54 is running with the following"}},
    {"Successfully configured all the available NVSwitches",
     {"Successfully configured all the available NVSwitches to route GPU NVLink traffic."}},
    {"multicast group {_:int} is {_:word}", {"multicast group 0 is allocated."}},
};

class FabricManager : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form > 0)
      return;
    const bool is_fatal = match["kind"] == "fatal";
    Event event;
    event.kind = "sxid/" + match.text("code");
    event.severity = is_fatal ? Severity::Fault : Severity::Warning;
    event.origin = Origin::Link;
    event.subject.device = pci_device(match["pci"]);
    event.meaning = match.text("kind") + " NVSwitch error (SXid " + match.text("code") + ") at port " +
                    match.text("port");
    event.action =
        "check the link of that port on both ends; reset the GPUs and switches of the host after a fatal one";
    sink.event(std::move(event));
  }
};

}  // namespace

const Format kFabricManager{
    "fabric manager log",
    "kernel",
    kFabricForms,
    Shape::Lines,
    make<FabricManager>,
    nullptr,
    {},
    "errors of NVSwitches"};

}  // namespace lento::desk
