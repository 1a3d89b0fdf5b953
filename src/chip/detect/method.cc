// Looks up a method and its parameters by name, checks values against their ranges, and calls it.
#include "chip/detect/method.h"

#include <algorithm>

#include "base/number.h"
#include "base/units.h"

namespace lento::chip {
namespace {

constexpr size_t kShown = 40;  // characters of a wrong word that a message repeats

MethodResult judge_by_lento(const MethodCall& call) {
  return {detect(call.sketch, call.chip, call.detect), {}, {}};
}

std::string names(const std::vector<Method>& known) {
  std::string text;
  for (const Method& m : known)
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

const Method& own_method() {
  static const Method own{
      "lento",
      "direct evidence, scan over components, replay of hypotheses",
      {},
      judge_by_lento};
  return own;
}

void choose(MethodChoice& choice, const std::vector<Method>& known, const base::Location& where) {
  const auto found = std::ranges::find(known, std::string_view(choice.method), &Method::name);
  if (found == known.end())
    throw base::Error(
        where,
        "no method '" + choice.method.substr(0, kShown) + "'",
        "there are " + names(known));
  for (const auto& [name, value] : choice.values)
    check_value(*found, name, value, where);
  choice.chosen = &*found;
}

MethodChoice
parse_method(const std::string& text, const std::vector<Method>& known, const base::Location& where) {
  MethodChoice choice;
  const size_t colon = text.find(':');
  choice.label = text;
  choice.method = text.substr(0, colon);
  for (size_t at = colon; at < text.size();) {
    const size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const size_t equals = part.find('=');
    if (equals == std::string::npos)
      throw base::Error(where, "'" + part.substr(0, kShown) + "' is no setting", "write name=value");
    choice.values[part.substr(0, equals)] = base::parse_double(part.substr(equals + 1), where);
    at = end;
  }
  choose(choice, known, where);
  return choice;
}

MethodResult judge(
    const MethodChoice& choice,
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const DetectOptions& options) {
  const Method& method = choice.chosen != nullptr ? *choice.chosen : own_method();
  LENTO_CHECK(method.name == choice.method, "a method was called that nobody chose");
  MethodCall call{sketch, chip, program, options, choice.values};
  for (const Parameter& p : method.parameters)
    call.values.emplace(std::string(p.name), p.value);
  return method.judge(call);
}

}  // namespace lento::chip
