// Lists the usual names of columns for machines, devices and times, and recognises columns that are named
// after machines by their shape.
#include "fleet/read/column_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

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

constexpr size_t kFewestMachines = 4;

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view column) {
  return std::ranges::find(names, lowered(column)) != names.end();
}

// Returns "gpu-a#-#" for "gpu-a00-07".
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

bool are_machines(const std::vector<std::string>& columns) {
  if (columns.size() < kFewestMachines)
    return false;
  std::set<std::string> shapes;
  for (const std::string& column : columns)
    shapes.insert(shape_of(column));
  return shapes.size() == 1 && shapes.begin()->find('#') != std::string::npos;
}

}  // namespace lento::fleet
