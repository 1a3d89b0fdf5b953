// The shape of a line is a hash of its signs and words. Digits beside each other count as one, and so does a
// word that is an identifier in hexadecimal, so that the lines of one print statement have one shape.
//
// Statements also hold words of data (paths, names of layers), and a program with such statements would have
// any number of shapes. A report of a tool ends within kReportLines. From then on a word without a meaning
// for a reader counts as any other, and so do several of them in a row. A word beside a number is kept,
// because it is a label or a unit.
#include "desk/read/rest_lines.h"

#include <algorithm>

#include "desk/read/peel.h"

namespace lento::desk {
namespace {

constexpr int64_t kReportLines = 4096;
constexpr size_t kMostShapes = size_t{1} << 16;
constexpr size_t kWords = size_t{1} << 14;

constexpr uint64_t kOffset = 0xcbf29ce484222325;  // FNV-1a, a multiplication for up to eight bytes
constexpr uint64_t kPrime = 0x100000001b3;

uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * kPrime;
  return hash ^ hash >> 32;
}

enum Class : uint8_t {
  kSign = 0,
  kDigit = 1,
  kLetter = 2,
  kHexadecimal = 4  // as identifiers are printed: a digit, "a" to "f" or "x"
};

constexpr std::array<uint8_t, 256> classes() {
  std::array<uint8_t, 256> of{};
  for (size_t c = '0'; c <= '9'; ++c)
    of[c] = kDigit | kHexadecimal;
  for (size_t c = 'A'; c <= 'Z'; ++c)
    of[c] = kLetter;
  for (size_t c = 'a'; c <= 'z'; ++c)
    of[c] = c <= 'f' || c == 'x' ? kLetter | kHexadecimal : kLetter;
  return of;
}
constexpr std::array<uint8_t, 256> kClasses = classes();

struct WordShape {
  uint64_t hash = kOffset;
  size_t end = 0;
  bool is_number = false;  // begins with a digit, or is an identifier
};

// Returns the shape of the word at `at`. A point behind a digit is a part of the number.
WordShape word_at(std::string_view line, size_t at) {
  constexpr size_t kShortestIdentifier = 4;
  WordShape word;
  uint64_t bytes = 0;
  size_t packed = 0;
  bool was_digit = false;
  uint8_t all = 0xff;
  uint8_t any = 0;
  word.end = at;
  for (; word.end < line.size(); ++word.end) {
    const char c = line[word.end];
    uint8_t of = kClasses[uint8_t(c)];
    if (of == kSign) {
      if (c != '.' || !was_digit)
        break;
      of = kDigit | kHexadecimal;
    }
    all &= of;
    any |= of;
    const bool is_digit = (of & kDigit) != 0;
    if (!is_digit || !was_digit) {
      bytes = bytes << 8 | (is_digit ? uint8_t('#') : uint8_t(c));
      if (++packed % sizeof bytes == 0)
        word.hash = mixed(word.hash, bytes);
    }
    was_digit = is_digit;
  }
  const bool is_identifier =
      (any & kDigit) != 0 && (all & kHexadecimal) != 0 && word.end - at >= kShortestIdentifier;
  word.hash = mixed(is_identifier ? kOffset : word.hash, is_identifier ? '#' : bytes);
  word.is_number = is_identifier || (kClasses[uint8_t(line[at])] & kDigit) != 0;
  return word;
}

}  // namespace

void write_shape(std::string_view text, std::string& shape) {
  shape.clear();
  char last = '\0';
  for (const char c : text) {
    const bool is_digit = (c >= '0' && c <= '9') || (c == '.' && last == '#');
    const char shown = is_digit ? '#' : c == '\t' ? ' ' : c;
    if (shown != last || (!is_digit && c != ' '))
      shape += shown;
    last = shown;
  }
}

RestLines::RestLines(std::vector<RestReader*> readers)
    : readers_(std::move(readers)),
      words_(kWords) {
  readers_.resize(std::min(readers_.size(), kMostReaders));
}

// Returns whether a word has a meaning for one of the readers.
bool RestLines::has_meaning(uint64_t hash, std::string_view word) {
  Word& kept = words_[hash % kWords];
  if (kept.hash != hash)
    kept = {hash, std::ranges::any_of(readers_, [&](const RestReader* reader) {
              return reader->has_meaning(word);
            })};
  return kept.has_meaning;
}

uint64_t RestLines::shape_of(std::string_view line) {
  constexpr uint64_t kAnyWord = 'w';
  const bool is_report = ++lines_ <= kReportLines;
  uint64_t shape = kOffset;
  uint64_t before = 0;         // the word before, of a number's label
  uint64_t behind_any = 0;     // the shape behind the last word without a meaning
  size_t any_end = line.npos;  // where that word ended
  bool is_behind_number = false;
  for (size_t at = 0; at < line.size();) {
    if (kClasses[uint8_t(line[at])] == kSign) {
      shape = mixed(shape, uint8_t(line[at]));
      ++at;
      continue;
    }
    const WordShape word = word_at(line, at);
    const bool is_kept = is_report || is_behind_number || word.is_number ||
                         has_meaning(word.hash, line.substr(at, word.end - at));
    if (is_kept) {
      shape = mixed(shape, word.is_number && !is_report ? mixed(before, word.hash) : word.hash);
    } else {
      const bool is_next = any_end != line.npos && any_end + 1 == at && line[any_end] == ' ';
      behind_any = shape = is_next ? behind_any : mixed(shape, kAnyWord);
      any_end = word.end;
    }
    is_behind_number = word.is_number;
    before = word.hash;
    at = word.end;
  }
  return shape;
}

bool RestLines::read(std::string_view line, int64_t number, Sink& sink) {
  constexpr uint8_t kEnoughMisses = 64;
  if (readers_.empty())
    return false;
  const uint64_t shape = shape_of(line);
  Misses none{};  // of a shape beyond the most that are kept
  const auto at = misses_.size() < kMostShapes ? misses_.try_emplace(shape).first : misses_.find(shape);
  Misses& misses = at == misses_.end() ? none : at->second;
  Peeled as_row;
  Peeled as_log;
  for (size_t i = 0; i < readers_.size(); ++i) {
    if (misses[i] >= kEnoughMisses)
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
