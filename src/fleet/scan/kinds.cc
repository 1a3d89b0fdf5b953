// Chooses how a metric is compared, because a wrong scale produces findings about healthy machines: a mean of
// error codes is no level, and a quantile of counts jumps by whole numbers. The name shows codes, identifiers
// and the slow side. The values show whether equal values are common and whether zero occurs.
#include "fleet/scan/kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "evidence/sample.h"

namespace lento::fleet {
namespace {

struct KindWords {
  MetricKind kind;
  std::string_view words;
};

// The first word that occurs in the name decides. A machine that waits is seldom the slow one.
constexpr std::array kKindWords{
    KindWords{{Kind::Code, Slow::High}, "xid throttle_reason event_reason clocks_event"},
    KindWords{{Kind::Code, Slow::Unknown}, "bitmask _mask status _state error_code"},
    KindWords{{Kind::Identifier, Slow::Unknown}, "uuid serial boot_time start_time timestamp _info"},
    KindWords{{Kind::Level, Slow::Unknown}, "wait"},
    KindWords{{Kind::Rate, Slow::High}, "pause ecn cnp pfc"},
    KindWords{{Kind::Rate, Slow::High, true}, "error retr replay dropped discard"},
    KindWords{{Kind::Level, Slow::High, true}, "step_time step_sec iter_time iteration_time"},
    KindWords{{Kind::Level, Slow::High}, "temp latency duration"},
    KindWords{{Kind::Level, Slow::Low, true}, "power_limit clock frequency mhz tflops link_speed link_width"},
    KindWords{{Kind::Level, Slow::Low}, "power watt"},
    KindWords{{Kind::Rate, Slow::Low, true}, "throughput tokens_per samples_per"},
    KindWords{{Kind::Rate, Slow::Low}, "bandwidth nvlink"},
    KindWords{{Kind::Share, Slow::Low}, "engine_active tensor_active gpu_util utilization utilisation duty"},
    KindWords{{Kind::Level, Slow::High}, "forward backward compute"},
    KindWords{{Kind::Level, Slow::Low}, "memavailable"},
    KindWords{{Kind::Rate, Slow::Unknown}, "_total rate"},
};

constexpr size_t kFew = 10;  // a metric with fewer distinct values is compared by ranks

}  // namespace

const char* name(Kind kind) {
  constexpr std::array kNames{"level", "rate", "share", "few-valued", "code", "identifier"};
  return kNames[size_t(kind)];
}

MetricKind kind_of(std::string_view metric) {
  const std::string text = base::lower_case(metric);
  for (const auto& [kind, words] : kKindWords) {
    for (const auto word : std::views::split(words, ' ')) {
      if (text.find(std::string_view(word.begin(), word.end())) != std::string::npos)
        return kind;
    }
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
