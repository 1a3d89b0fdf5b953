// Extent of a trace in time, in bounded memory: from the first to the last access whose time fits the others.
//
// One damaged time stamp makes a trace a million times longer, and every share of its time negligible. Times
// are counted in at most 1,024 intervals, whose width doubles when they are too many. Times do not fit when
// the gap between them and the rest is longer than the rest itself lasts (evidence::far_away has the same
// rule for times in memory).
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

  // Returns the largest group of times that fit one another. It leaves out at most the share `most_share` of
  // all.
  Times kept(double most_share) const;

  // Visits the members for the checkpoint, to write and to read them.
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
  Times open_;          // times of the interval that was added to last
  std::map<uint64_t, Times> closed_;
};

}  // namespace lento::memory
