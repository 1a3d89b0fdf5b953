// Reads the line-oriented foreign traces. Grammars (blanks separate, '|' alternatives):
//   paper     columns in a given order: cpu cycle pc type address latency; hex with or without 0x
//   lackey    'I' addr,size | ' L' addr,size | ' S' addr,size | ' M' addr,size
#include "base/error.h"
#include "memory/read/foreign_lines.h"

namespace lento::memory {
namespace {

std::optional<AccessType> type_named(std::string_view text) {
  for (int t = 0; t < kAccessTypes; ++t) {
    if (text == to_string(static_cast<AccessType>(t)))
      return static_cast<AccessType>(t);
  }
  return std::nullopt;
}

class PaperSource : public LineSource {
 public:
  PaperSource(const std::string& path, const std::string& columns, base::ReadReport& report)
      : LineSource(path, report) {
    const std::vector<std::string> known = {"cpu", "cycle", "pc", "type", "address", "latency", "-"};
    std::string names = columns.empty() ? "cpu,cycle,pc,type,address,latency" : columns;
    std::replace(names.begin(), names.end(), ',', ' ');
    for (const std::string_view name : words(names)) {
      const auto at = std::ranges::find(known, name);
      if (at == known.end())
        throw base::Error(
            {"--columns"},
            "'" + std::string(name) + "' is not a column",
            base::suggestion(name, known));
      order_.push_back(int(at - known.begin()));
    }
  }

 private:
  const char* parse(std::string_view line, AccessRecord& r) override {
    const auto cell = words(line);
    if (cell.size() != order_.size())
      return "the number of columns differs from the column map";
    bool has_address = false;
    for (size_t i = 0; i < cell.size(); ++i) {
      if (order_[i] == 6)
        continue;
      if (order_[i] == 3) {
        const auto type = type_named(cell[i]);
        if (!type)
          return "unknown access type";
        r.type = *type;
        continue;
      }
      const bool hex = order_[i] == 2 || order_[i] == 4;
      const auto value = hex ? hex_number(cell[i]) : base::try_uint(cell[i]);
      if (!value)
        return "a column is no number";
      if (order_[i] == 0 && *value >= AccessRecord::kNoCpu)
        return "the CPU number is too large";
      if (order_[i] == 0)
        r.cpu = uint16_t(*value);
      if (order_[i] == 1)
        r.cycle = *value;
      if (order_[i] == 2)
        r.pc = *value;
      if (order_[i] == 4) {
        r.address = *value;
        has_address = true;
      }
      if (order_[i] == 5)
        r.latency = uint32_t(std::min<uint64_t>(*value, UINT32_MAX - 1));
    }
    if (!has_address)
      r.address = r.pc;
    return nullptr;
  }

  std::vector<int> order_;
};

class LackeySource : public LineSource {
 public:
  using LineSource::LineSource;

 private:
  // Numbers the instructions and uses the number as time, because lackey records only the order.
  const char* parse(std::string_view line, AccessRecord& r) override {
    const auto word = words(line);
    if (line.starts_with("==") || word.size() != 2 || word[0].size() != 1)
      return line.starts_with("==") ? "" : "no lackey line";
    const size_t comma = word[1].find(',');
    const auto address = hex_number(word[1].substr(0, comma));
    const auto size =
        comma == std::string_view::npos ? std::nullopt : base::try_uint(word[1].substr(comma + 1));
    if (!address || !size || *size > 255)
      return "no address and size";
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
    r.size = uint8_t(*size);
    return nullptr;
  }

  uint64_t tick_ = 0;
  uint64_t pc_ = 0;
};

}  // namespace

std::unique_ptr<AccessSource>
open_paper_text(const std::string& path, const std::string& columns, base::ReadReport& report) {
  return std::make_unique<PaperSource>(path, columns, report);
}
std::unique_ptr<AccessSource>
open_lackey(const std::string& path, base::ReadReport& report, program::TraceFacts* facts) {
  if (facts) {
    facts->usual_line_bytes = 64;
    facts->time_unit = "instructions";
  }
  return std::make_unique<LackeySource>(path, report);
}

}  // namespace lento::memory
