// Collects blocks by slice. Internal to the mapper.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "chip/map/mapping.h"

namespace lento::chip {

struct SliceLess {
  bool operator()(const Slice& a, const Slice& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].start != b[i].start)
        return a[i].start < b[i].start;
      if (a[i].end != b[i].end)
        return a[i].end < b[i].end;
    }
    return false;
  }
};

// A list of blocks in order of first use. Cores that need the same slice share one block.
class BlockList {
 public:
  void add(Position core, const Slice& slice) {
    const auto [at, fresh] = index_.try_emplace(slice, blocks_.size());
    if (fresh)
      blocks_.push_back({{}, slice});
    blocks_[at->second].cores.push_back(core);
  }
  std::vector<Block> take() {
    return std::move(blocks_);
  }
  bool empty() const {
    return blocks_.empty();
  }

 private:
  std::map<Slice, size_t, SliceLess> index_;
  std::vector<Block> blocks_;
};

}  // namespace lento::chip
