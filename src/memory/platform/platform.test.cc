#include "memory/platform/platform.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "base/file.h"
#include "evidence/sample.h"
#include "riscv/instruction.h"

namespace lento::memory {
namespace {

using riscv::Instruction;
using riscv::Op;

constexpr uint32_t kBase = 0x80000000;

class Recorder : public AccessSink {
 public:
  void record(const AccessRecord& record) override {
    records.push_back(record);
  }
  // The accesses of `cpu` that are no fetches.
  std::vector<AccessRecord> data(uint16_t cpu) const {
    std::vector<AccessRecord> out;
    for (const AccessRecord& r : records) {
      if (r.cpu == cpu && r.type != AccessType::Fetch)
        out.push_back(r);
    }
    return out;
  }
  std::vector<AccessRecord> records;
};

// A program at the start of memory that ends by storing 0 to the exit register. Register 31 holds memory + 64
// KiB, register 30 the hart number.
riscv::ElfImage image(std::vector<Instruction> body) {
  std::vector<Instruction> program = {
      {Op::Csrrs, 30, 0, 0, 0xf14},
      {Op::Lui, 31, 0, 0, int32_t(kBase + 0x10000)}};
  program.insert(program.end(), body.begin(), body.end());
  program.push_back({Op::Lui, 29, 0, 0, 0x10000000});
  program.push_back({Op::Sw, 0, 29, 0, 4});
  riscv::ElfImage out;
  out.entry = kBase;
  std::string bytes;
  for (const Instruction& n : program) {
    const uint32_t word = encode(n);
    bytes.append(reinterpret_cast<const char*>(&word), 4);
  }
  out.segments.push_back({kBase, 0x20000, true, true, bytes});
  return out;
}

Platform single() {
  Platform p;
  p.harts = 1;
  return p;
}

std::vector<AccessRecord>
data_of(const Platform& platform, const std::vector<Instruction>& body, uint16_t cpu = 0) {
  Recorder recorder;
  RunOptions options;
  options.sink = &recorder;
  EXPECT_EQ(simulate(image(body), platform, options).ending, Ending::Exit);
  return recorder.data(cpu);
}

TEST(ClosedForm, LoadMissAndHitOnTheBus) {
  for (const int read : {3, 5, 17}) {
    for (const int latency : {1, 4, 30}) {
      Platform p = single();
      p.read_cycles = read, p.bank_latency = latency;
      const auto data = data_of(p, {{Op::Lw, 1, 31, 0, 0}, {Op::Lw, 1, 31, 0, 4}, {Op::Lw, 1, 31, 0, 32}});
      EXPECT_EQ(data[0].latency, uint32_t(1 + read + latency));
      EXPECT_FALSE(data[0].trivial());
      EXPECT_EQ(data[1].latency, 1u);  // the same line
      EXPECT_TRUE(data[1].trivial());
      EXPECT_EQ(data[2].latency, uint32_t(1 + read + latency));
    }
  }
}

TEST(ClosedForm, FetchMissOncePerLineAndOneCycleAnInstruction) {
  Platform p = single();
  Recorder recorder;
  RunOptions options;
  options.sink = &recorder;
  simulate(image(std::vector<Instruction>(30, {Op::Addi})), p, options);  // 34 instructions: 5 lines of 8
  const uint32_t miss = uint32_t(1 + p.read_cycles + p.bank_latency);
  uint64_t cycle = 0;
  for (size_t i = 0; i < 34; ++i) {
    const AccessRecord& r = recorder.records[i];
    ASSERT_EQ(r.type, AccessType::Fetch);
    EXPECT_EQ(r.pc, kBase + 4 * i);
    EXPECT_EQ(r.cycle, cycle);
    EXPECT_EQ(r.latency, i % 8 == 0 ? miss : 1);
    cycle += r.latency;
  }
}

TEST(ClosedForm, AtomicGoesToMemoryEveryTime) {
  Platform p = single();
  p.write_cycles = 3, p.bank_latency = 7;
  const auto data = data_of(
      p,
      {{Op::Lw, 1, 31, 0, 0}, {Op::AmoaddW, 2, 31, 30, 0}, {Op::LrW, 1, 31, 0, 0}, {Op::ScW, 3, 31, 1, 0}});
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(data[i].latency, 1u + 3 + 7) << i;
  EXPECT_EQ(data[2].type, AccessType::LoadLinked);
  EXPECT_EQ(data[3].type, AccessType::StoreConditional);
}

TEST(ClosedForm, FullWriteBufferWaitsForTheOldestWrite) {
  Platform p = single();
  p.write_buffer = 2, p.write_cycles = 20, p.bank_cycles = 1, p.bank_latency = 5;
  std::vector<Instruction> body(8, {Op::Addi});  // the stores lie in one line of code
  while (body.size() % 8 != 6)
    body.push_back({Op::Addi});
  for (int i = 0; i < 5; ++i)
    body.push_back({Op::Sw, 0, 31, 0, 4 * i});
  const auto data = data_of(p, body);
  ASSERT_GE(data.size(), 5u);
  EXPECT_TRUE(data[0].trivial() && data[1].trivial());
  // Writes leave every 20 cycles: the first, issued at t, is done at t + 1 + 20 + 5; the i-th 20 i later.
  const uint64_t t = data[0].cycle;
  for (uint64_t i = 2; i < 5; ++i)
    EXPECT_EQ(data[i].cycle + data[i].latency, t + 27 + 20 * (i - 2)) << i;
  for (size_t i = 2; i < 5; ++i)
    EXPECT_EQ(data[i].culprit, AccessRecord::kNoCpu);  // nobody else is there
}

TEST(ClosedForm, LoadWaitsForTheOwnWriteToItsLineOnly) {
  Platform p = single();
  p.write_cycles = 20;
  const auto same = data_of(p, {{Op::Sw, 0, 31, 30, 0}, {Op::Lw, 1, 31, 0, 4}});
  const auto other = data_of(p, {{Op::Sw, 0, 31, 30, 0}, {Op::Lw, 1, 31, 0, 64}});
  const uint32_t fill = uint32_t(p.read_cycles + p.bank_latency);
  EXPECT_EQ(same[1].latency, 20 + fill);  // the write took the bus one cycle before the load's request
  EXPECT_EQ(other[1].latency, 20 + fill);
  p.arbiter = Arbiter::Fixed;
  const auto two = data_of(p, {{Op::Sw, 0, 31, 30, 0}, {Op::Sw, 0, 31, 30, 4}, {Op::Lw, 1, 31, 0, 64}});
  EXPECT_EQ(two[2].latency, 19 + fill);  // overtakes the second write
  const auto behind = data_of(p, {{Op::Sw, 0, 31, 30, 0}, {Op::Sw, 0, 31, 30, 4}, {Op::Lw, 1, 31, 0, 8}});
  EXPECT_EQ(behind[2].latency, 19 + 20 + fill);
}

TEST(ClosedForm, MeshCountsHopsAndFlits) {
  Platform p = single();
  p.topology = Topology::Mesh, p.banks = 4, p.hop_cycles = 3, p.read_cycles = 2,
  p.bank_latency = 5;  // 2 x 2 nodes
  const auto data = data_of(p, {{Op::Lw, 1, 31, 0, 0}, {Op::Lw, 1, 31, 0, 96}});
  const uint32_t tail = 32 / 8 - 1;                               // the reply's flits behind its head
  EXPECT_EQ(data[0].latency, 1u + 2 + 5 + tail);                  // bank 0 is at the hart's node
  EXPECT_EQ(data[1].latency, 1u + 2 * 3 + 2 + 5 + 2 * 3 + tail);  // bank 3: two hops each way
}

// Harts reach the load in the same cycle after equal code; the loser's wait is charged to the winner.
TEST(Blame, TheSecondHartWaitsForTheFirst) {
  Platform p;
  p.harts = 2;
  p.read_cycles = 6, p.bank_cycles = 1;
  Recorder recorder;
  RunOptions options;
  options.sink = &recorder;
  const RunResult run =
      simulate(image({{Op::Slli, 1, 30, 0, 6}, {Op::Add, 31, 31, 1, 0}, {Op::Lw, 2, 31, 0, 0}}), p, options);
  const auto of = [&](uint16_t cpu) {
    return *std::ranges::find_if(recorder.records, [&](const AccessRecord& r) {
      return r.cpu == cpu;
    });
  };
  const AccessRecord first = of(0);
  const AccessRecord second = of(1);
  EXPECT_EQ(first.latency, 1u + 6 + 4);
  EXPECT_EQ(second.latency, 1u + 6 + 6 + 4);
  EXPECT_EQ(second.culprit, first.cpu);
  EXPECT_EQ(second.blamed, 6u);
  EXPECT_EQ(second.cause, DelayCause::Interconnect);
  EXPECT_EQ(second.culprit_pc, kBase);
  EXPECT_GE(run.blame[2 * second.cpu + first.cpu], 6u);
}

TEST(Blame, NamesWhoTookTheLine) {
  Platform p;
  p.harts = 2;
  // Hart 0 reads the line, waits, reads again; hart 1 stores into it in between.
  const auto data = data_of(
      p,
      {{Op::Bne, 0, 30, 0, 4 * 5},
       {Op::Lw, 1, 31, 0, 0},
       {Op::Div, 2, 2, 2, 0},
       {Op::Div, 2, 2, 2, 0},
       {Op::Jal, 0, 0, 0, 4 * 4},
       {Op::Div, 2, 2, 2, 0},
       {Op::Sw, 0, 31, 30, 4},
       {Op::Jal, 0, 0, 0, 0},
       {Op::Addi, 3, 0, 0, 40},
       {Op::Addi, 3, 3, 0, -1},
       {Op::Bne, 0, 3, 0, -4},
       {Op::Lw, 1, 31, 0, 0}});
  ASSERT_GE(data.size(), 2u);
  EXPECT_EQ(data[1].type, AccessType::Load);
  EXPECT_EQ(data[1].cause, DelayCause::Coherence);
  EXPECT_EQ(data[1].culprit, 1);
  EXPECT_EQ(data[1].blamed, data[1].latency - 1);
  EXPECT_EQ(data[1].culprit_pc, kBase + 4 * 8);
}

TEST(Platform, RefusesBadConfigurationsWithAllMistakes) {
  try {
    parse_platform(spec::parse_yaml(
        "schema: lento.platform/1\nharts: 65\ndcache: {size: 3000 B}\nmemory: {banks: 3, "
        "base: 0x80000001}\nbus: 1\n",
        "p.yaml"));
    FAIL();
  } catch (const base::Error& e) {
    for (const char* part : {"harts", "p.yaml:3", "found 3, needed a power of two", "0x80000001", "'bus'"})
      EXPECT_THAT(e.what(), ::testing::HasSubstr(part));
  }
}

TEST(Platform, ShippedDefaultFileIsTheDefault) {
  const Platform file = read_platform("examples/memory/default.yaml");
  const Platform built_in;
  EXPECT_EQ(file.harts, built_in.harts);
  EXPECT_EQ(file.read_cycles, built_in.read_cycles);
  EXPECT_EQ(file.write_cycles, built_in.write_cycles);
  EXPECT_EQ(file.write_buffer, built_in.write_buffer);
  EXPECT_EQ(file.bank_cycles, built_in.bank_cycles);
  EXPECT_EQ(file.dcache.bytes, built_in.dcache.bytes);
  for (const char* name : {"banked", "mesh"})
    read_platform("examples/memory/" + std::string(name) + ".yaml");
}

TEST(Platform, SaysWhenTheProgramDoesNotFit) {
  riscv::ElfImage low = image({});
  low.segments[0].address = 0x1000;
  EXPECT_THROW(simulate(low, Platform{}), base::Error);
}

TEST(Platform, DeadlockAndCycleLimitEnd) {
  EXPECT_EQ(simulate(image({{Op::Wfi}}), Platform{}).ending, Ending::Deadlock);
  RunOptions options;
  options.max_cycles = 5000;
  EXPECT_EQ(
      simulate(image({{Op::Lw, 1, 31, 0, 0}, {Op::Jal, 0, 0, 0, -4}}), Platform{}, options).ending,
      Ending::CycleLimit);
}

TEST(Platform, TimerInterruptArrivesAtItsCycle) {
  // mtvec = handler; mtimecmp[0] = 1000; spin. The handler exits.
  const int32_t timer = 0x02004000;
  const auto program = image(
      {{Op::Auipc, 1, 0, 0, 0},
       {Op::Addi, 1, 1, 0, 4 * 10},
       {Op::Csrrw, 0, 1, 0, 0x305},
       {Op::Lui, 2, 0, 0, timer},
       {Op::Addi, 3, 0, 0, 1000},
       {Op::Sw, 0, 2, 0, 4},
       {Op::Sw, 0, 2, 3, 0},
       {Op::Addi, 4, 0, 0, 128},
       {Op::Csrrw, 0, 4, 0, 0x304},
       {Op::Csrrsi, 0, 8, 0, 0x300}});
  riscv::ElfImage with_spin = program;
  const auto word = [](const Instruction& n) {
    const uint32_t w = encode(n);
    return std::string(reinterpret_cast<const char*>(&w), 4);
  };
  // Replace the end by: spin; handler at instruction 12 of the image.
  with_spin.segments[0].bytes.resize(4 * 12);
  with_spin.segments[0].bytes.replace(4 * 3, 4, word({Op::Addi, 1, 1, 0, 4 * 11}));
  with_spin.segments[0].bytes +=
      word({Op::Jal, 0, 0, 0, 0}) + word({Op::Lui, 29, 0, 0, 0x10000000}) + word({Op::Sw, 0, 29, 0, 4});
  const RunResult run = simulate(with_spin, single());
  EXPECT_EQ(run.ending, Ending::Exit);
  EXPECT_GE(run.cycles, 1000u);
  EXPECT_LT(run.cycles, 1100u);
}

TEST(Platform, ATimerParkedFarAwayNeverWakes) {
  // mtimecmp[0] high word = park; mie = timer; wfi.
  for (const int32_t park : {1 << 28, 1 << 26, 0x7ffff000}) {
    const auto parked = image(
        {{Op::Lui, 2, 0, 0, 0x02004000},
         {Op::Lui, 3, 0, 0, park},
         {Op::Sw, 0, 2, 3, 4},
         {Op::Addi, 4, 0, 0, 128},
         {Op::Csrrw, 0, 4, 0, 0x304},
         {Op::Wfi}});
    RunOptions options;
    options.max_cycles = 1'000'000;
    const RunResult run = simulate(parked, single(), options);
    EXPECT_EQ(run.ending, Ending::Deadlock);
    EXPECT_LT(run.cycles, 10'000u);
  }
}

TEST(Platform, TheLastBytesOfMemoryAreMemory) {
  const Platform p = single();
  const auto last = int32_t(p.memory_base + p.memory_bytes - 0x1000);
  // The end of memory less 1, 2 and 3; then the exit code is what was read back.
  auto program = image(
      {{Op::Lui, 1, 0, 0, last},
       {Op::Addi, 1, 1, 0, 0x7ff},
       {Op::Addi, 1, 1, 0, 0x7ff},
       {Op::Addi, 2, 0, 0, 0x5a},
       {Op::Sb, 0, 1, 2, 1},
       {Op::Lbu, 3, 1, 0, 1},
       {Op::Sh, 0, 1, 2, 0},
       {Op::Lhu, 4, 1, 0, 0},
       {Op::Lbu, 5, 1, 0, -1},
       {Op::Add, 3, 3, 4, 0},
       {Op::Lui, 29, 0, 0, 0x10000000},
       {Op::Sw, 0, 29, 3, 4}});
  program.segments[0].memory_bytes = p.memory_bytes;
  RunOptions options;
  options.max_cycles = 100'000;
  const RunResult run = simulate(program, p, options);
  EXPECT_EQ(run.ending, Ending::Exit);
  EXPECT_EQ(run.exit_code, 2u * 0x5a);
}

// --- replay ---

class ListSource : public AccessSource {
 public:
  ListSource(std::vector<AccessRecord> records, size_t batch)
      : records_(std::move(records)),
        batch_(batch) {
  }
  std::span<const AccessRecord> next() override {
    const size_t begin = at_;
    at_ = std::min(at_ + batch_, records_.size());
    return std::span(records_).subspan(begin, at_ - begin);
  }

 private:
  std::vector<AccessRecord> records_;
  size_t batch_;
  size_t at_ = 0;
};

std::vector<AccessRecord>
replayed(const std::vector<AccessRecord>& trace, const Platform& platform, size_t batch = 1000) {
  ListSource source(trace, batch);
  Recorder recorder;
  replay(source, platform, recorder);
  std::ranges::stable_sort(recorder.records, [](const auto& a, const auto& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
  });
  return recorder.records;
}

TEST(Replay, GivesLatenciesInClosedForm) {
  Platform p;
  p.read_cycles = 6, p.bank_latency = 5, p.bank_cycles = 1;
  const auto load = [](uint64_t cycle, uint64_t address, uint16_t cpu) {
    AccessRecord r;
    r.cycle = cycle, r.address = address, r.cpu = cpu, r.pc = address + 1;
    return r;
  };
  const auto out = replayed(
      {load(100, 0x1000, 7), load(100, 0x2000, 3), load(110, 0x1004, 7), load(200, 0x7fff00001000, 7)},
      p);
  EXPECT_EQ(out[0].latency, 1u + 6 + 6 + 5);  // CPU 3 was named second, so CPU 7 is hart 0 and goes first
  EXPECT_EQ(out[0].culprit, 7);
  EXPECT_EQ(out[1].latency, 1u + 6 + 5);
  EXPECT_EQ(out[2].latency, 1u);
  EXPECT_EQ(out[2].cycle, 100u + 11 + 10);  // it keeps its gap to the access before
  EXPECT_EQ(out[3].latency, 1u + 6 + 5);
}

TEST(Replay, DoesNotDependOnTheBatches) {
  std::vector<AccessRecord> trace;
  uint32_t noise = 1;
  for (uint64_t i = 0; i < 3000; ++i) {
    noise = noise * 1664525u + 1013904223u;
    AccessRecord r;
    r.cycle = i / 2, r.cpu = noise >> 30, r.address = (noise >> 8) % 4096, r.pc = noise >> 20;
    r.type = noise & 64 ? AccessType::Store : AccessType::Load;
    trace.push_back(r);
  }
  const auto whole = replayed(trace, Platform{}, 100000);
  EXPECT_EQ(whole.size(), trace.size());
  EXPECT_EQ(replayed(trace, Platform{}, 7), whole);
}

// --- guests ---

std::string guest(const std::string& name) {
  for (const char* folder : {"build/release", "build/dev", "build/bench"}) {
    const std::string path = std::string(folder) + "/guests/" + name + ".elf";
    if (std::filesystem::exists(path))
      return path;
  }
  return "";
}

#define NEED_GUEST(name)   \
  if (guest(name).empty()) \
  GTEST_SKIP() << "guests are not built: install gcc-riscv64-unknown-elf"

// Frames with texture and motion, compressed by cjpeg: what the decoder reads, and what djpeg makes of it.
struct Clip {
  std::string stream;
  std::vector<std::string> expected;  // pixels of each frame
};

Clip make_clip(int frames, const std::string& options) {
  Clip clip;
  const std::string stem =
      std::filesystem::temp_directory_path() / ("lento_clip_" + std::to_string(getpid()));
  constexpr int kWidth = 128;
  constexpr int kHeight = 64;
  for (int f = 0; f < frames; ++f) {
    std::string pnm = "P6\n128 64\n255\n";
    uint32_t noise = uint32_t(f) + 1;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        noise = noise * 1664525u + 1013904223u;
        const int wave = ((x + 3 * f) * 5 & 127) + (y * 7 & 63) / 2 + int(noise >> 27);
        for (const int tint : {0, 30, -20})
          pnm += char(std::clamp(40 + wave + tint, 0, 255));
      }
    }
    base::write_file(stem + ".ppm", pnm);
    const std::string command = "cjpeg -restart 1 " + options + " " + stem + ".ppm > " + stem +
                                ".jpg && djpeg -dct int -nosmooth -pnm " + stem + ".jpg > " + stem + ".out";
    if (std::system(command.c_str()) != 0)
      return {};
    clip.stream += base::read_file(stem + ".jpg");
    const std::string out = base::read_file(stem + ".out");
    clip.expected.push_back(out.substr(out.find("255\n") + 4));
  }
  for (const char* end : {".ppm", ".jpg", ".out"})
    std::filesystem::remove(stem + end);
  return clip;
}

RunResult decode(const Clip& clip, int harts, std::vector<std::string>& frames, AccessSink* sink = nullptr) {
  Platform platform;
  platform.harts = harts;
  RunOptions options;
  options.disk = clip.stream;
  options.sink = sink;
  options.frame = [&](const Frame& frame) {
    frames.push_back(frame.pixels);
  };
  return simulate(riscv::read_elf(guest("mjpeg")), platform, options);
}

TEST(Decoder, EqualsDjpegByteForByteOnAnyNumberOfHarts) {
  NEED_GUEST("mjpeg");
  for (const char* options :
       {"-quality 75", "-grayscale -quality 90", "-sample 2x1 -quality 50", "-sample 1x1 -quality 98"}) {
    const Clip clip = make_clip(3, options);
    if (clip.stream.empty())
      GTEST_SKIP() << "cjpeg and djpeg (libjpeg-turbo-progs) are not installed";
    for (const int harts : {1, 2, 4, 8}) {
      std::vector<std::string> frames;
      EXPECT_EQ(decode(clip, harts, frames).exit_code, 0u);
      EXPECT_EQ(frames, clip.expected) << options << ", harts: " << harts;
    }
  }
}

// Q3 by linear interpolation, and the part of time within 100 cycles of an access at or above it.
class Contention : public AccessSink {
 public:
  void record(const AccessRecord& r) override {
    ++events_;
    last_ = std::max(last_, r.cycle);
    if (!r.trivial())
      slow_.push_back(r);
    cycles_.push_back(r.cycle);
  }
  double q3() const {
    std::vector<double> latencies;
    for (const AccessRecord& r : slow_)
      latencies.push_back(r.latency);
    return evidence::quantile(std::move(latencies), 0.75);
  }
  std::pair<double, double> coverage() const {
    const double threshold = q3();
    std::vector<uint32_t> covered(last_ + 2);
    std::vector<uint64_t> seeds;
    for (const AccessRecord& r : slow_) {
      if (r.latency >= threshold)
        seeds.push_back(r.cycle);
    }
    std::ranges::sort(seeds);
    for (const uint64_t seed : seeds)
      ++covered[seed > 100 ? seed - 100 : 0], --covered[std::min(seed + 101, last_ + 1)];
    std::partial_sum(covered.begin(), covered.end(), covered.begin());
    const auto in = [&](uint64_t cycle) {
      return covered[cycle] > 0;
    };
    uint64_t time = 0;
    for (uint64_t c = 0; c <= last_; ++c)
      time += in(c);
    const auto events = double(std::ranges::count_if(cycles_, in));
    return {double(time) / double(last_ + 1), events / double(events_)};
  }

 private:
  uint64_t events_ = 0;
  uint64_t last_ = 0;
  std::vector<AccessRecord> slow_;
  std::vector<uint64_t> cycles_;
};

TEST(Decoder, ScalesAndContendsAsThePaperSays) {
  NEED_GUEST("mjpeg");
  const Clip clip = make_clip(8, "-quality 75");
  if (clip.stream.empty())
    GTEST_SKIP() << "cjpeg and djpeg (libjpeg-turbo-progs) are not installed";
  std::vector<double> cycles;
  std::vector<double> q3;
  std::vector<double> time;
  std::vector<double> events;
  for (const int harts : {1, 4, 8}) {
    std::vector<std::string> frames;
    Contention contention;
    cycles.push_back(double(decode(clip, harts, frames, &contention).cycles));
    q3.push_back(contention.q3());
    time.push_back(contention.coverage().first);
    events.push_back(contention.coverage().second);
  }
  EXPECT_GE(cycles[0] / cycles[1], 3.0);
  EXPECT_LE(cycles[0] / cycles[1], 3.7);
  EXPECT_GE(cycles[0] / cycles[2], 4.0);
  EXPECT_LE(cycles[0] / cycles[2], 5.0);
  for (const auto& rises : {q3, time, events}) {
    EXPECT_LT(rises[0], rises[1]);
    EXPECT_LT(rises[1], rises[2]);
  }
}

TEST(Decoder, RepeatsBitForBitAndTracingChangesNothing) {
  NEED_GUEST("mjpeg");
  const Clip clip = make_clip(2, "-quality 75");
  if (clip.stream.empty())
    GTEST_SKIP() << "cjpeg and djpeg (libjpeg-turbo-progs) are not installed";
  std::vector<std::string> frames;
  Recorder first;
  Recorder second;
  const RunResult a = decode(clip, 4, frames, &first);
  const RunResult b = decode(clip, 4, frames, &second);
  const RunResult silent = decode(clip, 4, frames);
  EXPECT_EQ(first.records, second.records);
  EXPECT_EQ(a.cycles, silent.cycles);
  EXPECT_EQ(a.instructions, silent.instructions);
  EXPECT_EQ(a.blame, silent.blame);
}

uint64_t total_coherence(const RunResult& run) {
  uint64_t sum = 0;
  for (const auto& hart : run.harts)
    sum += hart.coherence_misses;
  return sum;
}

RunResult run_guest(const std::string& name, uint64_t seed, AccessSink* sink = nullptr) {
  RunOptions options;
  options.seed = seed;
  options.sink = sink;
  options.max_cycles = 5'000'000;
  return simulate(riscv::read_elf(guest(name)), read_platform("examples/memory/banked.yaml"), options);
}

TEST(Planted, EachCaseDoesWhatItIsNamedFor) {
  NEED_GUEST("independent");
  for (const uint64_t seed : {1u, 2u, 50u}) {
    const RunResult sharing = run_guest("false_sharing", seed);
    const RunResult control = run_guest("independent", seed);
    EXPECT_EQ(sharing.ending, Ending::Exit);
    EXPECT_GT(total_coherence(sharing), 2000u);
    EXPECT_LT(total_coherence(control), 200u);
    uint64_t atomics = 0;
    for (const auto& hart : run_guest("lock_convoy", seed).harts)
      atomics += hart.atomics;
    EXPECT_GT(atomics, 2400u);
    Recorder conflict;
    run_guest("bank_conflict", seed, &conflict);
    uint64_t waits = 0;
    for (const AccessRecord& r : conflict.records)
      waits += r.cause == DelayCause::Bank ? r.blamed : 0;
    EXPECT_GT(waits, 5000u);
  }
}

}  // namespace
}  // namespace lento::memory
