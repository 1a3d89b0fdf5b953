// Dependent loads take one latency each, independent loads a fraction of it, and sweeps are limited by the
// memory's bandwidth. The compiler cannot remove loads through a volatile pointer, or those whose sum goes to
// keep_value. Source of the chains: McVoy and Staelin, lmbench: portable tools for performance analysis.
#include "memory/host_loops.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/rng.h"

namespace lento::memory {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void keep_value(uint64_t& value) {
  asm volatile("" : "+r"(value));
}

// These repeat a short operation without a loop, whose branches may take longer.
template <size_t... kEach>
void add_each(uint64_t& x, uint64_t step, std::index_sequence<kEach...>) {
  ((static_cast<void>(kEach), x += step, keep_value(x)), ...);
}
template <size_t... kEach>
void load_each(const char* at, std::index_sequence<kEach...>) {
  (static_cast<void>(*reinterpret_cast<const volatile uint64_t*>(at + kEach * kHostLine)), ...);
}

// Reads a word of each line, so that the memory and not the core limits the rate.
void read_in_order(const HostBuffer& buffer, size_t begin, size_t bytes) {
  uint64_t sum = 0;
  for (size_t i = begin; i < begin + bytes; i += kHostLine)
    sum += *reinterpret_cast<const uint64_t*>(buffer.at(i));
  keep_value(sum);
}

}  // namespace

std::vector<int> usable_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(unsigned(cpu), &set))
      cpus.push_back(cpu);
  }
  return cpus;
}

void pin_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus)
    CPU_SET(unsigned(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

HostBuffer::HostBuffer(size_t bytes, bool huge)
    : bytes_(bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    throw base::Error({}, "no memory of " + std::to_string(bytes >> 20) + " MiB to calibrate with");
  ::madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  at_ = static_cast<char*>(p);
  for (size_t i = 0; i < bytes; i += kHostPage)
    at_[i] = 1;
}

HostBuffer::~HostBuffer() {
  ::munmap(at_, bytes_);
}

std::vector<size_t> shuffled_lines(size_t bytes) {
  std::vector<size_t> order(bytes / kHostLine);
  std::iota(order.begin(), order.end(), size_t{0});
  base::Rng rng(1, "calibrate");
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(i)]);
  for (size_t& line : order)
    line *= kHostLine;
  return order;
}

std::vector<size_t> shuffled_words(size_t pages) {
  std::vector<size_t> places = shuffled_lines(pages * kHostLine);
  for (size_t& place : places) {
    const size_t page = place / kHostLine;
    place = page * kHostPage + (page * 7 % (kHostPage / kHostLine)) * kHostLine;
  }
  return places;
}

LoadChain::LoadChain(const HostBuffer& buffer, const std::vector<size_t>& places)
    : at_(buffer.at(places[0])) {
  for (size_t i = 0; i < places.size(); ++i)
    *reinterpret_cast<char**>(buffer.at(places[i])) = buffer.at(places[(i + 1) % places.size()]);
}

double LoadChain::time(size_t loads) {
  char* p = at_;
  const double start = cpu_seconds();
  for (size_t i = 0; i < loads; ++i)
    p = *reinterpret_cast<char* volatile*>(p);
  const double end = cpu_seconds();
  at_ = p;
  return (end - start) / double(loads);
}

double
time_scattered(const HostBuffer& buffer, const std::vector<size_t>& places, size_t first, size_t loads) {
  uint64_t sum = 0;
  const double start = cpu_seconds();
  for (size_t i = first; i < first + loads; ++i)
    sum += *reinterpret_cast<const volatile uint64_t*>(buffer.at(places[i]));
  const double end = cpu_seconds();
  keep_value(sum);
  return (end - start) / double(loads);
}

double time_hits(const HostBuffer& buffer, size_t loads) {
  const double start = cpu_seconds();
  for (size_t i = 0; i < loads / 16; ++i)
    load_each(buffer.at(0), std::make_index_sequence<16>());
  return (cpu_seconds() - start) / double(loads);
}

double time_updates(HostBuffer& buffer, const std::vector<size_t>& places) {
  const double start = cpu_seconds();
  for (const size_t place : places) {
    volatile uint64_t* const word = reinterpret_cast<volatile uint64_t*>(buffer.at(place));
    *word = *word + 1;
  }
  return (cpu_seconds() - start) / double(places.size());
}

double time_atomics(HostBuffer& buffer, size_t additions) {
  std::atomic_ref<uint64_t> word(*reinterpret_cast<uint64_t*>(buffer.at(0)));
  const double start = cpu_seconds();
  for (size_t i = 0; i < additions; ++i)
    word.fetch_add(i);
  return (cpu_seconds() - start) / double(additions);
}

double time_divisions(size_t divisions) {
  constexpr uint64_t kScramble = 0x9e3779b97f4a7c15;
  uint64_t divisor = 300;
  keep_value(divisor);
  uint64_t sum = 0;
  const double start = cpu_seconds();
  for (uint64_t i = 0; i < divisions; ++i)
    sum += (i * kScramble >> 33) % divisor;
  const double end = cpu_seconds();
  keep_value(sum);
  return (end - start) / double(divisions);
}

double time_sweep(const HostBuffer& buffer, size_t begin, size_t bytes) {
  const double start = cpu_seconds();
  read_in_order(buffer, begin, bytes);
  return cpu_seconds() - start;
}

double time_all(const HostBuffer& buffer, const std::vector<int>& cpus, size_t begin) {
  constexpr double kPatience = 0.02;  // seconds, for all threads to be running
  struct Span {
    double start = kNever;
    double end = kNever;
  };
  std::vector<std::array<Span, kPieces>> spans(cpus.size());
  std::atomic<size_t> ready = 0;
  std::atomic<bool> late = false;
  std::vector<std::thread> threads;
  const size_t part = buffer.bytes() / cpus.size() / kHostLine * kHostLine;
  for (size_t i = 0; i < cpus.size(); ++i)
    threads.emplace_back([&, i] {
      pin_to({cpus[i]});
      const double asked = wall_seconds();
      for (size_t piece = 0; piece < kPieces && !late; ++piece) {
        ++ready;
        while (ready < (piece + 1) * cpus.size() && !late)
          late = wall_seconds() - asked > kPatience;
        if (late)
          break;
        spans[i][piece].start = wall_seconds();
        read_in_order(buffer, part * i + begin + piece * kPieceBytes, kPieceBytes);
        spans[i][piece].end = wall_seconds();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  double least = kNever;
  for (size_t piece = 0; piece < kPieces; ++piece) {
    double first = kNever;
    double last = 0;
    for (const auto& own : spans) {
      first = std::min(first, own[piece].start);
      last = std::max(last, own[piece].end);
    }
    if (last < kNever)
      least = std::min(least, last - first);
  }
  return least;
}

double time_transfer(int first, int second) {
  constexpr int kRally = 64;  // stores of each thread in one timed exchange
  constexpr double kAtMost = 0.02;
  constexpr double kTick = 1e-3;  // seconds: after a longer exchange a scheduler had stopped a thread
  alignas(128) std::atomic<int> turn = 0;
  std::thread other([&turn, second] {
    pin_to({second});
    for (int i = 1;; ++i) {
      int now = turn.load(std::memory_order_acquire);
      while (now != 2 * i - 1 && now >= 0)
        now = turn.load(std::memory_order_acquire);
      if (now < 0)
        return;
      turn.store(2 * i, std::memory_order_release);
    }
  });
  pin_to({first});
  double best = kNever;
  const double begin = wall_seconds();
  double start = begin;
  for (int i = 1; start - begin < kAtMost; ++i) {
    turn.store(2 * i - 1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) != 2 * i) {
    }
    if (i % kRally != 0)
      continue;
    const double end = wall_seconds();
    if (end - start < kTick)
      best = std::min(best, (end - start) / (2 * kRally));
    start = end;
  }
  turn = -1;
  other.join();
  return best;
}

double time_addition() {
  constexpr size_t kAdds = 200'000;
  uint64_t x = 1;
  uint64_t step = 3;
  keep_value(step);
  const double start = cpu_seconds();
  for (size_t i = 0; i < kAdds / 16; ++i)
    add_each(x, step, std::make_index_sequence<16>());
  return (cpu_seconds() - start) / double(kAdds);
}

}  // namespace lento::memory
