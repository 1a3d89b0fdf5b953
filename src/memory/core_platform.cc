// Converts between the file's times and sizes and the replay's cycles. A cycle is one of the file's clock;
// times are rounded to whole cycles, rates to cycles per line.
#include "memory/core_platform.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/units.h"
#include "embedded/platform_sheets.h"
#include "spec/yaml.h"

namespace lento::memory {
namespace {

using base::Dimension;
using base::ErrorList;
using spec::Fields;
using spec::YamlNode;

constexpr double kBytesALine = 64;       // line size in bytes that converts bandwidths
constexpr double kLongestAccess = 1e-4;  // seconds: no access takes longer

class Reader {
 public:
  Reader(CorePlatform& platform, ErrorList& errors)
      : p_(platform),
        errors_(errors) {
  }

  void read(Fields& top) {
    top.text("name", p_.name);
    top.text("title", p_.title);
    top.text("source", p_.source);
    top.quantity("clock", p_.clock, Dimension::Frequency, 1e6, 1e11);
    const YamlNode* node = top.map("core");
    if (!node)
      return top.error(
          "core",
          "is missing",
          "a platform for recordings describes a core: docs/formats/platform.md");
    Fields core(*node, errors_);
    first_cache(core);
    cache(core, "second", p_.core.second, &CoreModel::second_hit);
    cache(core, "third", p_.core.third, &CoreModel::third_hit);
    pages(core);
    memory(core, "memory", &CoreModel::memory, p_.core.memory_line);
    memory(core, "remote", &CoreModel::remote_memory, p_.core.link_line);
    unsigned_number(core, "overlap", p_.core.overlap, 1, 1024);
    unsigned_number(core, "ahead", p_.core.ahead, 0, 1024);
    time(core, "transfer", &CoreModel::transfer);
    time(core, "step", &CoreModel::step);
    unsigned_number(core, "width", p_.core.width, 0, 64);
    time(core, "divide", &CoreModel::divide);
    time(core, "atomic", &CoreModel::atomic);
    time(core, "forward", &CoreModel::forward);
    core.finish();
  }

 private:
  void time(Fields& fields, std::string_view key, uint64_t CoreModel::*time) {
    double seconds = p_.seconds(time);
    fields.quantity(key, seconds, Dimension::Time, 0, kLongestAccess);
    p_.set(time, seconds);
  }

  // Reads size, ways and hit time (cycles) of a cache level.
  void cache(Fields& core, std::string_view key, TagShape& tags, uint64_t CoreModel::*hit) {
    const YamlNode* node = core.map(key);
    if (!node)
      return;
    Fields fields(*node, errors_);
    shape(fields, tags);
    time(fields, "latency", hit);
    fields.finish();
  }

  static void shape(Fields& fields, TagShape& tags) {
    double bytes = tags.bytes;
    int ways = int(tags.ways);
    fields.quantity("size", bytes, Dimension::Bytes, 0, double{1U << 31});
    fields.integer("ways", ways, 1, 64);
    tags = {uint32_t(bytes), uint32_t(ways)};
  }

  // Reads size and ways of the first cache, and the times to read and to update a line in a set of it that
  // more lines use than it has ways.
  void first_cache(Fields& core) {
    const YamlNode* node = core.map("first");
    if (!node)
      return;
    Fields fields(*node, errors_);
    shape(fields, p_.core.first);
    time(fields, "latency", &CoreModel::first_hit);
    time(fields, "replace", &CoreModel::replace);
    time(fields, "rewrite", &CoreModel::rewrite);
    fields.finish();
  }

  // Reads the number of TLB entries at both levels and the cycles of a page walk.
  void pages(Fields& core) {
    const YamlNode* node = core.map("pages");
    if (!node)
      return;
    Fields fields(*node, errors_);
    unsigned_number(fields, "first", p_.core.first_pages, 1, 1 << 20);
    unsigned_number(fields, "second", p_.core.second_pages, 0, 1 << 20);
    time(fields, "walk", &CoreModel::walk);
    fields.finish();
  }

  // Reads latency of a memory and its bandwidth, which is stored as cycles per line.
  void memory(Fields& core, std::string_view key, uint64_t CoreModel::*latency, uint64_t& line) {
    const YamlNode* node = core.map(key);
    if (!node)
      return;
    Fields fields(*node, errors_);
    time(fields, "latency", latency);
    double rate = line == 0 ? 0 : kBytesALine * p_.clock / double(line);
    fields.quantity("bandwidth", rate, Dimension::BytesPerTime, 0, 1e15);
    line = rate > 0 ? uint64_t(std::max(1.0, std::round(kBytesALine * p_.clock / rate))) : 0;
    fields.finish();
  }

  static void unsigned_number(Fields& fields, std::string_view key, unsigned& out, int min, int max) {
    int value = int(out);
    fields.integer(key, value, min, max);
    out = unsigned(value);
  }

  CorePlatform& p_;
  ErrorList& errors_;
};

CorePlatform parse(const YamlNode& node) {
  CorePlatform platform = usual_platform();
  platform.name.clear();
  ErrorList errors;
  Fields top(node, errors);
  top.schema(CorePlatform::kSchema);
  Reader(platform, errors).read(top);
  CoreModel& core = platform.core;
  // A sheet without measured times of an overfull set: the set takes one line at a time, and a modified line
  // goes back to the second cache before.
  if (core.overlap > 1 && core.replace == 0)
    core.replace = core.first_hit + core.second_hit;
  if (core.overlap > 1 && core.rewrite == 0)
    core.rewrite = 2 * core.replace;
  top.finish();
  errors.throw_if_any();
  return platform;
}

}  // namespace

CorePlatform usual_platform() {
  CorePlatform p;
  p.name = "usual";
  p.title = "a core of a recent server, in round figures";
  p.source = "between the shipped sheets";
  CoreModel& c = p.core;
  c.stream_step = 1;
  c.width = 4;
  c.divide = 12;
  c.memory_line = 1;  // 192 GB/s at 3 GHz: the least of the sheets has 128, the most 500
  c.link_line = 6;
  c.ahead = 8;
  c.second_pages = 2048;
  c.walk = 25;
  return p;
}

std::vector<std::string> shipped_core_platforms() {
  std::vector<std::string> names;
  for (const std::string_view file : embedded::platform_sheets_names())
    names.emplace_back(file.substr(0, file.rfind('.')));
  std::ranges::sort(names);
  return names;
}

CorePlatform read_core_platform(const std::string& file_or_name) {
  std::error_code none;
  if (std::filesystem::exists(file_or_name, none))
    return parse(spec::read_yaml(file_or_name));
  const std::string file = file_or_name + ".yaml";
  const std::string_view shipped = embedded::platform_sheets(file);
  if (!shipped.empty())
    return parse(spec::parse_yaml(std::string(shipped), file));
  std::string names;
  for (const std::string& name : shipped_core_platforms())
    names += (names.empty() ? "" : ", ") + name;
  throw base::Error(
      {file_or_name},
      "is neither a file nor a shipped platform",
      "shipped are " + names + "; 'lento memory calibrate' measures this machine");
}

void CorePlatform::set(uint64_t CoreModel::*time, double seconds) {
  std::erase_if(unrounded, [&](const auto& known) {
    return known.first == time;
  });
  unrounded.emplace_back(time, seconds);
  core.*time = uint64_t(std::llround(seconds * clock));
}

double CorePlatform::seconds(uint64_t CoreModel::*time) const {
  const auto known = std::ranges::find(unrounded, time, &std::pair<uint64_t CoreModel::*, double>::first);
  return known == unrounded.end() ? double(core.*time) / clock : known->second;
}

std::string to_yaml(const CorePlatform& p) {
  const auto ns = [&](uint64_t CoreModel::*time) {
    return base::format_number(p.seconds(time) * 1e9, 4) + " ns";
  };
  const auto rate = [&](uint64_t line) {
    return base::format_number(line == 0 ? 0 : kBytesALine * p.clock / double(line) / 1e9, 4) + " GB/s";
  };
  const auto cache = [](const TagShape& shape) {
    return "{size: " + std::to_string(shape.bytes / 1024) + " KiB, ways: " + std::to_string(shape.ways);
  };
  const CoreModel& c = p.core;
  std::string text = std::string("schema: ") + CorePlatform::kSchema + "\n";
  text += "name: " + p.name + "\ntitle: \"" + p.title + "\"\nsource: \"" + p.source + "\"\n";
  text += "clock: " + base::format_number(p.clock / 1e9, 4) + " GHz\ncore:\n";
  text += "  first: " + cache(c.first) + ", latency: " + ns(&CoreModel::first_hit) +
          ", replace: " + ns(&CoreModel::replace) + ", rewrite: " + ns(&CoreModel::rewrite) + "}\n";
  text += "  second: " + cache(c.second) + ", latency: " + ns(&CoreModel::second_hit) + "}\n";
  text += "  third: " + cache(c.third) + ", latency: " + ns(&CoreModel::third_hit) + "}\n";
  text += "  pages: {first: " + std::to_string(c.first_pages) +
          ", second: " + std::to_string(c.second_pages) + ", walk: " + ns(&CoreModel::walk) + "}\n";
  text += "  memory: {latency: " + ns(&CoreModel::memory) + ", bandwidth: " + rate(c.memory_line) + "}\n";
  text +=
      "  remote: {latency: " + ns(&CoreModel::remote_memory) + ", bandwidth: " + rate(c.link_line) + "}\n";
  text += "  overlap: " + std::to_string(c.overlap) + "\n  ahead: " + std::to_string(c.ahead) +
          "\n  transfer: " + ns(&CoreModel::transfer) + "\n  step: " + ns(&CoreModel::step) +
          "\n  width: " + std::to_string(c.width) + "\n  divide: " + ns(&CoreModel::divide) +
          "\n  atomic: " + ns(&CoreModel::atomic) + "\n  forward: " + ns(&CoreModel::forward) + "\n";
  return text;
}

}  // namespace lento::memory
