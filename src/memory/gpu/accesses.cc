// Reads the accesses of a kernel's warps and counts the requests that they make to memory. Lines of NVBit's
// memory trace and of tools like it end with an address for each lane:
//
//   CTX 0x1 - LAUNCH - Kernel pc 0x7f - Kernel name transpose(float*) - grid launch id 0 - ...
//   CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - LDS.32 - 0x0 0x80 0x100 ...
//   kernel reduce                      (the plain form: a line that names the kernel, then its instructions)
//   reduce.hip:41 ds_read_b32 0x0 0x100 ...
//
// Shared memory has 32 banks of four bytes. A request is served in passes of at most 128 bytes, and a pass
// takes as many wavefronts as the fullest bank has different words. Global memory is accessed in sectors of
// 32 bytes. For conflicts, the most frequent distance of neighbouring lanes is taken as the row length, and
// the same accesses are counted with padded rows and with swizzled columns.
#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "base/scan/lines.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {
namespace {

constexpr uint64_t kBank = 4;
constexpr uint64_t kBanks = 32;
constexpr uint64_t kPass = kBank * kBanks;
constexpr uint64_t kSectorBytes = 32;
constexpr size_t kMostLanes = 64;
constexpr size_t kMostKept = 1024;  // requests of one instruction that layouts are tried on
constexpr size_t kMostPlaces = 65536;
constexpr uint64_t kChannelBytes = 256;  // consecutive bytes that go to one AMD channel
constexpr size_t kChannels = 16;
constexpr uint64_t kSharedBytes = uint64_t{1} << 20;  // addresses of shared memory lie below

using Lanes = std::vector<uint64_t>;

struct Instruction {
  enum class Space {
    None,
    Shared,
    Global
  } space = Space::None;
  uint64_t bytes = 4;
  bool is_copy = false;  // from global to shared memory; a trace has a line for each side
  std::string place;
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Returns the memory space of an instruction from words of its opcode.
Instruction::Space space_of(std::string_view op) {
  using enum Instruction::Space;
  if (has(op, "LDGSTS"))
    return Global;  // or shared, by the address
  for (const std::string_view word :
       {"LDS", "STS", "ds_read", "ds_write", "ds_load", "ds_store", "shared", "lds"}) {
    if (has(op, word))
      return Shared;
  }
  for (const std::string_view word :
       {"LDG",
        "STG",
        "LD.",
        "ST.",
        "global_load",
        "global_store",
        "flat_load",
        "flat_store",
        "buffer_load",
        "buffer_store",
        "global"}) {
    if (has(op, word))
      return Global;
  }
  return None;
}

// Returns the bytes that each lane of an instruction accesses, from a suffix of its opcode.
uint64_t bytes_of(std::string_view op) {
  // Each address of ldmatrix is that of a row of 16 bytes.
  for (const auto& [word, bytes] :
       {std::pair{"LDSM", 16},
        {".128", 16},
        {".64", 8},
        {".U8", 1},
        {".S8", 1},
        {".U16", 2},
        {".S16", 2},
        {"b128", 16},
        {"b96", 12},
        {"b64", 8},
        {"b16", 2},
        {"b8", 1},
        {"dwordx4", 16},
        {"dwordx3", 12},
        {"dwordx2", 8},
        {"ushort", 2},
        {"ubyte", 1}}) {
    if (has(op, word))
      return uint64_t(bytes);
  }
  return kBank;
}

// Returns the wavefronts that shared memory needs for the addresses of all lanes. In each wavefront a bank
// delivers one word.
double wavefronts(const Lanes& lanes, uint64_t bytes) {
  const size_t each = std::max<size_t>(1, kPass / std::max<uint64_t>(bytes, kBank));
  double sum = 0;
  for (size_t from = 0; from < lanes.size(); from += each) {
    std::array<std::set<uint64_t>, kBanks> words;
    for (size_t i = from; i < std::min(lanes.size(), from + each); ++i) {
      for (uint64_t byte = 0; byte < bytes; byte += kBank) {
        const uint64_t word = (lanes[i] + byte) / kBank;
        words[word % kBanks].insert(word);
      }
    }
    size_t most = 1;
    for (const auto& bank : words)
      most = std::max(most, bank.size());
    sum += double(most);
  }
  return sum;
}

double ideal_wavefronts(const Lanes& lanes, uint64_t bytes) {
  const size_t each = std::max<size_t>(1, kPass / std::max<uint64_t>(bytes, kBank));
  return double((lanes.size() + each - 1) / each);
}

// Returns the number of distinct sectors of memory that the lanes touch.
double sectors(const Lanes& lanes, uint64_t bytes) {
  std::set<uint64_t> seen;
  for (const uint64_t address : lanes) {
    seen.insert(address / kSectorBytes);
    seen.insert((address + bytes - 1) / kSectorBytes);
  }
  return double(seen.size());
}

double ideal_sectors(const Lanes& lanes, uint64_t bytes) {
  const std::set<uint64_t> places(lanes.begin(), lanes.end());
  const uint64_t all = places.size() * bytes;
  return double((all + kSectorBytes - 1) / kSectorBytes);
}

struct Place {
  KernelMemory memory;
  uint64_t bytes = 4;
  std::vector<Lanes> kept;  // requests to shared memory with conflicts
  std::array<double, kChannels> channels = {};
  size_t widest = 0;  // lanes
};

// Returns the most frequent distance of neighbouring lanes that is 128 bytes or more, 0 when there is none.
uint64_t row_of(const std::vector<Lanes>& requests) {
  std::map<uint64_t, size_t> count;
  for (const Lanes& lanes : requests) {
    for (size_t i = 1; i < lanes.size(); ++i) {
      const uint64_t distance = lanes[i] > lanes[i - 1] ? lanes[i] - lanes[i - 1] : lanes[i - 1] - lanes[i];
      if (distance >= kPass)
        ++count[distance];
    }
  }
  const auto most = std::ranges::max_element(count, {}, [](const auto& e) {
    return e.second;
  });
  return most == count.end() ? 0 : most->first;
}

// Returns the wavefronts of all requests when `move` changes each address, to test another layout.
template <class Move>
double moved(const std::vector<Lanes>& requests, uint64_t bytes, const Move& move) {
  double sum = 0;
  for (Lanes lanes : requests) {
    for (uint64_t& address : lanes)
      address = move(address);
    sum += wavefronts(lanes, bytes);
  }
  return sum;
}

// Tries layouts of the rows and keeps the one that leaves the fewest wavefronts.
void try_layouts(Place& place) {
  if (place.kept.empty())
    return;
  const uint64_t row = row_of(place.kept);
  const double before = moved(place.kept, place.bytes, [](uint64_t a) {
    return a;
  });
  double best = before;
  const auto consider = [&](double after, const std::string& text) {
    if (after >= best)
      return;
    best = after;
    place.memory.layout = text;
  };
  if (row > 0) {
    for (const uint64_t pad : {kBank, 2 * kBank, 4 * kBank}) {
      if (pad % std::min<uint64_t>(place.bytes, 4 * kBank) == 0)
        consider(
            moved(
                place.kept,
                place.bytes,
                [&](uint64_t a) {
                  return a + a / row * pad;
                }),
            "pad each row of " + std::to_string(row) + " bytes by " + std::to_string(pad) + " bytes");
    }
    const uint64_t unit = std::max(place.bytes, kBank);
    consider(
        moved(
            place.kept,
            place.bytes,
            [&](uint64_t a) {
              return a ^ (a / row % (kPass / unit) * unit);
            }),
        "exchange the columns of each row: column xor row, with rows of " + std::to_string(row) + " bytes");
  } else {
    double packed = 0;
    for (const Lanes& lanes : place.kept)
      packed += ideal_wavefronts(lanes, place.bytes);
    consider(packed, "lay the words of neighbouring lanes side by side: an array for each member");
  }
  const double share = before > 0 ? best / before : 1;
  place.memory.relaid = place.memory.shared.served * share;
}

class Trace {
 public:
  Trace(const std::string& path, base::ReadReport& report)
      : path_(path),
        report_(report) {
  }

  // Parses one line: a kernel launch, a kernel name, or an access with the addresses of its lanes.
  void take(std::string_view text) {
    ++line_;
    if (const size_t at = text.find("Kernel name "); at != text.npos)
      return take_launch(text.substr(at + 12));
    if (text.starts_with("kernel ")) {
      kernel_ = std::string(text.substr(7));
      return;
    }
    std::vector<std::string_view> words = words_of(text);
    Lanes lanes;
    size_t first = words.size();
    while (first > 0 && lanes.size() < kMostLanes && address_of(words[first - 1], lanes))
      --first;
    std::ranges::reverse(lanes);
    Instruction instruction;
    for (size_t i = 0; i < first; ++i)
      look_at(words, i, instruction);
    if (instruction.space == Instruction::Space::None || lanes.empty()) {
      if (!words.empty() && !text.starts_with('#'))
        report_.skip({path_, line_}, "no memory instruction with the addresses of its lanes");
      return;
    }
    if (instruction.is_copy && std::ranges::max(lanes) < kSharedBytes)
      instruction.space = Instruction::Space::Shared;
    ++report_.taken;
    const size_t all = lanes.size();
    std::erase(lanes, 0u);  // inactive lanes have address 0
    if (lanes.empty())
      lanes.assign(1, 0);
    count(instruction, lanes, all);
  }

  // Returns the counts of each instruction after trying other layouts for it.
  std::vector<KernelMemory> finish() {
    std::vector<KernelMemory> out;
    for (auto& [key, place] : places_) {
      try_layouts(place);
      place.memory.is_amd = place.widest > 32;
      if (place.memory.is_amd)
        add_channels(place);
      out.push_back(std::move(place.memory));
    }
    return out;
  }

 private:
  // Splits a line into words at blanks and commas. Lone "-" and ":" are dropped.
  static std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find_first_of(" \t\r,", at), text.size());
      if (end > at && text.substr(at, end - at) != "-" && text.substr(at, end - at) != ":")
        words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return words;
  }

  // Adds a hexadecimal address to `lanes`. Returns false for another word.
  static bool address_of(std::string_view word, Lanes& lanes) {
    if (!word.starts_with("0x"))
      return false;
    const auto value = base::try_uint(word.substr(2), 16);
    if (value)
      lanes.push_back(*value);
    return value.has_value();
  }

  // Takes name and id of a kernel launch, because later lines give the id only.
  void take_launch(std::string_view text) {
    const size_t end = std::min(text.find(" - "), text.size());
    kernel_ = std::string(text.substr(0, end));
    const size_t id = text.find("launch id ");
    if (id == text.npos)
      return;
    const size_t last = text.find_first_not_of("0123456789", id + 10);
    names_[std::string(text.substr(id + 10, last == text.npos ? last : last - id - 10))] = kernel_;
  }

  // Takes from word `i` the place or the opcode of the instruction, or the id of its kernel launch.
  void look_at(const std::vector<std::string_view>& words, size_t i, Instruction& instruction) {
    const std::string_view word = words[i];
    if (word == "grid_launch_id" && i + 1 < words.size()) {
      const auto named = names_.find(std::string(words[i + 1]));
      if (named != names_.end())
        kernel_ = named->second;
      return;
    }
    const size_t colon = word.find(':');
    const bool is_line =
        colon != word.npos && colon + 1 < word.size() && word[colon + 1] >= '0' && word[colon + 1] <= '9';
    if (is_line && has(word.substr(0, colon), ".")) {
      instruction.place = std::string(word);
      return;
    }
    const Instruction::Space space = space_of(word);
    if (space == Instruction::Space::None || instruction.space != Instruction::Space::None)
      return;
    instruction.space = space;
    instruction.is_copy = has(word, "LDGSTS");
    instruction.bytes = bytes_of(word);
    if (instruction.place.empty())
      instruction.place = std::string(word);
  }

  // Adds one executed access to the counts of its instruction.
  void count(const Instruction& instruction, const Lanes& lanes, size_t all) {
    const bool is_shared = instruction.space == Instruction::Space::Shared;
    const std::pair key{kernel_, instruction.place + (is_shared ? " " : "")};
    if (places_.size() >= kMostPlaces && !places_.contains(key))
      return report_.skip({path_, line_}, "more instructions than are told apart");
    Place& place = places_[key];
    place.memory.kernel = kernel_.empty() ? "kernel" : kernel_;
    place.memory.line = instruction.place;
    place.memory.launches = 1;
    place.bytes = instruction.bytes;
    place.widest = std::max(place.widest, all);
    Requests& r = is_shared ? place.memory.shared : place.memory.global;
    if (is_shared) {
      const double served = wavefronts(lanes, instruction.bytes);
      const double ideal = ideal_wavefronts(lanes, instruction.bytes);
      r.served += served;
      r.ideal += std::min(served, ideal);
      if (served > ideal && place.kept.size() < kMostKept)
        place.kept.push_back(lanes);
      return;
    }
    r.served += sectors(lanes, instruction.bytes);
    r.ideal += ideal_sectors(lanes, instruction.bytes);
    std::set<uint64_t> pieces;
    for (const uint64_t address : lanes)
      pieces.insert(address / kChannelBytes);
    for (const uint64_t piece : pieces)
      ++place.channels[piece % kChannels];
  }

  // Adds the busiest and the mean load over the memory channels.
  static void add_channels(Place& place) {
    Channels& c = place.memory.memory;
    c.count = kChannels;
    for (const double load : place.channels) {
      c.most = std::max(c.most, load);
      c.mean += load / double(kChannels);
    }
  }

  const std::string& path_;
  base::ReadReport& report_;
  int line_ = 0;
  std::string kernel_;
  std::map<std::string, std::string> names_;  // of kernels, by launch
  std::map<std::pair<std::string, std::string>, Place> places_;
};

}  // namespace

bool is_gpu_accesses(std::string_view head) {
  size_t lines = 0;
  while (!head.empty()) {
    const std::string_view line = base::take_line(head);
    if (head.empty() && lines > 0)
      break;  // the last line may be cut
    const size_t at = line.rfind(" 0x");
    const bool lanes = at != line.npos && line.rfind(" 0x", at - 1) != line.npos;
    const std::string_view before = line.substr(
        0,
        line.find(" 0x") == line.npos
            ? 0
            : std::min(line.find(" 0x", line.find(" - ") == line.npos ? 0 : 8), line.size()));
    lines += lanes && space_of(before) != Instruction::Space::None;
    lines += has(line, "grid_launch_id") && lanes;
  }
  return lines > 0;
}

std::vector<KernelMemory>
read_gpu_accesses(std::string_view text, const std::string& path, base::ReadReport& report) {
  Trace trace(path, report);
  while (!text.empty())
    trace.take(base::take_line(text));
  if (report.taken == 0)
    throw base::Error(
        {path},
        "holds no memory instruction of a warp",
        "a line is an instruction such as LDS.32 or ds_read_b32, then an address for each lane, 0x...");
  return trace.finish();
}

}  // namespace lento::memory
