// Reads the event log of a host's management controller. Most entries are ordinary (log cleared, system
// booted), so only sensor states that mean failed hardware become events. An entry that is revoked later
// ("Deasserted") is a note. The state of a memory error contains bars itself.
//
//   entry = ID " | " DATE " | " TIME " | " SENSOR " | " STATE " | " ("Asserted" | "Deasserted") [reading]
//
// Source: ipmitool 1.8.18 (its list of the event log) and the sensor types of IPMI 2.0, table 42-3.
#include <map>

#include "base/moment.h"
#include "desk/machine/machine.h"

namespace lento::desk {
namespace {

using enum Severity;

// A word of the sensor ("" matches any) and a word of its state.
struct Meaning {
  std::string_view sensor;
  std::string_view state;
  Severity severity;
  const char* meaning;
  const char* action;
};

constexpr const char* kMemory = "replace the memory module";
constexpr const char* kPower = "check cord, supply and the rack's power; a host on one supply may be capped";
constexpr const char* kCool = "check fans, air flow and inlet temperature";
constexpr const char* kBoard = "read the kernel log of that time, drain the host, open a case with its maker";

constexpr Meaning kMeanings[] = {
    {"", "Uncorrectable ECC", Fault, "uncorrected memory error", kMemory},
    {"", "UnCorrectable ECC", Fault, "uncorrected memory error", kMemory},
    {"",
     "Correctable ECC logging limit",
     Warning,
     "so many corrected memory errors that their logging stopped",
     kMemory},
    {"Power Supply", "AC lost", Fault, "a power supply lost its input", kPower},
    {"Power Supply", "input lost", Fault, "a power supply lost its input", kPower},
    {"Power Supply", "Failure", Fault, "a power supply failed", kPower},
    {"Power Supply", "Predictive failure", Warning, "a power supply is about to fail", kPower},
    {"Power", "Redundancy Lost", Warning, "the power supplies are no longer redundant", kPower},
    {"Fan", "Lower", Fault, "a fan turns too slowly", kCool},
    {"Fan", "Failure", Fault, "a fan failed", kCool},
    {"Temp", "Upper", Fault, "a sensor is too hot", kCool},
    {"Voltage", "Critical", Fault, "a voltage is out of its range", kBoard},
    {"Processor", "IERR", Fault, "a processor reported an internal error", kBoard},
    {"Processor", "Thermal Trip", Fault, "a processor switched itself off for heat", kCool},
    {"Processor", "Throttled", Warning, "a processor was slowed down", kCool},
    {"", "Bus Fatal Error", Fault, "a fatal error of a PCIe bus", kBoard},
    {"", "Bus Uncorrectable", Fault, "an uncorrected error of a PCIe bus", kBoard},
    {"", "PCI SERR", Fault, "a system error of a PCI bus", kBoard},
    {"Drive", "Fault", Fault, "a drive failed", "replace the drive"},
    {"Watchdog", "Hard reset", Fault, "the watchdog reset the host", kBoard},
    // States that the entries above do not cover and whose name means a failure.
    {"", "Fail", Warning, "a sensor reports a failure", kBoard},
    {"", "Critical", Warning, "a sensor is in a critical state", kBoard},
    {"", "Non-recoverable", Warning, "a sensor is beyond recovery", kBoard},
    {"", "Fatal", Warning, "a sensor reports a fatal error", kBoard},
    {"", "Uncorrect", Warning, "a sensor reports an uncorrected error", kBoard},
};

const Meaning* meaning_of(std::string_view sensor, std::string_view state) {
  for (const Meaning& meaning : kMeanings)
    if (sensor.find(meaning.sensor) != sensor.npos && state.find(meaning.state) != state.npos)
      return &meaning;
  return nullptr;
}

const LineForm kSelForms[] = {
    {"^~{id:name} | {date:word} | {time:word}(? UTC?) | {rest}Asserted",
     {"   4 | 11/03/2025 | 07:31:44 | Fan FAN3 | Lower Critical going low  | Asserted | Reading 0 < "
      "Threshold 1200 RPM",
      "   1 | 10/02/2025 | 08:01:12 | Event Logging Disabled SEL | Log area reset/cleared | Asserted"}},
    {"^~{id:name} | {date:word} | {time:word}(? UTC?) | {rest}Deasserted",
     {" 1f | 11/03/2025 | 07:33:00 | Power Supply PS1 | Power Supply AC lost | Deasserted",
      "  2a | 11/03/2025 | 07:33:00 UTC | Power Supply PS1 | Power Supply AC lost | Deasserted"}},
};

// Parses "11/03/2025" and "07:31:44".
Moment moment_of(const Match& match) {
  const std::string date = match.text("date");
  if (date.size() != 10 || date[2] != '/' || date[5] != '/')
    return {};
  const auto ms = base::try_moment_ms(
      date.substr(6) + "-" + date.substr(0, 2) + "-" + date.substr(3, 2) + " " + match.text("time"));
  return ms ? Moment{Clock::Unix, double(*ms) / 1000} : Moment{};
}

class IpmiSel : public Reader {
  struct PendingEvent {
    Event event;
    std::string line;
    int64_t number = 0;
    Subject prefix;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    const std::string rest = match.text("rest");
    const size_t bar = rest.find(" | ");
    if (bar == rest.npos)
      return;
    const std::string sensor = rest.substr(0, bar);
    const std::string state = rest.substr(bar + 3, rest.find_last_not_of(" |") - bar - 2);
    const auto key = std::pair(sensor, state);
    if (form == 1) {
      if (const auto at = pending_.find(key); at != pending_.end()) {
        at->second.event.severity = Note;
        at->second.event.meaning += ", which ended";
      }
      return;
    }
    const Meaning* meaning = meaning_of(sensor, state);
    constexpr size_t kMostHeld = 4096;
    if (!meaning || pending_.size() >= kMostHeld)
      return;
    PendingEvent pending;
    pending.event.kind = std::string("ipmi/") + meaning->meaning;
    pending.event.severity = meaning->severity;
    pending.event.origin = Origin::Hardware;
    pending.event.time = moment_of(match);
    pending.event.meaning = std::string(meaning->meaning) + " (" + sensor + ")";
    pending.event.action = meaning->action;
    pending.line.assign(sink.line());
    pending.number = sink.number();
    pending.prefix = sink.subject();
    pending_[key] = std::move(pending);
  }

  void end(Sink& sink) override {
    for (auto& [key, pending] : pending_) {
      sink.at(pending.line, pending.number, pending.prefix, pending.event.time);
      sink.event(std::move(pending.event));
    }
  }

  std::map<std::pair<std::string, std::string>, PendingEvent> pending_;
};

}  // namespace

const Format kIpmiSel{
    "ipmitool sel",
    "machine",
    kSelForms,
    Shape::Lines,
    make<IpmiSel>,
    nullptr,
    {},
    "hardware errors that the management controller logged"};

}  // namespace lento::desk
