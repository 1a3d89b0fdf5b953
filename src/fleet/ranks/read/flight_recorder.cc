// Reads version, pg_config (names, members), pg_status (the progress of each group) and the incomplete
// entries of a flight-recorder dump. pg_status has numbers instead of names of groups, different on each
// rank. Entries hold both. Without them, numbers in rising order get the names of pg_config in rising order.
#include "fleet/ranks/read/flight_recorder.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/scan/json_scan.h"
#include "fleet/ranks/read/pickle.h"

namespace lento::fleet::ranks {
namespace {

using Kind = PlainValue::Kind;

constexpr size_t kMostText = 4096;  // characters of one list of sizes

int64_t integer(const PlainValue& dict, std::string_view key, int64_t otherwise) {
  const PlainValue* value = dict.find(key);
  if (value)
    return value->integer(otherwise);
  return otherwise;
}

std::string text(const PlainValue& dict, std::string_view key) {
  const PlainValue* value = dict.find(key);
  return value ? value->text : "";
}

// Writes a list of shapes such as [[4096, 5120], []] as "[4096, 5120] []". Deeper lists do not occur.
std::string shape_text(const PlainValue* list) {
  std::string out;
  if (!list)
    return out;
  for (const PlainValue* tensor : list->items) {
    if (out.size() > kMostText)
      break;
    out += out.empty() ? "[" : " [";
    for (size_t i = 0; i < tensor->items.size() && out.size() <= kMostText; ++i) {
      if (i > 0)
        out += ", ";
      out += std::to_string(tensor->items[i]->integer(-1));
    }
    out += "]";
  }
  return out;
}

std::string first_text(const PlainValue* list) {
  if (!list || list->items.empty())
    return list ? list->text : "";
  return list->items[0]->text;
}

// Orders numbers by value, before other texts.
bool numeric_less(const std::string& a, const std::string& b) {
  const auto x = base::try_int(a);
  const auto y = base::try_int(b);
  if (x && y && *x != *y)
    return *x < *y;
  if (x.has_value() != y.has_value())
    return x.has_value();
  return a < b;
}

// Reads the members of the process groups.
void read_groups(const PlainValue& root, HangDump& dump) {
  const PlainValue* config = root.find("pg_config");
  if (!config)
    return;
  for (size_t i = 0; i + 1 < config->items.size(); i += 2) {
    const PlainValue& value = *config->items[i + 1];
    GroupConfig group;
    group.description = text(value, "desc");
    bool complete = false;
    group.ranks = base::json_ranks(text(value, "ranks"), complete);
    if (!complete)
      group.ranks.clear();
    const std::string& name = config->items[i]->text;
    if (value.find("name") && text(value, "name") != name)
      throw base::Error(
          {dump.file},
          "the dump is damaged: group '" + name + "' calls itself '" + text(value, "name") + "'");
    dump.groups[name] = std::move(group);
  }
}

// Reads one recorded operation. Throws base::Error when it lacks its group, state, number or name. If only
// the entry were skipped, the rank would seem to be ahead of its peers, so the whole dump is refused.
void read_entry(const PlainValue& entry, HangDump& dump, std::map<int64_t, std::string>& names) {
  const auto need = [&](const char* key) {
    if (!entry.find(key))
      throw base::Error({dump.file}, "the dump is damaged: an entry has no '" + std::string(key) + "'");
  };
  for (const char* key : {"process_group", "state", "collective_seq_id"})
    need(key);
  PendingOp op;
  op.group = first_text(entry.find("process_group"));
  names[integer(entry, "pg_id", -1)] = op.group;
  const std::string state = text(entry, "state");
  if (state == "completed")
    return;
  need("profiling_name");
  op.started = state == "started";
  op.p2p = integer(entry, "is_p2p", 0) != 0;
  op.sequence = integer(entry, op.p2p ? "p2p_seq_id" : "collective_seq_id", -1);
  op.op = text(entry, "profiling_name");
  if (op.op.starts_with("nccl:"))
    op.op.erase(0, 5);
  op.input_sizes = shape_text(entry.find("input_sizes"));
  op.sizes = op.input_sizes + " -> " + shape_text(entry.find("output_sizes"));
  op.dtype = first_text(entry.find("input_dtypes"));
  dump.pending.push_back(std::move(op));
}

// Returns the counters of each group by the number that this rank gives it.
std::map<int64_t, GroupStatus> status_by_number(const PlainValue& root) {
  std::map<int64_t, GroupStatus> out;
  const PlainValue* status = root.find("pg_status");
  if (!status)
    return out;
  for (size_t i = 0; i + 1 < status->items.size(); i += 2) {
    const PlainValue& value = *status->items[i + 1];
    out[status->items[i]->integer(-1)] = {
        integer(value, "last_enqueued_collective", -1),
        integer(value, "last_started_collective", -1),
        integer(value, "last_completed_collective", -1)};
  }
  return out;
}

// Joins the state of each process group, which the dump stores by number, with its name.
void name_status(const PlainValue& root, HangDump& dump, const std::map<int64_t, std::string>& named) {
  const std::map<int64_t, GroupStatus> status = status_by_number(root);
  std::vector<std::string> names;
  for (const auto& [name, group] : dump.groups)
    names.push_back(name);
  std::ranges::sort(names, numeric_less);
  const bool by_order = names.size() == status.size();
  size_t order = 0;
  for (const auto& [number, counters] : status) {
    const auto known = named.find(number);
    std::string name;
    if (by_order)
      name = names[order];
    if (known != named.end())
      name = known->second;
    ++order;
    if (!name.empty())
      dump.status[name] = counters;
  }
  dump.status_known = !dump.status.empty();
}

}  // namespace

int rank_in_name(const std::string& path) {
  std::string stem = std::filesystem::path(path).filename().string();
  for (const char* end : {".gz", ".xz", ".zst", ".json", ".pickle", ".pkl", ".txt"}) {
    const std::string_view suffix(end);
    if (stem.ends_with(suffix))
      stem.resize(stem.size() - suffix.size());
  }
  const size_t last = stem.find_last_of("0123456789");
  if (last == std::string::npos)
    return -1;
  const size_t before = stem.find_last_not_of("0123456789", last);
  const size_t first = before == std::string::npos ? 0 : before + 1;
  const auto rank = base::try_int(stem.substr(first, last - first + 1));
  if (rank && *rank >= 0 && *rank < (1 << 24))
    return int(*rank);
  return -1;
}

HangDump parse_flight_recorder(std::string_view bytes, const std::string& path, base::ReadReport& report) {
  const bool pickle = !bytes.empty() && uint8_t(bytes[0]) == 0x80;
  const PlainDocument document = pickle ? parse_pickle(bytes, path) : plain_of(base::parse_json(bytes, path));
  const PlainValue& root = *document.root;
  if (root.kind != Kind::Dict || !root.find("entries"))
    throw base::Error({path}, "no dump of a flight recorder: it has no 'entries'");
  HangDump dump;
  dump.file = path;
  dump.rank = rank_in_name(path);
  dump.version = text(root, "version");
  read_groups(root, dump);
  std::map<int64_t, std::string> names;
  for (const PlainValue* entry : root.find("entries")->items) {
    if (entry->kind != Kind::Dict) {
      report.skip({path}, "an entry of a flight recorder that is no dictionary");
      continue;
    }
    ++dump.entries;
    ++report.taken;
    read_entry(*entry, dump, names);
  }
  name_status(root, dump, names);
  return dump;
}

HangDump read_flight_recorder(const std::string& path, base::ReadReport& report) {
  return parse_flight_recorder(base::read_file(path, uint64_t{256} << 20), path, report);
}

}  // namespace lento::fleet::ranks
