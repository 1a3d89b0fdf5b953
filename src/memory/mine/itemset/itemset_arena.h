// Stack-like scratch memory of one search thread. A node of the search tree takes memory and gives it back
// when the search leaves the node. Every piece starts on a 32-byte boundary.
#pragma once

#include <algorithm>
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
    return reinterpret_cast<T*>(take_words(words_of<T>(count)));
  }
  // Gives back the part of `last`, the piece taken last, beyond `count`.
  template <class T>
  void shrink(T* last, size_t count) {
    const size_t begin = size_t(reinterpret_cast<uint64_t*>(last) - chunks_[chunk_].base);
    used_ = begin + words_of<T>(count);
  }
  // Returns the words of memory that it holds, in use or not.
  size_t held() const {
    size_t words = 0;
    for (const Chunk& chunk : chunks_)
      words += chunk.words;
    return words;
  }

 private:
  template <class T>
  static size_t words_of(size_t count) {
    return (count * sizeof(T) + 31) / 32 * 4;
  }

  static constexpr size_t kChunkWords = size_t{1} << 14;
  struct Chunk {
    std::unique_ptr<uint64_t[]> memory;
    uint64_t* base = nullptr;  // memory, aligned
    size_t words = 0;
  };

  uint64_t* take_words(size_t words) {
    if (chunks_.empty() || used_ + words > chunks_[chunk_].words)
      go_on(words);
    uint64_t* piece = chunks_[chunk_].base + used_;
    used_ += words;
    return piece;
  }

  // Moves to the next chunk. It and all that follow are empty. One that is too small is replaced by a larger
  // one with room to spare, because pieces that grow little by little would otherwise leave a trail of
  // chunks.
  void go_on(size_t words) {
    const size_t next = chunks_.empty() ? 0 : chunk_ + 1;
    size_t wanted = std::max(words, kChunkWords);
    if (next < chunks_.size() && chunks_[next].words < words) {
      wanted = std::max(wanted, chunks_[next].words + chunks_[next].words / 2);
      chunks_.resize(next);
    }
    if (next == chunks_.size())
      chunks_.push_back(chunk_of(wanted));
    chunk_ = next;
    used_ = 0;
  }

  static Chunk chunk_of(size_t words) {
    Chunk chunk;
    chunk.words = words;
    chunk.memory = std::make_unique_for_overwrite<uint64_t[]>(words + 4);
    const auto address = reinterpret_cast<uintptr_t>(chunk.memory.get());
    chunk.base = chunk.memory.get() + ((32 - address % 32) % 32) / 8;
    return chunk;
  }

  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

}  // namespace lento::memory
