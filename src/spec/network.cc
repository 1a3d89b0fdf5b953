// Accessors of operations and shapes. Attributes of any operator are kept as lists of integers or as texts,
// so that new operators need no new fields.
#include "spec/network.h"

namespace lento::spec {

int64_t Operation::integer(const std::string& key, int64_t fallback) const {
  const auto found = integers.find(key);
  if (found == integers.end() || found->second.empty())
    return fallback;
  return found->second.front();
}

std::vector<int64_t> Operation::list(const std::string& key, std::vector<int64_t> fallback) const {
  const auto found = integers.find(key);
  if (found == integers.end())
    return fallback;
  return found->second;
}

int64_t element_count(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t d : shape)
    n *= d;
  return n;
}

std::string to_string(const Shape& shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (const int64_t d : shape)
    text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

}  // namespace lento::spec
