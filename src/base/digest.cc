// Computes a 128-bit digest of content, so that a diagnosis can name the exact input it was made from. Two
// 64-bit states are mixed word by word and finished with the length. The digest detects different inputs but
// does not resist an attacker.
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/rng.h"

namespace lento::base {

// Adds bytes. The digest does not depend on how they are divided over calls.
void Digest::add(std::string_view bytes) {
  size_ += bytes.size();
  if (!rest_.empty()) {
    const size_t missing = std::min(8 - rest_.size(), bytes.size());
    rest_.append(bytes.substr(0, missing));
    bytes.remove_prefix(missing);
    if (rest_.size() < 8)
      return;
  }
  const auto mix = [&](const char* at) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    a_ = mix64(a_ ^ word);
    b_ = (b_ ^ word) * 0x100000001b3ULL + (a_ >> 7);
  };
  if (!rest_.empty())
    mix(rest_.data());
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8)
    mix(bytes.data() + i);
  rest_ = bytes.substr(whole);
}

// Returns the digest as 32 hexadecimal digits.
std::string Digest::text() const {
  uint64_t tail = size_;
  for (const char c : rest_)
    tail = (tail << 8) ^ static_cast<unsigned char>(c);
  const uint64_t a = mix64(a_ ^ tail);
  char text[33];
  std::snprintf(
      text,
      sizeof text,
      "%016llx%016llx",
      static_cast<unsigned long long>(a),
      static_cast<unsigned long long>(mix64(b_ ^ a)));
  return text;
}

std::string digest(std::string_view bytes) {
  Digest all;
  all.add(bytes);
  return all.text();
}

}  // namespace lento::base
