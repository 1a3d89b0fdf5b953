// Short loops, each timed by one property of the machine. Most times are CPU time of the thread, which other
// work on the machine lengthens only through the caches. Callers repeat a loop and take the minimum.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lento::memory {

inline constexpr size_t kHostLine = 64;
inline constexpr size_t kHostPage = 4096;

// usable_cpus returns the CPUs that this thread may use, pin_to restricts it to some of them.
std::vector<int> usable_cpus();
void pin_to(const std::vector<int>& cpus);

// Memory on pages of 4 KiB, or (`huge`) on huge pages where the system grants them. Throws base::Error when
// the memory cannot be mapped.
class HostBuffer {
 public:
  HostBuffer(size_t bytes, bool huge);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  char* at(size_t offset) const {
    return at_ + offset;
  }
  size_t bytes() const {
    return bytes_;
  }

 private:
  char* at_ = nullptr;
  size_t bytes_ = 0;
};

// Return offsets into a buffer in random order: of every line of its first `bytes` bytes, or of one word on
// each of `pages` pages. The words' lines spread over the sets of a cache.
std::vector<size_t> shuffled_lines(size_t bytes);
std::vector<size_t> shuffled_words(size_t pages);

// A ring of dependent loads through the places of a buffer.
class LoadChain {
 public:
  // Links the places in the buffer. A later chain over the same places overwrites the links of this one.
  LoadChain(const HostBuffer& buffer, const std::vector<size_t>& places);
  // Follows the ring from where the last call ended, and returns the mean seconds of a load.
  double time(size_t loads);

 private:
  char* at_ = nullptr;
};

// Returns the mean seconds of a load, when `loads` places from index `first` on are loaded independently.
double
time_scattered(const HostBuffer& buffer, const std::vector<size_t>& places, size_t first, size_t loads);

// Returns the mean seconds of an independent load that hits the first cache, with nothing else to do.
double time_hits(const HostBuffer& buffer, size_t loads);

// Returns the mean seconds of an update, which loads a place and stores to it, over all places.
double time_updates(HostBuffer& buffer, const std::vector<size_t>& places);

// Returns the mean seconds of an atomic addition to one word, which the core owns.
double time_atomics(HostBuffer& buffer, size_t additions);

// Returns the mean seconds of a division of 64-bit registers by a small number, none of which waits for the
// one before.
double time_divisions(size_t divisions);

// Returns the seconds in which the range is read in order.
double time_sweep(const HostBuffer& buffer, size_t begin, size_t bytes);

// Each CPU reads kPieces pieces of its part of the buffer, from offset `begin` of the part on, and all start
// each piece together. Returns the least wall-clock seconds of a piece, from the first thread's start to the
// last one's end, or infinity when the threads never ran at the same time.
inline constexpr size_t kPieces = 16;
inline constexpr size_t kPieceBytes = size_t{256} << 10;
double time_all(const HostBuffer& buffer, const std::vector<int>& cpus, size_t begin);

// Returns the wall-clock seconds from one CPU's store to the other CPU's load of it, the least of several
// short exchanges, or infinity when the threads never ran at the same time. Takes 20 ms, and longer when the
// system delays one of the two threads.
double time_transfer(int first, int second);

// Returns the seconds of an addition that depends on the previous one, which are those of a clock cycle.
double time_addition();

}  // namespace lento::memory
