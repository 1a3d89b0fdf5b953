// The instructions that a program executes between two of its recorded accesses, from its machine code: those
// of the shortest path between the two calls of the recorder that passes no other such call.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/x86_code.h"

namespace lento::memory {

struct Work {
  bool known = false;
  uint32_t instructions = 0;  // without the call of the recorder and its argument
  uint32_t divisions = 0;     // of these
};

class CodeWork {
 public:
  // `maps` are lines of /proc/PID/maps. Files that are absent or of another processor give no work.
  explicit CodeWork(const std::string& maps);

  // Adds the return address of a call that recorded an access. Paths do not pass the function that it calls.
  void add_call(uint64_t returns_to);
  // Returns the work from one return address to the call that returns to `to`.
  const Work& between(uint64_t from, uint64_t to);

 private:
  struct Segment {
    uint64_t low = 0;
    uint64_t high = 0;
    uint64_t offset = 0;
    std::string path;
    bool is_read = false;
    std::vector<uint8_t> bytes = {};
  };
  Segment* segment_at(uint64_t address);
  const program::X86Instruction* at(uint64_t address);
  Work search(uint64_t from, uint64_t to);

  std::vector<Segment> segments_;
  std::unordered_map<uint64_t, program::X86Instruction> decoded_;  // length 0: unknown
  std::unordered_set<uint64_t> known_calls_;
  std::unordered_set<uint64_t> recorders_;  // functions that record
  struct Pair {
    uint64_t from;
    uint64_t to;
    bool operator==(const Pair&) const = default;
  };
  struct Hash {
    size_t operator()(const Pair& p) const {
      return size_t(p.from * 0x9e3779b97f4a7c15 ^ p.to);
    }
  };
  std::unordered_map<Pair, Work, Hash> found_;
  // The last answers and calls, because loops ask for the same ones again and again.
  struct Recent {
    Pair pair = {};
    Work work = {};
  };
  std::array<Recent, 1024> recent_ = {};
  std::array<uint64_t, 1024> recent_calls_ = {};
};

}  // namespace lento::memory
