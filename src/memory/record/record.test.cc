// Recordings by hand: what threads do to one another in virtual time has closed forms.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/rng.h"
#include "base/test_error.h"
#include "memory/record/record_format.h"
#include "memory/record/recording.h"

namespace lento::memory {
namespace {

using Events = std::vector<Recording::Event>;

Recording::Event event(uint64_t address, unsigned kind, unsigned log2_size = 3) {
  return {address | uint64_t{log2_size} << 48 | uint64_t{kind} << 52, 0x1001};
}

// A file as the runtime leaves it, one chunk a thread.
class RecordFile {
 public:
  explicit RecordFile(const std::vector<Events>& threads, const std::vector<uint32_t>& pids = {}) {
    Recording::prepare(path_, threads.size() * LENTO_CHUNK, 1000, 0);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    uint64_t chunks = threads.size();
    file.seekp(offsetof(lento_header, next_chunk));
    file.write(reinterpret_cast<const char*>(&chunks), 8);
    for (size_t t = 0; t < threads.size(); ++t) {
      const lento_chunk head = {pids.empty() ? 77 : pids[t], uint32_t(t + 1), 0};
      file.seekp(static_cast<std::streamoff>(LENTO_HEADER + t * LENTO_CHUNK));
      file.write(reinterpret_cast<const char*>(&head), sizeof head);
      file.write(
          reinterpret_cast<const char*>(threads[t].data()),
          static_cast<std::streamsize>(threads[t].size() * sizeof threads[t][0]));
    }
  }
  ~RecordFile() {
    std::filesystem::remove(path_);
  }
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("lento_record_" + std::to_string(getpid()))).string();
};

VirtualRun replay(
    const std::vector<Events>& threads,
    const std::vector<Relayout>& layout = {},
    const CoreModel& model = {}) {
  const RecordFile file(threads);
  const Recording recording(file.path());
  return replay_recording(recording, 64, layout, nullptr, {}, model);
}

Events stores(uint64_t address, size_t count) {
  return Events(count, event(address, LENTO_WRITE));
}

void append(Events& events, const Events& more) {
  events.insert(events.end(), more.begin(), more.end());
}

TEST(Record, AloneEveryAccessTakesFourCycles) {
  const VirtualRun run = replay({stores(0x1000, 100)});
  EXPECT_EQ(run.accesses, 100u);
  EXPECT_EQ(run.cycles, 400u);
  EXPECT_EQ(run.contended, 0u);
}

TEST(Record, WordsOfOneLineArePassedToAndFro) {
  const VirtualRun shared = replay({stores(0x1000, 100), stores(0x1008, 100)});
  EXPECT_GT(shared.contended, 0u);
  EXPECT_GT(shared.cycles, 2 * 400u);
  const VirtualRun apart = replay({stores(0x1000, 100), stores(0x1040, 100)});
  EXPECT_EQ(apart.contended, 0u);
  EXPECT_EQ(apart.cycles, 400u);
}

TEST(Record, PaddingEndsFalseSharingOnly) {
  const std::vector<Relayout> pad = {{Relayout::Kind::Pad, 0x1000, 0x1040}};
  EXPECT_EQ(replay({stores(0x1000, 100), stores(0x1008, 100)}, pad).cycles, 400u);
  EXPECT_GT(replay({stores(0x1000, 100), stores(0x1000, 100)}, pad).contended, 0u);
  const std::vector<Relayout> copies = {{Relayout::Kind::Private, 0x1000, 0x1040}};
  EXPECT_EQ(replay({stores(0x1000, 100), stores(0x1000, 100)}, copies).cycles, 400u);
}

// Processes at equal addresses have memory of their own, whatever the layout.
TEST(Record, ProcessesShareNothing) {
  const std::vector<std::vector<Relayout>> layouts = {
      {},
      {{Relayout::Kind::Pad, 0x1000, 0x1040}},
      {{Relayout::Kind::Private, 0x1000, 0x1040}}};
  for (const auto& layout : layouts) {
    const RecordFile file({stores(0x1000, 100), stores(0x1000, 100)}, {77, 78});
    const Recording recording(file.path());
    const VirtualRun run = replay_recording(recording, 64, layout, nullptr);
    EXPECT_EQ(run.contended, 0u);
    EXPECT_EQ(run.cycles, 400u);
    EXPECT_EQ(run.threads, 2u);
  }
}

// Words of one main user stay together: eight of them are still one line to fetch.
TEST(Record, PaddingKeepsTheWordsOfOneThreadTogether) {
  Events first;
  Events second;
  for (int round = 0; round < 50; ++round) {
    for (uint64_t word = 0; word < 4; ++word) {
      first.push_back(event(0x1000 + 8 * word, LENTO_WRITE));
      second.push_back(event(0x1020 + 8 * word, LENTO_WRITE));
    }
  }
  second.push_back(event(0x1000, LENTO_READ));
  const RecordFile file({first, second});
  const Recording recording(file.path());
  Relayout pad{Relayout::Kind::Pad, 0x1000, 0x1040, main_users(recording, 0x1000, 0x1040)};
  ASSERT_TRUE(pad.users);
  EXPECT_EQ((*pad.users)[0], 0u);
  EXPECT_EQ((*pad.users)[8], 1u);
  EXPECT_EQ(pad.users->size(), 16u);
  EXPECT_LE(replay_recording(recording, 64, {pad}, nullptr).contended, 120u);
  // Nobody has more than half.
  const RecordFile both({stores(0x1000, 10), stores(0x1000, 10)});
  EXPECT_EQ((*main_users(Recording(both.path()), 0x1000, 0x1008))[0], UINT32_MAX);
  EXPECT_FALSE(main_users(recording, 0, uint64_t{1} << 40));
  // Loads in a row wait for the other's store.
  const RecordFile polled({stores(0x1000, 10), Events(90, event(0x1000, LENTO_READ))});
  EXPECT_EQ((*main_users(Recording(polled.path()), 0x1000, 0x1008))[0], 0u);
}

Recording::Event edge(uint64_t value, unsigned kind, uint64_t second) {
  return {value | uint64_t{kind} << 52, second};
}

TEST(Record, ThreadsWaitForThoseWhoMeetThem) {
  // The second thread uses the line when the first has come.
  Events first = stores(0x1000, 100);
  first.push_back(edge(1 << 16, LENTO_POST, 0));
  Events second = {edge(1 << 16, LENTO_AWAIT, 1)};
  append(second, stores(0x1008, 100));
  const VirtualRun run = replay({first, second});
  EXPECT_EQ(run.contended, 60u);
  EXPECT_EQ(run.cycles, 400u + 60 + 400);
  // Two are awaited and one comes: the recording is in part, and goes on.
  second[0].second = 2;
  EXPECT_EQ(replay({first, second}).accesses, 200u);
}

TEST(Record, ReadersShareALockThatAWriterHasAlone) {
  const auto held = [](unsigned take, unsigned leave, size_t stores_inside, uint64_t line) {
    Events events = {event(0x2000, take, 2)};
    append(events, stores(line, stores_inside));
    events.push_back(event(0x2000, leave, 2));
    return events;
  };
  // Two readers work side by side: only the count of readers is handed to and fro.
  const auto read = [&](uint64_t line) {
    return held(LENTO_READER, LENTO_LEAVE, 100, line);
  };
  EXPECT_LT(replay({read(0x3000), read(0x4000)}).cycles, 408u + 4 * 60);
  // Two writers work one after the other, and a reader behind a writer.
  const auto write = [&](uint64_t line) {
    return held(LENTO_WRITER, LENTO_LEAVE, 100, line);
  };
  EXPECT_GT(replay({write(0x3000), write(0x4000)}).cycles, 800u);
  EXPECT_GT(replay({write(0x3000), read(0x4000)}).cycles, 800u);
  EXPECT_GT(replay({read(0x3000), write(0x4000)}).cycles, 800u);
  // All readers that wait take it together when the writer leaves.
  EXPECT_LT(replay({write(0x3000), read(0x4000), read(0x5000), read(0x6000)}).cycles, 1200u);
  // A lock that was taken before the recording began holds nobody up.
  EXPECT_EQ(replay({{event(0x2000, LENTO_LEAVE, 2)}, stores(0x1000, 100)}).accesses, 101u);
}

// Turns of two threads at a semaphore, of 100 stores each.
VirtualRun at_semaphore(uint64_t permits, bool known = true) {
  Events first;
  if (known)
    first.push_back({event(0x9000, LENTO_PERMITS).first, permits});
  Events second;
  for (const auto& [events, own] : {std::pair{&first, 0x1000}, std::pair{&second, 0x2000}}) {
    for (int turn = 0; turn < 10; ++turn) {
      events->push_back(event(0x9000, LENTO_TAKE));
      append(*events, stores(uint64_t(own), 100));
      events->push_back(event(0x9000, LENTO_GIVE));
    }
  }
  return replay({first, second});
}

TEST(Record, ASemaphoreLetsInAsManyAsItHasPermits) {
  EXPECT_GT(at_semaphore(1).cycles, 20u * 400);
  for (const VirtualRun& run : {at_semaphore(2), at_semaphore(0, false)}) {
    EXPECT_LT(run.cycles, 10u * 400 + 20 * 130);
    EXPECT_GT(run.contended, 0u);  // its word goes to and fro
  }
}

TEST(Record, ASemaphoreThatNobodyPostsHoldsNobodyUp) {
  Events takes(3, event(0x9000, LENTO_TAKE));
  takes.insert(takes.begin(), {event(0x9000, LENTO_PERMITS).first, 1});
  EXPECT_EQ(replay({takes}).accesses, 3u);
}

TEST(Record, AtomicsKeepTheirKind) {
  const RecordFile file(
      {{event(0x1000, LENTO_UPDATE),
        event(0x1000, LENTO_DROP),
        event(0x1000, LENTO_COMPARE),
        event(0x1000, LENTO_LOST),
        event(0x1000, LENTO_ATOMIC)}});
  struct Kept : AccessSink {
    void record(const AccessRecord& r) override {
      EXPECT_EQ(r.type, AccessType::Atomic);
      flags.push_back(r.flags & ~(AccessRecord::kLocal | AccessRecord::kServiceKnown));
    }
    std::vector<int> flags;
  } kept;
  const Recording recording(file.path());
  replay_recording(recording, 64, {}, &kept);
  using A = AccessRecord;
  EXPECT_EQ(
      kept.flags,
      (std::vector<int>{A::kUpdate, A::kUpdate | A::kDown, A::kCompare, A::kCompare | A::kFailed, 0}));
  EXPECT_EQ(recording.stored(), 5u);
  EXPECT_EQ(recording.reported(), 5u);
}

TEST(Record, WhatProcessesShareIsOnePlace) {
  const auto maps = [](uint64_t at, uint64_t offset, uint64_t file) {
    return Events{edge(at, LENTO_SHARED, 1), edge(0x1000, LENTO_SIZE, 0), edge(offset, LENTO_SIZE, file)};
  };
  // Of a file, at different addresses; the second maps what lies 4 KiB into it.
  Events first = maps(0x10000, 0, 5);
  first[1].first = edge(0x2000, LENTO_SIZE, 0).first;
  append(first, stores(0x11000, 100));
  Events second = maps(0x50000, 0x1000, 5);
  append(second, stores(0x50008, 100));
  const auto contended = [](const std::vector<Events>& threads) {
    const RecordFile file(threads, {77, 78});
    return replay_recording(Recording(file.path()), 64, {}, nullptr).contended;
  };
  EXPECT_GT(contended({first, second}), 0u);
  second[2].second = 6;  // another file
  EXPECT_EQ(contended({first, second}), 0u);
  // An anonymous mapping is the child's too, where it is one.
  Events parent = {edge(0x10000, LENTO_SHARED, 1), edge(0x1000, LENTO_SIZE, 0)};
  append(parent, stores(0x10000, 100));
  Events child = {edge(77, LENTO_FORK, 1)};
  append(child, stores(0x10008, 100));
  EXPECT_GT(contended({parent, child}), 0u);
  child.erase(child.begin());
  EXPECT_EQ(contended({parent, child}), 0u);
  // What is allocated behind a mapping says nothing of its file, though both come from one place.
  for (Events* events : {&parent, &child}) {
    const Events block = {edge(0x90000, LENTO_ALLOC, 9), edge(64, LENTO_SIZE, 9)};
    if (events == &child)
      *events = {edge(0x10000, LENTO_SHARED, 1), edge(0x1000, LENTO_SIZE, 0)};
    events->insert(events->begin() + 2, block.begin(), block.end());
  }
  parent[0].first = edge(0x20000, LENTO_SHARED, 1).first;
  for (size_t i = 4; i < parent.size(); ++i)
    parent[i] = event(0x20000, LENTO_WRITE);
  append(child, stores(0x10008, 100));
  EXPECT_EQ(contended({parent, child}), 0u);
}

struct Sums {
  uint64_t cycles = 0;
  uint64_t contended = 0;
};

// Loads and stores without locks, an access at a time: the thread with the smallest time, then the smallest
// number, goes first; a line that another wrote, or that others hold and must give up, takes 60 cycles more
// and moves once at a time. Who had it modified uses it for the first 30 of them. Caches hold everything.
Sums played(const std::vector<Events>& threads) {
  struct Line {
    int writer = -1;
    std::set<int> holders;
    uint64_t busy = 0;
    int leaving = -1;
    uint64_t leaves = 0;
  };
  std::map<uint64_t, Line> lines;
  std::vector<uint64_t> time(threads.size());
  std::vector<size_t> next(threads.size());
  Sums sums;
  for (;;) {
    int first = -1;
    for (size_t t = 0; t < threads.size(); ++t) {
      if (next[t] < threads[t].size() && (first < 0 || time[t] < time[size_t(first)]))
        first = int(t);
    }
    if (first < 0)
      return sums;
    const auto t = size_t(first);
    const Recording::Event& e = threads[t][next[t]++];
    Line& line = lines[(e.first & 0xffffffffffff) / 64];
    const bool writes = (e.first >> 52 & 15) != LENTO_READ;
    const bool others = line.holders.size() > line.holders.count(first);
    if (line.leaving == first && time[t] < line.leaves) {
      time[t] += 4;
      sums.cycles = std::max(sums.cycles, time[t]);
      continue;
    }
    if (line.writer != first && (line.writer >= 0 || (writes && others))) {
      const uint64_t end = std::max(time[t], line.busy) + 60;
      sums.contended += end - time[t];
      line.leaving = line.writer;
      line.leaves = end - 30;
      line.busy = time[t] = end;
    }
    time[t] += 4;
    sums.cycles = std::max(sums.cycles, time[t]);
    if (writes)
      line.holders.clear();
    if (writes || line.writer != first)
      line.writer = writes ? first : -1;
    line.holders.insert(first);
  }
}

TEST(Record, RandomThreadsTakeWhatASimpleReplayGives) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    base::Rng rng(seed, "recorded threads");
    const uint64_t lines = seed % 3 == 0 ? 6000 : 1 + rng.below(12);
    std::vector<Events> threads(1 + rng.below(6));
    for (Events& thread : threads) {
      const uint64_t count = seed % 3 == 0 ? 3000 : rng.below(200);
      thread.push_back(event(0x100000, LENTO_READ));
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t address = 0x10000 + 64 * rng.below(lines) + 8 * rng.below(8);
        const unsigned kinds[] = {LENTO_READ, LENTO_READ, LENTO_WRITE, LENTO_UPDATE, LENTO_ATOMIC};
        thread.push_back(event(address, kinds[rng.below(5)]));
      }
    }
    const VirtualRun run = replay(threads, {}, {.first = {16 << 20, 16}, .second = {16 << 20, 16}});
    const Sums expected = played(threads);
    EXPECT_EQ(run.cycles, expected.cycles) << seed;
    EXPECT_EQ(run.contended, expected.contended) << seed;
    uint64_t accesses = 0;
    for (const Events& thread : threads)
      accesses += thread.size();
    EXPECT_EQ(run.accesses, accesses);
  }
}

// Accesses come in order of time, each with the wait that the sums hold.
class Collected : public AccessSink {
 public:
  void record(const AccessRecord& r) override {
    records.push_back(r);
  }
  std::vector<AccessRecord> records;
};

TEST(Record, TheAccessesAddUpToTheSums) {
  base::Rng rng(7, "collected");
  std::vector<Events> threads(4);
  for (Events& thread : threads) {
    for (int i = 0; i < 500; ++i)
      thread.push_back(event(0x10000 + 8 * rng.below(64), rng.below(3) ? LENTO_READ : LENTO_WRITE));
  }
  const RecordFile file(threads);
  const Recording recording(file.path());
  Collected sink;
  const VirtualRun run = replay_recording(recording, 64, {}, &sink);
  ASSERT_EQ(sink.records.size(), run.accesses);
  uint64_t waited = 0;
  for (size_t i = 0; i < sink.records.size(); ++i) {
    const AccessRecord& r = sink.records[i];
    if (i > 0) {
      EXPECT_GE(r.cycle, sink.records[i - 1].cycle);
    }
    waited += r.latency - 1;
    const bool delayed = r.latency > 1;
    EXPECT_EQ(delayed, (r.flags & memory::AccessRecord::kLocal) == 0);
    if (delayed) {
      EXPECT_EQ(r.blamed, r.latency - 1);
      EXPECT_NE(r.culprit, r.cpu);
    }
  }
  EXPECT_EQ(waited, run.contended);
}

// One thread reads `lines` lines that are `step` bytes apart, `turns` times.
Events sweeps(uint64_t lines, uint64_t step, int turns, uint64_t first = 0x100000) {
  Events events;
  for (int turn = 0; turn < turns; ++turn) {
    for (uint64_t i = 0; i < lines; ++i)
      events.push_back(event(first + i * step, LENTO_READ));
  }
  return events;
}

// Cycles of the slowest beyond four an access.
uint64_t waited(const std::vector<Events>& threads, const CoreModel& model = {}) {
  size_t longest = 0;
  for (const Events& thread : threads)
    longest = std::max(longest, thread.size());
  return replay(threads, {}, model).cycles - 4 * longest;
}

TEST(Caches, FirstUsesAreFreeAndWhatFitsStays) {
  EXPECT_EQ(waited({sweeps(512, 64, 7)}), 0u);    // 32 KiB
  EXPECT_EQ(waited({sweeps(2000, 192, 1)}), 0u);  // each line once
  EXPECT_EQ(waited({sweeps(8, 4096, 20)}), 0u);   // eight ways
}

TEST(Caches, OneLineTooManyForASetComesFromTheSecondLevel) {
  // Nine lines of one set of eight ways, least recently used: each misses from the second turn on.
  EXPECT_EQ(waited({sweeps(9, 4096, 20)}), 9u * 19 * 12);
  // The same lines one line further apart fall into nine sets.
  EXPECT_EQ(waited({sweeps(9, 4096 + 64, 20)}), 0u);
}

TEST(Caches, WhatNoLevelHoldsComesFromMemory) {
  // 17 lines of one set of the second level.
  EXPECT_EQ(waited({sweeps(17, 65536, 10)}), 17u * 9 * 120);
}

TEST(Caches, LostTranslationsAreWalkedForOneAtATime) {
  const CoreModel few = {.first_pages = 4, .second_pages = 16, .walk = 30};
  // 64 pages in turn: each is lost before its next use, and its first use is free.
  EXPECT_EQ(waited({sweeps(64, 4096 + 64, 3)}, few), 64u * 2 * 30);
  EXPECT_EQ(waited({sweeps(8, 4096 + 64, 20)}, few), 0u);
}

TEST(Caches, MissesOverlapAsFarAsThereAreSlots) {
  CoreModel model;
  const uint64_t alone = waited({sweeps(17, 65536, 10)}, model);
  model.overlap = 2;
  const uint64_t two = waited({sweeps(17, 65536, 10)}, model);
  EXPECT_NEAR(double(two), double(alone) / 2, double(alone) / 10);
  model.overlap = 64;
  EXPECT_LT(waited({sweeps(17, 65536, 10)}, model), alone / 20);
  // Addresses that follow from the loaded value wait for it all the same.
  Events chain = sweeps(17, 65536, 10);
  for (Recording::Event& e : chain)
    e.first |= uint64_t{LENTO_DEPENDENT} << 60;
  EXPECT_NEAR(double(waited({chain}, model)), double(alone), double(alone) / 10);
}

TEST(Caches, AnOverfullSetTakesItsLinesInTurn) {
  const CoreModel model = {.replace = 10, .rewrite = 30, .overlap = 64};
  // A line every four cycles, for a set that takes ten, and thirty where the core modified them.
  constexpr double kMisses = 9 * 399;
  EXPECT_NEAR(double(waited({sweeps(9, 4096, 400)}, model)), kMisses * 6, kMisses);
  EXPECT_EQ(waited({sweeps(9, 4096 + 64, 400)}, model), 0u);
  Events updates = sweeps(9, 4096, 400);
  for (Recording::Event& e : updates)
    e.first = event(e.first & 0xffffffff, LENTO_WRITE).first;
  EXPECT_NEAR(double(waited({updates}, model)), kMisses * 26, kMisses);
}

// Two threads update neighbouring words in turn. A load that knows its store brings the line once, not twice.
TEST(Caches, AnUpdateBringsItsLineOnce) {
  const auto updates = [](uint64_t address) {
    Events events;
    for (int i = 0; i < 400; ++i) {
      events.push_back(event(address, LENTO_READ));
      events.push_back(event(address, LENTO_WRITE));
    }
    return events;
  };
  const std::vector<Events> threads = {updates(0x1000), updates(0x1008)};
  const uint64_t once = replay(threads, {}, {.overlap = 8}).cycles;
  // Each core works in half of a transfer and waits for the rest of two.
  EXPECT_NEAR(double(once), 4.0 * 800 * 4, 1280);
  EXPECT_GT(replay(threads).cycles, once);
}

TEST(Caches, NeighboursAreFetchedAheadAndWaitForTheRateOnly) {
  // Every line is lost between turns. A memory that serves a line in 4 cycles keeps up with one thread.
  const CoreModel small = {.first = {4096, 8}, .second = {8192, 8}, .memory_line = 4};
  EXPECT_LE(waited({sweeps(1000, 64, 3)}, small), 2u * 120);
  // Four threads ask for four lines in the time of one: the last turns take four times as long.
  std::vector<Events> four;
  for (uint64_t t = 0; t < 4; ++t)
    four.push_back(sweeps(1000, 64, 3, 0x100000 * (t + 1)));
  EXPECT_NEAR(double(waited(four, small)), 3 * 2000 * 4, 1000);
}

TEST(Caches, AMemoryServesALineAtATime) {
  const CoreModel slow = {.memory_line = 200};
  const Events one = sweeps(17, 65536, 10);
  const Events other = sweeps(17, 65536, 10, 0x9000000);
  // Alone the way there and the memory's own time do not overlap: it is free again before the next asks or
  // not.
  const uint64_t alone = waited({one}, slow);
  EXPECT_NEAR(double(alone), 17 * 9 * 196, 400);
  EXPECT_NEAR(double(waited({one, other}, slow)), 17 * 9 * 396, 800);
}

// The first thread uses a page and loses it; the second asks for it again and again, from the other node.
TEST(Caches, PagesLieWhereTheyWereFirstUsed) {
  Events first = sweeps(17, 65536, 1);
  append(first, sweeps(40, 65536, 1, 0x9000000));
  Events second(400, event(0x10, LENTO_READ));
  append(second, sweeps(17, 65536, 10));
  const auto cycles = [&](const CoreModel& model) {
    return replay({first, second}, {}, model).cycles;
  };
  EXPECT_EQ(cycles({.nodes = 2}) - cycles({.nodes = 1}), 17u * 10 * (200 - 120));
}

// What does not fit a cache does not fit it in another layout either: such misses are no gain of the layout.
TEST(Caches, ANewLayoutTakesAsMuchRoom) {
  const std::vector<Relayout> pad = {{Relayout::Kind::Pad, 0x100000, 0x1000000}};
  const std::vector<Relayout> copies = {{Relayout::Kind::Private, 0x100000, 0x1000000}};
  for (const Events& walk : {sweeps(9, 4096, 20), sweeps(17, 65536, 10)}) {
    EXPECT_EQ(replay({walk}, pad).cycles, replay({walk}).cycles);
    EXPECT_EQ(replay({walk}, copies).cycles, replay({walk}).cycles);
  }
  // Two threads that change the same words: copies end the transfers and keep the misses.
  Events writes = sweeps(40, 65536, 20);
  for (Recording::Event& e : writes)
    e = event(address_of(e), LENTO_WRITE);
  EXPECT_EQ(replay({writes, writes}, copies).contended, 0u);
  EXPECT_GE(replay({writes, writes}, copies).cycles, replay({writes}).cycles);
}

// A faster run waits for fewer loads of a value that has not come yet, so they can be left out.
TEST(Record, WaitsForAValueCanBeLeftOut) {
  const std::vector<Events> threads = {Events(10, event(0x1000, LENTO_READ)), stores(0x2000, 5)};
  EXPECT_EQ(replay(threads).cycles, 40u);
  EXPECT_EQ(replay(threads, {}, {.polls = false}).cycles, 20u) << "the stores remain";
  Events changed = threads[0];
  changed[5] = event(0x1008, LENTO_READ);
  EXPECT_EQ(replay({changed}, {}, {.polls = false}).cycles, 12u)
      << "one load before, the other, and one after";
}

TEST(Caches, WhatWasLostIsNoLongerFoughtOver) {
  // The first thread's modified line leaves its caches before the second reads it: nobody takes it from
  // anyone.
  Events writer = {event(0x100000, LENTO_WRITE)};
  Events reader(400, event(0x10, LENTO_READ));
  reader.push_back(writer[0]);
  EXPECT_GT(replay({writer, reader}).contended, 0u);
  append(writer, sweeps(40, 65536, 1));
  EXPECT_EQ(replay({writer, reader}).contended, 0u);
}

TEST(Caches, EachRecordSaysWhatAnswered) {
  const RecordFile file({sweeps(17, 65536, 2)});
  const Recording recording(file.path());
  Collected sink;
  replay_recording(recording, 64, {}, &sink, {}, {.nodes = 2});
  for (size_t i = 0; i < sink.records.size(); ++i) {
    const AccessRecord& r = sink.records[i];
    EXPECT_EQ(r.trivial(), i < 17) << i;
    EXPECT_EQ(r.service, i < 17 ? memory::Service::Unknown : memory::Service::LocalMemory) << i;
    EXPECT_EQ(r.node, 0) << i;
  }
}

// Who wrote last takes its line back from a reader: the reader is named with the place in its code.
TEST(Record, AWriterIsDelayedByWhoReadNotByItself) {
  Events writer;
  Events reader;
  for (int i = 0; i < 150; ++i) {
    writer.push_back(event(0x1000, LENTO_WRITE));
    reader.push_back({event(0x1008, LENTO_READ).first, 0x2001});
  }
  const RecordFile file({writer, reader});
  const Recording recording(file.path());
  Collected sink;
  replay_recording(recording, 64, {}, &sink);
  int taken_back = 0;
  for (const AccessRecord& r : sink.records) {
    if (r.latency == 1)
      continue;
    EXPECT_EQ(r.culprit, 1 - r.cpu);
    EXPECT_EQ(r.culprit_pc, r.cpu == 0 ? 0x2000u : 0x1000u);
    taken_back += r.cpu == 0;
  }
  EXPECT_GT(taken_back, 10);
}

// With transfers for nothing, threads take what the longest takes.
TEST(Record, WithoutTransfersNobodyWaits) {
  const RecordFile file({stores(0x1000, 100), stores(0x1000, 70), stores(0x1000, 130)});
  const Recording recording(file.path());
  const VirtualRun run = replay_recording(recording, 64, {}, nullptr, {}, {.step = 3, .transfer = 0});
  EXPECT_EQ(run.cycles, 390u);
  EXPECT_EQ(run.contended, 0u);
}

// A block is named when one of its lines was waited for, whole or in part.
TEST(Record, BlocksOnContendedLinesAreNamed) {
  Events parent = {
      event(0x10000, LENTO_ALLOC),
      event(256, LENTO_SIZE),
      event(0x20000, LENTO_ALLOC),
      event(256, LENTO_SIZE)};
  Events child;
  for (int i = 0; i < 50; ++i) {
    parent.push_back(event(0x10080, LENTO_WRITE));
    child.push_back(event(0x10088, LENTO_WRITE));
  }
  parent.push_back(event(0x20000, LENTO_WRITE));
  const VirtualRun run = replay({parent, child});
  ASSERT_EQ(run.blocks.size(), 1u);
  EXPECT_EQ(run.blocks[0].low, 0x10000u);
  EXPECT_EQ(run.blocks[0].bytes, 256u);
}

TEST(Record, ChildrenStartWhenTheyAreCreated) {
  Events parent = stores(0x1000, 100);
  parent.push_back(event(2, LENTO_CREATE));
  const VirtualRun run = replay({parent, stores(0x2000, 10)});
  EXPECT_EQ(run.cycles, 400u + 40u);
}

TEST(Record, JoinsWaitForTheEnd) {
  Events parent = {event(2, LENTO_CREATE), event(2, LENTO_JOIN)};
  const Events after = stores(0x1000, 5);
  parent.insert(parent.end(), after.begin(), after.end());
  EXPECT_EQ(replay({parent, stores(0x2000, 50)}).cycles, 50u * 4 + 5 * 4);
}

TEST(Record, ALockHasOneHolderAndIsHandedOver) {
  Events worker;
  for (int i = 0; i < 20; ++i) {
    worker.push_back(event(0x5000, LENTO_LOCK, 2));
    worker.push_back(event(0x5040, LENTO_WRITE));
    worker.push_back(event(0x5000, LENTO_UNLOCK, 2));
  }
  const VirtualRun alone = replay({worker});
  const VirtualRun both = replay({worker, worker});
  EXPECT_EQ(alone.contended, 0u);
  EXPECT_GE(both.cycles, 2 * alone.cycles);
  EXPECT_GT(both.contended, 20 * 60u);  // the lock changes hands each time
}

// Keeps what a replay makes of each access.
class Kept : public AccessSink {
 public:
  void record(const AccessRecord& r) override {
    records.push_back(r);
  }
  std::vector<AccessRecord> records;
};

TEST(Record, TheTimeAtALockIsLostToItsHolder) {
  const auto turn = [](uint64_t own) {
    Events events = {event(0x2000, LENTO_LOCK, 2)};
    append(events, stores(own, 100));
    events.push_back(event(0x2000, LENTO_UNLOCK, 2));
    return events;
  };
  const RecordFile file({turn(0x3000), turn(0x4000)});
  Kept kept;
  const VirtualRun run = replay_recording(Recording(file.path()), 64, {}, &kept);
  uint64_t waited = 0;
  for (const AccessRecord& r : kept.records) {
    const bool second = r.thread == 2;
    EXPECT_EQ((r.flags & AccessRecord::kGuarded) != 0, second)
        << "only the second thread has a lock of another's";
    if (second && r.type == AccessType::Atomic) {
      waited = r.blamed;
      EXPECT_EQ(r.culprit, 0);
    }
  }
  // The first thread takes the lock, stores 100 times and gives it back.
  EXPECT_NEAR(double(waited), 408 + 60, 64);
  EXPECT_LT(waited, run.cycles);
}

TEST(Record, AnEndThatWasNotRecordedHoldsNobodyUp) {
  const Events taken = {event(0x5000, LENTO_LOCK, 2)};  // never given back
  EXPECT_EQ(replay({taken, taken}).accesses, 2u);
  EXPECT_EQ(replay({{event(9, LENTO_JOIN), event(0x1000, LENTO_READ)}}).accesses, 1u);
}

TEST(Record, OtherFilesAreRefused) {
  EXPECT_NE(
      base::test::error_of([] {
        Recording r("/proc/self/exe");
      }).find("is no recording"),
      std::string::npos);
  EXPECT_NE(
      base::test::error_of([] {
        Recording r("/nowhere/at/all");
      }).find("cannot be opened"),
      std::string::npos);
}

}  // namespace
}  // namespace lento::memory
