// Replaces control characters in everything that is printed. File names and log lines are hostile and could
// steer the terminal. A UTF-8 character may arrive in two writes, so its beginning is kept until the rest
// comes.
#include "cli/filter.h"

#include <algorithm>

#include "base/visible.h"

namespace lento::cli {

VisibleStream::VisibleStream(std::ostream& to)
    : std::ostream(nullptr),
      buffer_(to) {
  rdbuf(&buffer_);
  if (!to)
    setstate(to.rdstate());
}

VisibleStream::~VisibleStream() {
  buffer_.finish();
  buffer_.pubsync();
}

// Writes text with control characters made visible. An incomplete character waits for its remaining bytes.
void VisibleStream::Buffer::take(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return (c >= ' ' && c < 127) || c == '\n';
  });
  if (plain && rest_.empty()) {  // nearly always
    to_.write(text.data(), static_cast<std::streamsize>(text.size()));
    return;
  }
  rest_ += text;
  const size_t tail = base::incomplete_tail(rest_);
  to_ << base::visible(std::string_view(rest_).substr(0, rest_.size() - tail));
  rest_.erase(0, rest_.size() - tail);
}

void VisibleStream::Buffer::finish() {
  to_ << base::visible(rest_);
  rest_.clear();
}

VisibleStream::Buffer::int_type VisibleStream::Buffer::overflow(int_type c) {
  if (c == traits_type::eof())
    return traits_type::not_eof(c);
  const char byte = traits_type::to_char_type(c);
  take({&byte, 1});
  if (to_)
    return c;
  return traits_type::eof();
}

std::streamsize VisibleStream::Buffer::xsputn(const char* text, std::streamsize size) {
  take({text, size_t(size)});
  return to_ ? size : 0;
}

int VisibleStream::Buffer::sync() {
  to_.flush();
  return to_ ? 0 : -1;
}

}  // namespace lento::cli
