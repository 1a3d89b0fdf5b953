// Visits the objects of a document. The subject of an object's members is what the object or those around it
// name: a host by a host's name, a device by any other name. Inside an object with the identity of a machine
// ("InstanceId") the machine remains the subject, and the names of objects are those of checks.
//
//   condition = {"type": KEY, "status": FLAG}        as Kubernetes and its operators state conditions
#include "desk/general/tree.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "desk/general/states.h"
#include "desk/read/host_parts.h"
#include "desk/read/rank_word.h"

namespace lento::desk {
namespace {

using base::Json;

struct Node {
  const Json* json;
  std::string key;  // of the object in its parent
  Subject subject;
  bool is_identified = false;
  bool is_alert = false;  // its state is that of a notice, and a good one shows no health
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

// Sets the subject to the machine whose identity an object states ("InstanceId", "nodeId", "host_id").
// Returns whether it states one.
bool identify(const Json& object, Subject& subject) {
  constexpr std::array<std::string_view, 5> kMachines{"instance", "node", "host", "machine", "server"};
  for (const auto& [key, value] : object.members()) {
    const std::vector<std::string> words = label_words(key);
    const bool is_id = words.size() == 2 && words[1] == "id" && value.is_string() &&
                       value.string({}).size() <= kLongestName && !value.string({}).empty();
    if (is_id && std::ranges::find(kMachines, words[0]) != kMachines.end()) {
      subject = {value.string({}), "", ""};
      return true;
    }
  }
  return false;
}

// Returns whether a text begins with the name of an exception: "torch.AcceleratorError: CUDA error ...".
bool states_exception(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  return word.size() < text.size() && (word.ends_with("Error:") || word.ends_with("Exception:"));
}

void name_subject(const Json& object, Subject& subject) {
  constexpr std::array<std::string_view, 8>
      kHosts{"hostname", "host", "nodeName", "node_name", "HostName", "node", "Hostname", "instance"};
  constexpr std::array<std::string_view, 10>
      kNames{"name", "Name", "Id", "id", "device", "Device", "interface", "ifname", "bdf", "bus_id"};
  for (const auto& [key, value] : object.members()) {
    const bool is_number = value.is_int() || (value.is_string() && value.string({}).size() < 8);
    if (is_number && names_rank(key))
      subject.rank = rank_in("rank " + scalar_text(value)).number;
    else if (value.is_int() && names_device(key))
      subject.device = label_words(key)[0] + scalar_text(value);
  }
  if (const std::string* host = first_text(object, kHosts))
    subject.host = host->substr(0, host->rfind(':'));  // "gpu7:9400"
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
  if (kind && kind->ends_with("Job"))  // what it states is about the job
    return;
  if ((kind && *kind == "Node") || (subject.host.empty() && is_host_word(*name)))
    subject.host = *name;
  else
    subject.device = *name;
}

}  // namespace

bool walk_tree(const Json& root, Entries& entries, Sink& sink, TreeRoot is_of) {
  bool any = false;
  std::vector<Node> open{{&root, "", {}}};
  while (!open.empty()) {
    Node node = std::move(open.back());
    open.pop_back();
    for (const Json& item : node.json->items())
      if (item.is_object() || item.is_array())
        open.push_back({&item, node.key, node.subject, node.is_identified, node.is_alert});
    if (!node.json->is_object())
      continue;
    const std::string* type = text_member(*node.json, "type");
    const std::string* status = text_member(*node.json, "status");
    if (type && status) {
      // {"type": "Running", "status": "True"}
      const bool is_state = truth_of(*status) == true && condition_of(*type) != Condition::Unknown;
      if (is_state)
        entries.condition("state", *type, node.subject, sink);
      else
        entries.entry(*type, *status, node.subject, sink);
      continue;
    }
    node.is_alert = node.is_alert || node.json->find("startsAt");
    node.is_identified = identify(*node.json, node.subject) || node.is_identified;
    if (!node.is_identified)
      name_subject(*node.json, node.subject);
    else if (
        const std::string* name = first_text(*node.json, std::array<std::string_view, 2>{"Name", "name"}))
      node.key = *name;
    const bool is_nameless = is_of == TreeRoot::Part && node.subject.empty();
    any = any || !is_nameless;
    for (const auto& [key, value] : node.json->members()) {
      if (value.is_string() && states_exception(value.string({})))
        entries.open_state(value.string({}).substr(0, value.string({}).find('\n')), sink);
      else if (value.is_object() || value.is_array())
        open.push_back({&value, key, node.subject, node.is_identified, node.is_alert});
      else if (!is_nameless && (!node.is_alert || condition_of(scalar_text(value)) != Condition::Good))
        entries.entry(node.key.empty() ? key : node.key + " " + key, scalar_text(value), node.subject, sink);
    }
  }
  return any;
}

}  // namespace lento::desk
