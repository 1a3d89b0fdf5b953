// Measures caches, page tables, memory and transfers. Other work on the machine, and its neighbours' use of a
// shared cache, only lengthen a loop. So every loop is short, all are repeated in rounds, and each figure is
// the least of its loop that another confirms. A chain of dependent loads through lines in random order takes
// one latency per load. Independent loads of the same lines take a fraction of it, and the ratio is the
// number of outstanding misses. A chain over one word on each of many pages takes longer than one over as
// many adjacent lines, by the time of address translation. Sources: McVoy and Staelin, lmbench: portable
// tools for performance analysis (chains); Yotov, Pingali, Stodghill, Automatic measurement of memory
// hierarchy parameters.
#include "memory/calibrate.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/units.h"
#include "evidence/sample.h"
#include "memory/host_loops.h"

namespace lento::memory {
namespace {

constexpr int kRounds = 120;
constexpr double kSteady = 1.1;  // ratio of two calibrations of one machine
constexpr double kLongest = 50;  // seconds, however busy the machine is

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The least of the added values that another one confirms, infinite before the first. A single one may be too
// small, because a virtual machine's processor time sometimes lacks what its host took away.
class Least {
 public:
  void add(double value) {
    values_.push_back(value);
  }
  operator double() const {
    std::vector<double> rising = values_;
    std::ranges::sort(rising);
    const auto confirmed = std::ranges::adjacent_find(rising, [](double value, double next) {
      return next <= kSteady * value;
    });
    if (confirmed != rising.end())
      return *confirmed;
    return rising.empty() ? std::numeric_limits<double>::infinity() : rising.front();
  }

 private:
  std::vector<double> values_;
};

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

// Reads size and ways of the data caches from sysfs. Adds a note when it lists none.
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

// Returns the lowest of `cpus` on each NUMA node that has one.
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

// Measures latency and bandwidth of one node's memory from the CPU that this thread is pinned to. Each loop
// starts where the last one ended, so that its lines are in no cache yet.
class MemoryLoops {
 public:
  explicit MemoryLoops(size_t bytes)
      : buffer_(bytes, true),
        places_(shuffled_lines(bytes)),
        chain_(buffer_, places_) {
  }
  void measure() {
    constexpr size_t kLoads = 20'000;
    constexpr size_t kSwept = size_t{8} << 20;
    latency_.add(chain_.time(kLoads));
    scattered_.add(time_scattered(buffer_, places_, next_, kLoads));
    next_ = next_ + 2 * kLoads < places_.size() ? next_ + kLoads : 0;
    sweep_.add(time_sweep(buffer_, swept_, kSwept) / double(kSwept / kHostLine));
    swept_ = (swept_ + kSwept) % (buffer_.bytes() - buffer_.bytes() % kSwept);
  }
  // Measures the bandwidth that all CPUs reach together.
  void measure_all(const std::vector<int>& cpus) {
    const size_t part = buffer_.bytes() / cpus.size();
    const size_t run = kPieces * kPieceBytes;
    all_swept_ = all_swept_ + 2 * run <= part ? all_swept_ + run : 0;
    if (run <= part)
      all_.add(time_all(buffer_, cpus, all_swept_) / double(cpus.size() * kPieceBytes / kHostLine));
  }
  // Return the seconds in which a line is read: by dependent loads, by independent loads, in order, and in
  // order by all CPUs at once.
  double latency() const {
    return latency_;
  }
  double scattered() const {
    return scattered_;
  }
  double sweep() const {
    return sweep_;
  }
  double all() const {
    return std::min<double>(all_, sweep_);
  }

 private:
  HostBuffer buffer_;
  const std::vector<size_t> places_;
  LoadChain chain_;
  size_t next_ = 0;
  size_t swept_ = 0;
  size_t all_swept_ = 0;
  Least latency_;
  Least scattered_;
  Least sweep_;
  Least all_;
};

// Returns the seconds of a load in the fastest piece of `passes` passes over a chain, after a first pass that
// does not count. Each call links the chain again, because other chains overwrite it in the same buffer.
double later_passes(const HostBuffer& buffer, const std::vector<size_t>& places, size_t passes = 1) {
  constexpr size_t kPiece = 8'000;  // loads
  LoadChain chain(buffer, places);
  chain.time(places.size());
  Least least;
  for (size_t done = 0; done < passes * places.size(); done += kPiece)
    least.add(chain.time(kPiece));
  return least;
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

  Calibration run() {
    pin_to({cpus_[0]});
    read_shapes(core(), out_.notes);
    prepare();
    const double start = seconds();
    for (int round = 0; round < kRounds && seconds() - start < kLongest; ++round) {
      progress_("rounds of loops", round + 1, kRounds);
      if (round > 0 && round % kRoundsOfABuffer == 0)
        take_buffers();
      measure();
    }
    for (auto& [count, pages] : pages_)
      pages.change_buffer();
    conclude();
    pin_to(cpus_);
    return std::move(out_);
  }

 private:
  static constexpr size_t kSizes[] = {512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384};
  static constexpr size_t kMostPages = 16384;
  static constexpr int kRoundsOfABuffer = 4;
  static constexpr size_t kPasses = 4;        // over small working sets, which other work evicts from a cache
  static constexpr size_t kSetLoads = 65536;  // loads, enough to make the time to read the clock negligible

  struct Chain {
    std::vector<size_t> places;
    Least time;
  };
  // Loads of one word on each of a number of pages. Their time depends on the physical pages, which differ
  // from buffer to buffer, so several buffers are measured.
  struct Pages {
    std::vector<size_t> words;
    std::vector<size_t> lines;
    // The least seconds of a load in the present buffer: `apart` with one word on each page, `packed` in
    // adjacent lines, `_scattered` with independent instead of dependent loads.
    Least apart = {};
    Least packed = {};
    Least apart_scattered = {};
    Least packed_scattered = {};
    // The seconds by which a load with one word on each page is slower than one in adjacent lines, one value
    // for each buffer: `extras` of dependent and `walks` of independent loads.
    std::vector<double> extras = {};
    std::vector<double> walks = {};
    void change_buffer() {
      if (!std::isfinite(apart))
        return;
      extras.push_back(apart - packed);
      if (std::isfinite(apart_scattered))
        walks.push_back(apart_scattered - packed_scattered);
      apart = packed = apart_scattered = packed_scattered = Least();
    }
  };

  CorePlatform& p() {
    return out_.platform;
  }
  CoreModel& core() {
    return out_.platform.core;
  }
  // Sets a time of the core, which is at least a cycle.
  void set(uint64_t CoreModel::*time, double seconds) {
    p().set(time, std::max(1 / p().clock, seconds));
  }
  uint64_t cycles(double time) {
    return uint64_t(std::max(1.0, std::round(time * p().clock)));
  }

  // Measures each cache level with a working set that fits it and does not fit the level before.
  void prepare() {
    const CoreModel& c = core();
    first_.places = shuffled_lines(c.first.bytes / 2);
    second_.places = shuffled_lines((c.first.bytes + c.second.bytes) / 2);
    third_.places =
        shuffled_lines(std::min<size_t>((c.second.bytes + c.third.bytes) / 2, 4 * size_t{c.second.bytes}));
    // Visits four times as many lines as a set has ways, over and over.
    const size_t lines = size_t{4} * c.first.ways;
    for (size_t i = 0; i < kSetLoads; ++i) {
      one_set_.push_back(i % lines * (c.first.bytes / c.first.ways));
      all_sets_.push_back(i % lines * kHostLine);
    }
    take_buffers();
    for (const size_t pages : kSizes)
      pages_[pages] = {shuffled_words(pages), shuffled_lines(pages * kHostLine)};
    const size_t bytes = std::clamp<size_t>(size_t{4} * c.third.bytes, 64 << 20, 256 << 20);
    local_.emplace(bytes);
    const std::vector<int> nodes = cpu_of_nodes(cpus_);
    if (nodes.size() < 2)
      return;
    pin_to({nodes[1]});
    remote_.emplace(bytes);  // its pages lie on that node
    pin_to({cpus_[0]});
  }

  void measure() {
    constexpr size_t kMostCores = 16;
    addition_.add(time_addition());
    for (Chain* chain : {&first_, &second_, &third_})
      chain->time.add(later_passes(*near_, chain->places, kPasses));
    for (size_t pass = 0; pass < kPasses; ++pass) {
      one_set_reads_.add(time_scattered(*near_, one_set_, 0, one_set_.size()));
      one_set_updates_.add(time_updates(*near_, one_set_));
      all_sets_reads_.add(time_scattered(*near_, all_sets_, 0, all_sets_.size()));
      hits_.add(time_hits(*near_, kSetLoads));
      word_updates_.add(time_updates(*near_, one_word_));
      word_atomics_.add(time_atomics(*near_, kSetLoads));
      divisions_.add(time_divisions(kSetLoads));
    }
    for (auto& [count, pages] : pages_) {
      pages.apart.add(later_passes(*wide_, pages.words));
      pages.packed.add(later_passes(*near_, pages.lines));
    }
    measure_walks(pages_.at(kMostPages));
    local_->measure();
    if (remote_)
      remote_->measure();
    const size_t cores = std::min(cpus_.size(), kMostCores);
    local_->measure_all({cpus_.begin(), cpus_.begin() + std::ptrdiff_t(cores)});
    if (cpus_.size() > 1)
      transfers_.push_back(time_transfer(cpus_[0], cpus_[1]));
  }

  void measure_walks(Pages& pages) {
    const size_t n = pages.words.size();
    for (size_t pass = 0; pass < kPasses; ++pass)
      pages.apart_scattered.add(time_scattered(*wide_, pages.words, 0, n));
    for (size_t pass = 0; pass < kPasses; ++pass)
      pages.packed_scattered.add(time_scattered(*near_, pages.lines, 0, n));
  }

  // Allocates new buffers before it frees the old ones, so that they consist of other pages.
  void take_buffers() {
    const size_t lines = std::max(third_.places.size(), kMostPages);
    const size_t one_set = size_t{4} * core().first.bytes;
    auto near = std::make_unique<HostBuffer>(std::max(lines * kHostLine, one_set), true);
    auto wide = std::make_unique<HostBuffer>(kMostPages * kHostPage, false);
    near_.swap(near);
    wide_.swap(wide);
    for (auto& [count, pages] : pages_)
      pages.change_buffer();
  }

  void conclude() {
    p().clock = 1 / addition_;
    const double hit = first_.time;
    set(&CoreModel::first_hit, hit);
    set(&CoreModel::second_hit, second_.time - hit);
    if (core().third.bytes > 0)
      set(&CoreModel::third_hit, third_.time - hit);
    set(&CoreModel::step, hits_);
    set(&CoreModel::replace, one_set_reads_);
    set(&CoreModel::rewrite, one_set_updates_);
    set(&CoreModel::atomic, word_atomics_ - hits_);
    set(&CoreModel::divide, divisions_);
    set(&CoreModel::forward, word_updates_ - all_sets_reads_);
    conclude_pages();
    set(&CoreModel::memory, local_->latency() - hit);
    core().overlap = unsigned(std::clamp(std::round(local_->latency() / local_->scattered()), 1.0, 64.0));
    core().ahead = unsigned(std::clamp(std::round(local_->latency() / local_->sweep()), 1.0, 256.0));
    core().memory_line = cycles(local_->all());
    conclude_transfers();
    if (remote_) {
      set(&CoreModel::remote_memory, remote_->latency() - hit);
      core().link_line = cycles(remote_->sweep());
      return;
    }
    out_.notes.emplace_back(
        "one node only: remote memory has the usual figures, scaled by the local latency");
    const CoreModel usual = usual_platform().core;
    core().remote_memory = core().memory * usual.remote_memory / usual.memory;
    core().link_line = 2 * core().memory_line;  // as on the shipped sheets of two sockets
  }

  // Uses the 10 % quantile, because in most rounds other work shares a CPU with one of the two threads. The
  // processors of a virtual machine move between cores that are near each other and cores that are not. The
  // quantile then depends on where they were, which a note says.
  void conclude_transfers() {
    std::erase_if(transfers_, [](double time) {
      return !std::isfinite(time);
    });
    if (transfers_.empty()) {
      out_.notes.emplace_back(
          "no two threads ran side by side: what a line from another core takes is the usual figure");
      return;
    }
    const double usual = evidence::quantile(transfers_, 0.1);
    const double most = evidence::quantile(transfers_, 0.9);
    set(&CoreModel::transfer, usual);
    if (most > kSteady * usual)
      out_.notes.push_back(
          "a line from another core took " + base::format_number(usual * 1e9, 3) + " to " +
          base::format_number(most * 1e9, 3) +
          " ns: the distance of the two processors changes here, and another calibration may differ");
  }

  // Takes as capacity of the second-level TLB the number of pages beyond which the cost of a load rises most.
  // With the largest number, in one order over and over, every load misses it, and an independent load costs
  // a page walk. With fewer pages some loads hit, because the TLB does not evict the least recently used
  // entry.
  void conclude_pages() {
    const double cycle = 1 / p().clock;
    if (std::ranges::min(pages_.at(kMostPages).extras) < 4 * cycle) {
      core().second_pages = 0;
      out_.notes.emplace_back("translations cost nothing here: the system uses large pages");
      return;
    }
    double steepest = 0;
    double before = 0;
    size_t last = 0;
    for (const auto& [count, pages] : pages_) {
      const double extra = std::max(cycle, std::ranges::min(pages.extras));
      if (last > 0 && 2 * last <= kMostPages && extra / before > steepest) {
        steepest = extra / before;
        core().second_pages = uint32_t(last);
      }
      before = extra;
      last = count;
    }
    set(&CoreModel::walk, evidence::median(pages_.at(kMostPages).walks));
  }

  const base::Progress& progress_;
  const std::vector<int> cpus_;
  std::unique_ptr<HostBuffer> near_;  // large pages
  std::unique_ptr<HostBuffer> wide_;  // usual pages
  std::optional<MemoryLoops> local_;
  std::optional<MemoryLoops> remote_;
  std::map<size_t, Pages> pages_;
  Chain first_;
  Chain second_;
  Chain third_;
  std::vector<size_t> one_set_;   // lines of one set of the first cache
  std::vector<size_t> all_sets_;  // as many that lie side by side
  const std::vector<size_t> one_word_ = std::vector<size_t>(kSetLoads, 0);
  Least one_set_reads_;
  Least one_set_updates_;
  Least all_sets_reads_;
  Least hits_;
  Least word_updates_;  // of one word, each of which waits for the one before
  Least word_atomics_;
  Least divisions_;
  Least addition_;
  std::vector<double> transfers_;  // infinite where the threads took turns
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
  const auto time = [&](uint64_t CoreModel::*of) {
    return base::format_number(host.platform.seconds(of) * 1e9, 3) + " ns";
  };
  d.facts = {
      {"clock", base::format_number(host.platform.clock / 1e9, 3) + " GHz"},
      {"a word after the core's own store", time(&CoreModel::forward)},
      {"an atomic operation", time(&CoreModel::atomic)},
      {"a division", time(&CoreModel::divide)},
      {"a line of an overfull set, read and updated",
       time(&CoreModel::replace) + ", " + time(&CoreModel::rewrite)},
      {"second cache, beyond the first", time(&CoreModel::second_hit)},
      {"third cache", time(&CoreModel::third_hit)},
      {"memory", time(&CoreModel::memory)},
      {"pages that are translated at once", std::to_string(c.second_pages)},
      {"a missed translation", time(&CoreModel::walk)},
      {"misses under way", std::to_string(c.overlap)},
      {"lines fetched ahead", std::to_string(c.ahead)},
      {"a line from another core", time(&CoreModel::transfer)}};
  d.notes = host.notes;
  return d;
}

}  // namespace lento::memory
