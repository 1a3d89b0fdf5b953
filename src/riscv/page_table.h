// A flat table over the 2^20 pages of a 32-bit address space. A lookup is one load. Entries that were never
// written cost no memory, because the system maps them to its zero page.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace lento::riscv {

inline constexpr uint32_t kPageBits = 12;
inline constexpr uint32_t kPageBytes = 1u << kPageBits;

template <class T>
class PageTable {
 public:
  PageTable()
      : table_(static_cast<T**>(std::calloc(kPages, sizeof(T*)))) {
    if (!table_)
      throw std::bad_alloc();
  }

  T* find(uint32_t address) const {
    return table_.get()[address >> kPageBits];
  }

  T* insert(uint32_t address, std::unique_ptr<T> page) {
    owned_.push_back(std::move(page));
    return table_.get()[address >> kPageBits] = owned_.back().get();
  }

  size_t size() const {
    return owned_.size();
  }

 private:
  static constexpr size_t kPages = size_t{1} << (32 - kPageBits);
  struct Free {
    void operator()(T** p) const {
      std::free(p);
    }
  };
  std::unique_ptr<T*, Free> table_;
  std::vector<std::unique_ptr<T>> owned_;
};

}  // namespace lento::riscv
