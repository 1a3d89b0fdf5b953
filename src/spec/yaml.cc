// Reads YAML strictly. yaml-cpp's own tree expands aliases, by which a short hostile file can fill memory, so
// a handler of its events builds our tree with bounds on size and depth. Fields then reads one mapping and
// records every error with its place.
#include "spec/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "base/file.h"
#include "base/number.h"

namespace lento::spec {
namespace {

using base::Error;
using base::Location;

constexpr size_t kMaxBytes = size_t{16} << 20;
constexpr int kMaxDepth = 64;

// Builds a YamlNode from the parser's events, so that a hostile alias is refused before it can expand.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file)
      : file_(file) {
  }
  YamlNode take() {
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark&) override {
  }
  void OnDocumentEnd() override {
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add({YamlNode::Kind::Null, at(mark), {}, {}, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Error(at(mark), "aliases (*name) are not accepted", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string& value)
      override {
    add({YamlNode::Kind::Scalar, at(mark), value, {}, {}, {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value)
      override {
    open({YamlNode::Kind::List, at(mark), {}, {}, {}, {}});
  }
  void OnSequenceEnd() override {
    close();
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value)
      override {
    open({YamlNode::Kind::Map, at(mark), {}, {}, {}, {}});
  }
  void OnMapEnd() override {
    close();
  }

 private:
  struct Open {
    YamlNode node;
    std::string key;
    bool has_key = false;
    std::unordered_set<std::string> keys = {};
  };

  Location at(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1, {}};
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = open_.back();
    if (top.node.kind == YamlNode::Kind::List) {
      top.node.items.push_back(std::move(node));
    } else if (!top.has_key) {
      if (node.kind != YamlNode::Kind::Scalar)
        throw Error(node.where, "a key must be plain text");
      if (!top.keys.insert(node.text).second)
        throw Error(node.where, "key '" + node.text + "' stands twice");
      top.key = std::move(node.text);
      top.has_key = true;
    } else {
      node.key = std::move(top.key);
      top.node.members.push_back(std::move(node));
      top.has_key = false;
    }
  }

  // Opens a map or list.
  void open(YamlNode node) {
    if (open_.size() >= kMaxDepth)
      throw Error(node.where, "nested deeper than 64");
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::Map && !open_.back().has_key) {
      throw Error(node.where, "a key must be plain text");
    }
    open_.push_back({std::move(node), {}, false});
  }

  void close() {
    YamlNode done = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(done));
  }

  const std::string& file_;
  YamlNode root_;
  std::vector<Open> open_;
};

// Removes "error: " from a message, because the list that collects it adds that prefix again.
std::string_view unprefixed(std::string_view message) {
  constexpr std::string_view kPrefix = "error: ";
  if (message.starts_with(kPrefix))
    return message.substr(kPrefix.size());
  return message;
}

std::string shown(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "nothing";
    case YamlNode::Kind::Scalar:
      return "'" + node.text.substr(0, 60) + "'";
    case YamlNode::Kind::List:
      return "a list";
    case YamlNode::Kind::Map:
      return "a mapping";
  }
  return "";
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  for (const YamlNode& member : members) {
    if (member.key == name)
      return &member;
  }
  return nullptr;
}

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  if (text.size() > kMaxBytes)
    throw Error({file}, "larger than 16 MiB, too large for a YAML file");
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Builder builder(file);
    if (!parser.HandleNextDocument(builder))
      return {YamlNode::Kind::Null, {file, 1, 1, {}}, {}, {}, {}, {}};
    YamlNode root = builder.take();
    Builder second(file);
    if (parser.HandleNextDocument(second))
      throw Error(second.take().where, "a second document in one file", "keep one, without the line '---'");
    return root;
  } catch (const YAML::Exception& e) {
    throw Error({file, e.mark.line + 1, e.mark.column + 1, {}}, "not valid YAML: " + e.msg);
  }
}

YamlNode read_yaml(const std::string& path) {
  return parse_yaml(base::read_file(path, kMaxBytes), path);
}

Fields::Fields(const YamlNode& node, base::ErrorList& errors)
    : node_(node),
      errors_(errors) {
  if (node.kind != YamlNode::Kind::Map)
    errors_.add(node.where, "found " + shown(node) + ", needed 'key: value' lines");
}

const YamlNode* Fields::take(std::string_view key) {
  known_.emplace_back(key);
  const YamlNode* found = node_.find(key);
  if (found && found->kind != YamlNode::Kind::Null)
    return found;
  return nullptr;
}

void Fields::require(std::string_view key) {
  const YamlNode* found = node_.find(key);
  if (node_.kind == YamlNode::Kind::Map && (!found || found->kind == YamlNode::Kind::Null)) {
    errors_.add(node_.where, "'" + std::string(key) + "' is missing");
  }
}

bool Fields::has(std::string_view key) const {
  return node_.find(key) != nullptr;
}

// Checks the schema of a file. Throws base::Error for a file of another kind, notes an error for another
// version.
void Fields::schema(std::string_view expected) {
  const YamlNode* found = take("schema");
  if (found && found->text == expected)
    return;
  // A file of another kind stops the reading, because an error for each of its keys would only repeat that. A
  // file of another version goes on, because some keys may fit.
  const auto kind = [](std::string_view schema) {
    return schema.substr(0, schema.find('/'));
  };
  if (found && found->text.starts_with("lento.") && kind(found->text) != kind(expected)) {
    throw base::Error(
        found->where,
        "found schema " + shown(*found) + ", needed '" + std::string(expected) + "'",
        "this is a file of another kind");
  }
  errors_.add(
      found ? found->where : node_.where,
      found ? "found schema " + shown(*found) + ", needed '" + std::string(expected) + "'"
            : "'schema' is missing",
      found && kind(found->text) == kind(expected)
          ? "this Lento reads another version of the format: take the Lento that the file was written for"
          : "the first line must be 'schema: " + std::string(expected) + "'");
}

// Reads a text.
void Fields::text(std::string_view key, std::string& out) {
  const YamlNode* found = take(key);
  if (!found)
    return;
  if (found->kind == YamlNode::Kind::Scalar) {
    out = found->text;
  } else {
    errors_.add(found->where, "found " + shown(*found) + " for '" + std::string(key) + "', needed text");
  }
}

// Reads one of the legal words.
void Fields::choice(std::string_view key, std::string& out, const std::vector<std::string>& legal) {
  std::string value = out;
  text(key, value);
  if (std::ranges::find(legal, value) != legal.end()) {
    out = value;
  } else if (const YamlNode* found = node_.find(key); found && found->kind == YamlNode::Kind::Scalar) {
    errors_.add(
        found->where,
        "'" + value + "' is not a legal '" + std::string(key) + "'",
        base::suggestion(value, legal));
  }
}

// Reads true or false.
void Fields::boolean(std::string_view key, bool& out) {
  const YamlNode* found = take(key);
  if (!found)
    return;
  if (found->text == "true") {
    out = true;
  } else if (found->text == "false") {
    out = false;
  } else {
    errors_.add(
        found->where,
        "found " + shown(*found) + " for '" + std::string(key) + "', needed true or false");
  }
}

// Reads an integer within limits.
void Fields::integer(std::string_view key, int64_t& out, int64_t min, int64_t max) {
  const YamlNode* found = take(key);
  if (!found)
    return;
  const auto value = found->kind == YamlNode::Kind::Scalar ? base::try_int(found->text) : std::nullopt;
  if (value && *value >= min && *value <= max) {
    out = *value;
    return;
  }
  errors_.add(
      found->where,
      "found " + shown(*found) + " for '" + std::string(key) + "', needed a whole number from " +
          std::to_string(min) + " to " + std::to_string(max));
}

void Fields::integer(std::string_view key, int& out, int min, int max) {
  int64_t wide = out;
  integer(key, wide, int64_t{min}, int64_t{max});
  out = int(wide);
}

// Reads a quantity with its unit, as an SI value within limits.
void Fields::quantity(std::string_view key, double& out, base::Dimension dimension, double min, double max) {
  const YamlNode* found = take(key);
  if (!found)
    return;
  try {
    const double value =
        base::parse_quantity(found->kind == YamlNode::Kind::Scalar ? found->text : "", dimension, {});
    if (value >= min && value <= max) {
      out = value;
      return;
    }
    errors_.add(
        found->where,
        "'" + std::string(key) + "' is " + found->text + ", needed a value from " +
            base::format_quantity(min, dimension) +
            (max < 1e299 ? " to " + base::format_quantity(max, dimension) : " up"));
  } catch (const Error& e) {
    errors_.add(found->where, "'" + std::string(key) + "': " + std::string(unprefixed(e.what())));
  }
}

void Fields::list(std::string_view key, std::vector<const YamlNode*>& out) {
  const YamlNode* found = take(key);
  if (!found)
    return;
  if (found->kind != YamlNode::Kind::List) {
    errors_.add(found->where, "found " + shown(*found) + " for '" + std::string(key) + "', needed a list");
    return;
  }
  for (const YamlNode& item : found->items)
    out.push_back(&item);
}

const YamlNode* Fields::map(std::string_view key) {
  const YamlNode* found = take(key);
  if (!found || found->kind == YamlNode::Kind::Map)
    return found;
  errors_.add(
      found->where,
      "found " + shown(*found) + " for '" + std::string(key) + "', needed 'key: value' lines");
  return nullptr;
}

void Fields::required_text(std::string_view key, std::string& out) {
  require(key);
  text(key, out);
}

void Fields::required_integer(std::string_view key, int& out, int min, int max) {
  require(key);
  integer(key, out, min, max);
}

// Reads a quantity that must be present.
void Fields::required_quantity(
    std::string_view key,
    double& out,
    base::Dimension dimension,
    double min,
    double max) {
  require(key);
  quantity(key, out, dimension, min, max);
}

void Fields::error(std::string_view key, std::string_view message, std::string_view hint) {
  const YamlNode* found = node_.find(key);
  errors_.add(found ? found->where : node_.where, unprefixed(message), hint);
}

// Reports unknown keys.
void Fields::finish() {
  for (const YamlNode& member : node_.members) {
    if (std::ranges::find(known_, member.key) != known_.end())
      continue;
    errors_.add(
        member.where,
        "unknown key '" + member.key.substr(0, 60) + "'",
        base::suggestion(member.key, known_));
  }
}

}  // namespace lento::spec
