// Reads the platform file (docs/formats/platform.md). Sizes must be powers of two where addresses are split
// into fields, both caches must have one line size, and all mistakes of a file are reported in one error.
#include <bit>

#include "base/number.h"
#include "memory/platform/platform.h"

namespace lento::memory {
namespace {

using base::Dimension;
using base::ErrorList;
using spec::Fields;
using spec::YamlNode;

void power_of_two(Fields& fields, std::string_view key, int64_t value) {
  if (value < 1 || !std::has_single_bit(uint64_t(value))) {
    fields.error(key, "found " + std::to_string(value) + ", needed a power of two");
  }
}

void bytes(Fields& fields, std::string_view key, int& out, double min, double max) {
  double value = out;
  fields.quantity(key, value, Dimension::Bytes, min, max);
  out = int(value);
  power_of_two(fields, key, out);
}

void read_cache(Fields& top, std::string_view key, CacheShape& shape, ErrorList& errors) {
  const YamlNode* node = top.map(key);
  if (!node)
    return;
  Fields fields(*node, errors);
  bytes(fields, "size", shape.bytes, 64, 16 << 20);
  fields.integer("ways", shape.ways, 1, 64);
  bytes(fields, "line", shape.line_bytes, 8, 256);
  const int sets = shape.bytes / shape.line_bytes / shape.ways;
  if (sets < 1 || !std::has_single_bit(unsigned(sets)) ||
      sets * shape.ways * shape.line_bytes != shape.bytes) {
    fields.error("ways", "the cache has no power-of-two number of sets");
  }
  fields.finish();
}

void read_memory(Fields& top, Platform& p, ErrorList& errors) {
  const YamlNode* node = top.map("memory");
  if (!node)
    return;
  Fields fields(*node, errors);
  std::string text;
  fields.text("base", text);
  const bool hex = text.rfind("0x", 0) == 0;
  const std::optional<uint64_t> base =
      text.empty() ? p.memory_base : base::try_uint(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (!base || *base % 4096 || *base > 0xffff0000u) {
    fields.error(
        "base",
        "found '" + text + "', needed an address that is a multiple of 4096",
        "write 0x80000000");
  } else {
    p.memory_base = uint32_t(*base);
  }
  double size = p.memory_bytes;
  fields.quantity("size", size, Dimension::Bytes, 65536, double{1u << 28});
  p.memory_bytes = uint32_t(size) & ~4095u;
  if (uint64_t{p.memory_base} + p.memory_bytes > (uint64_t{1} << 32))
    fields.error("size", "the memory ends beyond 4 GiB");
  if (p.memory_base < 0x20000000)
    fields.error("base", "overlaps the devices below 0x20000000");
  fields.integer("banks", p.banks, 1, 64);
  power_of_two(fields, "banks", p.banks);
  fields.integer("bank_cycles", p.bank_cycles, 1, 10000);
  fields.integer("latency", p.bank_latency, 1, 10000);
  fields.finish();
}

void read_interconnect(Fields& top, Platform& p, ErrorList& errors) {
  const YamlNode* node = top.map("interconnect");
  if (!node)
    return;
  Fields fields(*node, errors);
  std::string kind = "bus";
  std::string arbiter = "round-robin";
  fields.choice("kind", kind, {"bus", "crossbar", "mesh"});
  fields.choice("arbiter", arbiter, {"round-robin", "fixed", "fcfs"});
  p.topology = kind == "bus" ? Topology::Bus : kind == "mesh" ? Topology::Mesh : Topology::Crossbar;
  p.arbiter = arbiter == "fixed" ? Arbiter::Fixed : arbiter == "fcfs" ? Arbiter::Fcfs : Arbiter::RoundRobin;
  fields.integer("read_cycles", p.read_cycles, 1, 10000);
  fields.integer("write_cycles", p.write_cycles, 1, 10000);
  fields.integer("hop_cycles", p.hop_cycles, 1, 10000);
  fields.finish();
}

}  // namespace

Platform parse_platform(const YamlNode& node) {
  Platform p;
  ErrorList errors;
  Fields top(node, errors);
  top.schema(Platform::kSchema);
  // Other parts of the file describe a core that recordings are replayed on.
  std::string other;
  for (const char* key : {"name", "title", "source", "clock"})
    top.text(key, other);
  top.map("core");
  top.integer("harts", p.harts, 1, Platform::kMaxHarts);
  read_memory(top, p, errors);
  read_cache(top, "icache", p.icache, errors);
  read_cache(top, "dcache", p.dcache, errors);
  if (p.icache.line_bytes != p.dcache.line_bytes)
    top.error("dcache", "its lines differ from those of the icache");
  top.integer("write_buffer", p.write_buffer, 1, 64);
  read_interconnect(top, p, errors);
  top.integer("multiply_cycles", p.multiply_cycles, 1, 1000);
  top.integer("divide_cycles", p.divide_cycles, 1, 1000);
  std::string fetches = "every";
  top.choice("trace_fetches", fetches, {"every", "lines"});
  p.trace_every_fetch = fetches == "every";
  top.finish();
  errors.throw_if_any();
  return p;
}

Platform read_platform(const std::string& path) {
  return parse_platform(spec::read_yaml(path));
}

}  // namespace lento::memory
