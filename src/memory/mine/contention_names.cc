// Composes names of code, lines, variables and items from the symbols of the trace's address space. Where
// there is no symbol the address is printed.
#include "memory/mine/contention_names.h"

#include <algorithm>

#include "base/units.h"

namespace lento::memory {

std::string ContentionNames::code(uint32_t function, uint64_t pc) const {
  if (functions_.has_name(function))
    return functions_.name(function);
  return "code at " + hex(pc);
}

std::string ContentionNames::place(uint16_t process, uint64_t pc) const {
  std::string text = functions_.name(functions_.of(process, pc)) + " " + hex(pc);
  for (const program::SourceFrame& frame : space_.frames(process, pc))
    text += " < " + frame.function + " " + frame.file + ":" + std::to_string(frame.line);
  return text;
}

std::string ContentionNames::data(uint16_t process, uint64_t address) const {
  const std::string name = space_.describe(process, address);
  if (name.empty())
    return hex(address);
  return name;
}

std::string ContentionNames::variable(uint16_t process, uint64_t address) const {
  program::DataObject object;
  if (!space_.object_at(process, address, object))
    return hex(address);
  if (object.site.empty())
    return object.name;
  return object.name + " from " + object.site;
}

std::string ContentionNames::process(uint16_t number) const {
  const std::string name = space_.process_name(number);
  if (name.empty())
    return "";
  return " in " + name;
}

std::string ContentionNames::line(const Line& line) const {
  constexpr size_t kShown = 4;
  std::vector<const Use*> uses;
  for (const Use& use : line.uses)
    uses.push_back(&use);
  std::ranges::stable_sort(uses, [](const Use* a, const Use* b) {
    if (a->excess != b->excess)
      return a->excess > b->excess;
    return a->offset < b->offset;
  });
  std::vector<std::string> names;
  for (const Use* use : uses) {
    const std::string name = space_.describe(line.process, line.address + use->offset);
    if (name.empty() || std::ranges::find(names, name) != names.end())
      continue;
    names.push_back(name);
    if (names.size() == kShown)
      break;
  }
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return "line " + hex(line.address) + (text.empty() ? "" : " (" + text + ")");
}

// Returns an item of a pattern as figures print it: a function, access type, latency bin or line, with its
// CPU in front where the item has one.
std::string ContentionNames::item(uint32_t id) const {
  const Items::Item& item = windows_.items.item(id);
  const std::string cpu = "CPU" + std::to_string(item.cpu) + "_";
  switch (item.kind) {
    case Items::Kind::Function:
      return functions_.name(uint32_t(item.value));
    case Items::Kind::CpuFunction:
      return cpu + functions_.name(uint32_t(item.value));
    case Items::Kind::Latency:
      return latency(item.value);
    case Items::Kind::CpuLatency:
      return cpu + latency(item.value);
    case Items::Kind::Type:
      return to_string(static_cast<AccessType>(item.value));
    case Items::Kind::CpuType:
      return cpu + to_string(static_cast<AccessType>(item.value));
    case Items::Kind::Line:
      return "line " + hex(windows_.hot[item.value].key.block * tuning::kBlockBytes);
  }
  return "?";
}

std::string ContentionNames::latency(uint64_t bin) const {
  const uint64_t low = bin * options_.bins;
  const bool last = bin == kLastLatency / options_.bins;
  return "lat_" + std::to_string(low) + "_" + (last ? "inf" : std::to_string(low + options_.bins));
}

std::string ContentionNames::pattern(
    const std::vector<uint32_t>& items,
    const std::vector<WindowFacts::Range>& ranges) const {
  std::string text;
  for (const uint32_t id : items) {
    const Items::Item& item = windows_.items.item(id);
    text += (text.empty() ? "" : ", ") + this->item(id);
    for (const auto& range : ranges) {
      if (item.kind != Items::Kind::Function || range.function != item.value)
        continue;
      text += " [" + hex(range.low) + ", " + hex(range.high) + "]";
    }
  }
  return text;
}

}  // namespace lento::memory
