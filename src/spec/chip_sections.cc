// Reads and writes the sections `core`, `memory_unit` and `probe`, which versions 1 and 2 of a chip file
// share, and checks that a mapped workload can run on the chip.
#include "spec/chip_sections.h"

#include <cmath>

#include "base/units.h"

namespace lento::spec {
namespace {

using base::Dimension;
using base::ErrorList;

// Collects the lines of one section.
class Section {
 public:
  explicit Section(std::string_view title)
      : text_(std::string(title) + ":\n") {
  }
  void number(std::string_view key, double value) {
    word(key, base::format_exact(value));
  }
  void word(std::string_view key, const std::string& value) {
    text_.append("  ").append(key).append(": ").append(value).append("\n");
  }
  std::string take() {
    return std::move(text_);
  }

 private:
  std::string text_;
};

// Counts the chips that links reach from the first chip, forwards or backwards.
size_t reached(const FabricSheet& sheet, bool forwards) {
  std::vector<bool> seen(size_t(sheet.chips));
  std::vector<int> open{0};
  seen[0] = true;
  size_t count = 0;
  while (!open.empty()) {
    const int chip = open.back();
    open.pop_back();
    ++count;
    for (const Interconnect::ChipLink& link : sheet.chip_links) {
      const int from = forwards ? link.from.chip : link.to.chip;
      const int to = forwards ? link.to.chip : link.from.chip;
      if (from != chip || seen[size_t(to)])
        continue;
      seen[size_t(to)] = true;
      open.push_back(to);
    }
  }
  return count;
}

}  // namespace

void read_bytes(Fields& fields, std::string_view key, int64_t& out, double min, double max) {
  double value = double(out);
  fields.quantity(key, value, Dimension::Bytes, min, max);
  out = std::llround(value);
}

void read_rate(Fields& fields, std::string_view key, double& out) {
  fields.quantity(key, out, Dimension::Plain, kMinRate, kMaxRate);
}

bool read_core(Fields& top, Chip::Core& core, ScratchpadRate rate, ErrorList& errors) {
  const YamlNode* node = top.map("core");
  if (!node)
    return false;
  Fields fields(*node, errors);
  read_rate(fields, "ops_per_cycle", core.ops_per_cycle);
  fields.quantity("rate_deviation", core.rate_deviation, Dimension::Percent, 0, 0.3);
  fields.integer("issue_window", core.issue_window, 1, 4096);
  fields.integer("start_up_cycles", core.start_up_cycles, 0, 1000000);
  read_bytes(fields, "scratchpad", core.scratchpad_bytes, 1024, 1e12);
  if (rate == ScratchpadRate::Given)
    read_rate(fields, "scratchpad_bytes_per_cycle", core.scratchpad_bytes_per_cycle);
  fields.finish();
  return true;
}

void read_memory_unit(Fields& top, Chip::MemoryUnit& unit, ErrorList& errors) {
  const YamlNode* node = top.map("memory_unit");
  if (!node)
    return;
  Fields fields(*node, errors);
  fields.integer("slots", unit.slots, 1, 64);
  read_rate(fields, "bytes_per_cycle", unit.bytes_per_cycle);
  fields.finish();
}

void read_probe(Fields& top, Chip::Probe& probe, ErrorList& errors) {
  const YamlNode* node = top.map("probe");
  if (!node)
    return;
  Fields fields(*node, errors);
  fields.integer("clock_read_cycles", probe.clock_read_cycles, 0, 1000000);
  fields.integer("record_bytes", probe.record_bytes, 0, 1 << 20);
  fields.integer("sketch_insert_cycles", probe.sketch_insert_cycles, 0, 1000000);
  fields.finish();
}

std::string write_core(const Chip::Core& core, ScratchpadRate rate) {
  Section out("core");
  out.number("ops_per_cycle", core.ops_per_cycle);
  out.number("rate_deviation", core.rate_deviation);
  out.number("issue_window", core.issue_window);
  out.number("start_up_cycles", core.start_up_cycles);
  out.word("scratchpad", std::to_string(core.scratchpad_bytes) + " B");
  if (rate == ScratchpadRate::Given)
    out.number("scratchpad_bytes_per_cycle", core.scratchpad_bytes_per_cycle);
  return out.take();
}

std::string write_memory_unit(const Chip::MemoryUnit& unit) {
  Section out("memory_unit");
  out.number("slots", unit.slots);
  out.number("bytes_per_cycle", unit.bytes_per_cycle);
  return out.take();
}

std::string write_probe(const Chip::Probe& probe) {
  Section out("probe");
  out.number("clock_read_cycles", probe.clock_read_cycles);
  out.number("record_bytes", probe.record_bytes);
  out.number("sketch_insert_cycles", probe.sketch_insert_cycles);
  return out.take();
}

void require_workable(const FabricSheet& sheet, const base::Location& where, ErrorList& errors) {
  if (!sheet.computes)
    errors.add(where, "the sheet says what moves data and not what a core computes", "add 'core:'");
  const int cores = sheet.count(TileKind::Core);
  if (cores == 0)
    errors.add(where, "no tile is a core that works");
  if (cores > kMaxCores)
    errors.add(
        where,
        std::to_string(cores) + " cores, at most " + std::to_string(kMaxCores) + " are simulated");
  if (sheet.count(TileKind::Dram) == 0)
    errors.add(where, "no tile is DRAM: there is nowhere to read from", "add 'dram:' to 'tiles:'");
  for (const Load load : kLoads) {
    bool carried = false;
    for (const Interconnect::Network& network : sheet.networks)
      carried = carried || network.carries[size_t(load)];
    if (!carried)
      errors.add(where, std::string("no network carries ") + name(load), "add it to 'carries:' of one");
  }
  const size_t chips = size_t(sheet.chips);
  if (reached(sheet, true) < chips || reached(sheet, false) < chips)
    errors.add(where, "some chips are not joined to the others both ways", "add them to 'chip_links:'");
}

}  // namespace lento::spec
