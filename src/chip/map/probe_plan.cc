// Reads, writes and generates probe plans, and computes the cost of a record from its place, bytes and
// structure. A plan is a list of five-tuples. A generated plan holds only probes that can fire.
#include "chip/map/probe_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "spec/yaml.h"

namespace lento::chip {
namespace {

constexpr int kRecordKinds = 4;  // compute, message, read, write
const std::vector<std::string> kFragments{"execution", "route", "memory"};
const std::vector<std::string> kTypes{"compute", "communication", "memory"};
const std::vector<std::string> kPlaces{"before", "after", "around"};
const std::vector<std::string> kLevels{"instruction"};
const std::vector<std::string> kStructures{"list", "sketch"};

Probe::Type type_of_kind(int kind) {
  return kind == 0 ? Probe::Type::Compute : kind == 1 ? Probe::Type::Communication : Probe::Type::InputOutput;
}

Probe probe_of(Probe::Type type) {
  Probe probe;
  probe.type = type;
  // The fragment (where a probe sits) follows from the type: execution for Compute, route for Communication,
  // memory for InputOutput.
  probe.fragment = static_cast<Probe::Fragment>(type);
  return probe;
}

bool concerns(const Probe& probe, Probe::Type type, int layer) {
  return probe.type == type &&
         (probe.layers.empty() || std::ranges::find(probe.layers, layer) != probe.layers.end());
}

template <class Enum>
void choose(spec::Fields& fields, std::string_view key, Enum& out, const std::vector<std::string>& words) {
  std::string word = words[size_t(out)];
  fields.choice(key, word, words);
  out = static_cast<Enum>(std::ranges::find(words, word) - words.begin());
}

void read_layers(spec::Fields& fields, Probe& probe) {
  std::vector<const spec::YamlNode*> nodes;
  fields.list("layers", nodes);
  for (const spec::YamlNode* node : nodes) {
    const auto id = node->kind == spec::YamlNode::Kind::Scalar ? base::try_int(node->text) : std::nullopt;
    if (id && *id >= 0 && *id <= 1 << 20) {
      probe.layers.push_back(int(*id));
    } else {
      fields.error("layers", "needed a list of layer ids");
    }
  }
}

}  // namespace

bool ProbePlan::covers(Probe::Type type, int layer) const {
  return std::ranges::any_of(probes, [&](const Probe& p) {
    return concerns(p, type, layer);
  });
}

ProbePlan named_plan(const std::string& name) {
  ProbePlan plan;
  const bool full = name == "full";
  if (full || name == "compute")
    plan.probes.push_back(probe_of(Probe::Type::Compute));
  if (full || name == "communication")
    plan.probes.push_back(probe_of(Probe::Type::Communication));
  if (full)
    plan.probes.push_back(probe_of(Probe::Type::InputOutput));
  if (plan.probes.empty() && name != "none") {
    throw base::Error({}, "probe plan '" + name + "' is not known", base::suggestion(name, kPlanNames));
  }
  return plan;
}

ProbePlan generate_plan(const Mapping& mapping) {
  Probe compute = probe_of(Probe::Type::Compute);
  Probe message = probe_of(Probe::Type::Communication);
  Probe memory = probe_of(Probe::Type::InputOutput);
  for (const MappedLayer& layer : mapping.layers) {
    if (layer.kind != LayerKind::Transpose)
      compute.layers.push_back(layer.id);
    const auto receives = [](const InputFeature& f) {
      return !f.from_dram && f.source_layer >= 0;
    };
    const auto reads = [](const InputFeature& f) {
      return f.from_dram || f.source_layer < 0;
    };
    const auto writes = [](const OutputFeature& f) {
      return f.to_dram;
    };
    const auto weighs = [](const WeightFeature& f) {
      return !f.blocks.empty();
    };
    if (std::ranges::any_of(layer.inputs, receives))
      message.layers.push_back(layer.id);
    if (std::ranges::any_of(layer.inputs, reads) || std::ranges::any_of(layer.outputs, writes) ||
        std::ranges::any_of(layer.weights, weighs)) {
      memory.layers.push_back(layer.id);
    }
  }
  ProbePlan plan;
  for (const Probe& probe : {compute, message, memory}) {
    if (!probe.layers.empty())
      plan.probes.push_back(probe);
  }
  return plan;
}

ProbePlan parse_plan(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields top(root, errors);
  top.schema("lento.probes/1");
  std::vector<const spec::YamlNode*> nodes;
  top.list("probes", nodes);
  top.finish();
  ProbePlan plan;
  for (const spec::YamlNode* node : nodes) {
    spec::Fields fields(*node, errors);
    Probe probe;
    choose(fields, "type", probe.type, kTypes);
    probe.fragment = static_cast<Probe::Fragment>(probe.type);
    choose(fields, "fragment", probe.fragment, kFragments);
    choose(fields, "place", probe.place, kPlaces);
    choose(fields, "level", probe.level, kLevels);
    choose(fields, "structure", probe.structure, kStructures);
    read_layers(fields, probe);
    fields.finish();
    plan.probes.push_back(std::move(probe));
  }
  errors.throw_if_any();
  return plan;
}

ProbePlan read_plan(const std::string& path) {
  return parse_plan(base::read_file(path, 16 << 20), path);
}

std::string write_plan(const ProbePlan& plan) {
  std::string out = "schema: lento.probes/1\nprobes:\n";
  for (const Probe& probe : plan.probes) {
    out += "  - type: " + kTypes[size_t(probe.type)] + "\n";
    out += "    fragment: " + kFragments[size_t(probe.fragment)] + "\n";
    out += "    place: " + kPlaces[size_t(probe.place)] + "\n";
    out += "    level: " + kLevels[size_t(probe.level)] + "\n";
    out += "    structure: " + kStructures[size_t(probe.structure)] + "\n";
    if (probe.layers.empty())
      continue;
    out += "    layers: [";
    for (size_t i = 0; i < probe.layers.size(); ++i) {
      out.append(i == 0 ? "" : ", ").append(std::to_string(probe.layers[i]));
    }
    out += "]\n";
  }
  return out;
}

uint32_t record_cost(const Probe& probe, const spec::Chip& chip) {
  const int reads = probe.place == Probe::Place::Around ? 2 : 1;
  double cycles = reads * double(chip.probe.clock_read_cycles) +
                  std::ceil(chip.probe.record_bytes / chip.core.scratchpad_bytes_per_cycle);
  if (probe.structure == Probe::Structure::Sketch)
    cycles += chip.probe.sketch_insert_cycles;
  return uint32_t(std::min(cycles, 1e9));
}

// Returns the cycles that recording costs, by kind of record and layer. -1: not recorded.
std::vector<int32_t>
cost_table(const ProbePlan& plan, const std::vector<int>& layer_ids, const spec::Chip& chip) {
  std::vector<int32_t> costs(kRecordKinds * layer_ids.size(), -1);
  for (int kind = 0; kind < kRecordKinds; ++kind) {
    for (size_t i = 0; i < layer_ids.size(); ++i) {
      for (const Probe& probe : plan.probes) {
        if (!concerns(probe, type_of_kind(kind), layer_ids[i]))
          continue;
        int32_t& cost = costs[kind * layer_ids.size() + i];
        cost = std::max(cost, int32_t(record_cost(probe, chip)));
      }
    }
  }
  return costs;
}

}  // namespace lento::chip
