// Compiles a pattern into a list of pieces (literals, blanks, captures), and matches them from the left
// without backtracking. A pattern without "^" starts at up to kTries places of a line, so that a match takes
// at most kTries passes over the line.
#include "desk/read/pattern.h"

#include "base/error.h"
#include "base/number.h"

namespace lento::desk {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == '-' || c == '/';
}

template <class Test>
size_t skip(std::string_view line, size_t at, Test test) {
  while (at < line.size() && test(line[at]))
    ++at;
  return at;
}

size_t skip_sign(std::string_view line, size_t at) {
  return at < line.size() && (line[at] == '-' || line[at] == '+') ? at + 1 : at;
}

size_t end_of_int(std::string_view line, size_t at) {
  const size_t digits = skip_sign(line, at);
  const size_t end = skip(line, digits, is_digit);
  return end == digits ? at : end;
}

size_t end_of_count(std::string_view line, size_t at) {
  size_t end = end_of_int(line, at);
  while (end > at && end + 1 < line.size() && line[end] == ',' && is_digit(line[end + 1]))
    end = skip(line, end + 1, is_digit);
  return end;
}

// Returns the end of the number at `at`, or `at` without one.
size_t end_of_num(std::string_view line, size_t at) {
  const size_t digits = skip_sign(line, at);
  size_t end = skip(line, digits, is_digit);
  bool any = end > digits;
  if (end < line.size() && line[end] == '.') {
    const size_t fraction = skip(line, end + 1, is_digit);
    any = any || fraction > end + 1;
    end = fraction;
  }
  if (!any)
    return at;
  if (end < line.size() && (line[end] == 'e' || line[end] == 'E')) {
    const size_t exponent = end_of_int(line, end + 1);
    if (exponent > end + 1)
      end = exponent;
  }
  return end;
}

size_t end_of_hex(std::string_view line, size_t at) {
  const size_t digits = line.substr(at).starts_with("0x") ? at + 2 : at;
  const size_t end = skip(line, digits, is_hex);
  return end == digits ? at : end;
}

}  // namespace

std::string_view Match::operator[](std::string_view name) const {
  for (size_t i = 0; i < size_; ++i)
    if (parts_[i].name == name)
      return parts_[i].text;
  return {};
}

std::optional<double> Match::number(std::string_view name) const {
  const std::string_view text = (*this)[name];
  if (text.find(',') == text.npos)
    return base::try_double(text);
  std::string plain;
  for (const char c : text)
    if (c != ',')
      plain += c;
  return base::try_double(plain);
}

std::optional<int64_t> Match::integer(std::string_view name) const {
  return base::try_int((*this)[name]);
}

Pattern::Pattern(std::string_view text) {
  at_start_ = text.starts_with("^");
  if (at_start_)
    text.remove_prefix(1);
  at_end_ = text.ends_with("$");
  if (at_end_)
    text.remove_suffix(1);
  size_t open = 0;
  bool optional = false;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest[0] == ' ' || rest[0] == '~') {
      pieces_.push_back({rest[0] == ' ' ? Type::Blanks : Type::MaybeBlanks, {}, {}});
      ++at;
    } else if (rest.starts_with("(?")) {
      LENTO_CHECK(!optional, "an optional part inside another in a line format");
      optional = true;
      open = pieces_.size();
      pieces_.push_back({Type::OptionalBegin, {}, {}});
      at += 2;
    } else if (rest.starts_with("?)")) {
      LENTO_CHECK(optional, "an optional part of a line format that ends before it begins");
      optional = false;
      pieces_[open].end = pieces_.size();
      pieces_.push_back({Type::OptionalEnd, {}, {}});
      at += 2;
    } else if (rest[0] == '{') {
      const size_t end = rest.find('}');
      LENTO_CHECK(end != rest.npos, "a capture of a line format without its end");
      add_capture(rest.substr(1, end - 1));
      at += end + 1;
    } else {
      size_t end = 1;
      while (end < rest.size() && rest[end] != ' ' && rest[end] != '~' && rest[end] != '{' &&
             !rest.substr(end).starts_with("(?") && !rest.substr(end).starts_with("?)"))
        ++end;
      pieces_.push_back({Type::Literal, rest.substr(0, end), {}});
      if (!optional && end > literal_.size())
        literal_ = rest.substr(0, end);
      at += end;
    }
  }
  LENTO_CHECK(!optional, "an optional part of a line format without its end");
  LENTO_CHECK(!literal_.empty(), "a line format without fixed text");
  LENTO_CHECK(
      at_start_ || pieces_[0].type == Type::Literal,
      "a line format that neither begins the line nor with fixed text");
}

// Adds a capture such as {gpu:int} to the pattern.
void Pattern::add_capture(std::string_view inside) {
  constexpr std::array<std::pair<std::string_view, Type>, 7> kTypes{{
      {"int", Type::Int},
      {"count", Type::Count},
      {"num", Type::Num},
      {"hex", Type::Hex},
      {"name", Type::Name},
      {"word", Type::Word},
      {"text", Type::Text},
  }};
  const size_t colon = inside.find(':');
  Piece piece{Type::Text, {}, inside.substr(0, colon)};
  if (colon != inside.npos) {
    bool is_known = false;
    for (const auto& [word, type] : kTypes) {
      if (word == inside.substr(colon + 1)) {
        piece.type = type;
        is_known = true;
      }
    }
    LENTO_CHECK(is_known, "a type that a line format cannot have");
  }
  pieces_.push_back(piece);
}

// Returns whether the line matches, with the captures.
bool Pattern::match(std::string_view line, Match& out) const {
  size_t start = 0;
  for (int tries = 0; tries < kTries; ++tries) {
    if (!at_start_) {
      start = line.find(pieces_[0].text, start);
      if (start == line.npos)
        return false;
    }
    out.size_ = 0;
    size_t at = start;
    if (run(0, pieces_.size(), line, at, out) && (!at_end_ || skip(line, at, is_blank) == line.size()))
      return true;
    if (at_start_)
      return false;
    ++start;
  }
  return false;
}

// Matches the pieces from `first` to `last`. Optional parts may be absent.
bool Pattern::run(size_t first, size_t last, std::string_view line, size_t& at, Match& out) const {
  for (size_t i = first; i < last; ++i) {
    if (pieces_[i].type == Type::OptionalBegin) {
      const size_t before = at;
      const size_t size = out.size_;
      if (!run(i + 1, pieces_[i].end, line, at, out)) {
        at = before;
        out.size_ = size;
      }
      i = pieces_[i].end;
    } else if (!take(i, line, at, out)) {
      return false;
    }
  }
  return true;
}

// Returns the first occurrence of a literal from `at` on. When blanks follow it in the pattern, they must
// follow in the line.
size_t Pattern::find_literal(size_t index, std::string_view line, size_t at) const {
  const std::string_view text = pieces_[index].text;
  const bool before_blank = index + 1 < pieces_.size() && pieces_[index + 1].type == Type::Blanks;
  for (size_t found = line.find(text, at); found != line.npos; found = line.find(text, found + 1)) {
    const size_t behind = found + text.size();
    if (!before_blank || behind == line.size() || is_blank(line[behind]))
      return found;
  }
  return line.npos;
}

// Returns the end of a capture of type "word" or "text" (with `blanks`): the next literal of the pattern, for
// a word the next blank, or the end of the line.
size_t Pattern::end_of_text(size_t index, std::string_view line, size_t at, bool blanks) const {
  size_t limit = line.size();
  if (!blanks)
    limit = skip(line, at, [](char c) {
      return !is_blank(c);
    });
  size_t next = index + 1;
  while (next < pieces_.size() &&
         (pieces_[next].type == Type::OptionalEnd || pieces_[next].type == Type::MaybeBlanks ||
          (blanks && pieces_[next].type == Type::Blanks)))
    ++next;
  // The capture ends before the optional part that follows it, or, when the line lacks that part, before the
  // piece behind the optional part.
  if (next < pieces_.size() && pieces_[next].type == Type::OptionalBegin) {
    size_t inside = next + 1;
    while (pieces_[inside].type == Type::Blanks || pieces_[inside].type == Type::MaybeBlanks)
      ++inside;
    if (pieces_[inside].type == Type::Literal) {
      const size_t found = find_literal(inside, line.substr(0, limit), at);
      if (found != line.npos)
        return found;
    }
    next = pieces_[next].end + 1;
  }
  if (next < pieces_.size() && pieces_[next].type == Type::Literal)
    return find_literal(next, line.substr(0, limit), at);
  return limit;
}

bool Pattern::take(size_t index, std::string_view line, size_t& at, Match& out) const {
  const Piece& piece = pieces_[index];
  size_t end = at;
  switch (piece.type) {
    case Type::Literal:
      if (!line.substr(at).starts_with(piece.text))
        return false;
      at += piece.text.size();
      return true;
    case Type::Blanks:
    case Type::MaybeBlanks:
      end = skip(line, at, is_blank);
      if (end == at && piece.type == Type::Blanks)
        // A capture of free text in front of the blanks may already include them.
        if (at == 0 || !is_blank(line[at - 1]))
          return false;
      at = end;
      return true;
    case Type::Int:
      end = end_of_int(line, at);
      break;
    case Type::Count:
      end = end_of_count(line, at);
      break;
    case Type::Num:
      end = end_of_num(line, at);
      break;
    case Type::Hex:
      end = end_of_hex(line, at);
      break;
    case Type::Name:
      end = skip(line, at, is_name);
      break;
    case Type::Word:
    case Type::Text:
      end = end_of_text(index, line, at, piece.type == Type::Text);
      if (end == line.npos)
        return false;
      break;
    case Type::OptionalBegin:
    case Type::OptionalEnd:
      return true;
  }
  if (end == at && piece.type != Type::Text)
    return false;
  if (piece.name != "_" && out.size_ < Match::kMost) {
    std::string_view text = line.substr(at, end - at);
    while (!text.empty() && is_blank(text.back()))
      text.remove_suffix(1);
    out.parts_[out.size_++] = {piece.name, text};
  }
  at = end;
  return true;
}

}  // namespace lento::desk
