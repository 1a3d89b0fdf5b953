// Demangles C++ and Rust names. C++ uses the demangler of the run-time library. Rust legacy names are Itanium
// names with a hash and escapes. Rust v0 names (RFC 2603) are parsed here as far as paths go: generic
// arguments are shown as types when they are paths or basic types, else as "_". Depth and length are bounded,
// because back references may nest.
#include "program/demangle.h"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace lento::program {
namespace {

// Returns the name by the Itanium C++ ABI, or nothing.
std::optional<std::string> itanium(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
      std::free);
  if (status != 0 || !text)
    return std::nullopt;
  return std::string(text.get());
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Replaces "$LT$" and the other escapes by the characters that a symbol cannot hold, and ".." by "::".
std::string unescape_rust(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kEscapes = {
      {{"$LT$", "<"},
       {"$GT$", ">"},
       {"$LP$", "("},
       {"$RP$", ")"},
       {"$C$", ","},
       {"$BP$", "*"},
       {"$RF$", "&"},
       {"$SP$", "@"},
       {"$u20$", " "},
       {"$u7b$", "{"},
       {"$u7d$", "}"},
       {"$u5b$", "["},
       {"$u5d$", "]"}}};
  std::string out;
  while (!text.empty()) {
    bool done = false;
    for (const auto& [from, to] : kEscapes) {
      if (!text.starts_with(from))
        continue;
      out += to;
      text.remove_prefix(from.size());
      done = true;
      break;
    }
    if (done)
      continue;
    if (text.starts_with("..")) {
      out += "::";
      text.remove_prefix(2);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// Returns "a::b" for "a::b::h0123456789abcdef", or nothing when the name has no such hash.
std::optional<std::string> legacy_rust(const std::string& plain) {
  constexpr size_t kHash = 19;  // "::h" and 16 digits
  if (plain.size() <= kHash)
    return std::nullopt;
  const std::string_view tail = std::string_view(plain).substr(plain.size() - kHash);
  if (!tail.starts_with("::h") || !is_hex(tail.substr(3)))
    return std::nullopt;
  std::string out = unescape_rust(std::string_view(plain).substr(0, plain.size() - kHash));
  // A part of the name that begins with an escape has an underscore before it, which is removed.
  for (size_t at = 0; (at = out.find("_<", at)) != std::string::npos;) {
    const bool starts_part = at == 0 || out[at - 1] == ':';
    if (starts_part)
      out.erase(at, 1);
    at += 1;
  }
  return out;
}

class RustV0 {
 public:
  explicit RustV0(std::string_view text)
      : text_(text) {
  }

  std::optional<std::string> run() {
    path(0);
    if (failed_ || out_.empty())
      return std::nullopt;
    return out_;
  }

 private:
  static constexpr int kDeepest = 64;
  static constexpr size_t kLongest = 4096;

  void fail() {
    failed_ = true;
  }
  bool over(int depth) {
    if (depth > kDeepest || out_.size() > kLongest)
      fail();
    return failed_;
  }
  char take() {
    if (at_ >= text_.size()) {
      fail();
      return 0;
    }
    return text_[at_++];
  }
  bool eat(char c) {
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  // Reads a number in base 62, where "_" is 0 and "0_" is 1.
  uint64_t base62() {
    if (eat('_'))
      return 0;
    uint64_t value = 0;
    for (;;) {
      const char c = take();
      if (failed_ || c == '_')
        return value + 1;
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'z' ? c - 'a' + 10
                        : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                               : -1;
      if (digit < 0) {
        fail();
        return 0;
      }
      value = value * 62 + uint64_t(digit);
    }
  }
  // Parses an identifier of Rust's mangling.
  std::string_view identifier() {
    if (eat('s'))
      base62();
    eat('u');
    size_t length = 0;
    const bool nameless = eat('0');  // a number begins with no other zero: what follows is the next name's
    while (!nameless && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && length < kLongest)
      length = length * 10 + size_t(text_[at_++] - '0');
    eat('_');
    if (length > text_.size() - at_) {
      fail();
      return {};
    }
    at_ += length;
    return text_.substr(at_ - length, length);
  }
  template <class Part>
  // Parses a back reference: calls `part` at an earlier position of the name and returns to the present one.
  void back_reference(Part&& part) {
    const uint64_t to = base62();
    if (failed_ || to >= at_)
      return fail();
    const size_t kept = std::exchange(at_, to);
    part();
    at_ = kept;
  }

  void path(int depth) {
    if (over(depth))
      return;
    switch (take()) {
      case 'C':
        out_ += identifier();
        return;
      case 'N': {
        const char space = take();
        path(depth + 1);
        const std::string_view name = identifier();
        if (space == 'C')
          out_ += "::{closure}";
        if (space != 'C' && !name.empty())
          (out_ += "::") += name;
        return;
      }
      case 'M':
        hidden_impl(depth);
        out_ += '<';
        type(depth + 1);
        out_ += '>';
        return;
      case 'X':
        hidden_impl(depth);
        [[fallthrough]];
      case 'Y':
        out_ += '<';
        type(depth + 1);
        out_ += " as ";
        path(depth + 1);
        out_ += '>';
        return;
      case 'I':
        path(depth + 1);
        out_ += "::<";
        arguments(depth + 1);
        out_ += '>';
        return;
      case 'B':
        return back_reference([&] {
          path(depth + 1);
        });
      default:
        return fail();
    }
  }
  void hidden_impl(int depth) {
    if (eat('s'))
      base62();
    const size_t length = out_.size();
    path(depth + 1);
    out_.resize(std::min(length, out_.size()));
  }
  // Parses generic arguments.
  void arguments(int depth) {
    for (bool first = true; !failed_ && !eat('E'); first = false) {
      if (!first)
        out_ += ", ";
      if (eat('L')) {
        base62();
        out_ += "'_";
      } else if (eat('K')) {
        constant();
      } else {
        type(depth + 1);
      }
    }
  }
  // Parses a constant.
  void constant() {
    if (eat('p')) {
      out_ += '_';
      return;
    }
    take();
    if (eat('n'))
      out_ += '-';
    uint64_t value = 0;
    for (char c = take(); !failed_ && c != '_'; c = take())
      value = value * 16 + uint64_t(c >= 'a' ? c - 'a' + 10 : c - '0');
    out_ += std::to_string(value);
  }
  void type(int depth) {
    if (over(depth))
      return;
    static constexpr std::string_view kLetters = "abcdefhijlmnopstuvxyz";
    static constexpr std::array<std::string_view, 21> kNames = {
        "i8",   "bool", "char", "f64", "str", "f32", "u8",  "isize", "usize", "i32", "u32",
        "i128", "u128", "_",    "i16", "u16", "()",  "...", "i64",   "u64",   "!"};
    const char c = take();
    const size_t basic = kLetters.find(c);
    if (basic != std::string_view::npos) {
      out_ += kNames[basic];
      return;
    }
    switch (c) {
      case 'R':
      case 'Q':
        if (eat('L'))
          base62();
        out_ += c == 'R' ? "&" : "&mut ";
        return type(depth + 1);
      case 'P':
      case 'O':
        out_ += c == 'P' ? "*const " : "*mut ";
        return type(depth + 1);
      case 'S':
        out_ += '[';
        type(depth + 1);
        out_ += ']';
        return;
      case 'A':
        out_ += '[';
        type(depth + 1);
        out_ += "; ";
        constant();
        out_ += ']';
        return;
      case 'T':
        out_ += '(';
        arguments(depth + 1);
        out_ += ')';
        return;
      case 'B':
        return back_reference([&] {
          type(depth + 1);
        });
      case 'F':
      case 'D':
        return fail();  // function pointers and trait objects: the mangled name is kept
      default:
        --at_;
        return path(depth + 1);
    }
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::string demangle(const std::string& name) {
  const bool cxx = name.starts_with("_Z"), rust = name.starts_with("_R");
  if (!cxx && !rust)
    return name;
  if (rust) {
    // The suffix of a clone begins with a dot, which no v0 name contains.
    const size_t dot = name.find('.');
    const auto plain =
        RustV0(std::string_view(name).substr(2, dot == std::string::npos ? dot : dot - 2)).run();
    if (!plain)
      return name;
    if (dot == std::string::npos)
      return *plain;
    return *plain + " [clone " + name.substr(dot) + "]";
  }
  const auto plain = itanium(name);
  if (!plain)
    return name;
  const auto legacy = legacy_rust(*plain);
  if (legacy)
    return *legacy;
  return *plain;
}

}  // namespace lento::program
