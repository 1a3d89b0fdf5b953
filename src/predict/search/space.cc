// Reads a search space (docs/formats/search.md). All mistakes of the file are reported in one error, and the
// digest of all files that decide the results becomes part of the journal's identity.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/number.h"
#include "predict/search/search.h"
#include "predict/time/workload.h"
#include "spec/yaml.h"

namespace lento::predict {
namespace {

using base::Dimension;
using spec::Fields;
using spec::YamlNode;

// Returns the scalars of a list field. Other entries become errors of the file.
std::vector<std::string> texts(Fields& fields, const char* key, base::ErrorList& errors) {
  std::vector<const YamlNode*> nodes;
  fields.list(key, nodes);
  std::vector<std::string> out;
  for (const YamlNode* node : nodes) {
    if (node->kind == YamlNode::Kind::Scalar)
      out.push_back(node->text);
    else
      errors.add(node->where, "needed text");
  }
  return out;
}

// Returns the generations of technology named in a list field. Unknown names become errors of the file.
std::vector<Generation>
generations(Fields& fields, const char* key, const std::vector<Generation>& known, base::ErrorList& errors) {
  std::vector<Generation> out;
  for (const std::string& name : texts(fields, key, errors)) {
    try {
      out.push_back(generation(known, name));
    } catch (const base::Error&) {
      std::vector<std::string> names;
      for (const Generation& g : known)
        names.push_back(g.name);
      fields.error(key, "'" + name + "' is not a known generation", base::suggestion(name, names));
    }
  }
  return out.empty() ? std::vector<Generation>{known.front()} : out;
}

void read_language_model(const YamlNode& node, Job& job, base::ErrorList& errors) {
  LanguageModel& m = job.language_model;
  Fields f(node, errors);
  f.text("name", job.name);
  f.quantity("batch", m.batch, Dimension::Plain, 1, 1e9);
  f.quantity("hidden", m.hidden, Dimension::Plain, 1, 1e7);
  f.quantity("vocabulary", m.vocabulary, Dimension::Plain, 1, 1e9);
  f.quantity("sequence", m.sequence, Dimension::Plain, 1, 4096);
  f.integer("layers", m.layers, 1, 1024);
  f.finish();
}

void read_transformer_shape(const YamlNode& node, Job& job, base::ErrorList& errors) {
  Transformer& m = job.training->model;
  Fields f(node, errors);
  f.text("name", job.name);
  read_transformer(f, m);
  f.integer("global_batch", job.training->global_batch, 1, 1 << 23);
  f.finish();
  check_transformer(m, 1, 1, node.where);
}

// Reads the workload of a space. A mapping overrides fields of the base design's language model. A text
// names the file of a training workload.
Job read_workload(
    Fields& top,
    const YamlNode* node,
    const std::filesystem::path& folder,
    const LanguageModel& base,
    base::ErrorList& errors) {
  Job job;
  job.language_model = base;
  if (!node || node->kind != YamlNode::Kind::Scalar) {
    if (const YamlNode* fields = top.map("workload"))
      read_language_model(*fields, job, errors);
    return job;
  }
  std::string file;
  top.text("workload", file);
  const Question q = read_workload((folder / file).string(), RunOptions{});
  if (const TrainingRun* run = std::get_if<TrainingRun>(&q.what))
    job.training = *run;
  else
    errors.add(
        node->where,
        "the workload '" + file + "' is no training run",
        "the search takes 'kind: training' or the base's language model");
  return job;
}

void read_jobs(
    Fields& top,
    const YamlNode& root,
    const std::filesystem::path& folder,
    SearchSpace& space,
    base::ErrorList& errors) {
  const Job first = read_workload(top, root.find("workload"), folder, space.base.model, errors);
  std::vector<const YamlNode*> shapes;
  top.list("shapes", shapes);
  for (const YamlNode* shape : shapes) {
    Job job = first;
    if (job.training)
      read_transformer_shape(*shape, job, errors);
    else
      read_language_model(*shape, job, errors);
    if (job.name.empty())
      job.name = "shape " + std::to_string(space.jobs.size() + 1);
    space.jobs.push_back(job);
  }
  if (space.jobs.empty())
    space.jobs.push_back(first);
}

// Returns the quantities of a list field in SI units. Values not above zero become errors of the file.
std::vector<double>
quantities(Fields& fields, const char* key, Dimension dimension, double fallback, base::ErrorList& errors) {
  std::vector<double> out;
  for (const std::string& text : texts(fields, key, errors)) {
    try {
      out.push_back(base::parse_quantity(text, dimension, {}));
      if (!(out.back() > 0))
        fields.error(key, "'" + text + "' is not above zero");
    } catch (const base::Error& e) {
      fields.error(key, e.what());
    }
  }
  return out.empty() ? std::vector<double>{fallback} : out;
}

void read_prices(const YamlNode& node, Prices& p, base::ErrorList& errors) {
  Fields f(node, errors);
  if (const YamlNode* wafer = f.map("wafer")) {
    Fields prices(*wafer, errors);
    for (const Generation& g : logic_nodes()) {
      double usd = 0;
      prices.quantity(g.name, usd, Dimension::Money, 0, 1e7);
      if (usd > 0)
        p.wafer_usd[g.name] = usd;
    }
    prices.finish();
  }
  double defects_per_cm2 = p.defects_per_mm2 * 100;
  double link_per_GBps = 0;
  double life_years = 4;
  double kWh = 0;
  f.quantity("defects_per_cm2", defects_per_cm2, Dimension::Plain, 0, 100);
  f.quantity("stack", p.stack_usd, Dimension::Money, 0, 1e6);
  f.quantity("node", p.node_usd, Dimension::Money, 0, 1e9);
  f.quantity("network_per_GBps", link_per_GBps, Dimension::Money, 0, 1e6);
  f.quantity("life_years", life_years, Dimension::Plain, 0.01, 100);
  f.quantity("electricity_per_kWh", kWh, Dimension::Money, 0, 1000);
  f.finish();
  p.defects_per_mm2 = defects_per_cm2 / 100;
  p.link_usd_per_Bps = link_per_GBps / 1e9;
  p.life_s = life_years * 365.25 * 86400;
  p.usd_per_joule = kWh / 3.6e6;
}

void read_goal(Fields& top, SearchSpace& space, base::ErrorList& errors) {
  std::string objective = "time";
  top.choice("objective", objective, {"time", "energy", "cost"});
  space.goal.measure = measure_of(objective);
  top.quantity("latency", space.goal.latency_s, Dimension::Time, 1e-9, 1e9);
  if (const YamlNode* prices = top.map("prices"))
    read_prices(*prices, space.goal.prices, errors);
  if (space.goal.measure != Measure::Cost)
    return;
  for (const Generation& g : space.logic) {
    if (!space.goal.prices.wafer_usd.count(g.name))
      top.error(
          "objective",
          "the cost of " + g.name + " is asked, but there is no price of its wafer",
          "add 'prices: {wafer: {" + g.name + ": 10000 USD}}'");
  }
}

void read_comparison(const YamlNode& node, SearchSpace& space, base::ErrorList& errors) {
  Fields f(node, errors);
  const std::vector<std::string> names = texts(f, "methods", errors);
  f.integer("seeds", space.seeds, 1, 10000);
  f.finish();
  if (!names.empty())
    space.methods.clear();
  for (const std::string& name : names) {
    try {
      space.methods.push_back(method_of(name));
    } catch (const base::Error& e) {
      f.error("methods", e.what());
    }
  }
}

void read_packages(Fields& top, SearchSpace& space, base::ErrorList& errors) {
  if (!top.has("package_dims"))
    return;
  space.package_dims.clear();
  for (const std::string& text : texts(top, "package_dims", errors)) {
    const auto dim = base::try_int(text);
    if (dim && *dim >= 1 && *dim <= 64)
      space.package_dims.push_back(int(*dim));
    else
      top.error("package_dims", "'" + text.substr(0, 20) + "' is no side of a package, needed 1 to 64");
  }
}

}  // namespace

SearchSpace read_search_space(const std::string& path) {
  const YamlNode root = spec::read_yaml(path);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  base::ErrorList errors;
  Fields top(root, errors);
  top.schema("lento.search/1");
  SearchSpace space;
  std::string base_file;
  std::string parallelism = "all";
  std::string resources = "optimise";
  std::string memory = "must_fit";
  top.required_text("base", base_file);
  if (!base_file.empty())
    space.base = read_crossflow((folder / base_file).string());
  read_jobs(top, root, folder, space, errors);
  top.required_integer("nodes", space.nodes, 1, 1 << 16);
  space.logic = generations(top, "logic", logic_nodes(), errors);
  space.memory = generations(top, "memory", memory_generations(), errors);
  space.network = generations(top, "network", network_generations(), errors);
  read_packages(top, space, errors);
  top.choice("parallelism", parallelism, {"all", "data"});
  top.choice("resources", resources, {"optimise", "keep"});
  top.choice("memory_rule", memory, {"must_fit", "report"});
  top.boolean("as_released", space.rules.as_released);
  top.integer("refine_best", space.refine_best, 1, 1000);
  space.power = quantities(top, "power", Dimension::Power, space.base.budgets.power, errors);
  space.chip_area =
      quantities(top, "chip_area", Dimension::Area, space.base.budgets.chip_area * 1e-6, errors);
  for (double& area : space.chip_area)
    area *= 1e6;
  read_goal(top, space, errors);
  if (const YamlNode* comparison = top.map("compare"))
    read_comparison(*comparison, space, errors);
  top.finish();
  errors.throw_if_any();
  space.all_parallelism = parallelism == "all";
  space.optimise_resources = resources == "optimise";
  space.rules.must_fit = memory == "must_fit";
  return space;
}

std::string identity_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::string text = base::read_file(path);
  std::string parts = text;
  const YamlNode root = spec::parse_yaml(text, path);
  for (const char* key : {"base", "workload"}) {
    const YamlNode* node = root.find(key);
    if (node && node->kind == YamlNode::Kind::Scalar)
      parts += base::read_file((folder / node->text).string());
  }
  return base::digest(parts);
}

}  // namespace lento::predict
