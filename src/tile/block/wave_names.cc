// Joins and finds the names of a recording. A reference is split into a base name and a range: `v [7:0]`,
// `v[7:0]` and `v [2]` have the base v, `q[3] [15:0]` has the base q[3]. Variables of one base are pieces of
// one vector when their ranges do not overlap. Source: IEEE 1364-2005, section 18, and the names that GTKWave
// shows.
#include "tile/block/wave_names.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/number.h"

namespace lento::tile {
namespace {

std::string range_text(int64_t left, int64_t right) {
  return left == right ? std::to_string(left) : std::to_string(left) + ":" + std::to_string(right);
}

std::string codes_of(const std::set<std::string>& codes) {
  std::string out;
  for (const std::string& code : codes)
    out += (out.empty() ? "@" : ", @") + code;
  return out;
}

std::optional<int64_t> index_of(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::optional<uint64_t> value = base::try_uint(text.substr(negative ? 1 : 0));
  if (!value || *value > UINT32_MAX)
    return std::nullopt;
  return negative ? -int64_t(*value) : int64_t(*value);
}

}  // namespace

int64_t WaveNames::Range::low() const {
  return std::min(left, right);
}
int64_t WaveNames::Range::high() const {
  return std::max(left, right);
}

// Removes "[left:right]" or "[index]" from the end of `text` and returns it as a range. Returns nothing when
// there is none, or when `text` is nothing but brackets.
std::optional<WaveNames::Range> WaveNames::take_range(std::string& text) {
  const size_t open = text.rfind('[');
  if (text.empty() || text.back() != ']' || open == std::string::npos || open == 0)
    return std::nullopt;
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  const size_t colon = inside.find(':');
  const std::optional<int64_t> left = index_of(std::string_view(inside).substr(0, colon));
  const std::optional<int64_t> right =
      colon == std::string::npos ? left : index_of(std::string_view(inside).substr(colon + 1));
  if (!left || !right)
    return std::nullopt;
  text.resize(open);
  return Range{*left, *right};
}

void WaveNames::declare(const std::string& scope, const std::vector<std::string>& section) {
  ++count_;
  Variable variable;
  variable.code = section[2];
  const std::string& type = section[0];
  variable.has_bits = type != "real" && type != "realtime" && type != "string";
  variable.width = uint32_t(std::min<uint64_t>(base::try_uint(section[1]).value_or(1), UINT32_MAX));
  const std::string& name = section[3];
  std::string suffix;
  for (size_t i = 4; i < section.size(); ++i)
    suffix += section[i];
  const bool escaped = name[0] == '\\';
  variable.escaped = escaped;
  const std::string reference = suffix.empty() || suffix[0] == '[' ? name + suffix : name + " " + suffix;
  std::string base = reference;
  std::optional<Range> range = escaped && suffix.empty() ? std::nullopt : take_range(base);
  if (range && uint64_t(range->high() - range->low()) + 1 != variable.width) {
    if (range->left == range->right)
      base = reference;  // an index of an array, not a range of bits
    range.reset();
  }
  variable.range = range;
  variables_[scope + base].push_back(variable);
  if (escaped)
    unescaped_[scope + base.substr(1)] = scope + base;
}

const std::vector<WaveNames::Variable>* WaveNames::find(const std::string& name) const {
  const auto at = variables_.find(name);
  return at == variables_.end() ? nullptr : &at->second;
}

WaveNames::Vector
WaveNames::join(std::vector<Variable> pieces, const std::string& name, const base::Location& where) {
  for (const Variable& piece : pieces) {
    if (!piece.has_bits)
      throw base::Error(where, "'" + name + "' is a real or a string and has no bits");
  }
  const auto low = [](const Variable& v) {
    return v.range ? v.range->low() : 0;
  };
  std::ranges::stable_sort(pieces, {}, low);
  const auto same = [](const Variable& a, const Variable& b) {
    return a.code == b.code && (a.range == b.range || !a.range || !b.range);
  };
  pieces.erase(std::unique(pieces.begin(), pieces.end(), same), pieces.end());
  std::set<std::string> codes;
  for (const Variable& piece : pieces)
    codes.insert(piece.code);
  const bool falls = std::ranges::none_of(pieces, [](const Variable& v) {
    return v.range && v.range->left < v.range->right;
  });
  Vector out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Variable& piece = pieces[i];
    if (i > 0 && (!piece.range || !pieces[i - 1].range || low(piece) <= pieces[i - 1].range->high())) {
      throw base::Error(
          where,
          "two variables of the recording have the name '" + name + "'",
          "name one by its code: " + codes_of(codes));
    }
    if (i > 0 && low(piece) != pieces[i - 1].range->high() + 1) {
      throw base::Error(
          where,
          "the recording has no bit " + std::to_string(pieces[i - 1].range->high() + 1) + " of '" + name +
              "'",
          "name the bits that it has, such as " + name + "[" +
              range_text(piece.range->left, piece.range->right) + "]");
    }
    out.parts.push_back({piece.code, 0, piece.width});
  }
  if (!pieces.front().range)
    return out;
  const int64_t lowest = pieces.front().range->low();
  const int64_t highest = pieces.back().range->high();
  out.range = falls ? Range{highest, lowest} : Range{lowest, highest};
  if (!falls)
    std::ranges::reverse(out.parts);
  return out;
}

// Returns the parts that hold the bits `wanted` of a signal, least significant first. Throws base::Error when
// they lie outside its declared range or are listed in the opposite direction.
std::vector<SignalPart> WaveNames::select(
    const Vector& whole,
    const Range& wanted,
    const std::string& name,
    const base::Location& where) {
  int64_t width = 0;
  for (const SignalPart& part : whole.parts)
    width += part.width;
  const Range range = whole.range.value_or(Range{width - 1, 0});
  const bool falls = range.left >= range.right;
  if (wanted.low() < range.low() || wanted.high() > range.high() ||
      (wanted.left != wanted.right && (wanted.left > wanted.right) != falls)) {
    throw base::Error(
        where,
        "'" + name + "' has no bits [" + range_text(wanted.left, wanted.right) + "]",
        "its bits are [" + range_text(range.left, range.right) + "]");
  }
  int64_t skip = falls ? wanted.right - range.right : range.right - wanted.right;
  int64_t left = wanted.high() - wanted.low() + 1;
  std::vector<SignalPart> out;
  for (const SignalPart& part : whole.parts) {
    const int64_t begin = std::min<int64_t>(skip, part.width);
    skip -= begin;
    const int64_t take = std::min(left, part.width - begin);
    left -= take;
    if (take > 0)
      out.push_back({part.code, part.first + uint32_t(begin), uint32_t(take)});
  }
  return out;
}

// Throws base::Error for a name that no signal has. The error suggests up to four elements when an array has
// the name, else similar names.
void WaveNames::refuse_unknown(const std::string& name, const base::Location& where) const {
  std::vector<std::string> known;
  std::vector<std::string> elements;
  const auto note_element = [&](const std::string& known_name) {
    if (known_name.starts_with(name + "[") && elements.size() < 4)
      elements.push_back(known_name);
  };
  for (const auto& [plain, escaped] : unescaped_)
    note_element(plain);
  for (const auto& [known_name, pieces] : variables_) {
    note_element(known_name);
    if (known.size() < 5000)
      known.push_back(known_name);
  }
  if (elements.empty())
    throw base::Error(where, "there is no signal '" + name + "'", base::suggestion(name, known));
  std::string hint;
  for (const std::string& element : elements)
    hint += (hint.empty() ? "name one element: " : ", ") + element;
  throw base::Error(where, "'" + name + "' is an array", hint);
}

std::vector<SignalPart> WaveNames::resolve(const std::string& name, const base::Location& where) const {
  if (name.size() > 1 && name[0] == '@') {
    for (const auto& [known, pieces] : variables_) {
      for (const Variable& piece : pieces) {
        if (piece.code == name.substr(1))
          return join({piece}, known, where).parts;
      }
    }
  }
  std::string base = name;
  std::erase(base, ' ');
  const std::string whole = find(name) ? name : base;
  const std::optional<Range> range = take_range(base);
  const std::vector<Variable>* exact = find(whole);
  const std::vector<Variable>* sliced = range ? find(base) : nullptr;
  if (!exact && !sliced) {
    const auto plain = unescaped_.find(whole);
    const auto vector = range ? unescaped_.find(base) : unescaped_.end();
    exact = plain == unescaped_.end() ? nullptr : find(plain->second);
    sliced = vector == unescaped_.end() ? nullptr : find(vector->second);
  }
  // The brackets of an escaped name belong to the name, so it cannot be confused with a range of another
  // variable.
  if (exact && sliced && !exact->front().escaped) {
    throw base::Error(
        where,
        "'" + name + "' is a variable of the recording and a part of '" + base + "'",
        "name one by its code: @" + exact->front().code + ", @" + sliced->front().code);
  }
  if (exact)
    return join(*exact, name, where).parts;
  if (!sliced)
    refuse_unknown(name, where);
  // Only those variables of this base name that hold wanted bits must join to a vector.
  std::vector<Variable> touched;
  std::ranges::copy_if(*sliced, std::back_inserter(touched), [&](const Variable& piece) {
    return piece.range && piece.range->low() <= range->high() && piece.range->high() >= range->low();
  });
  return select(join(touched.empty() ? *sliced : touched, base, where), *range, base, where);
}

bool WaveNames::has(std::string name) const {
  const auto known = [&] {
    return find(name) || unescaped_.contains(name);
  };
  std::erase(name, ' ');
  return known() || (take_range(name) && known());
}

std::string WaveNames::scope_of(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::vector<WaveNames::Bit> WaveNames::named_clocks(size_t most) const {
  std::vector<Bit> out;
  std::set<std::string> seen;
  for (const auto& [name, pieces] : variables_) {
    std::string leaf = name.substr(name.rfind('.') + 1);
    std::ranges::transform(leaf, leaf.begin(), [](unsigned char c) {
      return char(std::tolower(c));
    });
    if (leaf.find("clk") == std::string::npos && leaf.find("clock") == std::string::npos)
      continue;
    if (pieces.size() != 1 || pieces[0].width != 1 || !seen.insert(pieces[0].code).second)
      continue;
    out.push_back({name, pieces[0].code});
    if (out.size() == most)
      break;
  }
  return out;
}

std::vector<WaveNames::Bit> WaveNames::bits_in(const std::string& scope) const {
  std::vector<Bit> out;
  const std::string prefix = scope.empty() ? "" : scope + ".";
  for (auto at = variables_.lower_bound(prefix); at != variables_.end(); ++at) {
    const auto& [name, pieces] = *at;
    if (!name.starts_with(prefix))
      break;
    if (name.find('.', prefix.size()) == std::string::npos && pieces.size() == 1 && pieces[0].width == 1 &&
        pieces[0].has_bits)
      out.push_back({name, pieces[0].code});
  }
  return out;
}

}  // namespace lento::tile
