// A metric that is averaged on the wrong scale accuses healthy machines: a mean of error codes is no level, a
// quantile of counts jumps by whole numbers. The name gives what is a code or an identifier and which side is
// slow; the values show whether equal ones are common and whether zero occurs.
#include "fleet/scan/kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "evidence/sample.h"

namespace lento::fleet {
namespace {

struct Word {
  std::string_view text;
  MetricKind kind;
};

// The first word that occurs in the name decides.
constexpr std::array kWords{
    Word{"xid", {Kind::Code, Slow::High}},
    Word{"throttle_reason", {Kind::Code, Slow::High}},
    Word{"event_reason", {Kind::Code, Slow::High}},
    Word{"clocks_event", {Kind::Code, Slow::High}},
    Word{"bitmask", {Kind::Code, Slow::Unknown}},
    Word{"_mask", {Kind::Code, Slow::Unknown}},
    Word{"status", {Kind::Code, Slow::Unknown}},
    Word{"_state", {Kind::Code, Slow::Unknown}},
    Word{"error_code", {Kind::Code, Slow::Unknown}},
    Word{"uuid", {Kind::Identifier, Slow::Unknown}},
    Word{"serial", {Kind::Identifier, Slow::Unknown}},
    Word{"boot_time", {Kind::Identifier, Slow::Unknown}},
    Word{"start_time", {Kind::Identifier, Slow::Unknown}},
    Word{"timestamp", {Kind::Identifier, Slow::Unknown}},
    Word{"_info", {Kind::Identifier, Slow::Unknown}},
    Word{"wait", {Kind::Level, Slow::Unknown}},  // who waits is not who is slow
    Word{"pause", {Kind::Rate, Slow::High}},
    Word{"error", {Kind::Rate, Slow::High}},
    Word{"retr", {Kind::Rate, Slow::High}},
    Word{"replay", {Kind::Rate, Slow::High}},
    Word{"dropped", {Kind::Rate, Slow::High}},
    Word{"discard", {Kind::Rate, Slow::High}},
    Word{"ecn", {Kind::Rate, Slow::High}},
    Word{"cnp", {Kind::Rate, Slow::High}},
    Word{"pfc", {Kind::Rate, Slow::High}},
    Word{"temp", {Kind::Level, Slow::High}},
    Word{"step_time", {Kind::Level, Slow::High}},
    Word{"latency", {Kind::Level, Slow::High}},
    Word{"duration", {Kind::Level, Slow::High}},
    Word{"power", {Kind::Level, Slow::Low}},
    Word{"watt", {Kind::Level, Slow::Low}},
    Word{"clock", {Kind::Level, Slow::Low}},
    Word{"tflops", {Kind::Level, Slow::Low}},
    Word{"throughput", {Kind::Rate, Slow::Low}},
    Word{"tokens_per", {Kind::Rate, Slow::Low}},
    Word{"bandwidth", {Kind::Rate, Slow::Low}},
    Word{"nvlink", {Kind::Rate, Slow::Low}},
    Word{"engine_active", {Kind::Share, Slow::Low}},
    Word{"tensor_active", {Kind::Share, Slow::Low}},
    Word{"gpu_util", {Kind::Share, Slow::Low}},
    Word{"utilization", {Kind::Share, Slow::Low}},
    Word{"utilisation", {Kind::Share, Slow::Low}},
    Word{"duty", {Kind::Share, Slow::Low}},
    Word{"forward", {Kind::Level, Slow::High}},
    Word{"backward", {Kind::Level, Slow::High}},
    Word{"compute", {Kind::Level, Slow::High}},
    Word{"memavailable", {Kind::Level, Slow::Low}},
    Word{"_total", {Kind::Rate, Slow::Unknown}},
    Word{"rate", {Kind::Rate, Slow::Unknown}},
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

constexpr size_t kFew = 10;  // distinct values

}  // namespace

const char* name(Kind kind) {
  constexpr std::array kNames{"level", "rate", "share", "few-valued", "code", "identifier"};
  return kNames[size_t(kind)];
}

MetricKind kind_of(std::string_view metric) {
  const std::string text = lower_case(metric);
  for (const Word& word : kWords) {
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
  scale.tied = 2 * ties > pairs || distinct.size() <= kFew;
  const auto typical = double(evidence::upper_median_reordering(std::span(sizes)));
  scale.typical = typical > 0 ? typical : 1;
  // A steady level with a coarse step, such as a clock of 1,980 or 1,965 MHz, keeps its size.
  const bool near = least > 0 && most < 2 * least;
  if (scale.tied && distinct.size() <= kFew && !near)
    scale.law = Scale::Law::Rank;
  else if (least <= 0)
    scale.law = Scale::Law::Asinh;
  return scale;
}

}  // namespace lento::fleet
