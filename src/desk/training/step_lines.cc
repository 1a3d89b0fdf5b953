// Reads numbers after labels, and writes them as samples at the step of the line.
#include "desk/training/step_lines.h"

#include "base/number.h"

namespace lento::desk {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Parses the longest number at the beginning, ignoring commas between digits.
std::optional<double> leading_number(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string number;
  std::optional<double> value;
  for (size_t i = 0; i < text.size() && i < kLongest; ++i) {
    const char c = text[i];
    const bool is_separator =
        c == ',' && i > 0 && is_digit(text[i - 1]) && i + 1 < text.size() && is_digit(text[i + 1]);
    if (is_separator)
      continue;
    if (!is_digit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E')
      break;
    number += c;
    if (is_digit(c))
      value = base::try_double(number);
  }
  return value;
}

}  // namespace

const Quantity kStepTime{"step time", "s", Kind::Level, Better::Lower, "", Scope::Job};
const Quantity kFlopsPerGpu{"throughput per GPU", "TFLOP/s", Kind::Level, Better::Higher, "", Scope::Job};
const Quantity kTokensPerS{"tokens per second and GPU", "1/s", Kind::Level, Better::Higher, "", Scope::Job};
const Quantity kSamplesPerS{"samples per second", "1/s", Kind::Level, Better::Higher, "", Scope::Job};
const Quantity kUtilisation{"model FLOP utilisation", "%", Kind::Level, Better::Higher, "", Scope::Job};
const Quantity kBatch{"global batch size", "", Kind::Annotation};
const Quantity kSequence{"sequence length", "tokens", Kind::Annotation};

std::optional<double> number_after(std::string_view line, std::string_view label) {
  for (size_t at = line.find(label); at != line.npos; at = line.find(label, at + 1)) {
    size_t end = at + label.size();
    const bool begins_inside = at > 0 && is_word(line[at - 1]) && is_word(label.front());
    const bool ends_inside = end < line.size() && is_word(line[end]) && is_word(label.back());
    if (begins_inside || ends_inside)
      continue;
    while (end < line.size() && (line[end] == ' ' || line[end] == '\t' || line[end] == '\''))
      ++end;
    return leading_number(line.substr(end));
  }
  return std::nullopt;
}

void write_samples(const StepLine& line, const Match& match, Sink& sink) {
  const auto step = match.number("step");
  if (!step)
    return;
  for (const LabelledNumber& number : line.numbers)
    if (const auto value = number_after(sink.line(), number.label))
      sink.sample(*number.quantity, *value * number.scale, {{}, *step});
}

std::vector<LineForm> forms_of(std::span<const StepLine> lines) {
  std::vector<LineForm> forms;
  for (const StepLine& line : lines)
    forms.push_back(line.form);
  return forms;
}

}  // namespace lento::desk
