// Reads trees of named values for each GPU: nvidia-smi -q -x (XML), and amd-smi metric or static (indented
// "KEY: value" lines). A value is looked up by the last two names of its path in a table of fields
// (gpu_rows.h).
//
//   xml   = "<gpu id=" ADDRESS ">" {child} "</gpu>"     child = "<" NAME ">" (VALUE | {child}) "</" NAME ">"
//   amd   = "GPU: " N {blanks KEY ":" [VALUE]}
//
// Sources: nvsmi_device DTD of drivers 470 to 570; amd-smi of ROCm 6.0 to 6.4.
#include <algorithm>

#include "base/number.h"
#include "desk/nvidia/amd_fields.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

constexpr size_t kDeepestTree = 16;

struct Leaf {
  std::string_view section;  // "" for any
  std::string_view name;
  const char* field;
};

std::string leaf_field(std::span<const Leaf> leaves, std::string_view section, std::string_view name) {
  for (const Leaf& leaf : leaves)
    if (leaf.name == name && (leaf.section.empty() || leaf.section == section))
      return leaf.field;
  return "";
}

const Leaf kXmlLeaves[] = {
    {"", "product_name", "name"},
    {"", "minor_number", "index"},
    {"clocks", "sm_clock", "clocks.current.sm"},
    {"clocks", "mem_clock", "clocks.current.memory"},
    {"max_clocks", "sm_clock", "clocks.max.sm"},
    {"temperature", "gpu_temp", "temperature.gpu"},
    {"utilization", "gpu_util", "utilization.gpu"},
    {"", "power_draw", "power.draw"},
    {"", "instant_power_draw", "power.draw"},
    {"", "current_power_limit", "power.limit"},
    {"", "enforced_power_limit", "power.limit"},
    {"pcie_gen", "current_link_gen", "pcie.link.gen.current"},
    {"pcie_gen", "max_link_gen", "pcie.link.gen.max"},
    {"link_widths", "current_link_width", "pcie.link.width.current"},
    {"link_widths", "max_link_width", "pcie.link.width.max"},
    {"ecc_mode", "current_ecc", "ecc.mode.current"},
    {"mig_mode", "current_mig", "mig.mode.current"},
    {"remapped_rows", "remapped_row_unc", "remapped_rows.uncorrectable"},
    {"remapped_rows", "remapped_row_pending", "remapped_rows.pending"},
    {"remapped_rows", "remapped_row_failure", "remapped_rows.failure"},
    {"retired_pages", "pending_retirement", "retired_pages.pending"},
};

constexpr std::string_view kReasonNames[] = {"clocks_event_reason_", "clocks_throttle_reason_"};

class SmiXml : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    line = trimmed(line);
    const size_t close = line.find('>');
    if (!line.starts_with("<") || close == line.npos)
      return false;
    if (line.starts_with("<gpu id=\"")) {
      const std::string_view id = line.substr(9);
      fields_ = {{"pci.bus_id", std::string(id.substr(0, id.find('"')))}};
      sections_.clear();
      uncorrected_ = -1;
      return true;
    }
    if (line.starts_with("</gpu>")) {
      if (uncorrected_ >= 0)
        fields_.emplace_back("ecc.errors.uncorrected.volatile.total", std::to_string(uncorrected_));
      if (!fields_.empty())
        rows_.take(fields_, sink);
      fields_.clear();
      return true;
    }
    if (line.starts_with("</")) {
      if (!sections_.empty())
        sections_.pop_back();
      return true;
    }
    const std::string_view name = line.substr(1, close - 1);
    const size_t end = line.find("</", close);
    if (end == line.npos) {
      if (!name.ends_with("/") && sections_.size() < kDeepestTree)
        sections_.emplace_back(name);
      return true;
    }
    take_leaf(name, line.substr(close + 1, end - close - 1));
    return true;
  }

  // Takes an element with a value in the current section.
  void take_leaf(std::string_view name, std::string_view value) {
    const std::string_view section =
        sections_.empty() ? std::string_view() : std::string_view(sections_.back());
    if (fields_.empty())
      return;
    for (const std::string_view prefix : kReasonNames)
      if (name.starts_with(prefix))
        fields_.emplace_back("clocks_event_reasons." + std::string(name.substr(prefix.size())), value);
    if (section == "volatile" && name.find("uncorrectable") != name.npos)
      if (const auto errors = base::try_uint(value); errors && *errors < 1'000'000'000)
        uncorrected_ = std::max<int64_t>(uncorrected_, 0) + int64_t(*errors);
    constexpr size_t kMostFields = 256;
    const std::string field = leaf_field(kXmlLeaves, section, name);
    if (!field.empty() && fields_.size() < kMostFields)
      fields_.emplace_back(field, value);
  }

  void end(Sink& sink) override {
    rows_.end(sink);
  }

  std::vector<std::string> sections_;
  Fields fields_;
  int64_t uncorrected_ = -1;  // -1: not stated
  GpuRows rows_;
};

double score_xml(std::string_view head, std::string& reason) {
  if (head.find("<nvidia_smi_log>") == head.npos)
    return 0;
  reason = "it has the root of nvidia-smi -q -x";
  return 0.95;
}

class AmdTree : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::string_view text = trimmed(line);
    const size_t colon = text.find(':');
    if (colon == text.npos)
      return false;
    const size_t indent = size_t(text.data() - line.data());
    const std::string_view key = text.substr(0, colon);
    const std::string_view value = trimmed(text.substr(colon + 1));
    if (key == "GPU" && indent == 0) {
      write(sink);
      fields_ = {{"index", std::string(value)}};
      number_ = sink.number();
      line_.assign(line);
      return true;
    }
    while (!sections_.empty() && sections_.back().first >= indent)
      sections_.pop_back();
    if (fields_.empty())
      return false;
    if (value.empty()) {
      if (sections_.size() < kDeepestTree)
        sections_.emplace_back(indent, key);
      return true;
    }
    add_amd_field(
        fields_,
        sections_.empty() ? std::string_view() : std::string_view(sections_.back().second),
        key,
        std::string(value));
    return true;
  }

  void end(Sink& sink) override {
    write(sink);
    rows_.end(sink);
  }

  void write(Sink& sink) {
    if (fields_.empty())
      return;
    sink.at(line_, number_, sink.subject(), sink.time());
    rows_.take(fields_, sink);
    fields_.clear();
    sections_.clear();
  }

  std::vector<std::pair<size_t, std::string>> sections_;  // enclosing sections, with their indentation
  Fields fields_;
  std::string line_;
  int64_t number_ = 0;
  GpuRows rows_;
};

double score_amd(std::string_view head, std::string& reason) {
  const bool begins = head.starts_with("GPU: ") || head.find("\nGPU: ") != head.npos;
  bool has_section = false;
  for (const char* section :
       {"    ECC:", "    USAGE:", "    POWER:", "    CLOCK:", "    PCIE:", "    TEMPERATURE:"})
    has_section = has_section || head.find(section) != head.npos;
  if (!begins || !has_section)
    return 0;
  reason = "it has the sections of amd-smi";
  return 0.85;
}

}  // namespace

constexpr std::string_view kTreeCovers = "memory errors and clocks of GPUs";
const Format
    kSmiXml{"nvidia-smi -q -x", "nvidia", {}, Shape::Table, make<SmiXml>, score_xml, "", kTreeCovers};
const Format
    kAmdTree{"amd-smi metric", "nvidia", {}, Shape::Table, make<AmdTree>, score_amd, "", kTreeCovers};

}  // namespace lento::desk
