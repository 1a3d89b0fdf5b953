// Reads what a disk reports about itself to smartctl. The text names no device, only its serial number.
//
//   page      = "Serial Number:" SERIAL ... ("SMART overall-health self-assessment test result:" |
//               "SMART Health Status:") RESULT ... (attribute* | nvme)
//   attribute = ID NAME FLAG VALUE WORST THRESH TYPE UPDATED WHEN_FAILED RAW ...
//   nvme      = "Critical Warning:" HEX ... "Media and Data Integrity Errors:" COUNT
//
// WHEN_FAILED is "-", "FAILING_NOW" or "In_the_past". The raw values of the attributes 5, 187, 197 and 198
// count sectors that were or could not be moved or read. Their column UPDATED is "Offline" on healthy disks
// too.
//
// Source: smartmontools 6.6 to 7.4 (ataprint.cpp, scsiprint.cpp, nvmeprint.cpp).
#include "base/number.h"
#include "desk/machine/machine.h"

namespace lento::desk {
namespace {

enum SmartctlForm {
  DiskSerial,
  DiskHealth,
  DiskAttribute,
  DiskWarning,
  DiskMedia,
};

const LineForm kSmartctlForms[] = {
    {"^Serial (?n?)(?N?)umber:~{serial:word}",
     {"Serial Number:    S45PNA0M", "Serial number:        WFJ0ABCD"}},
    {"^SMART (?overall-health self-assessment test result?)(?Health Status?):~{result}",
     {"SMART overall-health self-assessment test result: PASSED",
      "SMART Health Status: OK",
      "SMART overall-health self-assessment test result: FAILED!"}},
    {"^~{id:int} {name:name} 0x{_:name}~{_:int}~{_:int}~{_:name}~{_:word}~{_:word}~{when:word}~{raw:count}",
     {"198 Offline_Uncorrectable   0x0010   100   100   000    Old_age   Offline      -       0",
      "  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0"}},
    {"^Critical Warning:~{bits:hex}", {"Critical Warning:                   0x01"}},
    {"^Media and Data Integrity Errors:~{n:count}", {"Media and Data Integrity Errors:    812"}},
};

// Returns whether an attribute counts sectors that were or could not be moved or read.
bool is_of_sectors(int64_t id) {
  return id == 5 || id == 187 || id == 197 || id == 198;
}

class Smartctl : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    sink.took();
    switch (form) {
      case DiskSerial:
        disk_ = "disk " + match.text("serial");
        return;
      case DiskHealth:
        if (const std::string result = match.text("result"); result != "PASSED" && result != "OK")
          send("health", Severity::Fault, "the disk states that it fails: " + result, sink);
        return;
      case DiskAttribute:
        judge_attribute(match, sink);
        return;
      case DiskWarning:
        if (match.text("bits").find_first_not_of("0x") != std::string::npos)
          send("warning", Severity::Fault, "the disk warns of itself: " + match.text("bits"), sink);
        return;
      default:
        if (match.number("n").value_or(0) > 0)
          send(
              "media",
              Severity::Warning,
              "the disk counts " + match.text("n") + " errors of its medium",
              sink);
    }
  }

  void judge_attribute(const Match& match, Sink& sink) const {
    const std::string name = match.text("name");
    const bool counts = is_of_sectors(match.integer("id").value_or(0)) && match.number("raw").value_or(0) > 0;
    if (match["when"] == "FAILING_NOW")
      send(name.c_str(), Severity::Fault, "the disk fails now by its own limit: " + name, sink);
    else if (counts)
      send(name.c_str(), Severity::Warning, "the disk counts " + match.text("raw") + " in " + name, sink);
  }

  void send(const char* kind, Severity severity, const std::string& meaning, Sink& sink) const {
    Event event;
    event.kind = std::string("smart/") + kind;
    event.severity = severity;
    event.origin = Origin::Hardware;
    event.subject.device = disk_;
    event.meaning = meaning;
    event.action = kReplaceDisk;
    sink.event(std::move(event));
  }

  std::string disk_ = "a disk";
};

}  // namespace

const Format kSmartctl{
    "smartctl",
    "machine",
    kSmartctlForms,
    Shape::Lines,
    make<Smartctl>,
    nullptr,
    {},
    "what disks report of themselves"};

}  // namespace lento::desk
