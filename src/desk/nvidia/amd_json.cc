// Reads JSON of amd-smi and rocm-smi: a tree of values for each GPU, with the same names as in the tools'
// text output.
//
//   amd-smi  = [ gpu ] | {"gpu_data": [ gpu ]}        gpu = {"gpu": N, SECTION: {NAME: value}}
//   value    = X | {"value": X, "unit": U} | {NAME: value}
//   rocm-smi = {"card0": {NAME: X}, ...}              NAME as in its CSV: "GPU use (%)"
//
// Sources: amd-smi metric, monitor and static --json of ROCm 6.0 to 7.0; rocm-smi --json of ROCm 5.
#include <algorithm>

#include "base/json.h"
#include "base/units.h"
#include "desk/nvidia/amd_fields.h"
#include "desk/nvidia/nvidia.h"

namespace lento::desk {
namespace {

using base::Json;

constexpr size_t kMostFields = 512;

std::string scalar_text(const Json& value) {
  if (value.is_number())
    return base::format_number(value.number({}), 12);
  return value.is_string() ? value.string({}) : "";
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
  return out;
}

struct Branch {
  const Json* value;
  std::string section;  // name of the enclosing object
  std::string name;
};

// Returns every value with the names of its two enclosing objects. Of a list, which holds the same quantity
// of several engines, the first element is kept.
Fields fields_of(const Json& gpu) {
  Fields fields;
  std::vector<Branch> open;
  for (const auto& [name, value] : gpu.members())
    open.push_back({&value, "", name});
  for (size_t i = 0; i < open.size() && i < kMostFields; ++i) {
    const Branch branch = open[i];
    const Json* value = branch.value;
    if (const Json* inner = value->find("value"))
      value = inner;
    if (value->is_array() && value->size() > 0)
      value = &value->items()[0];
    if (value->is_object()) {
      for (const auto& [name, child] : value->members())
        open.push_back({&child, branch.name, name});
      continue;
    }
    if (const std::string text = scalar_text(*value); !text.empty())
      add_amd_field(fields, upper(branch.section), upper(branch.name), text);
  }
  return fields;
}

class AmdJson : public Reader {
  void document(std::string_view text, const std::string& path, Sink& sink) override {
    const Json root = base::parse_json(text, path);
    const Json* list = root.find("gpu_data");
    list = list ? list : &root;
    constexpr size_t kMostGpus = 4096;
    for (size_t i = 0; i < list->items().size() && i < kMostGpus; ++i) {
      const Json* index = list->items()[i].find("gpu");
      if (index)
        write(list->items()[i], scalar_text(*index), sink);
    }
    for (const auto& [name, card] : root.members())
      if (name.starts_with("card") && card.is_object())
        write_card(name, card, sink);
    rows_.end(sink);
  }

  void write(const Json& gpu, const std::string& index, Sink& sink) {
    Fields fields = fields_of(gpu);
    fields.emplace_back("index", index);
    rows_.take(fields, sink);
  }

  void write_card(const std::string& name, const Json& card, Sink& sink) {
    Fields fields{{"index", name}};
    for (const auto& [column, value] : card.members())
      if (fields.size() < kMostFields)
        fields.emplace_back(field_name(column), scalar_text(value));
    rows_.take(fields, sink);
  }

  GpuRows rows_;
};

double score_amd_json(std::string_view head, std::string& reason) {
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos || (head[begin] != '{' && head[begin] != '['))
    return 0;
  const auto has = [&](std::string_view word) {
    return head.find(word) != head.npos;
  };
  const bool is_list = has("\"gpu_data\"") || head[begin] == '[';
  const bool is_amd = is_list && has("\"gpu\"") &&
                      (has("gfx_activity") || has("socket_power") || has("\"hotspot") || has("gfx_clk"));
  const bool is_rocm = has("\"card0\"") && (has("GPU use (%)") || has("(Sensor ") || has("clock speed:"));
  if (!is_amd && !is_rocm)
    return 0;
  reason = is_amd ? "it has the members of amd-smi" : "it has the members of rocm-smi";
  return 0.95;
}

}  // namespace

const Format kAmdJson{
    "amd-smi or rocm-smi as JSON",
    "nvidia",
    {},
    Shape::Document,
    make<AmdJson>,
    score_amd_json,
    "",
    "memory errors and clocks of GPUs"};

}  // namespace lento::desk
