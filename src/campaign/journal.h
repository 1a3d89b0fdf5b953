// The journal of a campaign has one line per run, which is flushed to the disk before the run counts as done.
//
//   lento.journal/1 <identity>\n
//   <run> <checksum> <result>\n ...
//
// A process that is killed while writing leaves at most one broken line at the end. The next start cuts it
// off and repeats that run. A broken line anywhere else is an error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lento::campaign {

class Journal {
 public:
  // Opens or creates the file, locks it against a second process and reads the finished runs. Throws
  // base::Error when the file belongs to another identity, is in use, is damaged or cannot be written.
  Journal(std::string path, std::string_view identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const std::map<uint64_t, std::string>& done() const {
    return done_;
  }
  void append(uint64_t run, std::string_view result);

 private:
  void read(std::string_view identity);
  void write_all(std::string_view text);

  std::string path_;
  int file_ = -1;
  std::map<uint64_t, std::string> done_;
};

}  // namespace lento::campaign
