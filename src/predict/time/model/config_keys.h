// Reads the keys of a config.json, which families spell in several ways.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace lento::predict {

inline constexpr int64_t kMostConfigured = int64_t{1} << 23;
inline constexpr int64_t kMostConfiguredWays = 1 << 14;   // largest number of heads, groups or experts
inline constexpr int64_t kMostTokens = int64_t{1} << 40;  // largest context

// Reads fields of a config.json whose keys differ between model families.
class Config {
 public:
  Config(const base::Json& json, base::Location where)
      : json_(json),
        where_(std::move(where)) {
  }

  const base::Json* value(std::string_view key) const {
    const base::Json* found = json_.find(key);
    return found && !found->is_null() ? found : nullptr;
  }
  // Returns the first of these integer fields that is present, else `fallback`.
  int64_t whole(
      std::initializer_list<const char*> keys,
      int64_t fallback,
      int64_t least = 1,
      int64_t most = kMostConfigured) const {
    for (const char* key : keys) {
      if (const base::Json* found = value(key))
        return found->integer(base::child(where_, key), least, most);
    }
    return fallback;
  }
  // Returns the first of these integer fields. Throws base::Error when none is present.
  int64_t needed(std::initializer_list<const char*> keys, int64_t most = kMostConfigured) const {
    if (const int64_t found = whole(keys, 0, 1, most))
      return found;
    const std::string inside = where_.path.empty() ? "" : where_.path + ".";
    throw base::Error(
        where_,
        "there is no '" + inside + *keys.begin() + "'",
        "the config.json of a decoder model states it, unless it equals the default of its class");
  }
  bool flag(std::string_view key, bool fallback) const {
    const base::Json* found = value(key);
    return found && found->is_bool() ? found->boolean(base::child(where_, key)) : fallback;
  }
  std::string text(std::string_view key) const {
    const base::Json* found = value(key);
    return found && found->is_string() ? found->string(where_) : "";
  }
  const base::Location& where() const {
    return where_;
  }

 private:
  const base::Json& json_;
  base::Location where_;
};

}  // namespace lento::predict
