#include "memory/mine/contention_names.h"

#include <cstdio>

#include "base/units.h"

namespace lento::memory {

std::string cpu_list(uint64_t mask) {
  std::string text;
  for (int c = 0; c < 64; ++c) {
    if (!(mask >> c & 1)) continue;
    int last = c;
    while (last < 63 && (mask >> (last + 1) & 1)) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(c) + (last > c ? "-" + std::to_string(last) : "");
    c = last;
  }
  return text;
}

std::string Names::place(uint64_t pc) const {
  std::string text = functions_.name(functions_.of(pc)) + " " + base::hex(pc);
  if (!symbols_) return text;
  for (const trace::SourceFrame& frame : symbols_->frames(pc)) {
    text += " < " + frame.function + " " + frame.file + ":" + std::to_string(frame.line);
  }
  return text;
}

std::string Names::line(uint64_t line) const {
  const uint64_t first = line * options_.line_bytes;
  std::string name = symbols_ ? symbols_->describe(first) : "";
  for (uint64_t at = first; symbols_ && name.empty() && at < first + options_.line_bytes; at += 4) {
    name = symbols_->describe(at);
  }
  return "line " + base::hex(first) + (name.empty() ? "" : " (" + name + ")");
}

std::string Names::item(uint32_t id) const {
  const Items::Item& item = windows_.items.item(id);
  const std::string cpu = "CPU" + std::to_string(item.cpu) + "_";
  switch (item.kind) {
    case Items::Kind::Function:
      return functions_.name(static_cast<uint32_t>(item.value));
    case Items::Kind::CpuFunction:
      return cpu + functions_.name(static_cast<uint32_t>(item.value));
    case Items::Kind::Latency:
      return latency(item.value);
    case Items::Kind::CpuLatency:
      return cpu + latency(item.value);
    case Items::Kind::Type:
      return to_string(static_cast<trace::AccessType>(item.value));
    case Items::Kind::CpuType:
      return cpu + to_string(static_cast<trace::AccessType>(item.value));
    case Items::Kind::Line:
      return line(item.value);
  }
  return "?";
}

std::string Names::latency(uint64_t bin) const {
  const uint64_t low = bin * options_.bins;
  return "lat_" + std::to_string(low) + "_" + (low >= 250 ? "inf" : std::to_string(low + options_.bins));
}

std::string Names::pattern(const std::vector<uint32_t>& items,
                           const std::vector<WindowFacts::Range>& ranges) const {
  std::string text;
  for (const uint32_t id : items) {
    const Items::Item& item = windows_.items.item(id);
    text += (text.empty() ? "" : ", ") + this->item(id);
    for (const auto& range : ranges) {
      if (item.kind != Items::Kind::Function || range.function != item.value) continue;
      text += " [" + base::hex(range.low) + ", " + base::hex(range.high) + "]";
    }
  }
  return text;
}

}  // namespace lento::memory
