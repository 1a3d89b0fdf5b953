// Maps code addresses to functions. A lookup that falls into the same function as the last one costs two
// comparisons. Code without a symbol is gathered by pages of 256 bytes, cut at known functions.
#include "memory/mine/functions.h"

#include <cstdio>

namespace lento::memory {
namespace {

constexpr uint64_t kCodePage = 256;  // bytes

std::string page_name(uint64_t start) {
  char text[40];
  std::snprintf(text, sizeof text, "code at 0x%llx", static_cast<unsigned long long>(start));
  return text;
}

}  // namespace

// Returns the number of the function that contains a program counter.
uint32_t Functions::find(uint16_t process, uint64_t pc) {
  // A trace may add names while it is read.
  has_names_ = has_names_ || !names_of_.empty();
  const program::Symbol* symbol = has_names_ ? names_of_.function_at(process, pc) : nullptr;
  process_ = process;
  ++asked_;
  if (symbol) {
    ++named_;
    low_ = symbol->low;
    high_ = symbol->high;
    return last_ = number({process, symbol->low, true, symbol->name});
  }
  const uint64_t page = pc / kCodePage * kCodePage;
  low_ = has_names_ ? pc : page;
  high_ = has_names_ ? pc + 1 : page + kCodePage;
  return last_ = number({process, page, false, page_name(page)});
}

// Returns the number of a function and gives it one when new. Without a name the page stands for the
// function.
uint32_t Functions::number(const Known& function) {
  auto& numbers = function.has_name ? by_start_ : by_page_;
  const Key key{function.process, function.start};
  const auto known = numbers.find(key);
  if (known != numbers.end())
    return known->second;
  if (names_.size() >= kMostFunctions)
    return others();
  numbers.emplace(key, uint32_t(names_.size()));
  names_.push_back(function.name);
  has_name_.push_back(function.has_name);
  return uint32_t(names_.size() - 1);
}

uint32_t Functions::others() {
  const auto [at, is_new] = by_page_.emplace(Key{0, kOthers}, uint32_t(names_.size()));
  if (is_new) {
    names_.emplace_back("other code");
    has_name_.push_back(true);
  }
  return at->second;
}

std::vector<Functions::Known> Functions::known() const {
  std::vector<Known> out(names_.size());
  for (const auto* numbers : {&by_start_, &by_page_}) {
    for (const auto& [key, number] : *numbers)
      out[number] = {key.first, key.second, numbers == &by_start_, names_[number]};
  }
  return out;
}

void Functions::add(const Known& function) {
  auto& numbers = function.has_name ? by_start_ : by_page_;
  numbers.emplace(Key{function.process, function.start}, uint32_t(names_.size()));
  names_.push_back(function.name);
  has_name_.push_back(function.has_name || function.start == kOthers);
}

}  // namespace lento::memory
