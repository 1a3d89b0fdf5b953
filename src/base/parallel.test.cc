#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace lento::base {
namespace {

TEST(ParallelFor, EachPieceOnceWhateverTheThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 7u, 64u}) {
    for (const size_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> done(count);
      parallel_for(count, threads, [&](size_t i) {
        ++done[i];
      });
      for (const auto& d : done)
        EXPECT_EQ(d, 1) << count << " on " << threads;
    }
  }
}

TEST(ParallelFor, OneThreadWorksInOrderOnTheCallersThread) {
  std::vector<size_t> order;
  const auto self = std::this_thread::get_id();
  parallel_for(10, 1, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    order.push_back(i);
  });
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(order[i], i);
}

TEST(ParallelFor, NeverMoreThreadsThanAskedForNorThanPieces) {
  for (const auto& [count, threads, most] :
       {std::tuple{size_t{100}, 3u, size_t{3}}, std::tuple{size_t{2}, 16u, size_t{2}}}) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_for(count, threads, [&](size_t) {
      std::this_thread::yield();
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    EXPECT_LE(seen.size(), most);
  }
}

TEST(ParallelFor, AllThreadsTakePart) {
  // Two pieces that wait for each other end only when two threads run them.
  std::atomic<int> here{0};
  parallel_for(2, 2, [&](size_t) {
    ++here;
    while (here < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(here, 2);
}

TEST(ParallelFor, TheFailureOfTheSmallestPieceIsTold) {
  for (const unsigned threads : {1u, 4u}) {
    try {
      // Pieces 0 to 3 begin together; the smaller the number, the later it fails.
      parallel_for(4, threads, [](size_t i) {
        for (size_t wait = 0; wait < (4 - i) * 1000; ++wait)
          std::this_thread::yield();
        throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "0");
    }
  }
}

TEST(ParallelFor, AfterAFailureNothingNewBegins) {
  std::atomic<size_t> begun{0};
  EXPECT_THROW(
      parallel_for(
          100000,
          2,
          [&](size_t) {
            ++begun;
            throw std::runtime_error("x");
          }),
      std::runtime_error);
  EXPECT_LE(begun, 2u);
}

TEST(HardwareThreads, AtLeastOne) {
  EXPECT_GE(hardware_threads(), 1u);
}

}  // namespace
}  // namespace lento::base
