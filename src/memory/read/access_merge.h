// Merges several access sources into one, in the order of a trace: cycle, then cpu, then the order of the
// sources. Cost: O(log n) per record of n sources.
#pragma once

#include <memory>
#include <queue>
#include <vector>

#include "memory/read/access_record.h"

namespace lento::memory {

class MergedAccessSource : public AccessSource {
 public:
  explicit MergedAccessSource(std::vector<std::unique_ptr<AccessSource>> sources)
      : inputs_(sources.size()) {
    for (size_t i = 0; i < sources.size(); ++i) {
      inputs_[i].source = std::move(sources[i]);
      advance(i);
    }
  }

  std::span<const AccessRecord> next() override {
    batch_.clear();
    while (!heap_.empty() && batch_.size() < kBatch) {
      const size_t i = heap_.top().input;
      heap_.pop();
      batch_.push_back(inputs_[i].records[inputs_[i].at++]);
      advance(i);
    }
    return batch_;
  }

 private:
  static constexpr size_t kBatch = 4096;
  struct Input {
    std::unique_ptr<AccessSource> source;
    std::span<const AccessRecord> records;
    size_t at = 0;
  };
  struct Head {
    uint64_t cycle;
    uint16_t cpu;
    size_t input;
    bool operator<(const Head& other) const {  // the queue's top is the largest
      if (cycle != other.cycle)
        return cycle > other.cycle;
      if (cpu != other.cpu)
        return cpu > other.cpu;
      return input > other.input;
    }
  };

  void advance(size_t i) {
    Input& input = inputs_[i];
    if (input.at == input.records.size()) {
      input.records = input.source->next();
      input.at = 0;
    }
    if (input.at < input.records.size())
      heap_.push({input.records[input.at].cycle, input.records[input.at].cpu, i});
  }

  std::vector<Input> inputs_;
  std::priority_queue<Head> heap_;
  std::vector<AccessRecord> batch_;
};

}  // namespace lento::memory
