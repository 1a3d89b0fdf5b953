// Lists NVIDIA's Xid codes with the meaning of each, whether hardware or a program is the usual cause, and
// the next action. Source: NVIDIA, "Xid Errors" (docs.nvidia.com/deploy/xid-errors, catalogue of 2025:
// mnemonic, trigger and resolution of each code) and "GPU Memory Error Management" (row remapping,
// containment).
//
// Codes that a program's fault usually triggers (an address out of range) are listed as faults of the
// program. Broken hardware can cause them too, and the action describes how to distinguish them.
#include <algorithm>
#include <array>

#include "desk/kernel/kernel.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

constexpr const char* kDebug =
    "run the program under compute-sanitizer; hardware only if it fails on one GPU alone";
constexpr const char* kReset = "stop what runs there and reset the GPU; drain it if the code comes back";
constexpr const char* kReplace =
    "run nvidia-bug-report.sh and keep its log, then drain and reboot the node; have the GPU replaced if the "
    "fault returns";
constexpr const char* kLink =
    "check nvidia-smi nvlink -e on both ends, reseat or replace; reset the GPUs of the group";
constexpr const char* kSupport = "keep the log of nvidia-bug-report.sh and ask the vendor";
constexpr const char* kFollows = "look for the event before it: this one follows";
constexpr const char* kDriver = "update driver and firmware together, then reset the GPU";

using enum Origin;
using enum Severity;
constexpr std::array kXids{
    Xid{8, Program, Warning, "GPU stopped processing (a kernel ran too long)", kDebug},
    Xid{11, Program, Warning, "invalid or corrupted push buffer", kDebug},
    Xid{12, Program, Warning, "error of the driver's exception handling", kDriver},
    Xid{13,
        Program,
        Fault,
        "graphics engine exception (address out of range or illegal instruction)",
        kDebug},
    Xid{31, Program, Fault, "GPU memory page fault (a program's illegal address)", kDebug},
    Xid{32,
        Unclear,
        Warning,
        "corrupted push buffer (PCIe or the program)",
        "check PCIe errors of that slot first"},
    Xid{38, Unclear, Warning, "firmware error of the driver", kDriver},
    Xid{39, Program, Warning, "copy engine exception", kDebug},
    Xid{43, Program, Warning, "GPU stopped processing for one program", kDebug},
    Xid{44, Hardware, Fault, "fault of the graphics engine during a context switch", kReset},
    Xid{45, Consequence, Note, "channels torn down, most often after an earlier error", kFollows},
    Xid{46, Hardware, Fault, "GPU stopped processing", kReset},
    Xid{48, Hardware, Fault, "uncorrectable (double bit) memory error", kReset},
    Xid{54,
        Hardware,
        Fault,
        "auxiliary power is not connected to the board",
        "check the power cables of the board"},
    Xid{56, Hardware, Warning, "display engine error", kSupport},
    Xid{57, Hardware, Warning, "error of the display or memory interface", kSupport},
    Xid{58, Hardware, Warning, "unstable video memory interface", kReplace},
    Xid{60, Hardware, Warning, "video processor exception", kSupport},
    Xid{61, Hardware, Fault, "internal micro-controller breakpoint", kReset},
    Xid{62, Hardware, Fault, "internal micro-controller halt", kReset},
    Xid{63,
        Hardware,
        Warning,
        "row remap or page retirement pending",
        "reset the GPU soon, so that the row is remapped"},
    Xid{64, Hardware, Fault, "row remap or page retirement failed", kReplace},
    Xid{65, Hardware, Warning, "video processor exception", kSupport},
    Xid{66, Program, Warning, "illegal access by the driver", kDriver},
    Xid{67, Program, Warning, "illegal access by the driver", kDriver},
    Xid{68, Program, Warning, "video decoder exception", kDebug},
    Xid{69, Program, Fault, "graphics engine class error", kDebug},
    Xid{74, Link, Fault, "NVLink error", kLink},
    Xid{78, Unclear, Warning, "virtual GPU could not start", kSupport},
    Xid{79, Hardware, Fault, "GPU fell off the bus", kReplace},
    Xid{80,
        Link,
        Fault,
        "corrupted data sent to the GPU",
        "check PCIe errors of that slot, reseat the board"},
    Xid{81, Hardware, Warning, "video memory controller error", kSupport},
    Xid{92,
        Hardware,
        Warning,
        "high rate of corrected memory errors",
        "watch it: a GPU with many is drained in time"},
    Xid{93, Unclear, Note, "non-fatal violation of the fuse settings", kSupport},
    Xid{94,
        Hardware,
        Fault,
        "uncorrectable memory error, contained to one program",
        "restart the program; reset soon"},
    Xid{95, Hardware, Fault, "uncorrectable memory error, not contained", kReset},
    Xid{109, Program, Fault, "context switch timed out", kReset},
    Xid{110, Hardware, Fault, "security fault", kReset},
    Xid{119, Unclear, Fault, "the GPU's system processor (GSP) does not answer", kReset},
    Xid{120, Unclear, Fault, "error in the GPU's system processor (GSP)", kReset},
    Xid{121, Link, Note, "corrected error of the chip-to-chip link", "watch it"},
    Xid{122, Hardware, Warning, "failure reading the board's ROM", kSupport},
    Xid{123, Hardware, Warning, "failure of the power management unit's firmware", kReset},
    Xid{124, Hardware, Warning, "failure reading the board's settings", kSupport},
    Xid{125, Hardware, Fault, "the GPU could not be initialised", kReplace},
    Xid{136, Link, Fault, "NVLink ALI training failed", kLink},
    Xid{137, Link, Fault, "NVLink privilege error", kLink},
    Xid{140, Hardware, Fault, "unrecovered memory error", kReset},
    Xid{143, Hardware, Fault, "the GPU could not be initialised", kReset},
    Xid{144, Link, Fault, "NVLink: error of the switching part", kLink},
    Xid{145, Link, Fault, "NVLink: error of the link's receiver", kLink},
    Xid{146, Link, Fault, "NVLink: error of the link's transport", kLink},
    Xid{147, Link, Fault, "NVLink: error of the network layer", kLink},
    Xid{148, Link, Fault, "NVLink: error of the transmit layer", kLink},
    Xid{149, Link, Fault, "NVLink: link management failed", kLink},
    Xid{150, Link, Fault, "NVLink: internal error", kLink},
    Xid{151, Hardware, Fault, "key rotation failed", kReset},
    Xid{154, Consequence, Warning, "the driver asks for a recovery of the GPU", "do what the line says"},
    Xid{155, Link, Fault, "NVLink: out of its reset state unexpectedly", kLink},
    Xid{156, Hardware, Warning, "a resource was retired", "reset the GPU soon"},
    Xid{157, Hardware, Fault, "retiring a resource failed", kReplace},
    Xid{158, Hardware, Fault, "fatal fault of the GPU's timeout unit", kReset},
    Xid{160, Hardware, Fault, "channel retirement", kReset},
    Xid{162, Hardware, Warning, "power smoothing failed", kSupport},
    Xid{171, Hardware, Fault, "uncorrectable memory error in dynamic memory", kReset},
    Xid{172, Hardware, Fault, "uncorrectable memory error in static memory", kReset},
    Xid{173, Link, Fault, "chip-to-chip link failed", kReset},
};

enum NvidiaForm {
  XidLine,
  OffBus,
  SwitchXid,
  InitFailed,
  LostGpu,
  LostGpuEnd,
};

const LineForm kXidForms[] = {
    {"NVRM: Xid ({pci:word}): {code:int}(?, {what}?)",
     {"NVRM: Xid (PCI:0000:3f:00): 46",
      "NVRM: Xid (PCI:0000:03:00): 13, pid=5432, name=train, Graphics SM Warp Exception on (GPC 1, TPC 0): "
      "Illegal "
      "Instruction Encoding",
      "NVRM: Xid (0000:01:00): 31, Ch 0000000b, engmask 00000120, intr 10000000",
      "NVRM: Xid (PCI:0000:c4:00): 94, pid='<unknown>', name=<unknown>, Contained: SM (0x1)."}},
    {"NVRM: GPU (?at ?){pci:word} GPU has fallen off the bus.",
     {"NVRM: GPU 0000:4c:00.0: GPU has fallen off the bus.",
      "NVRM: GPU at PCI:0000:81:00: GPU has fallen off the bus."}},
    {"SXid (PCI:{pci:word}): {code:int}, {what}",
     {"nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error "
      "(First)"}},
    {"NVRM: RmInitAdapter failed! {what}", {"NVRM: RmInitAdapter failed! (0x62:0xffff:2477)"}},
    {"NVRM: The NVIDIA GPU {pci:word}", {"NVRM: The NVIDIA GPU 0000:b3:00.0"}},
    {"NVRM: (?installed in this system has ?)fallen off the bus and is not responding",
     {"NVRM: fallen off the bus and is not responding to commands.",
      "NVRM: installed in this system has fallen off the bus and is not responding to commands."}},
};

// Returns the PCI address without the marks around it.
std::string without_end(std::string_view pci) {
  while (!pci.empty() && (pci.back() == ':' || pci.back() == ','))
    pci.remove_suffix(1);
  if (const size_t colon = pci.rfind("PCI:"); colon != pci.npos)
    pci.remove_prefix(colon + 4);
  return pci_device(pci);
}

class Nvidia : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    Event event;
    event.subject.host = sink.subject().host;
    if (match.has("pci"))
      event.subject.device = without_end(match["pci"]);
    if (form == LostGpu) {  // the sentence goes on in the lines behind
      lost_ = event.subject.device;
      return;
    }
    if (form == XidLine) {
      of_catalogue(match.integer("code").value_or(-1), event);
      if (event.kind == "xid/154" && match["what"].ends_with("to 0x0 (None)"))
        event.severity = Severity::Note;  // the recovery is done
    } else if (form == OffBus || form == LostGpuEnd) {
      if (form == LostGpuEnd)
        event.subject.device = lost_;
      of_catalogue(79, event);
    } else if (form == SwitchXid) {
      const bool fatal = match["what"].find("Non-fatal") == std::string_view::npos;
      event.kind = "sxid/" + match.text("code");
      event.severity = fatal ? Severity::Fault : Severity::Warning;
      event.origin = Origin::Link;
      event.meaning =
          std::string(fatal ? "fatal" : "non-fatal") + " NVSwitch error (SXid " + match.text("code") + ")";
      event.action =
          "check the link that the line names on both ends; restart the fabric manager after a fatal one";
    } else {
      event.kind = "nvidia/init failed";
      event.severity = Severity::Fault;
      event.origin = Origin::Unclear;
      event.meaning = "the driver could not initialise a GPU";
      event.action = "power cycle the node; look for PCIe errors of the slot before that line";
    }
    sink.event(std::move(event));
  }

  // Fills the event of an Xid error from NVIDIA's catalogue.
  static void of_catalogue(int64_t code, Event& event) {
    event.kind = "xid/" + std::to_string(code);
    event.severity = Severity::Warning;
    event.meaning = "Xid " + std::to_string(code) + ", which is not in the catalogue";
    event.action = kSupport;
    if (const Xid* known = xid(code)) {
      event.severity = known->severity;
      event.origin = known->origin;
      event.meaning = std::string(known->meaning) + " (Xid " + std::to_string(code) + ")";
      event.action = known->action;
    }
  }

  std::string lost_;
};

}  // namespace

const Xid* xid(int64_t code) {
  const auto at = std::ranges::find(kXids, code, &Xid::code);
  return at == kXids.end() ? nullptr : &*at;
}

const Format
    kNvidiaKernel{"NVIDIA kernel messages", "kernel", kXidForms, Shape::Lines, make<Nvidia>, nullptr};

Formats kernel_formats() {
  return {&kNvidiaKernel, &kKernel, &kAlarmLines, &kFabricManager};
}

}  // namespace lento::desk
