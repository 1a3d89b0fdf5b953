// Reads the two tables of a perf c2c report that matter: the totals and the cache lines ("Pareto"). Column
// widths differ between versions and pastes, so fields are found by the count and shape of words:
//
//   pareto = title  (head row*)*
//   head   = dashes  index count{4,5,6} 0xADDRESS  dashes
//   row    = share%{4,5,6} 0xOFFSET node pages [pid] [tid] 0xPC cycles{3,4} records cpus '['kind']' names
//   names  = symbol  object  source  nodes, separated by two blanks or more
//   other lines inside a table are the call graph of the row above
//
// Counts and shares are: remote, local, [peer,] stores that hit, [missed, [elsewhere]], four, five or six in
// all. With six of them there are four columns of cycles.
#include "memory/read/c2c_report.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "base/scan/lines.h"
#include "memory/read/foreign_lines.h"

namespace lento::memory {
namespace {

constexpr std::string_view kTitle = "Shared Cache Line Distribution Pareto";
constexpr std::string_view kTotals = "Trace Event Information";
constexpr size_t kFewestShares = 4;
constexpr size_t kMostShares = 6;
constexpr uint64_t kLargestLine = 4096;  // bytes; offsets beyond are damage
constexpr size_t kMostCallers = 64;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_rule(std::string_view text) {
  return text.size() > 8 && text.find_first_not_of('-') == std::string_view::npos;
}

// Parses a percentage as a share from 0 to 1.
std::optional<double> share_of(std::string_view word) {
  if (!word.ends_with('%'))
    return {};
  word.remove_suffix(1);
  const auto value = base::try_double(word);
  const bool sane = value && *value >= 0 && *value <= 100;
  if (sane)
    return std::optional(*value / 100);
  return std::nullopt;
}

// Takes a line such as "Load Local HITM   :   2092".
void take_total(std::string_view line, C2cReport& out) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return;
  const std::string_view key = trimmed(line.substr(0, colon));
  const auto value = base::try_uint(trimmed(line.substr(colon + 1)));
  if (!value)
    return;
  const auto take = [&](std::string_view name, uint64_t& to) {
    if (key == name)
      to += *value;
  };
  take("Total records", out.records);
  take("Load Operations", out.loads);
  take("Store Operations", out.stores);
  take("Load Local HITM", out.local);
  take("Load Remote HITM", out.remote);
  take("Load HIT Local Peer", out.peers);
  take("Load HIT Remote Peer", out.peers);
  take("Unable to parse data source", out.unparsed);
}

// Parses the line of counts between two rules.
std::optional<C2cLine> parse_head(std::string_view text) {
  const std::vector<std::string_view> w = words(text);
  if (w.size() < kFewestShares + 2 || w.size() > kMostShares + 2 || !w.back().starts_with("0x"))
    return {};
  std::vector<uint64_t> counts;
  for (size_t i = 1; i + 1 < w.size(); ++i) {
    const auto count = base::try_uint(w[i]);
    if (!count || *count > INT64_MAX / 8)
      return {};
    counts.push_back(*count);
  }
  const auto address = hex_number(w.back());
  if (!address)
    return {};
  const bool has_peer = counts.size() == kMostShares;
  C2cLine line;
  line.address = *address;
  line.remote = counts[0];
  line.local = counts[1];
  line.peers = has_peer ? counts[2] : 0;
  for (size_t i = has_peer ? 3 : 2; i < counts.size(); ++i)
    line.stores += counts[i];
  return line;
}

// Takes names such as "[.] work(int)  program  main.c:12  0  1".
void take_names(std::string_view text, C2cUse& use) {
  text = trimmed(text);
  if (text.starts_with('['))
    text = trimmed(text.substr(std::min(text.size(), text.find(']') + 1)));
  for (std::string* field : {&use.symbol, &use.object, &use.source}) {
    const size_t end = std::min(text.find("  "), text.size());
    *field = std::string(text.substr(0, end));
    text = trimmed(text.substr(end));
  }
}

// Skips to the next word that begins with 0x, and returns its number.
std::optional<uint64_t> next_address(WordCursor& cursor) {
  constexpr int kMostBetween = 16;  // node, pages, process, thread and its name
  for (int i = 0; i < kMostBetween; ++i) {
    const std::string_view word = cursor.next();
    if (word.empty())
      return {};
    if (word.starts_with("0x"))
      return hex_number(word);
  }
  return {};
}

// Parses a row of the table: shares, offset, program counter, function and source line.
std::optional<C2cUse> parse_row(std::string_view text) {
  WordCursor cursor(text);
  std::vector<double> shares;
  std::string_view word = cursor.next();
  for (auto share = share_of(word); share && shares.size() < kMostShares; share = share_of(word)) {
    shares.push_back(*share);
    word = cursor.next();
  }
  if (shares.size() < kFewestShares || !word.starts_with("0x"))
    return {};
  const auto offset = hex_number(word);
  const auto pc = next_address(cursor);
  if (!offset || !pc || *offset >= kLargestLine)
    return {};
  const bool has_peer = shares.size() == kMostShares;
  C2cUse use;
  use.offset = uint32_t(*offset);
  use.pc = *pc;
  use.remote = shares[0];
  use.local = shares[1];
  use.peer = has_peer ? shares[2] : 0;
  for (size_t i = has_peer ? 3 : 2; i < shares.size(); ++i)
    use.stores = std::max(use.stores, shares[i]);
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < (has_peer ? 6u : 5u); ++i) {
    const auto number = base::try_uint(cursor.next());
    if (!number)
      return {};
    numbers.push_back(*number);
  }
  use.remote_cycles = numbers[0];
  use.local_cycles = numbers[1];
  use.records = numbers[numbers.size() - 2];
  use.cpus = numbers.back();
  take_names(cursor.rest(), use);
  return use;
}

// Returns "worker" for "   |--12.5%--worker".
std::string_view caller_of(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r|-");
  if (first == std::string_view::npos)
    return {};
  text = trimmed(text.substr(first));
  const size_t percent = text.find("%--");
  if (percent == std::string_view::npos)
    return text;
  return text.substr(percent + 3);
}

class Pareto {
 public:
  Pareto(C2cReport& out, const std::string& path, base::ReadReport& report)
      : out_(out),
        path_(path),
        report_(report) {
  }

  // Takes one line of the report.
  void take(std::string_view line, int number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#') || text.starts_with('=') || text.starts_with(kTitle))
      return;
    if (is_rule(text)) {
      after_rule_ = !after_rule_;
      return;
    }
    if (after_rule_)
      return take_head(text, number);
    if (const auto use = parse_row(text))
      return take_use(*use, number);
    take_other(text, number);
  }

 private:
  void take_head(std::string_view text, int number) {
    const auto head = parse_head(text);
    open_ = head.has_value();
    if (!open_)
      return report_.skip({path_, number}, "no head of a line: index, counts, address");
    out_.lines.push_back(*head);
  }

  void take_use(const C2cUse& use, int number) {
    if (!open_)
      return report_.skip({path_, number}, "a row that belongs to no line");
    out_.lines.back().uses.push_back(use);
    ++report_.taken;
  }

  // Takes a line of callers below a row.
  void take_other(std::string_view text, int number) {
    const bool in_row = open_ && !out_.lines.back().uses.empty();
    const bool looks_like_row = text.find("% ") != std::string_view::npos;
    if (!in_row || looks_like_row)
      return report_.skip({path_, number}, "no row of the table");
    auto& callers = out_.lines.back().uses.back().callers;
    const std::string_view caller = caller_of(text);
    if (!caller.empty() && callers.size() < kMostCallers)
      callers.emplace_back(caller);
  }

  C2cReport& out_;
  const std::string& path_;
  base::ReadReport& report_;
  bool after_rule_ = false;
  bool open_ = false;  // rows belong to the last line
};

}  // namespace

bool is_c2c_report(std::string_view head) {
  return head.find(kTotals) != std::string_view::npos || head.find(kTitle) != std::string_view::npos;
}

C2cReport parse_c2c_report(std::string_view text, const std::string& path, base::ReadReport& report) {
  C2cReport out;
  if (!is_c2c_report(text))
    throw base::Error(
        {path},
        "is no report of perf c2c: neither of its tables is there",
        "write it with: perf c2c report --stdio");
  Pareto pareto(out, path, report);
  bool in_pareto = false;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = base::take_line(text);
    ++number;
    in_pareto |= line.find(kTitle) != std::string_view::npos;
    if (in_pareto)
      pareto.take(line, number);
    else
      take_total(line, out);
  }
  return out;
}

}  // namespace lento::memory
