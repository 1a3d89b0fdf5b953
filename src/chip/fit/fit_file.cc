#include "chip/fit/fit_file.h"

#include <map>

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "spec/yaml.h"

namespace lento::chip {
namespace {

using base::Dimension;
using base::format_exact;

constexpr const char* kSchema = "lento.chip-fit/1";
constexpr size_t kMostText = 16 << 20;  // bytes
constexpr int kMostSegments = 1 << 20;
// Ratios beyond these are no chip that runs.
constexpr double kLeastRatio = 1e-3;
constexpr double kMostRatio = 1e3;

// The word of a class in the file, in the order of Fit::classes.
const char* word_of(Part part) {
  if (part == Part::Link)
    return "links";
  if (part == Part::DramPort)
    return "dram_ports";
  return part == Part::MemoryUnit ? "memory_units" : "cores";
}

std::string digest_of(const spec::Chip& file) {
  return base::digest(spec::write_chip(file));
}

void read_class(spec::Fields& classes, FittedClass& c, base::ErrorList& errors) {
  const spec::YamlNode* node = classes.map(word_of(c.part));
  if (node == nullptr)
    return;
  spec::Fields fields(*node, errors);
  fields.required_quantity("times_slower", c.ratio, Dimension::Plain, kLeastRatio, kMostRatio);
  fields.quantity("error", c.error, Dimension::Plain, 0, kMostRatio);
  fields.quantity("spread", c.spread, Dimension::Plain, 0, kMostRatio);
  fields.integer("told", c.told, 0, 1 << 20);
  fields.finish();
}

using PartsByName = std::map<std::string, FittedPart*, std::less<>>;

PartsByName by_name(Fit& fit, const Grid& grid) {
  PartsByName out;
  for (FittedPart& part : fit.parts)
    out[name_of(part.component, grid)] = &part;
  return out;
}

void read_part(const spec::YamlNode& node, const PartsByName& parts, base::ErrorList& errors) {
  const auto at = parts.find(node.key);
  if (at == parts.end()) {
    errors.add(node.where, "the chip has no part '" + node.key.substr(0, 40) + "' to fit");
    return;
  }
  FittedPart* part = at->second;
  spec::Fields fields(node, errors);
  fields.required_quantity("times_slower", part->ratio, Dimension::Plain, kLeastRatio, kMostRatio);
  fields.quantity("error", part->error, Dimension::Plain, 0, kMostRatio);
  fields.finish();
  part->told = true;
}

}  // namespace

std::string write_fit(const Fit& fit, const spec::Chip& file) {
  const Grid grid(file);
  std::string out = std::string("schema: ") + kSchema + "\n";
  out += "chip: " + base::write_json(base::Json(file.name)) + "\n";
  out += "chip_digest: '" + digest_of(file) + "'\n";
  out += "buffer_segments: " + std::to_string(fit.twin.chip.network.buffer_segments) + "\n";
  out += "misfit: " + format_exact(fit.misfit) + "\n";
  out += "scatter: " + format_exact(fit.scatter) + "\n";
  out += "classes:\n";
  for (const FittedClass& c : fit.classes)
    out += std::string("  ") + word_of(c.part) + ": {times_slower: " + format_exact(c.ratio) +
           ", error: " + format_exact(c.error) + ", spread: " + format_exact(c.spread) +
           ", told: " + std::to_string(c.told) + "}\n";
  out += "parts:\n";
  for (const FittedPart& part : fit.parts)
    if (part.told)
      out += "  " + name_of(part.component, grid) + ": {times_slower: " + format_exact(part.ratio) +
             ", error: " + format_exact(part.error) + "}\n";
  return out;
}

Fit parse_fit(const std::string& text, const std::string& name, const spec::Chip& file) {
  const spec::YamlNode root = spec::parse_yaml(text, name);
  base::ErrorList errors;
  spec::Fields top(root, errors);
  top.schema(kSchema);
  std::string chip;
  std::string digest;
  top.text("chip", chip);
  top.required_text("chip_digest", digest);
  Fit fit = fit_twin(std::vector<FitRun>{}, file);
  int segments = file.network.buffer_segments;
  top.integer("buffer_segments", segments, 0, kMostSegments);
  top.quantity("misfit", fit.misfit, Dimension::Plain);
  top.quantity("scatter", fit.scatter, Dimension::Plain);
  if (const spec::YamlNode* node = top.map("classes")) {
    spec::Fields classes(*node, errors);
    for (FittedClass& c : fit.classes)
      read_class(classes, c, errors);
    classes.finish();
  }
  const PartsByName parts = by_name(fit, Grid(file));
  if (const spec::YamlNode* node = top.map("parts"))
    for (const spec::YamlNode& part : node->members)
      read_part(part, parts, errors);
  top.finish();
  errors.throw_if_any();
  if (digest != digest_of(file))
    throw base::Error(
        {name},
        "the fit is of another chip file, '" + chip.substr(0, 40) + "'",
        "give the chip file that it was made with, or calibrate again");
  fit.twin = twin_of(file, fit, segments);
  fit.differs = true;
  return fit;
}

Fit read_fit(const std::string& path, const spec::Chip& file) {
  return parse_fit(base::read_file(path, kMostText), path, file);
}

}  // namespace lento::chip
