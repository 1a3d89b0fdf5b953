// Strict YAML reading with the place of every error.
//
//   const YamlNode root = read_yaml("chip.yaml");   // syntax errors are located
//   Fields top(root, errors);                       // errors: base::ErrorList
//   top.schema("lento.chip/1");                    // the first key of every config
//   double clock = 1e9;
//   top.quantity("clock", clock, Dimension::Frequency);          // optional: keeps the default
//   top.required_integer("width", width, 1, 1024);
//   top.finish();                                  // unknown keys are errors, with the nearest legal one
//   errors.throw_if_any();                         // several errors in one run
//
// Limits: 16 MiB of text and nesting of 64. Aliases, which can expand without bound, and duplicate keys are
// refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace lento::spec {

// A value of a YAML tree, copied out of the library: scalar text, a list or a mapping.
struct YamlNode {
  enum class Kind {
    Null,
    Scalar,
    List,
    Map
  };
  Kind kind = Kind::Null;
  base::Location where;
  std::string text;               // Scalar
  std::string key;                // of this node, when it is a member of a Map
  std::vector<YamlNode> items;    // List
  std::vector<YamlNode> members;  // Map, in file order

  const YamlNode* find(std::string_view name) const;  // Map: nullptr when absent
};

YamlNode read_yaml(const std::string& path);  // "-" is standard input
YamlNode parse_yaml(const std::string& text, const std::string& file);

// Reads the members of one mapping. A getter keeps `out` unchanged when the key is absent. When the value
// does not fit it records an error and keeps `out` too. required_* record an error when the key is absent.
class Fields {
 public:
  Fields(const YamlNode& node, base::ErrorList& errors);

  void schema(std::string_view expected);
  bool has(std::string_view key) const;

  void text(std::string_view key, std::string& out);
  void choice(std::string_view key, std::string& out, const std::vector<std::string>& legal);
  void boolean(std::string_view key, bool& out);
  void integer(std::string_view key, int64_t& out, int64_t min, int64_t max);
  void integer(std::string_view key, int& out, int min, int max);
  void
  quantity(std::string_view key, double& out, base::Dimension dimension, double min = 0, double max = 1e300);
  void list(std::string_view key, std::vector<const YamlNode*>& out);  // the nodes of a list
  const YamlNode* map(std::string_view key);                           // a nested mapping, or nullptr

  void required_text(std::string_view key, std::string& out);
  void required_integer(std::string_view key, int& out, int min, int max);
  void required_quantity(
      std::string_view key,
      double& out,
      base::Dimension dimension,
      double min = 0,
      double max = 1e300);

  void error(std::string_view key, std::string_view message, std::string_view hint = {});  // at that key
  void finish();

 private:
  const YamlNode* take(std::string_view key);
  void require(std::string_view key);

  const YamlNode& node_;
  base::ErrorList& errors_;
  std::vector<std::string> known_;
};

}  // namespace lento::spec
