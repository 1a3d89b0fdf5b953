// Short loops whose time has one cause each, measured in CPU time of the thread, so that other work on the
// machine lengthens a loop only by what it did to the caches. Callers repeat them and take the least.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lento::memory {

inline constexpr size_t kHostLine = 64;
inline constexpr size_t kHostPage = 4096;

// CPUs that this process may use, and their restriction to one.
std::vector<int> usable_cpus();
void pin_to(const std::vector<int>& cpus);

// Memory of its own pages: of the usual size, or as large as the system gives. Throws base::Error where there
// is no room.
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

// Offsets in random order: each line of so many bytes, and a word on each of so many pages, on lines that
// spread over the sets of a cache.
std::vector<size_t> shuffled_lines(size_t bytes);
std::vector<size_t> shuffled_words(size_t pages);

// A ring of dependent loads through the places of a buffer.
class LoadChain {
 public:
  // Links the places. Another chain over the same places ends this one.
  LoadChain(const HostBuffer& buffer, const std::vector<size_t>& places);
  // Goes on along the ring and returns the seconds of a load.
  double time(size_t loads);

 private:
  char* at_ = nullptr;
};

// Seconds of an independent load of the places from `first` on, `loads` of them.
double
time_scattered(const HostBuffer& buffer, const std::vector<size_t>& places, size_t first, size_t loads);

// The same of an update, which reads the place and writes it.
double time_updates(HostBuffer& buffer, const std::vector<size_t>& places);

// Seconds of reading the range in order.
double time_sweep(const HostBuffer& buffer, size_t begin, size_t bytes);

// Each CPU reads pieces of its part of the buffer, from `begin` of the part on, and all begin each piece at
// once. Returns the least wall-clock seconds of a piece, from the first thread's start to the last one's end.
// Infinite where they never ran side by side.
inline constexpr size_t kPieces = 16;
inline constexpr size_t kPieceBytes = size_t{256} << 10;
double time_all(const HostBuffer& buffer, const std::vector<int>& cpus, size_t begin);

// Wall-clock seconds from one CPU's store to the other's load of it: the least of several short rallies.
// Infinite where the threads never ran side by side. Takes 20 ms at most, and longer by what the system takes
// for two threads to run side by side.
double time_transfer(int first, int second);

// Seconds of an addition that waits for the one before, which takes a cycle.
double time_addition();

}  // namespace lento::memory
