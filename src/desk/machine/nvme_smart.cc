// Reads the health that an NVMe disk reports about itself.
//
//   log = "Smart Log for NVME device:" NAME ... {KEY " : " VALUE}
//
// critical_warning is a set of bits: 0x1 little spare left, 0x2 temperature, 0x4 unreliable, 0x8 read only,
// 0x10 backup of volatile memory failed. Media errors are compared among disks.
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
};

const LineForm kSmartForms[] = {
    {"^~Smart Log for NVME device:{device:name} ",
     {"Smart Log for NVME device:nvme0n1 namespace-id:ffffffff"}},
    {"^critical_warning~:~{bits:word}$",
     {"critical_warning                        : 0", "critical_warning\t: 0x4"}},
    {"^available_spare~:~{share:int}%", {"available_spare                         : 100%"}},
    {"^available_spare_threshold~:~{share:int}%", {"available_spare_threshold               : 10%"}},
    {"^media_errors~:~{n:count}$", {"media_errors                            : 0"}},
};

constexpr const char* kReplaceDisk = "copy what is on it and replace the disk";

class NvmeSmart : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    switch (form) {
      case SmartDevice:
        device_ = match.text("device");
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
    const auto bits = text.starts_with("0x") ? base::try_uint(text.substr(2), 16) : base::try_uint(text);
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
  return {&kIpmiSel, &kNvmeSmart, &kSmartd, &kUnits};
}

}  // namespace lento::desk
