// A file in memory only, for readers that open a file by name.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

class MemoryFile {
 public:
  MemoryFile()
      : file_(memfd_create("fuzz", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(file_)) {
    if (file_ < 0)
      std::abort();
  }
  // Replaces the content of the file by these bytes. Returns its name.
  const std::string& fill(const uint8_t* data, size_t size) {
    if (ftruncate(file_, 0) != 0)
      std::abort();
    if (size > 0 && pwrite(file_, data, size, 0) != static_cast<ssize_t>(size))
      std::abort();
    return path_;
  }

 private:
  int file_;
  std::string path_;
};
