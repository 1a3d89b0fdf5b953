// Searches the shortest path breadth first, over branches and into called functions as well as over calls.
// A path that leaves the function for a caller that is not known ends at the return, so its length is a lower
// bound, as is the cost of functions without hooks. Cost: once per pair of calls, at most kMostVisited
// instructions.
#include "memory/record/code_work.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "program/maps_words.h"

namespace lento::memory {
namespace {

using program::X86Instruction;
using Flow = X86Instruction::Flow;

constexpr size_t kMostVisited = 2000;
constexpr uint64_t kCallBytes = 5;                 // of a direct call
constexpr uint32_t kRecorderCall = 2;              // instructions: the call and its argument
constexpr size_t kLongest = 15;                    // bytes of an instruction
constexpr uint64_t kMostCode = uint64_t{1} << 30;  // bytes of a segment that are read

bool is_x86_64(std::ifstream& file) {
  constexpr size_t kMachine = 18;
  constexpr unsigned char kX86_64 = 62;
  char head[kMachine + 2] = {};
  file.read(head, sizeof head);
  return file && head[0] == 0x7f && static_cast<unsigned char>(head[kMachine]) == kX86_64 &&
         head[kMachine + 1] == 0;
}

}  // namespace

CodeWork::CodeWork(const std::string& maps) {
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string range;
    std::string rights;
    std::string offset;
    std::string skipped;
    std::string path;
    words >> range >> rights >> offset >> skipped >> skipped >> path;
    const size_t dash = range.find('-');
    if (rights.find('x') == std::string::npos || !path.starts_with('/') || dash == std::string::npos)
      continue;
    const auto low = program::hex_of(range.substr(0, dash));
    const auto high = program::hex_of(range.substr(dash + 1));
    const auto from = program::hex_of(offset);
    if (low && high && from && *low < *high)
      segments_.push_back({*low, *high, *from, path});
  }
}

CodeWork::Segment* CodeWork::segment_at(uint64_t address) {
  for (Segment& s : segments_) {
    if (address < s.low || address >= s.high)
      continue;
    if (s.is_read)
      return &s;
    s.is_read = true;
    // The range and the path come from the trace: only a regular file is opened, and not more is taken than
    // it has.
    std::error_code failed;
    const uint64_t size = std::filesystem::file_size(s.path, failed);
    if (failed || s.offset >= size || !std::filesystem::is_regular_file(s.path, failed))
      return &s;
    std::ifstream file(s.path, std::ios::binary);
    if (!is_x86_64(file))
      return &s;
    s.bytes.resize(std::min({s.high - s.low, size - s.offset, kMostCode}));
    file.seekg(std::streamoff(s.offset));
    file.read(reinterpret_cast<char*>(s.bytes.data()), std::streamsize(s.bytes.size()));
    s.bytes.resize(size_t(std::max<std::streamsize>(0, file.gcount())));
    return &s;
  }
  return nullptr;
}

const X86Instruction* CodeWork::at(uint64_t address) {
  const auto [known, is_new] = decoded_.try_emplace(address);
  if (is_new) {
    const Segment* const s = segment_at(address);
    const uint64_t place = s ? address - s->low : 0;
    if (s && place < s->bytes.size()) {
      const std::span<const uint8_t> bytes(
          s->bytes.data() + place,
          std::min(kLongest, s->bytes.size() - place));
      known->second = program::decode_x86(bytes, address).value_or(X86Instruction{});
    }
  }
  return known->second.length > 0 ? &known->second : nullptr;
}

void CodeWork::add_call(uint64_t returns_to) {
  uint64_t& recent = recent_calls_[returns_to % recent_calls_.size()];
  if (recent == returns_to || returns_to < kCallBytes || !known_calls_.insert(returns_to).second)
    return;
  recent = returns_to;
  const X86Instruction* const call = at(returns_to - kCallBytes);
  if (call && call->flow == Flow::Call && call->length == kCallBytes)
    recorders_.insert(call->target);
}

const Work& CodeWork::between(uint64_t from, uint64_t to) {
  const Pair pair{from, to};
  Recent& recent = recent_[(from * 31 + to) % recent_.size()];
  if (recent.pair == pair)
    return recent.work;
  const auto [found, is_new] = found_.try_emplace(pair);
  if (is_new)
    found->second = search(from, to);
  recent = {pair, found->second};
  return recent.work;
}

Work CodeWork::search(uint64_t from, uint64_t to) {
  struct Place {
    uint64_t address;
    Work work;
    unsigned depth;  // of functions that were called on the way
  };
  Work to_return;  // of the shortest path that leaves the function
  std::deque<Place> places = {{from, {true, 0, 0}, 0}};
  std::unordered_set<uint64_t> visited;
  while (!places.empty() && visited.size() < kMostVisited) {
    auto [address, work, depth] = places.front();
    places.pop_front();
    const X86Instruction* const i = at(address);
    if (!i || !visited.insert(address).second)
      continue;
    ++work.instructions;
    work.divisions += i->divides;
    const uint64_t next = address + i->length;
    if (i->flow == Flow::Call && next == to) {
      work.instructions -= std::min(work.instructions, kRecorderCall);
      return work;
    }
    if (i->flow == Flow::Call && recorders_.contains(i->target))
      continue;
    if (i->flow == Flow::End && depth == 0 && !to_return.known)
      to_return = work;
    if (i->flow != Flow::End && i->flow != Flow::Jump)
      places.push_back({next, work, depth});
    if (i->target != 0)
      places.push_back({i->target, work, depth + (i->flow == Flow::Call)});
  }
  return to_return;
}

}  // namespace lento::memory
