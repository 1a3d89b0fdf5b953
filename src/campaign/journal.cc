// Keeps results of runs on disk so that a kill loses none. A line carries a check sum of its content and is
// flushed before its run counts as done. After a kill the last line may be incomplete, and the next start
// cuts it off.
#include "campaign/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

namespace lento::campaign {
namespace {

using base::Error;

constexpr uint64_t kMostBytes = uint64_t{1} << 32;
constexpr std::string_view kMagic = "lento.journal/1 ";

std::string line_of(uint64_t run, std::string_view result) {
  const std::string body = std::to_string(run) + " " + std::string(result);
  return std::to_string(run) + " " + base::digest(body).substr(0, 16) + " " + std::string(result) + "\n";
}

// Parses one complete line. Returns false when it is damaged.
bool parse_line(std::string_view line, uint64_t& run, std::string_view& result) {
  const size_t first = line.find(' ');
  if (first == std::string_view::npos || line.size() < first + 18 || line[first + 17] != ' ')
    return false;
  const auto number = base::try_uint(line.substr(0, first));
  if (!number)
    return false;
  run = *number;
  result = line.substr(first + 18);
  return line_of(run, result) == std::string(line) + "\n";
}

}  // namespace

Journal::Journal(std::string path, std::string_view identity)
    : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0)
    throw Error({path_}, std::string("the journal cannot be opened: ") + std::strerror(errno));
  try {
    // A device or a pipe may have no end and cannot be cut, so only regular files are accepted.
    struct stat info {};
    if (::fstat(file_, &info) != 0 || !S_ISREG(info.st_mode))
      throw Error({path_}, "is no regular file", "a journal is read, cut and written: name a file on a disk");
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw Error(
          {path_},
          "another process is writing this journal",
          "wait for it or choose another --journal");
    }
    read(identity);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() {
  ::close(file_);
}

// Reads the results of an interrupted campaign. Throws base::Error when the journal belongs to another
// campaign or a complete line is damaged.
void Journal::read(std::string_view identity) {
  const std::string text = base::read_file(path_, kMostBytes);
  const std::string head = std::string(kMagic) + std::string(identity) + "\n";
  const size_t head_end = text.find('\n');
  if (head_end == std::string::npos) {  // new, or killed while the first line was written
    if (!text.empty() && !head.starts_with(text))
      throw Error({path_, 1}, "this is not a journal of a campaign");
    if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) < 0)
      throw Error({path_}, "the journal cannot be cut");
    write_all(head);
    return;
  }
  if (text.compare(0, head_end + 1, head) != 0) {
    if (!text.starts_with(kMagic))
      throw Error({path_, 1}, "this is not a journal of a campaign");
    throw Error(
        {path_, 1},
        "the journal belongs to a campaign with other inputs, options or versions",
        "remove it or choose another --journal");
  }
  size_t at = head_end + 1;
  for (int line = 2; at < text.size(); ++line) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos)
      break;  // ftruncate below removes the incomplete last line
    uint64_t run = 0;
    std::string_view result;
    if (!parse_line(std::string_view(text).substr(at, end - at), run, result)) {
      throw Error({path_, line}, "this line is damaged", "delete it: the run will be done again");
    }
    done_.emplace(run, result);
    at = end + 1;
  }
  if (at < text.size() && ::ftruncate(file_, static_cast<off_t>(at)) != 0)
    throw Error({path_}, "the journal cannot be cut");
  if (::lseek(file_, 0, SEEK_END) < 0)
    throw Error({path_}, "the journal cannot be extended");
}

void Journal::write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file_, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      throw Error({path_}, std::string("the journal cannot be written: ") + std::strerror(errno));
    text.remove_prefix(size_t(n));
  }
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS) {
    throw Error({path_}, std::string("the journal cannot be written: ") + std::strerror(errno));
  }
}

void Journal::append(uint64_t run, std::string_view result) {
  LENTO_CHECK(result.find('\n') == std::string_view::npos, "a result must be one line");
  write_all(line_of(run, result));
  done_.emplace(run, result);
}

}  // namespace lento::campaign
