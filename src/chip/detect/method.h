// Lists methods that judge a sketch, by name, so that others can be compared with Lento's own on the same
// sketch, chip and mapping. docs/methods/chip-evaluation.md has the comparison.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chip/detect/detect.h"
#include "finding/figure.h"

namespace lento::chip {

struct MethodResult {
  Detection detection;
  std::vector<finding::Figure> figures;
  std::map<std::string, double> numbers;  // of the method's own, such as "failrank_iterations"
};

// A number that the user of a method can set. The default values of published methods were chosen on the
// training faults of docs/methods/chip-evaluation.md.
struct Parameter {
  std::string_view name;
  double value = 0;
  double least = 0;
  double most = 0;
  std::string_view meaning;
};

struct MethodCall {
  const Sketch& sketch;
  const spec::Chip& chip;
  const Program& program;
  const DetectOptions& detect;
  std::map<std::string, double, std::less<>> values;  // of every parameter of the method

  // Precondition: the method declares `parameter`.
  double operator[](std::string_view parameter) const {
    return values.find(parameter)->second;
  }
};

struct Method {
  std::string_view name;
  std::string_view meaning;
  std::vector<Parameter> parameters;
  MethodResult (*judge)(const MethodCall&);
};

const Method& own_method();  // "lento": detect()

// A method and the values of its parameters. `label` is its name in tables.
struct MethodChoice {
  std::string label = "lento";
  std::string method = "lento";
  std::map<std::string, double, std::less<>> values;
  const Method* chosen = nullptr;  // as found by choose(); nullptr: Lento's own
};

// Finds the method among `known`, which outlives the choice. Throws base::Error at `where` when the method or
// a parameter does not exist or a value is out of range.
void choose(MethodChoice& choice, const std::vector<Method>& known, const base::Location& where);

// Parses a name with settings, "paper" or "paper:direction=1,restart=1". Throws as choose() does.
MethodChoice
parse_method(const std::string& text, const std::vector<Method>& known, const base::Location& where);

MethodResult judge(
    const MethodChoice& choice,
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const DetectOptions& options);

}  // namespace lento::chip
