// Recordings by hand: what threads do to one another in virtual time has closed forms.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

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
  explicit RecordFile(const std::vector<Events>& threads) {
    Recording::prepare(path_, threads.size() * LENTO_CHUNK, 1000, 0);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    uint64_t chunks = threads.size();
    file.seekp(offsetof(lento_header, next_chunk));
    file.write(reinterpret_cast<const char*>(&chunks), 8);
    for (size_t t = 0; t < threads.size(); ++t) {
      const lento_chunk head = {77, uint32_t(t + 1), 0};
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

VirtualRun replay(const std::vector<Events>& threads, const std::vector<Relayout>& layout = {}) {
  const RecordFile file(threads);
  const Recording recording(file.path());
  return replay_recording(recording, 64, layout, nullptr);
}

Events stores(uint64_t address, size_t count) {
  return Events(count, event(address, LENTO_WRITE));
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
