// Reads a campaign file. All errors of the file are collected and reported in one exception.
#include "lab/chip/campaign_file.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "chip/map/probe_plan.h"
#include "chip/read_network.h"
#include "lab/chip/choices.h"
#include "spec/yaml.h"

namespace lento::chip {
namespace {

using base::Dimension;
using base::ErrorList;
using spec::Fields;
using spec::YamlNode;

constexpr int kMaxCases = 100'000;
constexpr double kMaxRunShare = 1000;  // a slow run takes longer than the healthy one that shares count from

void read_tree(const YamlNode& node, ErrorList& errors, BinaryTree& tree) {
  Fields f(node, errors);
  f.integer("depth", tree.depth, 1, 12);
  f.integer("size", tree.size, 1, 4096);
  f.integer("passes", tree.passes, 1, 65536);
  f.choice("placement", tree.placement, {"rows", "compact", "scatter"});
  f.finish();
}

Campaign::Workload read_workload(const YamlNode& node, ErrorList& errors) {
  Campaign::Workload w;
  Fields f(node, errors);
  f.required_text("name", w.name);
  f.required_text("chip", w.chip);
  f.text("runs_on", w.runs_on);
  f.quantity("noise_of_cores", w.noise_of_cores, Dimension::Percent, 0, 0.3);
  f.quantity("noise_of_links", w.noise_of_links, Dimension::Percent, 0, 2);
  f.text("mapping", w.mapping);
  f.text("model", w.model);
  f.integer("batch", w.batch, 1, 65536);
  f.integer("tokens", w.run.tokens, 0, w.run.kMostTokens);
  f.integer("context", w.run.context, 0, w.run.kMostTokens);
  f.integer("steps", w.run.steps, 0, w.run.kMostSteps);
  f.quantity("expert_skew", w.run.expert_skew, Dimension::Plain, 0, w.run.kMostSkew);
  f.integer("layers", w.run.layers, 0, w.run.kMostLayers);
  for (const char* key : {"tokens", "context", "steps", "expert_skew", "layers"})
    if (f.has(key) && !is_model_config(w.model))
      f.error(key, "only of a 'model' that is a config.json");
  if (const YamlNode* tree = f.map("binary_tree")) {
    w.is_tree = true;
    read_tree(*tree, errors, w.tree);
  }
  if (int(!w.mapping.empty()) + int(!w.model.empty()) + int(w.is_tree) != 1) {
    errors.add(node.where, "a workload needs exactly one of 'mapping', 'model' and 'binary_tree'");
  }
  f.finish();
  return w;
}

Mismatch read_mismatch(const YamlNode& node, ErrorList& errors) {
  Mismatch m;
  Fields f(node, errors);
  f.required_text("name", m.name);
  f.quantity("links", m.links, Dimension::Percent, 0, 0.9);
  f.quantity("dram", m.dram, Dimension::Percent, 0, 0.9);
  f.quantity("memory_units", m.memory_units, Dimension::Percent, 0, 0.9);
  f.quantity("cores", m.cores, Dimension::Percent, 0, 0.9);
  f.quantity("parts", m.parts, Dimension::Percent, 0, 0.9);
  f.integer("buffers", m.buffers, 1, 64);
  f.quantity("noise_of_cores", m.noise_of_cores, Dimension::Percent, 0, 0.3);
  f.quantity("noise_of_links", m.noise_of_links, Dimension::Percent, 0, 2);
  f.finish();
  return m;
}

template <class Number, class Parse>
void read_list(Fields& f, std::string_view key, std::vector<Number>& out, Parse parse) {
  std::vector<const YamlNode*> nodes;
  f.list(key, nodes);
  if (nodes.empty())
    return;
  out.clear();
  for (const YamlNode* n : nodes)
    out.push_back(parse(*n));
}

void read_faults_part(const YamlNode& node, ErrorList& errors, Campaign& c) {
  Fields f(node, errors);
  f.text("files", c.fault_files);
  f.integer("cores", c.draw.cores, 0, kMaxCases);
  f.integer("links", c.draw.links, 0, kMaxCases);
  f.integer("routers", c.draw.routers, 0, kMaxCases);
  f.integer("memory_units", c.draw.memory_units, 0, kMaxCases);
  f.integer("dram_ports", c.draw.dram_ports, 0, kMaxCases);
  f.integer("chip_links", c.draw.chip_links, 0, kMaxCases);
  f.integer("together", c.draw.together, 1, 8);
  f.quantity("longest", c.draw.longest_s, Dimension::Time, 1e-9, 1e6);
  f.quantity("run_share", c.draw.run_share, Dimension::Percent, 0, kMaxRunShare);
  f.choice("shape", c.draw.shape, {"steady", "ramp", "on_off"});
  int64_t seed = int64_t(c.draw.seed);
  f.integer("seed", seed, 0, INT64_MAX);
  c.draw.seed = uint64_t(seed);
  read_list(f, "factors", c.factors, [](const YamlNode& n) {
    const double v = base::parse_double(n.text, n.where);
    if (v < 1 || v > 1e6)
      throw base::Error(n.where, "a factor of " + n.text.substr(0, 40) + ", needed 1 to 1,000,000");
    return v;
  });
  f.finish();
}

void resolve(std::string& path, const std::filesystem::path& folder) {
  if (!path.empty() && std::filesystem::path(path).is_relative())
    path = (folder / path).lexically_normal().string();
}

// Makes every map of a folder a workload of its own, named after its file.
void add_map_folder(const YamlNode& node, ErrorList& errors, const std::filesystem::path& base, Campaign& c) {
  std::string folder;
  std::string chip;
  Fields f(node, errors);
  f.required_text("folder", folder);
  f.required_text("chip", chip);
  f.finish();
  resolve(folder, base);
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      paths.push_back(entry.path().string());
  if (error || paths.empty())
    errors.add(node.where, "no map files (*.json) in '" + folder + "'");
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    Campaign::Workload w;
    w.name = std::filesystem::path(path).filename().replace_extension().replace_extension().string();
    w.chip = chip;
    w.mapping = std::filesystem::absolute(path).string();
    c.workloads.push_back(std::move(w));
  }
}

void read_methods_part(Fields& f, Campaign& c) {
  std::vector<const YamlNode*> nodes;
  f.list("methods", nodes);
  if (!nodes.empty())
    c.methods = read_methods(nodes);
  nodes.clear();
  f.list("recorders", nodes);
  if (!nodes.empty())
    c.recorders = read_recorders(nodes);
  read_list(f, "probes", c.probes, [](const YamlNode& n) {
    named_plan(n.text);
    return n.text;
  });
}

}  // namespace

Campaign parse_campaign(const std::string& text, const std::string& file) {
  const YamlNode root = spec::parse_yaml(text, file);
  ErrorList errors;
  Campaign c;
  Fields f(root, errors);
  f.schema("lento.campaign/1");
  f.text("title", c.title);
  f.integer("inferences", c.inferences, 1, 4096);
  f.integer("clean_runs", c.clean_runs, 0, kMaxCases);
  f.integer("altered_runs", c.altered_runs, 0, kMaxCases);
  f.integer("altered_structures", c.altered_structures, 1, 1000);
  f.boolean("training_only", c.training_only);
  f.quantity("lost_records", c.lost_records, Dimension::Percent, 0, 1);
  f.boolean("healthy_run", c.healthy_run);
  f.boolean("replay", c.replay);
  read_list(f, "seeds", c.seeds, [](const YamlNode& n) {
    return uint64_t(base::parse_int(n.text, n.where, 0));
  });
  read_methods_part(f, c);
  std::vector<const YamlNode*> mismatches;
  f.list("mismatches", mismatches);
  if (!mismatches.empty())
    c.mismatches.clear();
  for (const YamlNode* m : mismatches)
    c.mismatches.push_back(read_mismatch(*m, errors));
  if (const YamlNode* faults = f.map("faults"))
    read_faults_part(*faults, errors, c);
  std::vector<const YamlNode*> workloads;
  f.list("workloads", workloads);
  for (const YamlNode* w : workloads)
    c.workloads.push_back(read_workload(*w, errors));
  // A symbolic link is followed first: paths are relative to the folder of its target.
  std::error_code none;
  std::filesystem::path own = file;
  if (std::filesystem::is_symlink(own, none))
    own = std::filesystem::canonical(own, none);
  const auto folder = own.parent_path();
  std::vector<const YamlNode*> maps;
  f.list("maps", maps);
  for (const YamlNode* m : maps)
    add_map_folder(*m, errors, folder, c);
  if (c.workloads.empty())
    errors.add(root.where, "a campaign needs 'workloads' or 'maps'");
  f.finish();
  errors.throw_if_any();
  for (auto& w : c.workloads) {
    resolve(w.chip, folder);
    resolve(w.runs_on, folder);
    resolve(w.mapping, folder);
    resolve(w.model, folder);
  }
  resolve(c.fault_files, folder);
  return c;
}

Campaign read_campaign(const std::string& path) {
  return parse_campaign(base::read_file(path, 16 << 20), path);
}

}  // namespace lento::chip
