// Chooses how a metric is compared, because a wrong scale produces findings about healthy machines: a mean of
// error codes is no level, and a quantile of counts jumps by whole numbers. The name shows codes, identifiers
// and the slow side. The values show whether equal values are common and whether zero occurs.
#include "fleet/scan/kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

struct KindWord {
  std::string_view text;
  MetricKind kind;
};

// The first word that occurs in the name decides.
constexpr std::array kKindWords{
    KindWord{"xid", {Kind::Code, Slow::High}},
    KindWord{"throttle_reason", {Kind::Code, Slow::High}},
    KindWord{"event_reason", {Kind::Code, Slow::High}},
    KindWord{"clocks_event", {Kind::Code, Slow::High}},
    KindWord{"bitmask", {Kind::Code, Slow::Unknown}},
    KindWord{"_mask", {Kind::Code, Slow::Unknown}},
    KindWord{"status", {Kind::Code, Slow::Unknown}},
    KindWord{"_state", {Kind::Code, Slow::Unknown}},
    KindWord{"error_code", {Kind::Code, Slow::Unknown}},
    KindWord{"uuid", {Kind::Identifier, Slow::Unknown}},
    KindWord{"serial", {Kind::Identifier, Slow::Unknown}},
    KindWord{"boot_time", {Kind::Identifier, Slow::Unknown}},
    KindWord{"start_time", {Kind::Identifier, Slow::Unknown}},
    KindWord{"timestamp", {Kind::Identifier, Slow::Unknown}},
    KindWord{"_info", {Kind::Identifier, Slow::Unknown}},
    KindWord{"wait", {Kind::Level, Slow::Unknown}},  // a machine that waits is seldom the slow one
    KindWord{"pause", {Kind::Rate, Slow::High}},
    KindWord{"error", {Kind::Rate, Slow::High}},
    KindWord{"retr", {Kind::Rate, Slow::High}},
    KindWord{"replay", {Kind::Rate, Slow::High}},
    KindWord{"dropped", {Kind::Rate, Slow::High}},
    KindWord{"discard", {Kind::Rate, Slow::High}},
    KindWord{"ecn", {Kind::Rate, Slow::High}},
    KindWord{"cnp", {Kind::Rate, Slow::High}},
    KindWord{"pfc", {Kind::Rate, Slow::High}},
    KindWord{"temp", {Kind::Level, Slow::High}},
    KindWord{"step_time", {Kind::Level, Slow::High}},
    KindWord{"step_sec", {Kind::Level, Slow::High}},
    KindWord{"iter_time", {Kind::Level, Slow::High}},
    KindWord{"iteration_time", {Kind::Level, Slow::High}},
    KindWord{"latency", {Kind::Level, Slow::High}},
    KindWord{"duration", {Kind::Level, Slow::High}},
    KindWord{"power", {Kind::Level, Slow::Low}},
    KindWord{"watt", {Kind::Level, Slow::Low}},
    KindWord{"clock", {Kind::Level, Slow::Low}},
    KindWord{"tflops", {Kind::Level, Slow::Low}},
    KindWord{"throughput", {Kind::Rate, Slow::Low}},
    KindWord{"tokens_per", {Kind::Rate, Slow::Low}},
    KindWord{"bandwidth", {Kind::Rate, Slow::Low}},
    KindWord{"nvlink", {Kind::Rate, Slow::Low}},
    KindWord{"engine_active", {Kind::Share, Slow::Low}},
    KindWord{"tensor_active", {Kind::Share, Slow::Low}},
    KindWord{"gpu_util", {Kind::Share, Slow::Low}},
    KindWord{"utilization", {Kind::Share, Slow::Low}},
    KindWord{"utilisation", {Kind::Share, Slow::Low}},
    KindWord{"duty", {Kind::Share, Slow::Low}},
    KindWord{"forward", {Kind::Level, Slow::High}},
    KindWord{"backward", {Kind::Level, Slow::High}},
    KindWord{"compute", {Kind::Level, Slow::High}},
    KindWord{"memavailable", {Kind::Level, Slow::Low}},
    KindWord{"_total", {Kind::Rate, Slow::Unknown}},
    KindWord{"rate", {Kind::Rate, Slow::Unknown}},
};

constexpr size_t kFew = 10;  // a metric with fewer distinct values is compared by ranks

}  // namespace

const char* name(Kind kind) {
  constexpr std::array kNames{"level", "rate", "share", "few-valued", "code", "identifier"};
  return kNames[size_t(kind)];
}

MetricKind kind_of(std::string_view metric) {
  const std::string text = base::lower_case(metric);
  for (const KindWord& word : kKindWords) {
    if (text.find(word.text) != std::string::npos)
      return word.kind;
  }
  return {};
}

float Scale::of(float value) const {
  if (law == Law::Log)
    return float(std::log(std::max(double(value), typical / 100)));
  return float(std::asinh(double(value) / typical));
}

Scale scale_of(std::span<const float> values, size_t machines) {
  std::set<float> distinct;
  std::vector<float> row;
  std::vector<float> sizes;
  size_t ties = 0;
  size_t pairs = 0;
  float least = INFINITY;
  float most = -INFINITY;
  for (size_t begin = 0; begin + machines <= values.size(); begin += machines) {
    row.clear();
    for (const float v : values.subspan(begin, machines)) {
      if (std::isnan(v))
        continue;
      row.push_back(v);
      sizes.push_back(std::abs(v));
      if (distinct.size() <= kFew)
        distinct.insert(v);
    }
    std::ranges::sort(row);
    for (size_t i = 1; i < row.size(); ++i)
      ties += row[i] == row[i - 1];
    if (row.empty())
      continue;
    pairs += row.size() - 1;
    least = std::min(least, row.front());
    most = std::max(most, row.back());
  }
  Scale scale;
  if (sizes.empty())
    return scale;
  scale.few = distinct.size() <= kFew;
  scale.tied = 2 * ties > pairs || scale.few;
  const auto typical = double(evidence::upper_median_reordering(std::span(sizes)));
  scale.typical = typical > 0 ? typical : 1;
  // A steady level with coarse steps, such as a clock of 1,980 or 1,965 MHz, is not compared by ranks.
  const bool near = least > 0 && most < 2 * least;
  if (scale.few && !near)
    scale.law = Scale::Law::Rank;
  else if (least <= 0)
    scale.law = Scale::Law::Asinh;
  return scale;
}

}  // namespace lento::fleet
