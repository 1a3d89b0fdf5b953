// Starts so many threads with a number each and waits for them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
template <class Work>
void run(int threads, Work work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back(work, i);
  for (std::thread& t : all)
    t.join();
}
