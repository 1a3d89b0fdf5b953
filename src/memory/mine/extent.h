// Extent of a trace in time, in bounded memory: from the first to the last access whose time fits the others.
//
// One damaged time stamp stretches a trace a million times, and every share of time becomes nothing. Times
// are counted in at most 1,024 intervals, whose width doubles when they are too many. Times fit no more where
// a silence parts them from the rest that is longer than the rest takes (evidence::far_away has the same rule
// for times in memory).
#pragma once

#include <cstdint>
#include <map>

namespace lento::memory {

class Extent {
 public:
  struct Times {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    uint64_t count = 0;
  };

  void add(uint64_t time) {
    if (open_.count == 0 || interval(time) != interval(open_.first)) {
      close();
      open_ = {};
    }
    join({time, time, 1}, open_);
  }

  // The largest group of times that fit one another, without at most `most_share` of all.
  Times kept(double most_share) const;

  // For the checkpoint, both ways.
  template <class Self, class Way>
  static void visit(Self& self, Way&& way) {
    way(self.shift_, self.open_, self.closed_);
  }

 private:
  uint64_t interval(uint64_t time) const {
    return time >> (shift_ & 63);
  }
  static void join(const Times& from, Times& to);
  void close();

  uint64_t shift_ = 0;  // an interval is 2^shift_ long
  Times open_;          // the interval of the last time
  std::map<uint64_t, Times> closed_;
};

}  // namespace lento::memory
