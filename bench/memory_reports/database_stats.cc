// Every command looks up the statistics of its database under one mutex. Mended, a session keeps the pointer.
// github.com/facebook/mysql-5.6/issues/658
// expect: lock, databases
// fixed: quiet
#include <mutex>

#include "run.h"
struct alignas(128) Stats {
  volatile long commands = 0;
};
struct alignas(128) Databases {
  std::mutex stats_mutex;
  Stats* of[4] = {};
};
static Databases databases;
static Stats stats[4];
static Stats* stats_of(int me) {
  const std::lock_guard<std::mutex> hold(databases.stats_mutex);
  return databases.of[me];
}
int main() {
  for (int i = 0; i < 4; ++i)
    databases.of[i] = &stats[i];
  run(4, [](int me) {
    Stats* own = stats_of(me);
    for (int i = 0; i < 15000; ++i) {
#ifndef FIXED
      own = stats_of(me);
#endif
      ++own->commands;
    }
  });
  std::printf("%ld\n", stats[2].commands + 0);
}
