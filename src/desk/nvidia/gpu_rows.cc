// Converts the fields of one GPU to rows. The bits of the clock event reasons are those of NVML
// (nvmlClocksEventReasons). Some reasons for a clock below its maximum are normal (idle, power cap under
// load, clocks set by a user) and others are faults of cooling or power. An idle GPU has low clocks and a
// slow PCIe link because it is idle, so neither is written for it.
//
// Source: nvidia-smi --help-query-gpu of driver 550, NVML of CUDA 12.4, rocm-smi of ROCm 6.
#include "desk/nvidia/gpu_rows.h"

#include <algorithm>

#include "base/number.h"
#include "base/units.h"
#include "desk/read/log_date.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

constexpr const char* kCooling = "look at fans, air or liquid flow and heat sink of that GPU";
constexpr const char* kReplace =
    "drain the node, reset the GPU, run dcgmi diag -r 3; replace it if that fails";
constexpr const char* kReset = "drain the node and reset the GPU, so that the rows are replaced";
constexpr const char* kClocks =
    "look at its temperature, power limit and event reasons (nvidia-smi -q -d PERFORMANCE, amd-smi metric), "
    "then at "
    "its kernel log";
constexpr const char* kSetting = "set it as on its peers";
constexpr uint64_t kIdleBit = 0x1;
constexpr uint64_t kSlowdownBit = 0x8;
constexpr uint64_t kSpecificBits = 0x40 | 0x80;
// A bit that NVML does not use. It marks throttling of AMD's GPUs, whose firmware gives no reason.
constexpr uint64_t kThrottledBit = uint64_t{1} << 32;
constexpr size_t kMostInRound = 4096;
constexpr size_t kMostKept = size_t{1} << 16;  // GPUs and fields for which a change is detected

struct Reason {
  uint64_t bit;
  const char* column;  // name after "clocks_event_reasons."
  Severity severity;
  const char* meaning;
  const char* action;
};

using enum Severity;
const Reason kReasons[] = {
    {kIdleBit, "gpu_idle", Note, "idle", ""},
    {0x4, "sw_power_cap", Note, "clocks held down by the power limit", ""},
    {kSlowdownBit,
     "hw_slowdown",
     Warning,
     "slowed down by hardware",
     "look at temperature and power supply of that GPU"},
    {0x10, "sync_boost", Note, "clocks held down to those of other GPUs (sync boost)", ""},
    {0x20, "sw_thermal_slowdown", Warning, "thermal slowdown by the driver", kCooling},
    {0x40, "hw_thermal_slowdown", Warning, "thermal slowdown by hardware", kCooling},
    {0x80,
     "hw_power_brake_slowdown",
     Warning,
     "slowed down by the power brake of its server",
     "look at power supplies and at the power cap of server and rack"},
    {kThrottledBit, "throttled", Warning, "throttled by its firmware", kCooling},
};

// Returns the text of a field. "[N/A]", "[Not Supported]" and the like give an empty text.
std::string_view field_of(const Fields& fields, std::string_view name) {
  for (const auto& [own, value] : fields)
    if (own == name)
      return value.empty() || value.starts_with("[") || value == "N/A" ? std::string_view() : value;
  return {};
}

// Returns the number at the beginning of a field: "1980 MHz", "(1700Mhz)" or "16x".
double number_of(const Fields& fields, std::string_view name) {
  std::string_view text = field_of(fields, name);
  if (text.starts_with("("))
    text.remove_prefix(1);
  text = text.substr(0, std::min(text.find_first_not_of("0123456789.-"), text.size()));
  return base::try_double(text).value_or(kUnknown);
}

bool is_yes(const Fields& fields, std::string_view name) {
  const std::string_view text = field_of(fields, name);
  return text == "Yes" || text == "yes" || text == "1";
}

// Returns the reasons for which a GPU's clock is below its maximum, as a mask of the bits of kReasons, and
// whether the row has a field for such reasons.
std::pair<uint64_t, bool> reasons_of(const Fields& fields) {
  const std::string_view mask = field_of(fields, "clocks_event_reasons.active");
  if (mask.starts_with("0x"))
    if (const auto bits = base::try_uint(mask.substr(2), 16))
      return {*bits, true};
  uint64_t bits = 0;
  bool is_stated = false;
  for (const Reason& reason : kReasons) {
    const std::string_view value = field_of(fields, "clocks_event_reasons." + std::string(reason.column));
    is_stated = is_stated || !value.empty();
    bits |= value == "Active" ? reason.bit : 0;
  }
  return {bits, is_stated};
}

// Returns host and device of a row.
Subject subject_of(const Fields& fields) {
  Subject subject;
  subject.host = field_of(fields, "host");
  std::string_view index = field_of(fields, "index");
  if (index.starts_with("card"))
    index.remove_prefix(4);
  const std::string_view address = field_of(fields, "pci.bus_id");
  if (!index.empty() && base::try_uint(index))
    subject.device = "gpu" + std::string(index);
  else if (!address.empty())
    subject.device = pci_device(address);
  else
    subject.device = field_of(fields, "uuid");
  if (subject.device.empty())
    subject.device = "gpu";
  return subject;
}

Moment time_of(const Fields& fields, const Sink& sink) {
  return iso_moment(field_of(fields, "timestamp")).value_or(sink.time());
}

// Returns an event of the kind "gpu/KIND" whose cause is the hardware of a GPU: its memory, a reset that it
// needs, a low clock or its temperature.
Event hardware_event(const char* kind, Severity severity, std::string meaning, const char* action) {
  Event event;
  event.kind = std::string("gpu/") + kind;
  event.severity = severity;
  event.origin = Origin::Hardware;
  event.meaning = std::move(meaning);
  event.action = action;
  return event;
}

}  // namespace

Event hot_gpu(double celsius) {
  return hardware_event(
      "too hot",
      Warning,
      "too hot: " + base::format_number(celsius) + " C, where such GPUs slow down",
      kCooling);
}

// Takes the row of one GPU. A repeated GPU begins a new sample.
void GpuRows::take(const Fields& fields, Sink& sink) {
  Row row{fields, std::string(sink.line()), sink.number(), sink.subject(), subject_of(fields), {}, 0};
  if (const std::string_view address = field_of(fields, "pci.bus_id"); !address.empty())
    sink.address(row.subject, pci_device(address));
  if (seen_.empty() || seen_.contains(row.subject)) {
    if (!seen_.empty()) {
      ++step_;
      end(sink);
    }
    seen_.clear();
    round_time_ = time_of(fields, sink);
  }
  if (seen_.size() < kMostInRound)
    seen_.insert(row.subject);
  row.time = round_time_;
  row.step = step_;
  if (step_ == 0 && first_round_.size() < kMostInRound)
    first_round_.push_back(std::move(row));
  else
    write(row, false, sink);
}

// Writes the rows of the first round at the end of the file, when no second round began.
void GpuRows::end(Sink& sink) {
  const std::string_view line = sink.line();
  const int64_t number = sink.number();
  const Subject prefix = sink.subject();
  const Moment time = sink.time();
  for (const Row& row : first_round_) {
    sink.at(row.line, row.number, row.prefix, row.time);
    write(row, step_ == 0, sink);
  }
  first_round_.clear();
  sink.at(line, number, prefix, time);
}

// Reports one GPU: samples, reasons of throttling, memory errors and states.
void GpuRows::write(const Row& row, bool is_snapshot, Sink& sink) {
  const auto [reasons, is_stated] = reasons_of(row.fields);
  const bool states_idle = !field_of(row.fields, "clocks_event_reasons.active").empty() ||
                           !field_of(row.fields, "clocks_event_reasons.gpu_idle").empty();
  const double load = number_of(row.fields, "utilization.gpu");
  const bool is_idle = states_idle ? (reasons & kIdleBit) != 0 : load == 0;
  if (!is_idle)
    write_samples(row, is_snapshot, sink);
  write_load(row, load, is_snapshot, sink);
  sink.set_time(row.time);
  if (is_stated)
    write_reasons(row, reasons, sink);
  write_memory(row, sink);
  write_condition(row, sink);
  write_states(row, is_idle, sink);
}

// Reports a GPU that its driver wants to reset, and one that is too hot.
void GpuRows::write_condition(const Row& row, Sink& sink) {
  for (const auto& [name, meaning] :
       {std::pair{"reset.required", "its driver requires a reset"},
        std::pair{"reset.recommended", "its driver recommends to drain and reset it"}}) {
    if (changed(row, name).empty() || !is_yes(row.fields, name))
      continue;
    Event event = hardware_event("reset wanted", Fault, meaning, kReplace);
    event.subject = row.subject;
    sink.event(std::move(event));
  }
  const std::string_view model = field_of(row.fields, "name");
  const double hot = number_of(row.fields, "temperature.gpu");
  const double limit = number_of(row.fields, "temperature.slowdown");
  const bool is_nvidia = model.starts_with("NVIDIA") || model.starts_with("Tesla");
  if (!(hot >= (is_nvidia && std::isnan(limit) ? kTooHot_C : limit)) || hot_.size() >= kMostKept ||
      !hot_.insert(row.subject).second)
    return;
  Event event = hot_gpu(hot);
  event.subject = row.subject;
  sink.event(std::move(event));
}

// Adds clocks and temperature as samples.
void GpuRows::write_samples(const Row& row, bool is_snapshot, Sink& sink) const {
  const bool has_time = row.time.clock != Clock::None && !is_snapshot;
  sink.set_time(has_time ? row.time : Moment{});
  const Sink::Place place{row.subject, has_time ? kUnknown : row.step};
  const std::string group(field_of(row.fields, "name"));
  const auto sample = [&](const char* name, const char* unit, Better better, const char* field) {
    sink.sample(
        {name, unit, Kind::Level, better, group, Scope::Own, kClocks},
        number_of(row.fields, field),
        place);
  };
  sample("SM clock", "MHz", Better::Higher, "clocks.current.sm");
  if (field_of(row.fields, "clocks.current.sm").empty())
    sample("graphics clock", "MHz", Better::Higher, "clocks.current.graphics");
  sample("memory clock", "MHz", Better::Higher, "clocks.current.memory");
  sample("GPU temperature", "C", Better::Neither, "temperature.gpu");
}

// Writes load and power, for idle GPUs too: a GPU that stopped while others wait for it in a kernel shows in
// both.
void GpuRows::write_load(const Row& row, double load, bool is_snapshot, Sink& sink) const {
  const bool has_time = row.time.clock != Clock::None;
  sink.set_time(has_time ? row.time : Moment{});
  const Sink::Place place{row.subject, has_time ? kUnknown : row.step};
  const std::string group(field_of(row.fields, "name"));
  Quantity power{"GPU power", "W", Kind::Level, Better::Neither, group};
  Quantity utilisation{"GPU utilisation", "%", Kind::Share, Better::Neither, group};
  if (is_snapshot) {
    // A GPU with nearly all of its memory free has no job, so its load is not compared.
    constexpr double kLeastInUse = 0.1;
    if (!(number_of(row.fields, "memory.used") > kLeastInUse * number_of(row.fields, "memory.total"))) {
      if (!(load == 0) || !(number_of(row.fields, "memory.total") > 0))
        return;
      Event event = hardware_event("no job", Severity::Note, "no program runs on it", "");
      event.subject = row.subject;
      sink.event(std::move(event));
      return;
    }
    power.is_load = utilisation.is_load = true;
    sink.set_time({});
    sink.state(power, number_of(row.fields, "power.draw"), {row.subject});
    sink.state(utilisation, load, {row.subject});
    return;
  }
  sink.sample(power, number_of(row.fields, "power.draw"), place);
  sink.sample(utilisation, load, place);
}

// Writes an event for each reason of a low clock that the previous row of that GPU did not have.
void GpuRows::write_reasons(const Row& row, uint64_t reasons, Sink& sink) {
  if (reasons_.size() >= kMostKept && !reasons_.contains(row.subject))
    return;
  sink.covers("reasons of low clocks of GPUs");
  uint64_t& last = reasons_[row.subject];
  const uint64_t begun = reasons & ~last;
  last = reasons;
  for (const Reason& reason : kReasons) {
    const bool is_specific = reason.bit == kSlowdownBit && (reasons & kSpecificBits);
    if (!(begun & reason.bit) || is_specific || reason.bit == kIdleBit)
      continue;
    Event event = hardware_event(reason.column, reason.severity, reason.meaning, reason.action);
    if (!field_of(row.fields, "clocks_event_reasons.active").empty()) {
      char bit[24];
      std::snprintf(bit, sizeof bit, " (0x%llx)", static_cast<unsigned long long>(reason.bit));
      event.meaning += bit;
    }
    if (const double hot = number_of(row.fields, "temperature.gpu"); !std::isnan(hot))
      event.meaning += " at " + base::format_number(hot) + " C";
    event.subject = row.subject;
    sink.event(std::move(event));
  }
}

void GpuRows::write_memory(const Row& row, Sink& sink) {
  const auto send = [&](const char* kind, Severity severity, std::string meaning, const char* action) {
    Event event = hardware_event(kind, severity, std::move(meaning), action);
    event.subject = row.subject;
    sink.event(std::move(event));
  };
  const auto counted = [&](const char* name) {
    return changed(row, name).empty() ? 0 : number_of(row.fields, name);
  };
  if (!field_of(row.fields, "ecc.errors.uncorrected.volatile.total").empty())
    sink.covers("memory errors of GPUs");
  if (const double errors = counted("ecc.errors.uncorrected.volatile.total"); errors > 0)
    send(
        "uncorrected errors",
        Fault,
        base::format_number(errors) + " uncorrected memory errors since the driver was loaded",
        kReplace);
  if (const double errors = counted("ecc.errors.uncorrected.aggregate.total"); errors > 0)
    send(
        "uncorrected errors before",
        Note,
        base::format_number(errors) + " uncorrected memory errors ever",
        "");
  if (!field_of(row.fields, "remapped_rows.failure").empty())
    sink.covers("faulty memory rows of GPUs");
  if (const double rows = counted("remapped_rows.uncorrectable"); rows > 0)
    send(
        "rows remapped",
        Note,
        base::format_number(rows) + " memory rows replaced after uncorrected errors",
        "");
  if (const double pages = counted("retired_pages.double_bit.count"); pages > 0)
    send(
        "pages retired",
        Note,
        base::format_number(pages) + " memory pages retired after uncorrected errors",
        "");
  if (!changed(row, "remapped_rows.failure").empty() && is_yes(row.fields, "remapped_rows.failure"))
    send(
        "remapping failed",
        Fault,
        "row remapping failed: no spare memory row was left to replace a faulty one",
        kReplace);
  if (!changed(row, "remapped_rows.pending").empty() && is_yes(row.fields, "remapped_rows.pending"))
    send("remapping pending", Warning, "a faulty memory row waits for a reset to be replaced", kReset);
  if (!changed(row, "retired_pages.pending").empty() && is_yes(row.fields, "retired_pages.pending"))
    send("retirement pending", Warning, "a faulty memory page waits for a reset to be retired", kReset);
  for (const auto& [name, value] : row.fields) {
    const bool is_lost = value == "[GPU is lost]" || value == "[Unknown Error]" || value == "ERR!";
    if (is_lost && !changed(row, name).empty()) {
      send("no answer", Fault, "GPU does not answer its driver", kReplace);
      return;
    }
  }
}

std::string GpuRows::changed(const Row& row, std::string_view name) {
  for (const auto& [own, value] : row.fields) {
    if (own != name || value.empty())
      continue;
    const auto key = std::pair(row.subject, own);
    if (last_.size() >= kMostKept && !last_.contains(key))
      return "";
    std::string& last = last_[key];
    if (last == value)
      return "";
    last = value;
    return value;
  }
  return "";
}

// Adds states that equal GPUs should share, such as link width.
void GpuRows::write_states(const Row& row, bool is_idle, Sink& sink) {
  const std::string group(field_of(row.fields, "name"));
  const Sink::Place place{row.subject};
  const auto number = [&](const char* name, const char* unit, const char* field, const char* can) {
    if (changed(row, field).empty())
      return;
    Sink::Place own = place;
    own.expected = can ? number_of(row.fields, can) : kUnknown;
    sink.state(
        {name, unit, Kind::FewValued, Better::Higher, group, Scope::Own, kSetting},
        number_of(row.fields, field),
        own);
  };
  const auto text = [&](const char* name, const char* field) {
    const std::string value = changed(row, field);
    if (!value.empty() && !field_of(row.fields, field).empty())
      sink.state({name, "", Kind::FewValued, Better::Same, group, Scope::Own, kSetting}, value, place);
  };
  const auto limit = last_.find({row.subject, "power.limit"});
  const double before =
      limit == last_.end() ? kUnknown : number_of({{"power.limit", limit->second}}, "power.limit");
  const double now = number_of(row.fields, "power.limit");
  if (now < before) {
    Event event = hardware_event(
        "power limit",
        Severity::Note,
        "its power limit went from " + base::format_number(before) + " to " + base::format_number(now) + " W",
        "find who lowered it: nvidia-smi -pl, a policy of DCGM, or the power budget of the rack");
    event.origin = Origin::Operator;
    event.subject = row.subject;
    sink.event(std::move(event));
  }
  number("power limit", "W", "power.limit", nullptr);
  number("largest SM clock", "MHz", "clocks.max.sm", nullptr);
  number("application clock", "MHz", "clocks.applications.graphics", nullptr);
  number("PCIe width", "lanes", "pcie.link.width.current", "pcie.link.width.max");
  if (!is_idle)
    number("PCIe generation", "", "pcie.link.gen.current", "pcie.link.gen.max");
  text("ECC mode", "ecc.mode.current");
  text("MIG mode", "mig.mode.current");
  text("fabric state", "fabric.state");
  text("NVIDIA driver", "driver_version");
  const double corrected = number_of(row.fields, "ecc.errors.corrected.volatile.total");
  if (!changed(row, "ecc.errors.corrected.volatile.total").empty())
    sink.state(
        {"corrected memory errors", "", Kind::Counter, Better::Lower, group, Scope::Own, kReplace},
        corrected,
        place);
}

}  // namespace lento::desk
