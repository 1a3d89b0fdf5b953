// Keeps the meanings of labels and units, because logs repeat them.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "desk/general/labels.h"

namespace lento::desk {

// Returns the measure of a text, derived once for all its occurrences, because logs repeat their labels.
template <class Derive>
Measure kept_measure(std::unordered_map<std::string, Measure>& kept, std::string text, const Derive& derive) {
  constexpr size_t kMost = 32768;
  if (const auto at = kept.find(text); at != kept.end())
    return at->second;
  if (kept.size() == kMost)
    kept.clear();
  const Measure measure = derive();
  kept.emplace(std::move(text), measure);
  return measure;
}

}  // namespace lento::desk
