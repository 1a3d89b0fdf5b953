// Runs independent pieces of work on several threads. Results must go to slots by index, so that they do not
// depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace lento::base {

// Calls work(i) for every i in [0, count), on `threads` threads (0: all cores). Pieces are handed out in
// order, one at a time. The exception of the smallest failing i is rethrown after all threads have stopped.
void parallel_for(size_t count, unsigned threads, const std::function<void(size_t)>& work);

unsigned hardware_threads();

}  // namespace lento::base
