// A stream that writes control characters as visible escapes.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace lento::cli {

class VisibleStream : public std::ostream {
 public:
  explicit VisibleStream(std::ostream& to);
  ~VisibleStream() override;

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to)
        : to_(to) {
    }
    void finish();  // what begins a character and does not end is shown too

   private:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;
    void take(std::string_view text);

    std::ostream& to_;
    std::string rest_;  // the beginning of a character
  };
  Buffer buffer_;
};

}  // namespace lento::cli
