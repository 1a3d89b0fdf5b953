// Classifies the names of Megatron-LM's timers: work of a rank alone, waiting for others, and sums of both.
#include "desk/training/timers.h"

#include "desk/training/rank_rows.h"

namespace lento::desk {
namespace {

constexpr const char* kTimerAdvice =
    "look at clocks, temperature, PCIe width and kernel log of that rank's GPU";

bool is_work(std::string_view name) {
  return name == "forward-compute" || name == "backward-compute" || name == "batch-generator";
}
bool is_wait(std::string_view name) {
  for (const std::string_view word : {"recv", "send", "sync", "all-reduce", "reduce-scatter", "all-gather"})
    if (name.find(word) != name.npos)
      return true;
  return false;
}

Quantity quantity_of(const std::string& name, Scope scope) {
  Quantity quantity{name, "s", Kind::Level, Better::Neither, "timers", scope, kTimerAdvice};
  quantity.better = is_work(name) ? Better::Lower : Better::Neither;
  quantity.is_wait = is_wait(name);
  quantity.by_role = true;
  return quantity;
}

// Returns the name before the dots that fill the column: "forward-compute ......".
std::string dotted_name(std::string_view& line) {
  const size_t begin = line.find_first_not_of(" \t");
  const size_t dots = line.find(" .");
  const size_t colon = line.find(": ");
  if (begin == line.npos || dots == line.npos || colon == line.npos || colon < dots || dots <= begin)
    return "";
  const std::string_view name = line.substr(begin, dots - begin);
  const std::string_view fill = line.substr(dots + 1, colon - dots - 1);
  if (fill.find_first_not_of('.') != fill.npos || name.find_first_of(" :\t") != name.npos)
    return "";
  line.remove_prefix(colon + 2);
  return std::string(name);
}

}  // namespace

void MegatronTimers::begin(double step) {
  step_ = step;
  heading_.clear();
}

bool MegatronTimers::line(std::string_view line, Sink& sink) {
  constexpr double kMs = 1e-3;
  if (std::string heading = heading_of(line); !heading.empty()) {
    heading_ = std::move(heading);
    return true;
  }
  if (const auto row = rank_row(line); row && row->unit.empty() && !heading_.empty()) {
    sink.sample(quantity_of(heading_, Scope::Own), row->value * kMs, {{"", "", row->rank}, step_});
    return true;
  }
  const std::string name = dotted_name(line);
  if (name.empty())
    return false;
  const bool is_pair = line.starts_with("(");
  line.remove_prefix(is_pair);
  const double first = take_number(line);
  double most = first;
  if (is_pair) {
    line.remove_prefix(std::min(line.find_first_not_of(", "), line.size()));
    most = take_number(line);
  }
  if (!std::isfinite(first) || !std::isfinite(most))
    return false;
  sink.sample(quantity_of(name, Scope::Extreme), most * kMs, {{}, step_, is_pair ? first * kMs : kUnknown});
  return true;
}

}  // namespace lento::desk
