// Visits the objects of a document. An object with a name is a part, and one with a host's name is that host.
//
//   condition = {"type": KEY, "status": FLAG}        as Kubernetes and its operators state conditions
#include "desk/general/tree.h"

#include <array>
#include <cmath>

#include "base/units.h"
#include "desk/read/host_parts.h"

namespace lento::desk {
namespace {

using base::Json;

struct Node {
  const Json* json;
  std::string key;  // of the object in its parent
  Subject subject;
};

const std::string* text_member(const Json& object, std::string_view key) {
  static const std::string kNone;
  const Json* member = object.find(key);
  return member && member->is_string() && !member->string({}).empty() ? &member->string({}) : nullptr;
}

template <size_t N>
const std::string* first_text(const Json& object, const std::array<std::string_view, N>& keys) {
  for (const std::string_view key : keys)
    if (const std::string* text = text_member(object, key); text && text->size() <= kLongestName)
      return text;
  return nullptr;
}

std::string scalar_text(const Json& value) {
  if (value.is_string())
    return value.string({});
  if (value.is_bool())
    return value.boolean({}) ? "true" : "false";
  return value.is_number() ? base::format_number(value.number({}), 10) : "";
}

void name_subject(const Json& object, Subject& subject) {
  constexpr std::array<std::string_view, 6>
      kHosts{"hostname", "host", "nodeName", "node_name", "HostName", "node"};
  constexpr std::array<std::string_view, 9>
      kNames{"name", "Name", "Id", "id", "device", "Device", "interface", "ifname", "bdf"};
  if (const std::string* host = first_text(object, kHosts))
    subject.host = *host;
  const Json* metadata = object.find("metadata");
  const std::string* name = metadata ? first_text(*metadata, kNames) : first_text(object, kNames);
  if (!name) {
    for (const auto& [key, value] : object.members()) {
      const std::vector<std::string> words = label_words(key);
      const bool is_number = words.size() > 1 && words.back() == "index" && value.is_int();
      if (is_number)
        subject.device = words[words.size() - 2] + scalar_text(value);
    }
    return;
  }
  const std::string* kind = text_member(object, "kind");
  if ((kind && *kind == "Node") || (subject.host.empty() && is_host_word(*name)))
    subject.host = *name;
  else
    subject.device = *name;
}

}  // namespace

void walk_tree(const Json& root, Entries& entries, Sink& sink) {
  std::vector<Node> open{{&root, "", {}}};
  while (!open.empty()) {
    Node node = std::move(open.back());
    open.pop_back();
    for (const Json& item : node.json->items())
      if (item.is_object() || item.is_array())
        open.push_back({&item, node.key, node.subject});
    if (!node.json->is_object())
      continue;
    const std::string* type = text_member(*node.json, "type");
    const std::string* status = text_member(*node.json, "status");
    if (type && status) {
      entries.entry(*type, *status, node.subject, sink);
      continue;
    }
    name_subject(*node.json, node.subject);
    for (const auto& [key, value] : node.json->members()) {
      if (value.is_object() || value.is_array())
        open.push_back({&value, key, node.subject});
      else
        entries.entry(node.key.empty() ? key : node.key + " " + key, scalar_text(value), node.subject, sink);
    }
  }
}

}  // namespace lento::desk
