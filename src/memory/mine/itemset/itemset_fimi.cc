// Reads transactions in the FIMI form, byte by byte over blocks of 64 KiB, and parses support options.
//
//   line = { blank } { item { blank } } '\n'    item = digit { digit }    blank = ' ' | '\t' | '\r'
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "memory/mine/itemset/itemset.h"

namespace lento::memory {
namespace {

constexpr size_t kBlock = 1 << 16;
constexpr uint64_t kLargestItem = UINT32_MAX - 1;

// Parses blocks of bytes. A transaction is complete at '\n' or at the end of input.
class FimiParser {
 public:
  FimiParser(Transactions& out, base::ReadReport& report, std::string file)
      : out_(out),
        report_(report),
        file_(std::move(file)) {
  }

  // Takes bytes of the file: item numbers separated by blanks, a line for each transaction.
  void feed(std::span<const char> bytes) {
    for (const char c : bytes) {
      const unsigned digit = static_cast<unsigned char>(c) - '0';
      if (digit < 10) {
        value_ = value_ * 10 + digit;
        in_number_ = true;
        if (value_ > kLargestItem)
          value_ = kLargestItem + 1;
        continue;
      }
      if (in_number_)
        end_number();
      if (c == '\n') {
        end_line();
      } else if (c != ' ' && c != '\t' && c != '\r') {
        bad_ = true;
      }
      line_is_open_ = c != '\n';
    }
    if (!bytes.empty() && bytes.back() != '\n')
      line_is_open_ = true;
  }

  void finish() {
    if (in_number_)
      end_number();
    if (line_is_open_)
      end_line();
  }

 private:
  void end_number() {
    if (value_ > kLargestItem)
      bad_ = true;
    out_.items.push_back(uint32_t(value_));
    value_ = 0;
    in_number_ = false;
  }

  void end_line() {
    ++line_;
    if (bad_) {
      out_.items.resize(out_.begin.back());
      report_.skip({file_, line_}, "a transaction is item numbers below 2^32 - 1, separated by blanks");
    } else {
      out_.begin.push_back(out_.items.size());
      ++report_.taken;
    }
    bad_ = false;
    line_is_open_ = false;
  }

  Transactions& out_;
  base::ReadReport& report_;
  std::string file_;
  int line_ = 0;
  uint64_t value_ = 0;
  bool in_number_ = false;
  bool bad_ = false;
  bool line_is_open_ = false;
};

}  // namespace

void Transactions::add(std::span<const uint32_t> transaction) {
  items.insert(items.end(), transaction.begin(), transaction.end());
  begin.push_back(items.size());
}

uint64_t Transactions::total_weight() const {
  if (weight.empty())
    return size();
  uint64_t total = 0;
  for (const uint32_t w : weight)
    total += w;
  return total;
}

Transactions read_fimi(base::InputStream& stream, base::ReadReport& report) {
  Transactions out;
  FimiParser parser(out, report, stream.path());
  std::vector<char> block(kBlock);
  while (const size_t n = stream.read(block)) {
    parser.feed({block.data(), n});
    if (out.items.size() >= UINT32_MAX - 2 * kBlock || out.size() >= UINT32_MAX - 2 * kBlock)
      throw base::Error({stream.path()}, "more than 2^32 items or transactions: too many for one search");
  }
  parser.finish();
  return out;
}

uint64_t parse_support(const std::string& text, uint64_t transactions) {
  const base::Location where{"--support"};
  if (text.ends_with('%')) {
    const double percent = base::parse_double(text.substr(0, text.size() - 1), where);
    if (!(percent > 0 && percent <= 100)) {
      throw base::Error(where, "'" + text + "' is not between 0% and 100%", "write for example 65%");
    }
    // The tolerance keeps 10 % of 30 at 3 although 0.1 is not a binary fraction.
    const double exact = percent * double(transactions) / 100;
    return std::max<uint64_t>(1, uint64_t(std::ceil(exact - 1e-9 * exact)));
  }
  return uint64_t(base::parse_int(text, where, 1));
}

std::string to_string(Uint128 value) {
  std::string digits;
  do {
    digits += char('0' + int(value % 10));
    value /= 10;
  } while (value != 0);
  return {digits.rbegin(), digits.rend()};
}

}  // namespace lento::memory
