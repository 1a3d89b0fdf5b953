// A set of arbitrary CPU numbers. The first 64 need no allocation.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace lento::memory {

class CpuSet {
 public:
  void add(uint32_t cpu) {
    if (cpu < 64) {
      first_ |= uint64_t{1} << cpu;
      return;
    }
    const size_t word = cpu / 64 - 1;
    if (rest_.size() <= word)
      rest_.resize(word + 1);
    rest_[word] |= uint64_t{1} << cpu % 64;
  }
  bool contains(uint32_t cpu) const {
    if (cpu < 64)
      return first_ >> cpu & 1;
    const size_t word = cpu / 64 - 1;
    return word < rest_.size() && (rest_[word] >> cpu % 64 & 1);
  }
  bool empty() const {
    return count() == 0;
  }
  int count() const {
    int n = std::popcount(first_);
    for (const uint64_t word : rest_)
      n += std::popcount(word);
    return n;
  }
  void operator|=(const CpuSet& other) {
    first_ |= other.first_;
    if (rest_.size() < other.rest_.size())
      rest_.resize(other.rest_.size());
    for (size_t i = 0; i < other.rest_.size(); ++i)
      rest_[i] |= other.rest_[i];
  }
  std::vector<uint32_t> list() const {
    std::vector<uint32_t> out;
    const uint32_t end = 64 + 64 * uint32_t(rest_.size());
    for (uint32_t cpu = 0; cpu < end; ++cpu) {
      if (contains(cpu))
        out.push_back(cpu);
    }
    return out;
  }
  // Returns ranges such as "0-3,7".
  std::string text() const {
    std::string out;
    const std::vector<uint32_t> cpus = list();
    for (size_t i = 0; i < cpus.size();) {
      size_t last = i;
      while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
        ++last;
      out += (out.empty() ? "" : ",") + std::to_string(cpus[i]);
      if (last > i)
        out += "-" + std::to_string(cpus[last]);
      i = last + 1;
    }
    return out;
  }
  bool operator==(const CpuSet& other) const {
    return list() == other.list();
  }

 private:
  uint64_t first_ = 0;
  std::vector<uint64_t> rest_;
};

}  // namespace lento::memory
