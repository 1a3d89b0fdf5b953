// The soft logic of the prefetch case: its RTL beside its C++ model, cycle by cycle, on fetch streams.
// LENTO_SOFT_LOCKSTEP=N compares N cycles of each stream (default 200,000).
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "Vnext_line_logic.h"
#include "Vprefetch_logic.h"
#include "base/rng.h"
#include "lab/block/front_end.h"
#include "lab/tile/prefetch_logic.h"

namespace lento::tile {
namespace {

uint64_t cycles_wanted() {
  const char* wanted = std::getenv("LENTO_SOFT_LOCKSTEP");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 200'000;
}

std::string stream_file(const std::string& name) {
  const char* shared = std::getenv("LENTO_SHARED");
  return std::string(shared ? shared : "../shared") + "/data/tile/" + name;
}

template <class Rtl>
class SoftLockstep {
 public:
  explicit SoftLockstep(EmulatedPolicy policy)
      : model_(model_memory_, policy) {
    rtl_.eval();
    rtl_.reset = 1;
    clock();
    rtl_.reset = 0;
  }

  // False when the two differ.
  bool step(const TileInputs* inputs) {
    rtl_.visit = inputs && (inputs->valid & 3) == 3;
    rtl_.interval = inputs && (inputs->valid & 4) != 0;
    rtl_.address = inputs ? uint64_t{inputs->data[1]} << 32 | inputs->data[0] : 0;
    rtl_.clock = 0;
    rtl_.eval();
    model_.step(inputs);
    ++cycle_;
    bool same = same_access();
    clock();
    same = same && rtl_.visits_lost == model_.visits_lost() && rtl_.state == model_.state() &&
           rtl_.stalls == model_.stalls() && rtl_.stalls_lost == model_.stalls_lost() &&
           rtl_.misses_unstalled == model_.misses_unstalled();
    for (unsigned i = 0; i < 3; ++i)
      same = same && (rtl_.sent >> 8 * i & 255) == model_.read(i);
    EXPECT_TRUE(same) << "cycle " << cycle_ << ", state " << int{model_.state()} << " and "
                      << int{rtl_.state};
    return same;
  }
  uint64_t cycle() const {
    return cycle_;
  }
  const PrefetchLogic& model() const {
    return model_;
  }
  bool same_memory() const {
    return model_memory_ == rtl_memory_;
  }

 private:
  bool same_access() const {
    const ScratchAccess& a = model_.scratch_access();
    if (rtl_.scratch_read != a.read || rtl_.scratch_write != a.write)
      return false;
    if (!a.read && !a.write)
      return true;
    return rtl_.scratch_address == a.address && (a.write == 0 || rtl_.scratch_word == a.word);
  }
  void clock() {
    uint8_t* const at = &rtl_memory_[size_t{rtl_.scratch_address} * 8];
    uint64_t read;
    std::memcpy(&read, at, 8);
    for (size_t i = 0; i < 8; ++i) {
      if (rtl_.scratch_write >> i & 1)
        at[i] = uint8_t(rtl_.scratch_word >> 8 * i);
    }
    rtl_.clock = 1;
    rtl_.eval();
    rtl_.scratch_data = read;
    rtl_.clock = 0;
    rtl_.eval();
  }

  std::vector<uint8_t> model_memory_ = std::vector<uint8_t>(0x8000), rtl_memory_ = model_memory_;
  PrefetchLogic model_;
  Rtl rtl_;
  uint64_t cycle_ = 0;
};

template <class Rtl>
void compare(EmulatedPolicy policy, const LineTrace& trace, bool real_memory) {
  SoftLockstep<Rtl> both(policy);
  bool same = true;
  uint64_t visits = 0;
  const auto more = [&] {
    return same && both.cycle() < cycles_wanted();
  };
  FrontEndOptions watched;
  watched.real_memory = real_memory;
  watched.observe = [&](uint64_t at, uint64_t line) {
    while (more() && both.cycle() + 1 < at)
      same = both.step(nullptr);
    if (!more())
      return;
    TileInputs in;
    in.valid = ++visits % 16384 == 0 ? 7 : 3;
    in.data[0] = uint32_t(line << 6), in.data[1] = uint32_t(line >> 26);
    same = both.step(&in);
  };
  run_front_end(trace, watched);
  EXPECT_TRUE(both.same_memory());
  std::printf(
      "%llu cycles, %llu visits, %llu looks, %u visits lost\n",
      static_cast<unsigned long long>(both.cycle()),
      static_cast<unsigned long long>(visits),
      static_cast<unsigned long long>(both.model().looks()),
      both.model().visits_lost());
}

// Calls among functions of a few lines each, more than the cache holds.
LineTrace random_stream(uint64_t seed, uint32_t functions, uint64_t visits) {
  base::Rng rng(seed, "rtl.soft");
  LineTrace out;
  std::vector<uint32_t> next(functions);
  for (uint32_t i = 0; i < functions; ++i) {
    next[i] = uint32_t(rng.below(functions));
    for (uint64_t j = 0; j < 8; ++j)
      out.lines.push_back(0x10000 + rng.below(1 << 26) * 8 + j);
  }
  for (uint32_t at = 0; out.visits.size() < visits;) {
    const uint32_t lines = 1 + at % 7;
    for (uint32_t j = 0; j < lines; ++j) {
      out.visits.push_back(8 * at + j);
      out.counts.push_back(uint8_t(1 + rng.below(16)));
      out.instructions += out.counts.back();
    }
    at = rng.below(4) == 0 ? uint32_t(rng.below(functions)) : next[at];
  }
  return out;
}

TEST(SoftLogic, RandomStreamsInLockstep) {
  for (const uint32_t functions : {20u, 150u, 600u, 4000u})
    compare<Vprefetch_logic>(EmulatedPolicy::Entangling, random_stream(functions, functions, 200'000), false);
}

TEST(SoftLogic, RealStreamsInLockstep) {
  for (const char* name : {"python3.lft.xz", "perl.lft.xz"}) {
    const std::string path = stream_file(name);
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << "no " << path;
    compare<Vprefetch_logic>(EmulatedPolicy::Entangling, read_line_trace(path), true);
  }
}

TEST(SoftLogic, NextLineInLockstep) {
  compare<Vnext_line_logic>(EmulatedPolicy::NextLine, random_stream(1, 600, 200'000), false);
}

}  // namespace
}  // namespace lento::tile
