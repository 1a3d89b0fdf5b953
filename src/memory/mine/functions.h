// Maps a code address of a process to a small number for its function, and names the function.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/address_space.h"

namespace lento::memory {

inline constexpr size_t kMostFunctions = size_t{1} << 16;

// Gathers code without a symbol by pages of 256 bytes. A page never includes a known function.
class Functions {
 public:
  explicit Functions(const program::AddressSpace& names)
      : names_of_(names),
        has_names_(!names.empty()) {
  }

  uint32_t of(uint16_t process, uint64_t pc) {
    if (pc >= low_ && pc < high_ && process == process_)
      return last_;
    return find(process, pc);
  }
  uint32_t others();  // the number that all functions beyond kMostFunctions share
  const std::string& name(uint32_t function) const {
    return names_[function];
  }
  bool has_name(uint32_t function) const {
    return has_name_[function];
  }
  size_t size() const {
    return names_.size();
  }
  // Number of look-ups outside the function of the previous look-up, and of those among them that found a
  // symbol.
  uint64_t asked() const {
    return asked_;
  }
  uint64_t named() const {
    return named_;
  }

  struct Known {
    uint16_t process = 0;
    uint64_t start = 0;
    bool has_name = false;
    std::string name;
  };
  // Lists all functions by number, and adds one of such a list.
  std::vector<Known> known() const;
  void add(const Known& function);

 private:
  using Key = std::pair<uint16_t, uint64_t>;
  uint32_t find(uint16_t process, uint64_t pc);
  uint32_t number(const Known& function);

  const program::AddressSpace& names_of_;
  bool has_names_;
  std::map<Key, uint32_t> by_start_;
  std::map<Key, uint32_t> by_page_;
  std::vector<std::string> names_;
  std::vector<bool> has_name_;                     // else it is a page of code
  static constexpr uint64_t kOthers = UINT64_MAX;  // where no function starts
  // The function that was looked up last.
  uint64_t low_ = 1;
  uint64_t high_ = 0;
  uint16_t process_ = 0;
  uint32_t last_ = 0;
  uint64_t asked_ = 0;
  uint64_t named_ = 0;
};

}  // namespace lento::memory
