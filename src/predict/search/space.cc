#include <filesystem>

#include "base/number.h"
#include "predict/search/search.h"
#include "spec/yaml.h"

namespace lento::predict {
namespace {

using base::Dimension;
using spec::Fields;
using spec::YamlNode;

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

std::vector<Generation> generations(Fields& fields, const char* key, const std::vector<Generation>& known,
                                    base::ErrorList& errors) {
  std::vector<Generation> out;
  for (const std::string& name : texts(fields, key, errors)) {
    try {
      out.push_back(generation(known, name));
    } catch (const base::Error&) {
      std::vector<std::string> names;
      for (const Generation& g : known) names.push_back(g.name);
      fields.error(key, "'" + name + "' is not a known generation", base::suggestion(name, names));
    }
  }
  return out.empty() ? std::vector<Generation>{known.front()} : out;
}

void read_workload(const YamlNode& node, LanguageModel& m, base::ErrorList& errors) {
  Fields f(node, errors);
  f.quantity("batch", m.batch, Dimension::Plain, 1, 1e9);
  f.quantity("hidden", m.hidden, Dimension::Plain, 1, 1e7);
  f.quantity("vocabulary", m.vocabulary, Dimension::Plain, 1, 1e9);
  f.quantity("sequence", m.sequence, Dimension::Plain, 1, 4096);
  f.integer("layers", m.layers, 1, 1024);
  f.finish();
}

void read_power(Fields& fields, SearchSpace& space, base::ErrorList& errors) {
  for (const std::string& text : texts(fields, "power", errors)) {
    try {
      space.power.push_back(base::parse_quantity(text, Dimension::Power, {}));
    } catch (const base::Error& e) {
      fields.error("power", e.what());
    }
  }
  if (space.power.empty()) space.power = {space.base.budgets.power};
}

}  // namespace

SearchSpace read_search_space(const std::string& path) {
  const YamlNode root = spec::read_yaml(path);
  base::ErrorList errors;
  Fields top(root, errors);
  top.schema("lento.search/1");
  SearchSpace space;
  std::string base_file, parallelism = "all", resources = "optimise", memory = "must_fit";
  top.required_text("base", base_file);
  if (!base_file.empty())
    space.base = read_crossflow((std::filesystem::path(path).parent_path() / base_file).string());
  if (const YamlNode* model = top.map("workload")) read_workload(*model, space.base.model, errors);
  top.required_integer("nodes", space.nodes, 1, 1 << 16);
  space.logic = generations(top, "logic", logic_nodes(), errors);
  space.memory = generations(top, "memory", memory_generations(), errors);
  space.network = generations(top, "network", network_generations(), errors);
  if (top.has("package_dims")) {
    space.package_dims.clear();
    for (const std::string& text : texts(top, "package_dims", errors)) {
      const auto dim = base::try_int(text);
      if (dim && *dim >= 1 && *dim <= 64)
        space.package_dims.push_back(static_cast<int>(*dim));
      else
        top.error("package_dims", "'" + text.substr(0, 20) + "' is no side of a package, needed 1 to 64");
    }
  }
  top.choice("parallelism", parallelism, {"all", "data"});
  top.choice("resources", resources, {"optimise", "keep"});
  top.choice("memory_rule", memory, {"must_fit", "report"});
  top.choice("objective", space.objective, {"time", "energy"});
  top.integer("refine_best", space.refine_best, 1, 1000);
  read_power(top, space, errors);
  top.finish();
  errors.throw_if_any();
  space.all_parallelism = parallelism == "all";
  space.optimise_resources = resources == "optimise";
  space.must_fit = memory == "must_fit";
  return space;
}

}  // namespace lento::predict
