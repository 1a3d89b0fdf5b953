// Keeps one buffer, whose unread rest moves to the front before more is read. A line longer than
// kLongestLine is cut there, and the rest up to its line end is skipped.
#include "desk/read/line_source.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace lento::desk {
namespace {

// Returns the size of the line at the beginning of `text`, or npos when its end is not there yet. A carriage
// return at the end of `text` may be followed by a line feed.
size_t line_size(std::string_view text) {
  const size_t feed = text.find('\n');
  const size_t back = text.substr(0, feed).find('\r');
  const size_t end = feed == text.npos ? text.size() : feed;
  return back == text.npos || back + 1 >= end ? feed : back;
}

constexpr int kFormsBeside = 16;  // lines of other forms that may lie between two of one form

// Returns the form of a line: the line with one 0 for each run of digits, so that lines that differ in their
// numbers alone have one form.
std::string form_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));  // labels may be set to the right
  std::string form;
  for (const char c : line.substr(0, LineSource::kLongestLine)) {
    const char shown = c >= '0' && c <= '9' ? '0' : c;
    if (shown != '0' || form.empty() || form.back() != '0')
      form += shown;
  }
  return form;
}

// Returns whether `part` is distinctive enough to be recognised at an end of `form`: it is shorter than the
// form and has a blank and a number. A few characters may begin or end any line.
bool is_part_of(std::string_view part, std::string_view form) {
  return part.size() < form.size() && part.find(' ') != part.npos && part.find('0') != part.npos;
}

// Returns whether `line` is, numbers apart, the beginning of one of the last kFormsBeside lines of `before`.
bool ends_within_line(std::string_view line, std::string_view before) {
  const std::string part = form_of(line);
  for (int i = 0; i < kFormsBeside && !before.empty(); ++i) {
    before.remove_suffix(1);
    const size_t begin = before.rfind('\n') + 1;
    const std::string form = form_of(before.substr(begin));
    if (is_part_of(part, form) && form.starts_with(part))
      return true;
    before = before.substr(0, begin);
  }
  return false;
}

}  // namespace

bool begins_within_line(std::string_view text) {
  size_t end = text.find('\n');
  const std::string part = form_of(text.substr(0, end));
  for (int i = 0; i < kFormsBeside && end != text.npos; ++i) {
    text.remove_prefix(end + 1);
    end = text.find('\n');
    const std::string form = form_of(text.substr(0, end));
    if (is_part_of(part, form) && form.ends_with(part))
      return true;
  }
  return false;
}

LineSource::LineSource(Read read)
    : read_(std::move(read)),
      buffer_(kBuffer) {
}

LineSource LineSource::of_text(std::string_view text) {
  return LineSource([text](std::span<char> out) mutable {
    const size_t size = std::min(out.size(), text.size());
    if (size > 0)
      std::memcpy(out.data(), text.data(), size);
    text.remove_prefix(size);
    return size;
  });
}

// Reads more bytes. Returns false when none are left.
bool LineSource::refill() {
  if (at_end_)
    return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::span<char> room(buffer_.data() + end_, buffer_.size() - end_);
  if (room.empty())
    return false;
  const size_t got = read_(room);
  at_end_ = got < room.size();
  end_ += got;
  return got > 0;
}

std::string_view LineSource::peek(size_t size) {
  while (end_ - begin_ < size && refill()) {
  }
  return {buffer_.data() + begin_, std::min(size, end_ - begin_)};
}

bool LineSource::line(std::string_view& out) {
  while (true) {
    const std::string_view text(buffer_.data() + begin_, end_ - begin_);
    const size_t found = line_size(text);
    const size_t length = std::min(found, text.size());
    const bool was_skipping = skipping_;
    const bool is_same = is_same_line_;
    if (found != text.npos) {
      begin_ += length + 1;
      skipping_ = false;
      is_same_line_ = text[length] == '\r';
    } else if (text.size() >= kLongestLine) {
      begin_ = end_;
      skipping_ = true;
    } else if (refill()) {
      continue;
    } else if (text.empty()) {
      return false;
    } else {
      is_torn_ = true;
      is_partial_ = ends_within_line(text, {buffer_.data(), begin_});
      begin_ = end_;
    }
    if (was_skipping)
      continue;
    out = text.substr(0, std::min(length, kLongestLine));
    number_ += !is_same;
    return true;
  }
}

std::string LineSource::rest(uint64_t most, const std::string& name) {
  std::string text;
  do {
    text.append(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    if (text.size() > most)
      throw base::Error(
          {name},
          "is read as a whole and has more than " + std::to_string(most >> 20) + " MiB",
          "give the part of it that is meant");
  } while (refill());
  return text;
}

namespace {

struct ConvertedSource {
  LineSource::Read read;
  std::function<std::unique_ptr<Conversion>(std::string_view)> choose;
  std::unique_ptr<Conversion> conversion;
  std::string ready;  // converted bytes that were not returned yet
  size_t at = 0;      // of these
  bool is_begun = false;
  bool is_ended = false;

  // Converts more bytes into `ready`.
  void refill() {
    constexpr size_t kChunk = size_t{1} << 16;
    std::string bytes(kChunk, '\0');
    bytes.resize(read(bytes));
    is_ended = bytes.size() < kChunk;
    ready.erase(0, at);
    at = 0;
    if (!is_begun)
      conversion = choose(bytes);
    is_begun = true;
    if (!conversion) {
      ready += bytes;
      return;
    }
    conversion->add(bytes, ready);
    if (is_ended)
      conversion->finish(ready);
  }

  size_t operator()(std::span<char> out) {
    size_t done = 0;
    while (done < out.size()) {
      if (at < ready.size()) {
        const size_t size = std::min(ready.size() - at, out.size() - done);
        std::memcpy(out.data() + done, ready.data() + at, size);
        at += size;
        done += size;
      } else if (is_ended) {
        break;
      } else if (is_begun && !conversion) {  // passed on without a copy
        return done + read(out.subspan(done));
      } else {
        refill();
      }
    }
    return done;
  }
};

}  // namespace

LineSource::Read converted(
    LineSource::Read read,
    std::function<std::unique_ptr<Conversion>(std::string_view head)> choose) {
  auto source = std::make_shared<ConvertedSource>();
  source->read = std::move(read);
  source->choose = std::move(choose);
  return [source](std::span<char> out) {
    return (*source)(out);
  };
}

}  // namespace lento::desk
