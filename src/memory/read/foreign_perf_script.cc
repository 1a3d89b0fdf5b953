// Reads the text of `perf script`. Field sets differ between events and perf versions, so fields are found by
// shape, from the left:
//
//   comm pid[/tid] '[' cpu ']' sec '.' frac ':' [period] event ':' [addr] [data_src '|' text...]
//       [weight [ins_lat [retire_lat]]] ip [symbol ...]
//
// A comm may hold blanks and an event colons. With --show-mmap-events there are also lines
//   comm pid/tid '[' cpu ']' time: PERF_RECORD_MMAP2 pid/tid: [0xlow(0xsize) @ offset maj:min ino gen]:
//       prot path
#include <unordered_map>

#include "memory/read/foreign_lines.h"
#include "memory/read/process_numbers.h"

namespace lento::memory {
namespace {

// Returns whether perf prints this word behind the last '|' where a number may follow.
bool is_block_text(std::string_view word) {
  return word == "BLK" || word == "N/A" || word == "AFF" || word == "Data" || word == "Addr" ||
         word == "Data,Addr";
}

class PerfScriptSource : public LineSource {
 public:
  PerfScriptSource(const std::string& path, base::ReadReport& report, program::TraceFacts* facts)
      : LineSource(path, report),
        processes_(facts),
        facts_(facts) {
    if (!facts)
      return;
    facts->usual_line_bytes = 64;
    facts->time_unit = "ns";
  }

 private:
  const char* parse(std::string_view line, AccessRecord& r) override {
    constexpr const char* kNoCpuAndTime =
        "no CPU and time: record with -a or --sample-cpu and print cpu,time";
    const size_t bracket = find_cpu(line);
    if (bracket == std::string_view::npos)
      return kNoCpuAndTime;
    WordCursor cursor(line.substr(bracket));
    std::string_view word = cursor.next();
    const auto cpu = base::try_uint(word.substr(1, word.size() - 2));
    if (!cpu || *cpu >= AccessRecord::kNoCpu)
      return kNoCpuAndTime;
    r.cpu = uint16_t(*cpu);
    if (!read_time(cursor.next(), r.cycle))
      return "no time";
    take_process(line.substr(0, bracket), r);
    std::string_view event = cursor.next();
    if (event.starts_with("PERF_RECORD_"))
      return take_mapping(event, cursor, r);
    if (!event.empty() && event.back() != ':') {  // the period
      const auto period = base::try_uint(event);
      if (period && facts_)
        facts_->period = std::max(facts_->period, double(*period));
    }
    while (!event.empty() && event.back() != ':')
      event = cursor.next();
    if (event.empty())
      return "no event";
    if (event.starts_with("l1d-") || event.starts_with("llc-") || event.starts_with("tlb-"))
      return "one operation seen again as another event";
    r.flags = AccessRecord::kSampled;
    const size_t bar = cursor.rest().find('|');
    if (bar == std::string_view::npos)
      return read_plain(event, cursor, r);
    return read_sourced(cursor.rest(), bar, r);
  }

  // Finds the start of "[012]": the first bracket that holds digits only.
  static size_t find_cpu(std::string_view line) {
    for (size_t at = line.find('['); at != std::string_view::npos; at = line.find('[', at + 1)) {
      size_t end = at + 1;
      while (end < line.size() && line[end] >= '0' && line[end] <= '9')
        ++end;
      if (end > at + 1 && end < line.size() && line[end] == ']')
        return at;
    }
    return std::string_view::npos;
  }

  // Parses a time such as 12345.678901: as nanoseconds.
  static bool read_time(std::string_view text, uint64_t& ns) {
    if (!text.ends_with(':'))
      return false;
    text.remove_suffix(1);
    const size_t dot = text.find('.');
    const auto seconds = base::try_uint(text.substr(0, dot));
    if (!seconds || dot == std::string_view::npos || *seconds > UINT64_MAX / 2'000'000'000)
      return false;
    const std::string_view fraction = text.substr(dot + 1, 9);
    uint64_t part = 0;
    for (size_t i = 0; i < 9; ++i) {
      const char c = i < fraction.size() ? fraction[i] : '0';
      if (c < '0' || c > '9')
        return false;
      part = part * 10 + uint64_t(c - '0');
    }
    ns = *seconds * 1'000'000'000 + part;
    return !fraction.empty();
  }

  // Takes process, thread and name from "comm with blanks  123/456 " before the CPU.
  void take_process(std::string_view head, AccessRecord& r) {
    while (!head.empty() && (head.back() == ' ' || head.back() == '\t'))
      head.remove_suffix(1);
    const size_t blank = head.find_last_of(" \t");
    const std::string_view ids = blank == std::string_view::npos ? head : head.substr(blank + 1);
    const size_t slash = ids.find('/');
    const auto pid = base::try_uint(ids.substr(0, slash));
    const auto tid = slash == std::string_view::npos ? pid : base::try_uint(ids.substr(slash + 1));
    if (!pid || !tid || *pid > INT32_MAX || *tid > INT32_MAX)
      return;
    r.thread = uint32_t(*tid);
    // Without a pid the threads of several processes cannot be distinguished. All are taken as threads of one
    // process.
    if (slash == std::string_view::npos)
      return;
    std::string_view name = blank == std::string_view::npos ? "" : head.substr(0, blank);
    while (!name.empty() && (name.front() == ' ' || name.front() == '\t'))
      name.remove_prefix(1);
    while (!name.empty() && (name.back() == ' ' || name.back() == '\t'))
      name.remove_suffix(1);
    r.process = processes_.of(uint32_t(*pid), name);
  }

  // Takes a mapping of a program file. Returns "", because the line is no access.
  const char* take_mapping(std::string_view event, WordCursor& cursor, const AccessRecord& r) {
    if (!facts_ || !event.starts_with("PERF_RECORD_MMAP"))
      return "";
    cursor.next();  // pid/tid
    const std::string_view range = cursor.next();
    const size_t open = range.find('(');
    const size_t close = range.find(')');
    if (!range.starts_with("[") || open == std::string_view::npos || close == std::string_view::npos)
      return "";
    const auto low = hex_number(range.substr(1, open - 1));
    const auto size = hex_number(range.substr(open + 1, close - open - 1));
    cursor.next();  // '@'
    std::string_view offset_text = cursor.next();
    if (offset_text.ends_with("]:"))
      offset_text.remove_suffix(2);
    const auto offset = hex_number(offset_text);
    const size_t slash = cursor.rest().find(" /");
    if (!low || !size || !offset || slash == std::string_view::npos)
      return "";
    facts_->names.add_mapping(
        {r.process, *low, *low + *size, *offset, std::string(cursor.rest().substr(slash + 1)), ""});
    return "";
  }

  // Reads the fields of breakpoints and faults: address, then ip.
  static const char* read_plain(std::string_view event, WordCursor& cursor, AccessRecord& r) {
    constexpr const char* kNoAddress = "no data address: record with perf mem record, or print addr";
    const auto address = hex_number(cursor.next());
    if (!address)
      return kNoAddress;
    r.address = *address;
    const std::string_view second = cursor.next();  // the code address, or the symbol of the data address
    for (auto word = second; !word.empty() && r.pc == 0; word = cursor.next())
      r.pc = hex_number(word).value_or(0);
    if (r.pc == 0 && !second.empty())
      return kNoAddress;  // a single address and its symbol are those of the code
    r.type = event.ends_with(":w:") ? AccessType::Store : AccessType::Load;
    return nullptr;
  }

  static const char* read_sourced(std::string_view rest, size_t bar, AccessRecord& r) {
    WordCursor before(rest.substr(0, bar));
    const std::string_view first = before.next();
    std::string_view last = first;
    for (auto word = before.next(); !word.empty(); word = before.next())
      last = word;
    const auto source = hex_number(last);
    if (!source)
      return "no data_src";
    apply_perf_data_source(*source, r);
    if (last.data() != first.data())
      r.address = hex_number(first).value_or(0);
    read_tail(WordCursor(rest.substr(rest.rfind('|') + 1)), r);
    if (r.address == 0 && r.pc == 0)
      return "no data address";
    return nullptr;
  }

  // Reads the weight, other latencies and the code address, which is the first number that is long enough for
  // one.
  static void read_tail(WordCursor cursor, AccessRecord& r) {
    constexpr size_t kShortestAddress = 6;  // digits
    std::string_view word = cursor.next();
    while (is_block_text(word))
      word = cursor.next();
    std::string_view following = cursor.next();
    const auto weight = base::try_uint(word);
    if (weight && *weight < UINT32_MAX && !following.empty() && hex_number(following)) {
      if (*weight > 0)
        r.latency = uint32_t(*weight);
      word = following;
      following = cursor.next();
    }
    while (word.size() < kShortestAddress && hex_number(following).has_value()) {
      word = following;
      following = cursor.next();
    }
    r.pc = hex_number(word).value_or(0);
  }

  ProcessNumbers processes_;
  program::TraceFacts* facts_;
};

}  // namespace

std::unique_ptr<AccessSource>
open_perf_script(const std::string& path, base::ReadReport& report, program::TraceFacts* facts) {
  return std::make_unique<PerfScriptSource>(path, report, facts);
}

}  // namespace lento::memory
