// Reads plain data from a Python pickle: numbers, texts, lists, tuples, dictionaries, None. Opcodes that
// import, call, build or extend are refused, so no code in a pickle is ever run.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lento::fleet::ranks {

// A value of a pickle or of JSON. Values may share parts, and a hostile pickle may put a list into itself, so
// readers descend to a fixed depth and never recursively.
struct PlainValue {
  enum class Kind : uint8_t {
    None,
    Bool,
    Int,
    Real,
    Text,
    List,
    Dict
  };
  Kind kind = Kind::None;
  int64_t number = 0;
  double real = 0;
  std::string text;
  std::vector<const PlainValue*> items;  // of a dictionary: key, value, key, value, ...

  const PlainValue* find(std::string_view key) const;  // nullptr: no such key, or not a dictionary
  int64_t integer(int64_t otherwise) const;            // also converts a text of digits
  std::string_view string() const {
    return text;
  }
  bool truth() const {
    return number != 0;
  }
};

// Owns the values of one document.
struct PlainDocument {
  std::deque<PlainValue> values;
  const PlainValue* root = nullptr;
  PlainValue& make(PlainValue::Kind kind);
  static constexpr size_t kMostValues = size_t{4} << 20;
};

// Parses a pickle of protocol 2 to 5. Throws base::Error with the position of the first invalid byte. Memory
// is bounded by kMostValues and the length of the input.
PlainDocument parse_pickle(std::string_view bytes, const std::string& file);
PlainDocument plain_of(const base::Json& json);

}  // namespace lento::fleet::ranks
