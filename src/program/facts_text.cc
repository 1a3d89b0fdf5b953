// Reads and writes program::TraceFacts and AddressSpace as text, in a maps file or inside an access trace. A
// line states one fact, and one tab separates its fields:
//   line BYTES            cache line of the machine
//   usual_line BYTES      cache line of the kind of machine that the format is used on
//   time UNIT | latency UNIT
//   period N              accesses that one sample stands for
//   node CPU NODE         NUMA node of a processor
//   process N PID NAME | map N LOW HIGH OFFSET BUILDID PATH | code N LOW HIGH NAME
//   data N LOW HIGH NAME SITE | program DIGEST NAME        SITE: where a heap block was allocated
#include <algorithm>
#include <vector>

#include "base/number.h"
#include "base/scan/lines.h"
#include "program/address_space.h"
#include "program/maps_words.h"

namespace lento::program {

namespace {

using Fields = std::vector<std::string_view>;

Fields split_tabs(std::string_view line) {
  Fields out;
  for (;;) {
    const size_t tab = std::min(line.find('\t'), line.size());
    out.push_back(line.substr(0, tab));
    if (tab == line.size())
      return out;
    line.remove_prefix(tab + 1);
  }
}

uint64_t number_at(const Fields& f, size_t i) {
  if (i >= f.size())
    return 0;
  if (f[i].starts_with("0x"))
    return hex_of(f[i]).value_or(0);
  return base::try_uint(f[i]).value_or(0);
}
std::string text_at(const Fields& f, size_t i) {
  if (i < f.size())
    return std::string(f[i]);
  return "";
}

// Reads a 16-bit number, the range of processes and processors in traces.
uint16_t small_at(const Fields& f, size_t i) {
  return uint16_t(number_at(f, i));
}

NamedRange range_of(const Fields& f) {
  NamedRange range;
  range.process = small_at(f, 1);
  range.low = number_at(f, 2);
  range.high = number_at(f, 3);
  range.name = text_at(f, 4);
  range.site = text_at(f, 5);
  return range;
}

Mapping mapping_of(const Fields& f) {
  Mapping mapping;
  mapping.process = small_at(f, 1);
  mapping.low = number_at(f, 2);
  mapping.high = number_at(f, 3);
  mapping.file_offset = number_at(f, 4);
  mapping.path = text_at(f, 6);
  mapping.build_id = text_at(f, 5);
  if (mapping.build_id == "-")
    mapping.build_id.clear();
  return mapping;
}

}  // namespace

void read_fact(std::string_view text, TraceFacts& facts) {
  const Fields f = split_tabs(text);
  const std::string& kind = std::string(f[0]);
  if (kind == "line")
    facts.line_bytes = uint32_t(std::min<uint64_t>(number_at(f, 1), 4096));
  if (kind == "time")
    facts.time_unit = text_at(f, 1);
  if (kind == "latency")
    facts.latency_unit = text_at(f, 1);
  if (kind == "period")
    facts.period = double(number_at(f, 1));
  if (kind == "node")
    facts.node_of_cpu[small_at(f, 1)] = uint8_t(number_at(f, 2));
  if (kind == "process") {
    const auto pid = uint32_t(number_at(f, 2));
    facts.names.note_process(small_at(f, 1), pid, text_at(f, 3));
  }
  if (kind == "map")
    facts.names.add_mapping(mapping_of(f));
  if (kind == "program" && f.size() >= 3)
    facts.programs.emplace_back(text_at(f, 1), text_at(f, 2));
  if (kind == "code")
    facts.names.add_code(range_of(f));
  if (kind == "data")
    facts.names.add_data(range_of(f));
}

std::string write_facts(const TraceFacts& facts) {
  std::string out;
  if (facts.line_bytes > 0)
    out += "line\t" + std::to_string(facts.line_bytes) + "\n";
  out += "time\t" + facts.time_unit + "\n";
  out += "latency\t" + facts.latency_unit + "\n";
  if (facts.period > 0)
    out += "period\t" + std::to_string(uint64_t(facts.period)) + "\n";
  for (const auto& [digest, name] : facts.programs)
    out += "program\t" + plain_field(digest) + "\t" + plain_field(name) + "\n";
  for (const auto& [cpu, node] : facts.node_of_cpu)
    out += "node\t" + std::to_string(cpu) + "\t" + std::to_string(node) + "\n";
  return out + facts.names.text();
}

void read_facts(std::string_view text, TraceFacts& facts) {
  while (!text.empty()) {
    const std::string_view line = base::take_line(text);
    read_fact(line, facts);
  }
}

}  // namespace lento::program
