#include "chip/detect/method.h"

#include <algorithm>

#include "base/number.h"
#include "base/units.h"
#include "chip/detect/baselines.h"
#include "chip/detect/paper.h"

namespace lento::chip {
namespace {

MethodResult judge_by_lento(const MethodCall& call) {
  return {detect(call.sketch, call.chip, call.detect), {}, {}};
}

const Method* find(std::string_view name) {
  for (const Method& m : methods())
    if (m.name == name)
      return &m;
  return nullptr;
}

std::string names() {
  std::string text;
  for (const Method& m : methods())
    text += (text.empty() ? "" : ", ") + std::string(m.name);
  return text;
}

void check_value(const Method& method, const std::string& name, double value, const base::Location& where) {
  std::string known;
  for (const Parameter& p : method.parameters) {
    known += (known.empty() ? "" : ", ") + std::string(p.name);
    if (p.name != name)
      continue;
    if (value >= p.least && value <= p.most)
      return;
    throw base::Error(
        where,
        name + " is " + base::format_number(value) + ", needed " + base::format_number(p.least) + " to " +
            base::format_number(p.most));
  }
  throw base::Error(
      where,
      "method '" + std::string(method.name) + "' has no parameter '" + name + "'",
      known.empty() ? "it has none" : "it has " + known);
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> list{
      {"lento", "direct evidence, scan over components, replay of hypotheses", {}, judge_by_lento},
      {"paper", "SLOTH's tracer as printed", paper_parameters(), judge_by_paper},
      {"threshold", "static thresholds on a profile", threshold_parameters(), judge_by_threshold},
      {"microscope", "causal graph and correlation", microscope_parameters(), judge_by_microscope},
      {"iaso", "peer timeouts and clustering; cores only", iaso_parameters(), judge_by_iaso},
      {"perseus", "latency regression; cores only", perseus_parameters(), judge_by_perseus},
      {"adr", "adaptive percentiles; cores only", adr_parameters(), judge_by_adr},
  };
  return list;
}

void check(const MethodChoice& choice, const base::Location& where) {
  const Method* method = find(choice.method);
  if (method == nullptr)
    throw base::Error(where, "no method '" + choice.method.substr(0, 40) + "'", "there are " + names());
  for (const auto& [name, value] : choice.values)
    check_value(*method, name, value, where);
}

MethodChoice parse_method(const std::string& text, const base::Location& where) {
  MethodChoice choice;
  const size_t colon = text.find(':');
  choice.label = text;
  choice.method = text.substr(0, colon);
  for (size_t at = colon; at < text.size();) {
    const size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw base::Error(where, "'" + part.substr(0, 40) + "' is no setting", "write name=value");
    choice.values[part.substr(0, equals)] = base::parse_double(part.substr(equals + 1), where);
    at = end;
  }
  check(choice, where);
  return choice;
}

MethodResult judge(
    const MethodChoice& choice,
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const DetectOptions& options) {
  const Method* method = find(choice.method);
  LENTO_CHECK(method != nullptr, "an unchecked method was called");
  MethodCall call{sketch, chip, program, options, choice.values};
  for (const Parameter& p : method->parameters)
    call.values.emplace(std::string(p.name), p.value);
  return method->judge(call);
}

}  // namespace lento::chip
