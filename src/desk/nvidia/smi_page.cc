// nvidia-smi -q describes each GPU on a page of "key : value" lines under sections that are set in. Section
// and key together are a field of nvidia-smi's queries. The fields of one GPU are one row (gpu_rows.h). The
// page is one moment. rocm-smi writes lines "GPU[0] : key: value", which become rows in the same way.
//
//   page    = {blanks "GPU " ADDRESS NEWLINE {blanks KEY " : " VALUE | blanks SECTION}}
//   section = the nearest line above that is set in less and has no value
//
// Source: the man page of nvidia-smi, drivers 470 to 560; rocm-smi of ROCm 6.
#include "base/number.h"
#include "desk/nvidia/gpu_rows.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

struct Key {
  const char* section;  // "" for any
  const char* key;
  const char* field;
};
const Key kKeys[] = {
    {"", "Product Name", "name"},
    {"Clocks", "SM", "clocks.current.sm"},
    {"Clocks", "Memory", "clocks.current.memory"},
    {"Max Clocks", "SM", "clocks.max.sm"},
    {"Applications Clocks", "Graphics", "clocks.applications.graphics"},
    {"Temperature", "GPU Current Temp", "temperature.gpu"},
    {"Temperature", "GPU Slowdown Temp", "temperature.slowdown"},
    {"GPU Reset Status", "Reset Required", "reset.required"},
    {"GPU Reset Status", "Drain and Reset Recommended", "reset.recommended"},
    {"FB Memory Usage", "Total", "memory.total"},
    {"FB Memory Usage", "Used", "memory.used"},
    {"Utilization", "Gpu", "utilization.gpu"},
    {"Utilization", "GPU", "utilization.gpu"},
    {"", "Power Draw", "power.draw"},
    {"GPU Power Readings", "Instantaneous Power Draw", "power.draw"},
    {"GPU Power Readings", "Current Power Limit", "power.limit"},
    {"Power Readings", "Enforced Power Limit", "power.limit"},
    {"PCIe Generation", "Current", "pcie.link.gen.current"},
    {"PCIe Generation", "Max", "pcie.link.gen.max"},
    {"Link Width", "Current", "pcie.link.width.current"},
    {"Link Width", "Max", "pcie.link.width.max"},
    {"ECC Mode", "Current", "ecc.mode.current"},
    {"MIG Mode", "Current", "mig.mode.current"},
    {"", "Idle", "clocks_event_reasons.gpu_idle"},
    {"", "SW Power Cap", "clocks_event_reasons.sw_power_cap"},
    {"", "HW Slowdown", "clocks_event_reasons.hw_slowdown"},
    {"", "HW Thermal Slowdown", "clocks_event_reasons.hw_thermal_slowdown"},
    {"", "HW Power Brake Slowdown", "clocks_event_reasons.hw_power_brake_slowdown"},
    {"", "SW Thermal Slowdown", "clocks_event_reasons.sw_thermal_slowdown"},
    {"Remapped Rows", "Uncorrectable Error", "remapped_rows.uncorrectable"},
    {"Remapped Rows", "Pending", "remapped_rows.pending"},
    {"Remapped Rows", "Remapping Failure Occurred", "remapped_rows.failure"},
    {"Retired Pages", "Pending Page Blacklist", "retired_pages.pending"},
    {"Fabric", "State", "fabric.state"},
};

constexpr std::string_view kDriver = "driver_version";
constexpr size_t kDeepest = 32;

class SmiPage : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::string_view text = trimmed(line);
    if (text.empty())
      return false;
    const size_t indent = size_t(text.data() - line.data());
    const size_t colon = text.find(" : ");
    if (text.starts_with("GPU ") && colon == text.npos && text.find(':') != text.npos) {
      write(sink);
      sections_.clear();
      address_ = text.substr(4);
      sink_at_ = {std::string(text), sink.number()};
      return true;
    }
    while (!sections_.empty() && sections_.back().first >= indent)
      sections_.pop_back();
    if (colon == text.npos) {
      if (sections_.size() < kDeepest)
        sections_.emplace_back(indent, std::string(text));
      return true;
    }
    take_value(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 3)));
    return true;
  }

  void end(Sink& sink) override {
    write(sink);
    rows_.end(sink);
  }

  // Takes a line of name and value in the current section.
  void take_value(std::string_view key, std::string_view value) {
    const std::string_view section =
        sections_.empty() ? std::string_view() : std::string_view(sections_.back().second);
    if (key == "Driver Version")
      driver_ = value;
    const bool is_uncorrected = key.find("Uncorrectable") != key.npos;
    const auto count = base::try_uint(value);
    if (section == "Volatile" && count && key.find("orrectable") != key.npos)
      (is_uncorrected ? uncorrected_ : corrected_) += double(*count);
    has_errors_ = has_errors_ || (section == "Volatile" && count);
    for (const Key& known : kKeys)
      if (key == known.key && (*known.section == 0 || section == known.section))
        fields_.emplace_back(known.field, std::string(value));
  }

  // Reports the fields of one GPU.
  void write(Sink& sink) {
    if (!address_.empty()) {
      fields_.emplace_back("pci.bus_id", address_);
      if (!driver_.empty())
        fields_.emplace_back(kDriver, driver_);
      if (has_errors_) {
        fields_.emplace_back("ecc.errors.uncorrected.volatile.total", std::to_string(int64_t(uncorrected_)));
        fields_.emplace_back("ecc.errors.corrected.volatile.total", std::to_string(int64_t(corrected_)));
      }
      sink.at(sink_at_.first, sink_at_.second, sink.subject(), sink.time());
      rows_.take(fields_, sink);
    }
    fields_.clear();
    uncorrected_ = corrected_ = 0;
    has_errors_ = false;
  }

  std::vector<std::pair<size_t, std::string>> sections_;  // enclosing sections, with their indentation
  std::string address_;
  std::pair<std::string, int64_t> sink_at_;
  std::string driver_;
  Fields fields_;
  double uncorrected_ = 0;
  double corrected_ = 0;
  bool has_errors_ = false;
  GpuRows rows_;
};

double score_page(std::string_view head, std::string& reason) {
  const bool has_title = head.find("=NVSMI LOG=") != head.npos;
  const bool has_keys = head.find("Product Name ") != head.npos && head.find("\nGPU 0") != head.npos;
  if (!has_title && !has_keys)
    return 0;
  reason = has_title ? "it has the title of nvidia-smi -q" : "it has the keys of nvidia-smi -q";
  return has_title ? 0.95 : 0.7;
}

const LineForm kRocmForms[] = {
    {"^~GPU[{gpu:int}]~: sclk clock level:{_}({clock:int}Mhz)",
     {"GPU[0]\t\t: sclk clock level: 1: (1700Mhz)", "GPU[3]          : sclk clock level: S: (132Mhz)"}},
    {"^~GPU[{gpu:int}]~: Temperature (Sensor junction) (C): {hot:num}",
     {"GPU[0]\t\t: Temperature (Sensor junction) (C): 71.0"}},
    {"^~GPU[{gpu:int}]~: GPU use (%): {use:int}", {"GPU[0]\t\t: GPU use (%): 98"}},
};

class RocmLines : public Reader {
  void take(size_t, const Match& match, Sink&) override {
    constexpr size_t kMostGpus = 1024;
    if (gpus_.size() == kMostGpus && !gpus_.contains(match.text("gpu")))
      return;
    Fields& fields = gpus_[match.text("gpu")];
    for (const auto& [part, field] : {
             std::pair{"clock", "clocks.current.sm"},
             std::pair{"hot", "temperature.gpu"},
             std::pair{"use", "utilization.gpu"},
         })
      if (match.has(part) && fields.size() < std::size(kRocmForms))
        fields.emplace_back(field, match.text(part));
  }
  void end(Sink& sink) override {
    for (auto& [gpu, fields] : gpus_) {
      fields.emplace_back("index", gpu);
      rows_.take(fields, sink);
    }
    rows_.end(sink);
  }

  std::map<std::string, Fields> gpus_;
  GpuRows rows_;
};

}  // namespace

const Format kSmiPage{
    "nvidia-smi -q",
    "nvidia",
    {},
    Shape::Table,
    make<SmiPage>,
    score_page,
    "",
    "reasons of low clocks and memory errors"};
const Format kRocmLines{"rocm-smi", "nvidia", kRocmForms, Shape::Lines, make<RocmLines>, nullptr};

}  // namespace lento::desk
