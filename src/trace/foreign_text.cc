// Line-oriented foreign traces. Grammars (blanks separate, '|' alternatives):
//   paper     columns in a given order: cpu cycle pc type address latency; hex with or without 0x
//   perf      comm pid[/tid] '[' cpu ']' sec '.' frac ':' [period] event ':' [addr] [data_src '|'text..]
//   [weight] [ip ..] memaxes   CSV with a header that names time, cpu, latency lackey    'I' addr,size | ' L'
//   addr,size | ' S' addr,size | ' M' addr,size
#include <algorithm>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "trace/foreign.h"

namespace lento::trace {
namespace {

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0;;) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos) return out;
    const size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::optional<uint64_t> hex_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return base::try_uint(text, 16);
}

std::optional<AccessType> type_named(std::string_view text) {
  for (int t = 0; t < kAccessTypes; ++t) {
    if (text == to_string(static_cast<AccessType>(t))) return static_cast<AccessType>(t);
  }
  return std::nullopt;
}

// Reads lines and asks `parse` for a record each.
class LineSource : public BatchSource {
 public:
  LineSource(const std::string& path, base::ReadReport& report) : in_(path), report_(report) {}

 protected:
  void fill(std::vector<AccessRecord>& out) override {
    std::string_view line;
    while (out.size() < kBatch && in_.line(line)) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos || line.front() == '#') continue;
      AccessRecord r;
      const char* reason = parse(line, r);
      if (reason == nullptr) {
        ++report_.taken;
        out.push_back(r);
      } else if (*reason != '\0') {
        report_.skip({in_.path(), static_cast<int>(in_.line_number())}, reason);
      }
    }
  }
  // nullptr: taken; "": nothing to take; else why it is skipped.
  virtual const char* parse(std::string_view line, AccessRecord& r) = 0;

 private:
  base::InputStream in_;
  base::ReadReport& report_;
};

class PaperSource : public LineSource {
 public:
  PaperSource(const std::string& path, const std::string& columns, base::ReadReport& report)
      : LineSource(path, report) {
    const std::vector<std::string> known = {"cpu", "cycle", "pc", "type", "address", "latency", "-"};
    std::string names = columns.empty() ? "cpu,cycle,pc,type,address,latency" : columns;
    std::replace(names.begin(), names.end(), ',', ' ');
    for (const std::string_view name : words(names)) {
      const auto at = std::find(known.begin(), known.end(), name);
      if (at == known.end())
        throw base::Error({"--columns"}, "'" + std::string(name) + "' is not a column",
                          base::suggestion(name, known));
      order_.push_back(static_cast<int>(at - known.begin()));
    }
  }

 private:
  const char* parse(std::string_view line, AccessRecord& r) override {
    const auto cell = words(line);
    if (cell.size() != order_.size()) return "the number of columns differs from the column map";
    bool has_address = false;
    for (size_t i = 0; i < cell.size(); ++i) {
      if (order_[i] == 6) continue;
      if (order_[i] == 3) {
        const auto type = type_named(cell[i]);
        if (!type) return "unknown access type";
        r.type = *type;
        continue;
      }
      const bool hex = order_[i] == 2 || order_[i] == 4;
      const auto value = hex ? hex_number(cell[i]) : base::try_uint(cell[i]);
      if (!value) return "a column is no number";
      if (order_[i] == 0 && *value >= AccessRecord::kNoCpu) return "the CPU number is too large";
      if (order_[i] == 0) r.cpu = static_cast<uint16_t>(*value);
      if (order_[i] == 1) r.cycle = *value;
      if (order_[i] == 2) r.pc = *value;
      if (order_[i] == 4) r.address = *value, has_address = true;
      if (order_[i] == 5) r.latency = static_cast<uint32_t>(std::min<uint64_t>(*value, UINT32_MAX - 1));
    }
    if (!has_address) r.address = r.pc;
    return nullptr;
  }

  std::vector<int> order_;
};

// Field sets differ between events and perf versions; what counts is found by shape: "[cpu]", "sec.frac:",
// the event (ends in ':'), then hexadecimal address, data_src before '|', decimal weight, hexadecimal ip.
class PerfScriptSource : public LineSource {
 public:
  using LineSource::LineSource;

 private:
  const char* parse(std::string_view line, AccessRecord& r) override {
    const auto word = words(line.substr(0, line.find('|')));
    size_t at = 0;
    while (at < word.size() && !(word[at].front() == '[' && word[at].back() == ']')) ++at;
    if (at + 1 >= word.size()) return "no CPU and time: record with -a or --sample-cpu and print cpu,time";
    const auto cpu = base::try_uint(word[at].substr(1, word[at].size() - 2));
    if (!cpu || *cpu >= AccessRecord::kNoCpu)
      return "no CPU and time: record with -a or --sample-cpu and print cpu,time";
    r.cpu = static_cast<uint16_t>(*cpu);
    if (!read_time(word[at + 1], r.cycle)) return "no time";
    at += 2;
    while (at < word.size() && word[at].back() != ':') ++at;
    if (at == word.size()) return "no event";
    const std::string_view event = word[at];
    if (event.starts_with("l1d-") || event.starts_with("llc-") || event.starts_with("tlb-")) {
      return "one operation seen again as another event";
    }
    r.flags = AccessRecord::kSampled;
    return read_rest(line, event, {word.begin() + static_cast<std::ptrdiff_t>(at) + 1, word.end()}, r);
  }

  static bool read_time(std::string_view text, uint64_t& ns) {
    if (!text.ends_with(':')) return false;
    text.remove_suffix(1);
    const size_t dot = text.find('.');
    const auto seconds = base::try_uint(text.substr(0, dot));
    if (!seconds || dot == std::string_view::npos || *seconds > UINT64_MAX / 2'000'000'000) return false;
    std::string fraction(text.substr(dot + 1, 9));
    fraction.resize(9, '0');
    const auto part = base::try_uint(fraction);
    if (!part) return false;
    ns = *seconds * 1'000'000'000 + *part;
    return true;
  }

  static const char* read_rest(std::string_view line, std::string_view event,
                               const std::vector<std::string_view>& rest, AccessRecord& r) {
    const size_t bar = line.find('|');
    if (bar == std::string_view::npos) {  // breakpoints, faults: address, then ip
      const auto address = rest.empty() ? std::nullopt : hex_number(rest[0]);
      if (!address) return "no data address";
      r.address = *address;
      for (size_t i = 1; i < rest.size() && r.pc == 0; ++i) r.pc = hex_number(rest[i]).value_or(0);
      r.type = event.ends_with(":w:") ? AccessType::Store : AccessType::Load;
      return nullptr;
    }
    const auto source_word = rest.empty() ? std::nullopt : hex_number(rest.back());
    if (!source_word) return "no data_src";
    apply_perf_data_source(*source_word, r);
    if (rest.size() >= 2) r.address = hex_number(rest.front()).value_or(0);
    const auto tail = words(line.substr(line.rfind('|') + 1));
    // After the last '|' stand the end of the "BLK" text, then weight and ip.
    for (size_t i = 0; i < tail.size(); ++i) {
      if (tail[i] == "BLK" || tail[i] == "N/A" || tail[i] == "AFF") continue;
      const auto weight = base::try_uint(tail[i]);
      if (weight && *weight < UINT32_MAX && i + 1 < tail.size()) {
        r.latency = static_cast<uint32_t>(*weight);
        r.pc = hex_number(tail[i + 1]).value_or(0);
      } else {
        r.pc = hex_number(tail[i]).value_or(0);
      }
      break;
    }
    return r.address == 0 && r.pc == 0 ? "no data address" : nullptr;
  }
};

class LackeySource : public LineSource {
 public:
  using LineSource::LineSource;

 private:
  // Order is the only time there is: one instruction, one tick.
  const char* parse(std::string_view line, AccessRecord& r) override {
    const auto word = words(line);
    if (line.starts_with("==") || word.size() != 2 || word[0].size() != 1)
      return line.starts_with("==") ? "" : "no lackey line";
    const size_t comma = word[1].find(',');
    const auto address = hex_number(word[1].substr(0, comma));
    const auto size =
        comma == std::string_view::npos ? std::nullopt : base::try_uint(word[1].substr(comma + 1));
    if (!address || !size || *size > 255) return "no address and size";
    switch (word[0][0]) {
      case 'I':
        ++tick_;
        pc_ = *address;
        r.type = AccessType::Fetch;
        break;
      case 'L':
        r.type = AccessType::Load;
        break;
      case 'S':
        r.type = AccessType::Store;
        break;
      case 'M':
        r.type = AccessType::Atomic;
        break;
      default:
        return "no lackey line";
    }
    r.cycle = tick_;
    r.pc = pc_;
    r.address = *address;
    r.size = static_cast<uint8_t>(*size);
    return nullptr;
  }

  uint64_t tick_ = 0, pc_ = 0;
};

class MemAxesSource : public BatchSource {
 public:
  MemAxesSource(const std::string& path, base::ReadReport& report) : in_(path, report), report_(report) {
    time_ = in_.require("time"), cpu_ = in_.require("cpu"), latency_ = in_.require("latency");
    address_ = in_.find("addr"), ip_ = in_.find("ip"), index_ = in_.find("index"),
    variable_ = in_.find("variable");
    line_ = in_.find("line"), type_ = in_.find("op_type");
  }

 private:
  // Samples come CPU by CPU or in order of time; either way they are sorted here, 2^22 of them at most.
  void fill(std::vector<AccessRecord>& out) override {
    if (!read_) read_all();
    read_ = true;
    const size_t n = std::min(kBatch, records_.size() - at_);
    out.assign(records_.begin() + static_cast<std::ptrdiff_t>(at_),
               records_.begin() + static_cast<std::ptrdiff_t>(at_ + n));
    at_ += n;
  }

  void read_all() {
    while (in_.next()) {
      AccessRecord r;
      const auto time = hex_number(in_.text(time_));
      const auto cpu = base::try_uint(in_.text(cpu_));
      const auto latency = base::try_uint(in_.text(latency_));
      if (!time || !cpu || !latency || *cpu >= AccessRecord::kNoCpu || *latency >= UINT32_MAX) {
        report_.skip(in_.where(time_), "time, cpu or latency is no number");
        continue;
      }
      if (records_.size() == kMostSamples) {
        report_.skip(in_.where(time_), "more than 4194304 samples in one file");
        continue;
      }
      ++report_.taken;
      r.cycle = *time, r.cpu = static_cast<uint16_t>(*cpu), r.latency = static_cast<uint32_t>(*latency);
      r.flags = AccessRecord::kSampled;
      r.address = address_ >= 0 ? hex_number(in_.text(address_)).value_or(0) : synthetic_address();
      r.pc = ip_ >= 0     ? hex_number(in_.text(ip_)).value_or(0)
             : line_ >= 0 ? base::try_uint(in_.text(line_)).value_or(0)
                          : 0;
      if (type_ >= 0 && in_.text(type_).find("tore") != std::string::npos) r.type = AccessType::Store;
      records_.push_back(r);
    }
    std::stable_sort(records_.begin(), records_.end(), [](const AccessRecord& a, const AccessRecord& b) {
      return a.cycle != b.cycle ? a.cycle < b.cycle : a.cpu < b.cpu;
    });
  }

  // Variable and element stand for the address: each variable gets 2^32 bytes of its own, 8 bytes an element.
  uint64_t synthetic_address() {
    const std::string name = variable_ >= 0 ? in_.text(variable_) : "";
    auto at = std::find(names_.begin(), names_.end(), name);
    if (at == names_.end()) at = names_.insert(at, name);
    const uint64_t index = index_ >= 0 ? base::try_uint(in_.text(index_)).value_or(0) : 0;
    return (static_cast<uint64_t>(at - names_.begin()) + 1) << 32 | (index * 8 & UINT32_MAX);
  }

  static constexpr size_t kMostSamples = size_t{1} << 22;
  base::CsvReader in_;
  base::ReadReport& report_;
  int time_, cpu_, latency_, address_, ip_, index_, variable_, line_, type_;
  std::vector<std::string> names_;
  std::vector<AccessRecord> records_;
  size_t at_ = 0;
  bool read_ = false;
};

}  // namespace

std::unique_ptr<AccessSource> open_paper_text(const std::string& path, const std::string& columns,
                                              base::ReadReport& report) {
  return std::make_unique<PaperSource>(path, columns, report);
}
std::unique_ptr<AccessSource> open_perf_script(const std::string& path, base::ReadReport& report) {
  return std::make_unique<PerfScriptSource>(path, report);
}
std::unique_ptr<AccessSource> open_memaxes(const std::string& path, base::ReadReport& report) {
  return std::make_unique<MemAxesSource>(path, report);
}
std::unique_ptr<AccessSource> open_lackey(const std::string& path, base::ReadReport& report) {
  return std::make_unique<LackeySource>(path, report);
}

}  // namespace lento::trace
