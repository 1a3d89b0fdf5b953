// Counts each cell as a number, a date or another text. Only some distinct texts are stored, because a few of
// a million names suffice to distinguish a column of names from one of numbers.
#include "fleet/read/column_cells.h"

#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "fleet/read/column_names.h"

namespace lento::fleet {

bool is_empty_cell(std::string_view text) {
  const std::string word = base::lower_case(text);
  return text.empty() || word == "nan" || word == "null" || word == "none" || word == "n/a" ||
         word == "[n/a]" || word == "-" || word == "inf" || word == "-inf" || word == "[not supported]";
}

void Cells::add(const std::string& text, const NumberForm& form) {
  constexpr size_t kMostDistinct = 1024;
  if (is_empty_cell(text)) {
    refused += !text.empty();
    return;
  }
  ++filled;
  if (distinct.size() < kMostDistinct)
    distinct.insert(text);
  if (const auto number = form.read(text)) {
    ++numbers;
    integers += number->unit.empty() && number->number == std::floor(number->number);
    rising += number->number > before;
    falling += number->number < before;
    before = number->number;
    largest = std::max(largest, std::abs(number->number));
  } else if (moment_ms(text, DateOrder::DayFirst) || moment_ms(text, DateOrder::MonthFirst)) {
    ++dates;
  }
}

}  // namespace lento::fleet
