// Reads methods and recorders from YAML and expands every setting that is a list into one choice for each
// combination of values.
#include "lab/chip/choices.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/number.h"
#include "base/units.h"
#include "lab/chip/methods.h"

namespace lento::chip {
namespace {

using base::Error;
using spec::YamlNode;

constexpr size_t kMostCombinations = 10'000;

struct Setting {
  std::string name;
  std::vector<double> values;
};

std::vector<const YamlNode*> scalars(const YamlNode& node) {
  std::vector<const YamlNode*> out;
  if (node.kind == YamlNode::Kind::List) {
    for (const YamlNode& item : node.items)
      out.push_back(&item);
  } else {
    out.push_back(&node);
  }
  return out;
}

// Calls `use` with one value of every setting, the last one changing fastest.
void each_combination(
    const std::vector<Setting>& settings,
    const base::Location& where,
    const std::function<void(const std::vector<double>&, const std::string&)>& use) {
  size_t total = 1;
  for (const Setting& s : settings) {
    total *= s.values.size();
    if (total > kMostCombinations)
      throw Error(where, "more than " + std::to_string(kMostCombinations) + " combinations of values");
  }
  for (size_t i = 0; i < total; ++i) {
    std::vector<double> chosen(settings.size());
    std::string label;
    size_t rest = i;
    for (size_t k = settings.size(); k-- > 0;) {
      chosen[k] = settings[k].values[rest % settings[k].values.size()];
      rest /= settings[k].values.size();
    }
    for (size_t k = 0; k < settings.size(); ++k)
      if (settings[k].values.size() > 1)
        label += (label.empty() ? "" : ",") + settings[k].name + "=" + base::format_number(chosen[k]);
    use(chosen, label);
  }
}

void add_methods(const YamlNode& node, std::vector<MethodChoice>& out) {
  if (node.kind != YamlNode::Kind::Map)
    return out.push_back(parse_method(node.text, all_methods(), node.where));
  MethodChoice base_choice{"", "", {}, nullptr};
  std::vector<Setting> settings;
  for (const YamlNode& member : node.members) {
    if (member.key == "method") {
      base_choice.method = member.text;
    } else if (member.key == "label") {
      base_choice.label = member.text;
    } else {
      settings.push_back({member.key, {}});
      for (const YamlNode* n : scalars(member))
        settings.back().values.push_back(base::parse_double(n->text, n->where));
    }
  }
  if (base_choice.label.empty())
    base_choice.label = base_choice.method;
  each_combination(settings, node.where, [&](const std::vector<double>& values, const std::string& label) {
    MethodChoice choice = base_choice;
    if (!label.empty())
      choice.label += " " + label;
    for (size_t i = 0; i < values.size(); ++i)
      choice.values[settings[i].name] = values[i];
    choose(choice, all_methods(), node.where);
    out.push_back(std::move(choice));
  });
}

// A key of a recorder that takes numbers.
struct RecorderKey {
  const char* name;
  double least;
  double most;
  void (*set)(RecorderChoice&, double);
};
constexpr RecorderKey kRecorderKeys[] = {
    {"budget",
     512,
     1 << 30,
     [](RecorderChoice& r, double v) {
       r.options.budget_bytes = uint32_t(v);
     }},
    {"threshold",
     1,
     65535,
     [](RecorderChoice& r, double v) {
       r.options.threshold = uint32_t(v);
     }},
    {"bins",
     2,
     1024,
     [](RecorderChoice& r, double v) {
       r.most_bins = uint16_t(v);
     }},
    {"hashes",
     1,
     64,
     [](RecorderChoice& r, double v) {
       r.hashes = uint16_t(v);
     }},
    {"buckets",
     1,
     4096,
     [](RecorderChoice& r, double v) {
       r.buckets = uint16_t(v);
     }},
    {"entries",
     1,
     127,
     [](RecorderChoice& r, double v) {
       r.entries = uint16_t(v);
     }},
    {"as_printed",
     0,
     1,
     [](RecorderChoice& r, double v) {
       r.options.as_printed = v != 0;
     }},
    {"evict",
     0,
     3,
     [](RecorderChoice& r, double v) {
       r.options.eviction = static_cast<Eviction>(int(v));
     }},
};

double recorder_value(const std::string& key, const YamlNode& node) {
  static const std::vector<std::string> evictions{"earliest", "healthiest", "least-frequent", "random"};
  if (key == "budget")
    return base::parse_quantity(node.text, base::Dimension::Bytes, node.where);
  if (key == "as_printed") {
    if (node.text != "true" && node.text != "false")
      throw Error(node.where, "as_printed is " + node.text.substr(0, 40) + ", needed true or false");
    return node.text == "true";
  }
  if (key != "evict")
    return base::parse_double(node.text, node.where);
  const auto at = std::ranges::find(evictions, node.text);
  if (at == evictions.end())
    throw Error(
        node.where,
        "no eviction '" + node.text.substr(0, 40) + "'",
        base::suggestion(node.text, evictions));
  return double(at - evictions.begin());
}

const RecorderKey& recorder_key(const YamlNode& member) {
  std::vector<std::string> known{"kind", "label"};
  for (const RecorderKey& key : kRecorderKeys) {
    if (member.key == key.name)
      return key;
    known.emplace_back(key.name);
  }
  throw Error(
      member.where,
      "unknown key '" + member.key + "' of a recorder",
      base::suggestion(member.key, known));
}

Setting recorder_setting(const YamlNode& member) {
  const RecorderKey& key = recorder_key(member);
  Setting s{member.key, {}};
  for (const YamlNode* n : scalars(member)) {
    const double value = recorder_value(member.key, *n);
    const bool power = member.key == "buckets" || member.key == "bins";
    if (value < key.least || value > key.most || (power && !std::has_single_bit(uint32_t(value))))
      throw Error(
          n->where,
          member.key + " is " + n->text.substr(0, 40) + ", needed " + base::format_number(key.least) +
              " to " + base::format_number(key.most) + (power ? ", a power of two" : ""));
    s.values.push_back(value);
  }
  return s;
}

void add_recorders(const YamlNode& node, std::vector<RecorderChoice>& out) {
  RecorderChoice first;
  first.label.clear();
  std::vector<Setting> settings;
  std::string kind = "sketch";
  for (const YamlNode& member : node.members) {
    if (member.key == "kind") {
      kind = member.text;
    } else if (member.key == "label") {
      first.label = member.text;
    } else {
      settings.push_back(recorder_setting(member));
    }
  }
  if (kind != "sketch" && kind != "exact" && kind != "raw")
    throw Error(node.where, "no recorder '" + kind.substr(0, 40) + "'", "there are sketch, exact and raw");
  using Kind = RecorderChoice::Kind;
  first.kind = kind == "sketch" ? Kind::Sketch : kind == "exact" ? Kind::Exact : Kind::Raw;
  if (first.label.empty())
    first.label = kind;
  each_combination(settings, node.where, [&](const std::vector<double>& values, const std::string& label) {
    RecorderChoice choice = first;
    if (!label.empty())
      choice.label += " " + label;
    for (size_t i = 0; i < values.size(); ++i)
      for (const RecorderKey& key : kRecorderKeys)
        if (settings[i].name == key.name)
          key.set(choice, values[i]);
    out.push_back(std::move(choice));
  });
}

}  // namespace

std::vector<MethodChoice> read_methods(const std::vector<const YamlNode*>& items) {
  std::vector<MethodChoice> out;
  for (const YamlNode* item : items)
    add_methods(*item, out);
  return out;
}

std::vector<RecorderChoice> read_recorders(const std::vector<const YamlNode*>& items) {
  std::vector<RecorderChoice> out;
  for (const YamlNode* item : items)
    add_recorders(*item, out);
  return out;
}

}  // namespace lento::chip
