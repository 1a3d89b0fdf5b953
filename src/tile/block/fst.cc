// Runs the FST reader in a child process with a pipe and a limit of processor time, because the reader can
// loop on damaged data. An FST is a chain of blocks, each led by a type byte and a length of 8 bytes. The
// first block is a header (type 0, length 329), or the only one and wraps the others in gzip (type 254).
#include "tile/block/fst.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/error.h"

namespace lento::tile {

namespace {

// Returns the size of the file in bytes when its chain of blocks ends exactly at the end of the file, else 0.
uint64_t size_of_chain(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::streamoff end = in.tellg();
  uint64_t at = 0;
  while (end > 0 && at < uint64_t(end)) {
    unsigned char head[9];
    in.seekg(std::streamoff(at));
    if (!in.read(reinterpret_cast<char*>(head), sizeof head))
      return 0;
    uint64_t length = 0;
    for (int i = 1; i < 9; ++i)
      length = length << 8 | head[i];
    if (length < 8 || length > uint64_t(end) - at)
      return 0;
    at += 1 + length;
  }
  return at == uint64_t(std::max<std::streamoff>(end, 0)) ? at : 0;
}

// Limits the processor time of this process to 10 s plus 1 s for each 100 kB of the FST file, many times what
// its conversion to VCD takes.
void limit_time(uint64_t bytes) {
  const rlim_t seconds = 10 + bytes / 100'000;
  const rlimit limit{seconds, seconds};
  setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace

bool is_fst(std::string_view first_bytes) {
  using namespace std::string_view_literals;
  return first_bytes.starts_with("\0\0\0\0\0\0\0\x01\x49"sv) ||
         (first_bytes.size() >= 9 && first_bytes.starts_with("\xfe\0\0"sv));
}

// Starts a child process that converts the FST file to VCD text and writes it to a pipe. Throws base::Error
// when the path cannot be read, the FST is not complete, or no pipe or process can be made.
FstAsVcd::FstAsVcd(const std::string& path)
    : path_(path) {
  int ends[2];
  if (access(path.c_str(), R_OK) != 0)
    throw base::Error({path}, "an FST is read from a file, not from a pipe");
  const uint64_t size = size_of_chain(path);
  if (size == 0)
    throw base::Error({path}, "the FST is not complete", "let the simulation end, or write a VCD");
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw base::Error({path}, "no pipe can be made");
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    if (const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC); nothing >= 0)
      dup2(nothing, STDERR_FILENO);
    limit_time(size);
    std::FILE* out = fdopen(ends[1], "w");
    const int failed = out ? write_fst_as_vcd(path_.c_str(), out) : 1;
    _exit(out && std::fclose(out) == 0 ? failed : 1);
  }
  close(ends[1]);
  read_end_ = ends[0];
  if (child_ < 0)
    throw base::Error({path}, "no process can be started for it");
}

FstAsVcd::~FstAsVcd() {
  if (read_end_ >= 0)
    close(read_end_);
  if (child_ <= 0)
    return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

std::string FstAsVcd::pipe_path() const {
  return "/proc/self/fd/" + std::to_string(read_end_);
}

void FstAsVcd::require_whole() {
  int status = 0;
  const bool ended = waitpid(child_, &status, 0) == child_;
  child_ = -1;
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return;
  const bool no_program = WIFEXITED(status) && WEXITSTATUS(status) == 127;
  throw base::Error(
      {path_},
      no_program ? "there is no reader for FST" : "the FST is damaged",
      no_program ? "install gtkwave, whose fst2vcd is used" : "write it again, or as VCD");
}

}  // namespace lento::tile
