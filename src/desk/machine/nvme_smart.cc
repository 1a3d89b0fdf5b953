// Reads the health that an NVMe disk reports about itself.
//
//   log = "Smart Log for NVME device:" NAME ... {KEY " : " VALUE}
//
// critical_warning is a set of bits: 0x1 little spare left, 0x2 temperature, 0x4 unreliable, 0x8 read only,
// 0x10 backup of volatile memory failed. Media errors are compared among disks.
//
//   test = "Device Self Test Log for NVME device:" NAME ... {"Operation Result : " CODE}, the newest first
//
// Codes of results: 0x0 no error, 0x5 and 0x6 a fatal or an unknown error, 0x7 a failed segment. The others
// are tests that something ended (0x1 to 0x4, 0x8, 0x9) and empty entries (0xf).
//
//   errors = "Error Log Entries for device:" NAME ... {"status_field : " CODE "(" any}
//
// Bits 8 to 10 of a status are its type, and 2 is an error of the medium. Commands with a wrong field are
// ordinary.
//
// Source: nvme-cli 1.16 to 2.10; NVM Express base specification 2.0, figure 207.
#include "base/number.h"
#include "base/units.h"
#include "desk/machine/machine.h"

namespace lento::desk {
namespace {

enum SmartForm {
  SmartDevice,
  CriticalWarning,
  Spare,
  SpareThreshold,
  MediaErrors,
  TestedDevice,
  TestResult,
  LoggedDevice,
  LoggedStatus,
};

const LineForm kSmartForms[] = {
    {"^~Smart Log for NVME device:{device:name} ",
     {"Smart Log for NVME device:nvme0n1 namespace-id:ffffffff"}},
    {"^critical_warning~:~{bits:word}$",
     {"critical_warning                        : 0", "critical_warning\t: 0x4"}},
    {"^available_spare~:~{share:int}%", {"available_spare                         : 100%"}},
    {"^available_spare_threshold~:~{share:int}%", {"available_spare_threshold               : 10%"}},
    {"^media_errors~:~{n:count}$", {"media_errors                            : 0"}},
    {"^~Device Self Test Log for NVME device:{device:name}", {"Device Self Test Log for NVME device:nvme0"}},
    {"^~Operation Result~:~{code:word}$", {"  Operation Result             : 0x7"}},
    {"^~Error Log Entries for device:{device:name} ", {"Error Log Entries for device:nvme0 entries:64"}},
    {"^status_field~:~{code:word}(", {"status_field\t: 0x281(Unrecovered Read Error: The read data ...)"}},
};

class NvmeSmart : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case SmartDevice:
      case TestedDevice:
      case LoggedDevice:
        device_ = match.text("device");
        is_tested_ = false;
        return;
      case TestResult:
        judge_test(match["code"], sink);
        return;
      case LoggedStatus:
        judge_status(match["code"], sink);
        return;
      case CriticalWarning:
        warn(match["bits"], sink);
        return;
      case Spare:
        spare_ = match.number("share").value_or(kUnknown);
        return;
      case SpareThreshold:
        if (spare_ < match.number("share").value_or(kUnknown))
          send(
              "spare",
              "has " + base::format_number(spare_) + " % of its spare blocks left, below its threshold",
              sink);
        return;
      default:
        sink.state(
            {"media errors of a disk", "", Kind::Counter, Better::Lower, "", Scope::Own, kReplaceDisk},
            match.number("n").value_or(kUnknown),
            {{"", device_, ""}});
    }
  }

  // Reports the bits of a critical warning.
  void warn(std::string_view text, Sink& sink) const {
    const auto bits = code_of(text);
    if (!bits || *bits == 0)
      return;
    std::string why;
    for (const auto& [bit, meaning] :
         {std::pair{0x1, "little spare left"},
          std::pair{0x2, "temperature out of range"},
          std::pair{0x4, "unreliable after errors"},
          std::pair{0x8, "read only"},
          std::pair{0x10, "backup of its memory failed"}})
      if (*bits & uint64_t(bit))
        why += (why.empty() ? "" : ", ") + std::string(meaning);
    send("warning", "warns of itself: " + (why.empty() ? std::string(text) : why), sink);
  }

  static std::optional<uint64_t> code_of(std::string_view text) {
    return text.starts_with("0x") ? base::try_uint(text.substr(2), 16) : base::try_uint(text);
  }

  // Reports a command that failed at the medium.
  void judge_status(std::string_view code, Sink& sink) const {
    sink.took();
    constexpr uint64_t kTypes = 7;
    constexpr uint64_t kOfMedium = 2;
    if (const auto status = code_of(code); status && ((*status >> 8) & kTypes) == kOfMedium)
      send("media", "lost data: status " + std::string(code), sink);
  }

  // Reports a failed self-test. Of several only the newest counts, because a disk may have been repaired.
  void judge_test(std::string_view code, Sink& sink) {
    sink.took();
    const auto result = code_of(code);
    const bool is_result = result && (*result == 0 || (*result >= 5 && *result <= 7));
    if (!is_result || is_tested_)
      return;
    is_tested_ = true;
    if (*result > 0)
      send("self-test", "failed its self-test with result " + std::string(code), sink);
  }

  // Reports a faulty disk.
  void send(const char* kind, const std::string& meaning, Sink& sink) const {
    Event event;
    event.kind = std::string("nvme/") + kind;
    event.severity = Severity::Fault;
    event.origin = Origin::Hardware;
    event.subject.device = device_;
    event.meaning = "the disk " + meaning;
    event.action = kReplaceDisk;
    sink.event(std::move(event));
  }

  std::string device_;
  double spare_ = kUnknown;
  bool is_tested_ = false;  // a result of its self-tests was read
};

}  // namespace

const Format kNvmeSmart{
    "nvme smart-log",
    "machine",
    kSmartForms,
    Shape::Lines,
    make<NvmeSmart>,
    nullptr,
    {},
    "warnings of disks"};

Formats machine_formats() {
  return {&kIpmiSel, &kLustreImport, &kNvmeSmart, &kSmartctl, &kSmartd, &kUnits};
}

}  // namespace lento::desk
