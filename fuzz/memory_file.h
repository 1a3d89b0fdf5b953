// Files in memory only, for readers that open a file by name.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"

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
  const std::string& path() const {
    return path_;
  }

 private:
  int file_;
  std::string path_;
};

// A file with a name of its own in a file system in memory, for writers, which replace a file by renaming
// another, and for SQLite, which follows links to a file's name. The file goes with the program.
class NamedFile {
 public:
  NamedFile()
      : path_("/dev/shm/fuzz." + std::to_string(getpid())) {
  }
  ~NamedFile() {
    std::error_code none;
    std::filesystem::remove(path_, none);
  }
  const std::string& fill(const uint8_t* data, size_t size) {
    lento::base::write_file(path_, {reinterpret_cast<const char*>(data), size});
    return path_;
  }
  const std::string& path() const {
    return path_;
  }

 private:
  std::string path_;
};
