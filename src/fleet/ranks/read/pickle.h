// Reads plain data from a Python pickle: numbers, texts, lists, tuples, dictionaries, None. An opcode that
// imports, calls, builds or extends is refused, so nothing of a pickle is ever run.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace lento::fleet::ranks {

// A value of a pickle or of JSON. Parts may be shared, and a hostile pickle may put a list into itself, so
// readers descend by name to a fixed depth, never recursively.
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

  const PlainValue* find(std::string_view key) const;  // nullptr: none, or no dictionary
  int64_t integer(int64_t otherwise) const;            // also of a text of digits
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

// Reads protocols 0x80 0x02 to 0x05. Throws base::Error with the byte at fault. Memory is bounded by
// kMostValues and the length of the input.
PlainDocument parse_pickle(std::string_view bytes, const std::string& file);
PlainDocument plain_of(const base::Json& json);

}  // namespace lento::fleet::ranks
