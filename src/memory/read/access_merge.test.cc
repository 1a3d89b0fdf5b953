// Several sources as one, against sorting.
#include "memory/read/access_merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace lento::memory {
namespace {

class Batches : public AccessSource {
 public:
  Batches(std::vector<AccessRecord> records, size_t batch)
      : records_(std::move(records)),
        batch_(batch) {
  }
  std::span<const AccessRecord> next() override {
    const size_t count = std::min(batch_, records_.size() - at_);
    at_ += count;
    return std::span(records_).subspan(at_ - count, count);
  }

 private:
  std::vector<AccessRecord> records_;
  size_t batch_;
  size_t at_ = 0;
};

// The pcs of all records in the order of the merge.
std::vector<uint64_t> merged(const std::vector<std::vector<AccessRecord>>& inputs, size_t batch) {
  std::vector<std::unique_ptr<AccessSource>> sources;
  for (const auto& records : inputs)
    sources.push_back(std::make_unique<Batches>(records, batch));
  MergedAccessSource merge(std::move(sources));
  std::vector<uint64_t> out;
  for (auto part = merge.next(); !part.empty(); part = merge.next()) {
    for (const AccessRecord& r : part)
      out.push_back(r.pc);
  }
  return out;
}

TEST(AccessMerge, IsTheStableOrderByCycleCpuAndSource) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    base::Rng rng(seed, "access.merge");
    std::vector<std::vector<AccessRecord>> inputs(1 + rng.below(5));
    std::vector<AccessRecord> all;
    uint64_t number = 0;
    for (auto& records : inputs) {
      const size_t count = rng.below(6000);
      uint64_t cycle = 0;
      for (size_t i = 0; i < count; ++i) {
        AccessRecord r;
        r.cycle = cycle += rng.below(3);
        r.cpu = 7;
        r.pc = number++;
        records.push_back(r);
      }
      const auto cpu = uint16_t(rng.below(3));
      for (AccessRecord& r : records)
        r.cpu = cpu;
      all.insert(all.end(), records.begin(), records.end());
    }
    std::ranges::stable_sort(all, [](const AccessRecord& a, const AccessRecord& b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
    });
    std::vector<uint64_t> expected;
    for (const AccessRecord& r : all)
      expected.push_back(r.pc);
    EXPECT_EQ(merged(inputs, 1 + rng.below(100)), expected) << seed;
  }
}

TEST(AccessMerge, OfNothingIsNothing) {
  EXPECT_TRUE(merged({}, 1).empty());
  EXPECT_TRUE(merged({{}, {}}, 1).empty());
}

}  // namespace
}  // namespace lento::memory
