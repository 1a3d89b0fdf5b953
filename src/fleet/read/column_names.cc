// Lists of names that exporters, databases and people give to columns. They are compared in lower case, as a
// whole or word by word.
#include "fleet/read/column_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/ascii.h"

namespace lento::fleet {
namespace {

constexpr std::array<std::string_view, 13> kMachines{
    "machine",
    "node",
    "host",
    "hostname",
    "instance",
    "nodename",
    "node_name",
    "host_name",
    "server",
    "worker",
    "machine_id",
    "node_id",
    "exported_instance"};

// "index" is left out, because in a table saved from a data frame it numbers the rows.
constexpr std::array<std::string_view, 9> kDevices{
    "gpu",
    "gpu_id",
    "gpu_index",
    "device",
    "device_id",
    "device_index",
    "accelerator",
    "minor_number",
    "gpu_minor"};

constexpr std::array<std::string_view, 12> kTimes{
    "time",
    "time_s",
    "time_ms",
    "time_us",
    "timestamp",
    "timestamp_ms",
    "ts",
    "t",
    "date",
    "datetime",
    "_time",
    "@timestamp"};

constexpr std::array<std::string_view, 8>
    kWeakDevices{"index", "rank", "local_rank", "global_rank", "uuid", "gpu_uuid", "slot", "pci.bus_id"};

constexpr std::array<std::string_view, 5> kTimeWords{"time", "timestamp", "datetime", "date", "utc"};

constexpr std::array<std::string_view, 3> kSteps{"step", "iteration", "iter"};

// Words that annotate a row, and then words that may occur beside them in the name of an annotation.
constexpr std::array<std::string_view, 34> kAnnotations{
    "label", "labels", "rank",    "step",   "steps",     "epoch",   "part",      "partition", "index",
    "idx",   "code",   "codes",   "iter",   "iteration", "id",      "uuid",      "seed",      "fold",
    "split", "class",  "target",  "truth",  "anomaly",   "fault",   "faulty",    "row",       "batch",
    "port",  "pid",    "version", "serial", "xid",       "unnamed", "microbatch"};

constexpr std::array<std::string_view, 29> kBeside{
    "global", "local", "train",  "training", "world", "node", "gpu",    "current", "data",  "job",
    "is",     "true",  "ground", "pp",       "tp",    "dp",   "ep",     "cp",      "micro", "error",
    "status", "exit",  "xid",    "run",      "host",  "has",  "device", "0",       "1"};

constexpr size_t kFewestMachines = 4;

template <size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view column) {
  return std::ranges::find(names, base::lower_case(column)) != names.end();
}

// Returns a name with each run of digits replaced: "gpu-a#-#" for "gpu-a00-07".
std::string shape_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      out += c;
    else if (!out.ends_with('#'))
      out += '#';
  }
  return out;
}

}  // namespace

bool names_machine(std::string_view column) {
  return among(kMachines, column);
}

bool names_device(std::string_view column) {
  return among(kDevices, column);
}

bool names_time(std::string_view column) {
  return among(kTimes, column);
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  bool open = false;
  for (const char c : name) {
    const bool inside = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (inside && !open)
      out.emplace_back();
    if (inside)
      out.back() += char(std::tolower(static_cast<unsigned char>(c)));
    open = inside;
  }
  return out;
}

bool is_time_word(std::string_view word) {
  return among(kTimeWords, word);
}

bool names_step(std::string_view column) {
  const std::vector<std::string> words = words_of(column);
  return !words.empty() && among(kSteps, words.back()) &&
         std::ranges::all_of(words, [](const std::string& word) {
           return among(kSteps, word) || among(kBeside, word);
         });
}

bool may_name_time(std::string_view column) {
  return names_time(column) || names_step(column) || column == "epoch" ||
         std::ranges::any_of(words_of(column), [](const std::string& word) {
           return is_time_word(word);
         });
}

bool may_name_device(std::string_view column) {
  return names_device(column) || among(kWeakDevices, base::lower_case(column));
}

bool names_annotation(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (words.empty())
    return false;
  const bool any = std::ranges::any_of(words, [](const std::string& w) {
    return among(kAnnotations, w);
  });
  return any && std::ranges::all_of(words, [](const std::string& w) {
           return among(kAnnotations, w) || among(kBeside, w);
         });
}

bool names_peer_group(std::string_view column) {
  return column == "stage" || column == "pp_rank" || column == "hardware";
}

std::vector<std::string> machines_among(const std::vector<std::string>& columns) {
  constexpr std::array<std::string_view, 12> kFirst{
      "node",
      "host",
      "worker",
      "machine",
      "rank",
      "gpu",
      "server",
      "instance",
      "dgx",
      "trn",
      "pod",
      "vm"};
  std::map<std::string, std::vector<std::string>> by_shape;
  for (const std::string& column : columns) {
    const std::string shape = shape_of(base::lower_case(column));
    const std::string word = shape.substr(0, shape.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
    if (among(kFirst, word) && shape.find('#') != std::string::npos)
      by_shape[shape].push_back(column);
  }
  const auto most = std::ranges::max_element(by_shape, {}, [](const auto& entry) {
    return entry.second.size();
  });
  return most == by_shape.end() || most->second.size() < kFewestMachines ? std::vector<std::string>{}
                                                                         : most->second;
}

bool are_machines(const std::vector<std::string>& columns) {
  if (columns.size() < kFewestMachines)
    return false;
  std::set<std::string> shapes;
  for (const std::string& column : columns)
    shapes.insert(shape_of(column));
  return shapes.size() == 1 && shapes.begin()->find('#') != std::string::npos;
}

bool names_part_of_machine(std::string_view name) {
  constexpr std::array<std::string_view, 9>
      kOf{"machine", "node", "host", "server", "worker", "instance", "computer", "vm", "hostname"};
  constexpr std::array<std::string_view, 12> kNaming{
      "id",
      "name",
      "ip",
      "no",
      "number",
      "idx",
      "index",
      "address",
      "fqdn",
      "key",
      "uid",
      "exported"};
  const std::vector<std::string> words = words_of(name);
  const auto of = [&](const std::string& w) {
    return among(kOf, w);
  };
  return std::ranges::any_of(words, of) && std::ranges::all_of(words, [&](const std::string& w) {
           return of(w) || among(kNaming, w);
         });
}

}  // namespace lento::fleet
