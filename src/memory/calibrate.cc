// Measures caches, page tables, memory and transfers with loops whose time has one cause each. A chain of
// dependent loads through lines in random order takes a latency a load. Independent loads of the same lines
// take a fraction of it, and the ratio is the number of misses under way. A word on each of many pages costs
// what translation adds to a chain over as many packed lines. Sources: McVoy and Staelin, lmbench: portable
// tools for performance analysis (chains); Yotov, Pingali, Stodghill, Automatic measurement of memory
// hierarchy parameters.
#include "memory/calibrate.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/units.h"

namespace lento::memory {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kPage = 4096;
constexpr int kRuns = 9;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the least time of several runs, a call of `run` each, after one that warms the caches.
template <class Run>
double least(const Run& run, int runs = kRuns) {
  run();
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double start = seconds();
    run();
    best = std::min(best, seconds() - start);
  }
  return best;
}

void keep(uint64_t& value) {
  asm volatile("" : "+r"(value));
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(unsigned(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Returns the CPUs on which this process may run.
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

// Memory of its own pages: of the usual size, or as large as the system gives.
class Buffer {
 public:
  Buffer(size_t bytes, bool huge)
      : bytes_(bytes) {
    void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      throw base::Error({}, "no memory of " + std::to_string(bytes >> 20) + " MiB to calibrate with");
    ::madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    at_ = static_cast<char*>(p);
    for (size_t i = 0; i < bytes; i += kPage)
      at_[i] = 1;
  }
  ~Buffer() {
    ::munmap(at_, bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
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

// Places of the loads of one loop: every line, in random order.
std::vector<size_t> lines_of(size_t bytes) {
  std::vector<size_t> order(bytes / kLine);
  std::iota(order.begin(), order.end(), size_t{0});
  base::Rng rng(1, "calibrate");
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(i)]);
  for (size_t& line : order)
    line *= kLine;
  return order;
}

// A word on each of so many pages, on lines that spread over the sets of a cache, in random order.
std::vector<size_t> words_on_pages(size_t pages) {
  std::vector<size_t> places = lines_of(pages * kLine);
  for (size_t& place : places) {
    const size_t page = place / kLine;
    place = page * kPage + (page * 7 % (kPage / kLine)) * kLine;
  }
  return places;
}

// Links the places into a ring and returns the seconds of a dependent load.
double chain(const Buffer& buffer, const std::vector<size_t>& places, size_t loads) {
  for (size_t i = 0; i < places.size(); ++i)
    *reinterpret_cast<char**>(buffer.at(places[i])) = buffer.at(places[(i + 1) % places.size()]);
  char* p = buffer.at(places[0]);
  const double time = least([&] {
    for (size_t i = 0; i < loads; ++i)
      p = *reinterpret_cast<char* volatile*>(p);
  });
  auto value = uint64_t(reinterpret_cast<uintptr_t>(p));
  keep(value);
  return time / double(loads);
}

// Returns the seconds of an independent load of the places, in their order.
double scatter(const Buffer& buffer, const std::vector<size_t>& places, size_t loads) {
  uint64_t sum = 0;
  const double time = least([&] {
    for (size_t done = 0; done < loads; done += places.size()) {
      for (const size_t place : places)
        sum += *reinterpret_cast<const volatile uint64_t*>(buffer.at(place));
    }
  });
  keep(sum);
  return time / double((loads + places.size() - 1) / places.size() * places.size());
}

// Measures the bandwidth of sequential reading, in bytes per second.
double bytes_per_second(const Buffer& buffer) {
  uint64_t sum = 0;
  const auto* words = reinterpret_cast<const uint64_t*>(buffer.at(0));
  const double time = least(
      [&] {
        uint64_t a = 0;
        uint64_t b = 0;
        for (size_t i = 0; i < buffer.bytes() / 8; i += 8) {
          a += words[i] + words[i + 1] + words[i + 2] + words[i + 3];
          b += words[i + 4] + words[i + 5] + words[i + 6] + words[i + 7];
        }
        sum += a + b;
        keep(sum);
      },
      5);
  return double(buffer.bytes()) / time;
}

// Returns the rate of additions that wait for one another, which take one cycle each.
double clock_rate() {
  constexpr size_t kAdds = 1'000'000;
  const double time = least(
      [] {
        uint64_t x = 1;
        uint64_t step = 3;
        keep(step);
        for (size_t i = 0; i < kAdds / 16; ++i) {
          for (int k = 0; k < 16; ++k) {
            x += step;
            keep(x);
          }
        }
      },
      30);
  return kAdds / time;
}

// Reads a size such as "32K" or "1M" as the kernel writes it in sysfs, in bytes.
uint64_t size_in(const std::string& text) {
  uint64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9' && value < (1U << 30); ++i)
    value = 10 * value + uint64_t(text[i] - '0');
  return i < text.size() && text[i] == 'K'   ? value << 10
         : i < text.size() && text[i] == 'M' ? value << 20
                                             : value;
}

std::string line_of_file(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Takes size and ways of the data caches as the system names them.
void read_shapes(CoreModel& core, std::vector<std::string>& notes) {
  TagShape* const shapes[] = {&core.first, &core.second, &core.third};
  bool any = false;
  for (int index = 0; index < 6; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const uint64_t level = size_in(line_of_file(folder + "level"));
    const uint64_t bytes = size_in(line_of_file(folder + "size"));
    const uint64_t ways = size_in(line_of_file(folder + "ways_of_associativity"));
    if (level < 1 || level > 3 || bytes == 0 || bytes > (1U << 30) ||
        line_of_file(folder + "type") == "Instruction")
      continue;
    *shapes[level - 1] = {uint32_t(bytes), uint32_t(std::clamp<uint64_t>(ways, 1, 64))};
    any = true;
  }
  if (!any)
    notes.emplace_back("the system does not name its caches: their sizes are the usual ones");
}

// Seconds from one core's store to another core's load of it: the tenth percentile of single round trips,
// since most are long where other work takes turns with either thread.
double transfer_time(int first, int second) {
  constexpr int kTurns = 20'000;
  constexpr double kAtMost = 4;  // seconds
  alignas(128) static std::atomic<int> turn;
  turn = 0;
  std::thread other([second] {
    pin(second);
    for (int i = 1;; ++i) {
      int now = turn.load(std::memory_order_acquire);
      while (now != 2 * i - 1 && now >= 0)
        now = turn.load(std::memory_order_acquire);
      if (now < 0)
        return;
      turn.store(2 * i, std::memory_order_release);
    }
  });
  pin(first);
  std::vector<double> trips;
  const double begin = seconds();
  double start = begin;
  for (int i = 1; i <= kTurns && start - begin < kAtMost; ++i) {
    turn.store(2 * i - 1, std::memory_order_release);
    while (turn.load(std::memory_order_acquire) != 2 * i) {
    }
    const double end = seconds();
    trips.push_back(end - start);
    start = end;
  }
  turn = -1;
  other.join();
  const auto tenth = trips.begin() + std::ptrdiff_t(trips.size() / 10);
  std::ranges::nth_element(trips, tenth);
  return *tenth / 2;
}

// The lowest CPU of each node that this process may use.
std::vector<int> cpu_of_nodes(const std::vector<int>& cpus) {
  std::vector<int> out;
  for (int node = 0; node < 64; ++node) {
    const std::string folder = "/sys/devices/system/node/node" + std::to_string(node);
    for (const int cpu : cpus) {
      if (::access((folder + "/cpu" + std::to_string(cpu)).c_str(), F_OK) == 0) {
        out.push_back(cpu);
        break;
      }
    }
  }
  return out;
}

class Host {
 public:
  explicit Host(const base::Progress& progress)
      : progress_(progress),
        cpus_(usable_cpus()) {
    out_.platform = usual_platform();
    out_.platform.name = "host";
    out_.platform.title = "this machine";
    out_.platform.source = "measured by lento memory calibrate";
  }

  // Measures all properties of this machine one after the other.
  Calibration run() {
    pin(cpus_[0]);
    step(1);
    p().clock = clock_rate();
    read_shapes(core(), out_.notes);
    caches();
    pages();
    memory();
    transfers();
    remote();
    cpu_set_t all;
    CPU_ZERO(&all);
    for (const int cpu : cpus_)
      CPU_SET(unsigned(cpu), &all);
    pthread_setaffinity_np(pthread_self(), sizeof all, &all);
    return std::move(out_);
  }

 private:
  CorePlatform& p() {
    return out_.platform;
  }
  CoreModel& core() {
    return out_.platform.core;
  }
  uint64_t cycles(double time) {
    return uint64_t(std::max(1.0, std::round(time * p().clock)));
  }
  void step(int number) {
    constexpr int kSteps = 6;
    progress_("calibrated", number, kSteps);
  }

  // Latencies beyond a hit in the first cache, in half of each level.
  void caches() {
    constexpr size_t kLoads = 200'000;
    step(2);
    const Buffer buffer(std::max<size_t>(2 * core().third.bytes, 8 << 20), true);
    const auto level = [&](size_t bytes) {
      return chain(buffer, lines_of(bytes), kLoads);
    };
    first_ = level(core().first.bytes / 2);
    core().second_hit = cycles(level((core().first.bytes + core().second.bytes) / 2) - first_);
    if (core().third.bytes > 0)
      core().third_hit =
          cycles(level(std::min<size_t>(core().third.bytes / 4, 4 * core().second.bytes)) - first_);
  }

  // Finds the reach of the second translation buffer by the cost that a word a page adds to as many packed
  // lines, and the cost of a missed translation where nothing waits for the loads.
  void pages() {
    step(3);
    constexpr size_t kMost = 16384;
    constexpr size_t kLoads = 200'000;
    const Buffer wide(kMost * kPage, false);
    const Buffer packed(kMost * kLine, true);
    const auto extra = [&](size_t pages) {
      return chain(wide, words_on_pages(pages), kLoads) - chain(packed, lines_of(pages * kLine), kLoads);
    };
    const double most = extra(kMost);
    const double buffered = extra(4 * core().first_pages);
    if (most * p().clock < 4) {
      core().second_pages = 0;
      out_.notes.emplace_back("translations cost nothing here: the system uses large pages");
      return;
    }
    const double half = (std::max(0.0, buffered) + most) / 2;
    size_t reach = 512;
    for (const size_t pages : {1024UL, 1536UL, 2048UL, 3072UL, 4096UL, 6144UL, 8192UL}) {
      if (extra(pages) < half)
        reach = pages;
    }
    core().second_pages = uint32_t(reach);
    // In one order over and over, a buffer that replaces what was used longest ago misses all of twice its
    // reach.
    const size_t pages = std::min(2 * reach, kMost);
    const double all =
        scatter(wide, words_on_pages(pages), kLoads) - scatter(packed, lines_of(pages * kLine), kLoads);
    core().walk = cycles(std::max(0.0, all));
  }

  // Measures latency of memory and cycles per line, with random and with overlapping accesses.
  void memory() {
    step(4);
    const Buffer buffer(memory_bytes(), true);
    measure(buffer, core().memory, core().memory_line);
    const std::vector<size_t> places = lines_of(buffer.bytes() / 2);
    const double alone = scatter(buffer, places, places.size());
    const double latency = double(core().memory) / p().clock;
    core().overlap = unsigned(std::clamp(std::round(latency / alone), 1.0, 64.0));
    const double one = bytes_per_second(buffer);
    core().ahead = unsigned(std::clamp(std::round(one * latency / double(kLine)), 1.0, 256.0));
    all_at_once();
  }

  size_t memory_bytes() const {
    return std::clamp<size_t>(size_t{4} * out_.platform.core.third.bytes, 64 << 20, 256 << 20);
  }

  void measure(const Buffer& buffer, uint64_t& latency, uint64_t& line) {
    const std::vector<size_t> places = lines_of(buffer.bytes());
    latency = cycles(chain(buffer, places, std::min<size_t>(places.size(), 400'000)) - first_);
    line = cycles(double(kLine) / bytes_per_second(buffer));
  }

  // The memory's rate is that of all cores together.
  void all_at_once() {
    constexpr size_t kMostCores = 16;
    const size_t cores = std::min(cpus_.size(), kMostCores);
    std::vector<double> rates(cores);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < cores; ++i)
      threads.emplace_back([this, i, cores, &rates] {
        pin(cpus_[i]);
        const Buffer own(memory_bytes() / cores, true);
        rates[i] = bytes_per_second(own);
      });
    for (std::thread& thread : threads)
      thread.join();
    const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
    core().memory_line = cycles(double(kLine) / all);
    pin(cpus_[0]);
  }

  // Measures the cycles to fetch a line that another core modified.
  void transfers() {
    step(5);
    if (cpus_.size() < 2) {
      out_.notes.emplace_back("one CPU only: what a line from another core takes is the usual figure");
      return;
    }
    core().transfer = cycles(transfer_time(cpus_[0], cpus_[1]));
  }

  // Measures latency and bandwidth to the memory of another NUMA node.
  void remote() {
    step(6);
    const std::vector<int> nodes = cpu_of_nodes(cpus_);
    if (nodes.size() < 2) {
      out_.notes.emplace_back(
          "one node only: remote memory has the usual figures, scaled by the local latency");
      const CoreModel usual = usual_platform().core;
      core().remote_memory = core().memory * usual.remote_memory / usual.memory;
      core().link_line = core().memory_line * usual.link_line / usual.memory_line;
      return;
    }
    pin(nodes[1]);
    const Buffer buffer(memory_bytes(), true);  // its pages lie on that node
    pin(nodes[0]);
    measure(buffer, core().remote_memory, core().link_line);
  }

  const base::Progress& progress_;
  const std::vector<int> cpus_;
  double first_ = 0;  // seconds of a hit in the first cache
  Calibration out_;
};

}  // namespace

Calibration calibrate_host(const base::Progress& progress) {
  return Host(progress).run();
}

finding::Diagnosis calibrate_memory(const CalibrationOptions& options) {
  const double start = seconds();
  const Calibration host = calibrate_host(options.progress);
  base::write_file(options.output, to_yaml(host.platform));
  finding::Diagnosis d;
  d.scale = "memory";
  d.title = "This machine's memory";
  d.verdict = "Measured in " + base::format_number(seconds() - start, 3) + " s, written to " +
              options.output + ": give it to 'lento memory record --platform'.";
  const CoreModel& c = host.platform.core;
  const auto time = [&](uint64_t cycles) {
    return base::format_number(double(cycles) / host.platform.clock * 1e9, 3) + " ns";
  };
  d.facts = {
      {"clock", base::format_number(host.platform.clock / 1e9, 3) + " GHz"},
      {"second cache, beyond the first", time(c.second_hit)},
      {"third cache", time(c.third_hit)},
      {"memory", time(c.memory)},
      {"pages that are translated at once", std::to_string(c.second_pages)},
      {"a missed translation", time(c.walk)},
      {"misses under way", std::to_string(c.overlap)},
      {"lines fetched ahead", std::to_string(c.ahead)},
      {"a line from another core", time(c.transfer)}};
  d.notes = host.notes;
  return d;
}

}  // namespace lento::memory
