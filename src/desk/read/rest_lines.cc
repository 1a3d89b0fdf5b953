// The shape of a line is a hash of it in which digits beside each other count as one, so that the statements
// of one place in a program have one shape.
#include "desk/read/rest_lines.h"

#include <algorithm>

#include "desk/read/peel.h"

namespace lento::desk {
namespace {

// Hexadecimal figures behind "0x" are digits too.
size_t hash_of_shape(std::string_view line) {
  constexpr uint64_t kOffset = 0xcbf29ce484222325;  // FNV-1a
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = kOffset;
  bool was_digit = false;
  bool is_hexadecimal = false;
  for (const char c : line) {
    const bool is_digit =
        (c >= '0' && c <= '9') || (was_digit && (c == '.' || (is_hexadecimal && c >= 'a' && c <= 'f')));
    is_hexadecimal = (is_hexadecimal && is_digit) || (was_digit && c == 'x');
    if (!is_digit || !was_digit)
      hash = (hash ^ (is_digit ? uint64_t{'#'} : uint64_t{uint8_t(c)})) * kPrime;
    was_digit = is_digit || is_hexadecimal;
  }
  return size_t(hash);
}

}  // namespace

RestLines::RestLines(std::vector<RestReader*> readers)
    : readers_(std::move(readers)) {
  readers_.resize(std::min(readers_.size(), kMostReaders));
}

bool RestLines::read(std::string_view line, int64_t number, Sink& sink) {
  constexpr size_t kMostShapes = size_t{1} << 16;
  constexpr uint8_t kEnoughMisses = 64;
  if (readers_.empty())
    return false;
  const size_t shape = hash_of_shape(line);
  const bool has_room = misses_.size() < kMostShapes;
  const auto at = has_room ? misses_.try_emplace(shape).first : misses_.find(shape);
  none_ = {};
  Misses& misses = at == misses_.end() ? none_ : at->second;
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
    // The times of lines that no system log wrote may be data.
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
