// Stack-like scratch memory of one search thread: what a node of the search tree needs, given back when the
// search leaves the node. Every piece starts on a 32-byte boundary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lento::memory {

class Arena {
 public:
  struct Mark {
    size_t chunk;
    size_t used;
  };

  Mark mark() const {
    return {chunk_, used_};
  }
  void release(Mark mark) {
    chunk_ = mark.chunk;
    used_ = mark.used;
  }

  template <class T>
  T* take(size_t count) {
    return reinterpret_cast<T*>(take_words((count * sizeof(T) + 31) / 32 * 4));
  }

 private:
  static constexpr size_t kChunkWords = size_t{1} << 14;
  struct Chunk {
    std::unique_ptr<uint64_t[]> memory;
    uint64_t* base = nullptr;  // memory, aligned
    size_t words = 0;
  };

  uint64_t* take_words(size_t words) {
    while (chunk_ < chunks_.size() && used_ + words > chunks_[chunk_].words) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size())
      grow(words);
    uint64_t* piece = chunks_[chunk_].base + used_;
    used_ += words;
    return piece;
  }

  void grow(size_t words) {
    Chunk chunk;
    chunk.words = words > kChunkWords ? words : kChunkWords;
    chunk.memory = std::make_unique_for_overwrite<uint64_t[]>(chunk.words + 4);
    const auto address = reinterpret_cast<uintptr_t>(chunk.memory.get());
    chunk.base = chunk.memory.get() + ((32 - address % 32) % 32) / 8;
    chunks_.push_back(std::move(chunk));
    used_ = 0;
  }

  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

}  // namespace lento::memory
