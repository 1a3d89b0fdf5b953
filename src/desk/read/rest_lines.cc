// The shape of a line is a hash of it in which digits beside each other count as one, and so does a word that
// is an identifier in hexadecimal, so that the statements of one place in a program have one shape. Programs
// whose statements hold words of data (paths, names of layers) have more shapes than are kept. Their lines
// are hashed by the words beside numbers alone, which are labels and units.
#include "desk/read/rest_lines.h"

#include <algorithm>

#include "desk/read/peel.h"

namespace lento::desk {
namespace {

constexpr uint64_t kOffset = 0xcbf29ce484222325;  // FNV-1a
constexpr uint64_t kPrime = 0x100000001b3;

uint64_t mixed(uint64_t hash, uint64_t value) {
  return (hash ^ value) * kPrime;
}

bool is_digit_of_line(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter_of_line(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct Shapes {
  size_t line = 0;
  size_t numbers = 0;  // of the words beside numbers
};

Shapes shapes_of(std::string_view line) {
  constexpr size_t kShortestIdentifier = 4;
  uint64_t shape = kOffset;
  uint64_t numbers = kOffset;
  uint64_t before = 0;     // the last word
  bool is_behind = false;  // the last word was a number
  for (size_t at = 0; at < line.size();) {
    const char first = line[at];
    if (!is_digit_of_line(first) && !is_letter_of_line(first)) {
      shape = mixed(shape, uint8_t(first));
      ++at;
      continue;
    }
    uint64_t word = kOffset;
    size_t figures = 0;
    size_t end = at;
    bool is_hexadecimal = true;
    bool was_digit = false;
    for (; end < line.size(); ++end) {
      const char c = line[end];
      const bool is_digit = is_digit_of_line(c) || (c == '.' && was_digit);
      if (!is_digit && !is_letter_of_line(c))
        break;
      figures += is_digit;
      is_hexadecimal = is_hexadecimal && (is_digit || (c >= 'a' && c <= 'f') || c == 'x');
      if (!is_digit || !was_digit)
        word = mixed(word, is_digit ? uint64_t{'#'} : uint64_t{uint8_t(c)});
      was_digit = is_digit;
    }
    const bool is_identifier = figures > 0 && is_hexadecimal && end - at >= kShortestIdentifier;
    if (is_identifier)
      word = mixed(kOffset, '#');
    shape = mixed(shape, word);
    if (is_behind)
      numbers = mixed(numbers, word);
    if (is_digit_of_line(first))
      numbers = mixed(numbers, before);
    is_behind = is_digit_of_line(first);
    before = word;
    at = end;
  }
  return {size_t(shape), size_t(numbers)};
}

}  // namespace

RestLines::RestLines(std::vector<RestReader*> readers)
    : readers_(std::move(readers)) {
  readers_.resize(std::min(readers_.size(), kMostReaders));
}

// Returns the counts of a shape, which is added to the table when it is new. Returns nullptr when the table
// holds `most` other shapes.
RestLines::Misses* RestLines::kept_of(Table& table, size_t shape, size_t most) {
  const auto at = table.size() < most ? table.try_emplace(shape).first : table.find(shape);
  return at == table.end() ? nullptr : &at->second;
}

bool RestLines::read(std::string_view line, int64_t number, Sink& sink) {
  constexpr uint8_t kEnoughMisses = 64;
  if (readers_.empty())
    return false;
  const Shapes shapes = shapes_of(line);
  none_ = {};
  // A program has fewer statements than this limit, unless they hold words of data.
  constexpr size_t kMostStatements = 4096;
  constexpr size_t kMostShapes = size_t{1} << 16;
  Misses* kept = kept_of(misses_, shapes.line, kMostStatements);
  if (!kept)
    kept = kept_of(by_numbers_, shapes.numbers, kMostShapes);
  Misses& misses = kept ? *kept : none_;
  const auto is_done = [&](size_t reader) {
    return misses[reader] >= kEnoughMisses;
  };
  Peeled as_row;
  Peeled as_log;
  for (size_t i = 0; i < readers_.size(); ++i) {
    if (is_done(i))
      continue;
    if (as_log.text.data() == nullptr)
      as_log = peel(line, Depth::Log, buffer_, &as_row);
    // A date in front of a line that no system log wrote may be data, which a reader of reports keeps.
    const bool is_row = as_log.sender.empty() && !readers_[i]->takes_log_lines();
    const Peeled& one = is_row ? as_row : as_log;
    sink.at(one.text, number, one.subject, one.time);
    if (readers_[i]->row(one.text, sink))
      return true;
    misses[i] = readers_[i]->found_nothing() ? uint8_t(misses[i] + 1) : 0;
  }
  return false;
}

}  // namespace lento::desk
