// Temporary files that must not outlive the process, whatever ends it.
//
// A file is written without a name where the system can do that (O_TMPFILE): killed at any moment it is gone.
// Elsewhere it gets a name of its own beside the target, created exclusively, and stands in a table that a
// signal handler can walk.
#pragma once

#include <string>

namespace lento::base {

class Temporary {
 public:
  // A new empty file in the folder of `target`, open for writing; errno says why when fd() is -1.
  explicit Temporary(const std::string& target);
  ~Temporary();  // removes the file unless it took the target's place
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int fd() const {
    return fd_;
  }
  // The file takes the place of `target`, whose mode it keeps. False: errno says why.
  bool replace(const std::string& target);

 private:
  bool name_it();

  std::string stem_;  // FOLDER/.lento-
  std::string name_;  // "" while it has none
  int slot_ = -1;     // in the table
  int fd_ = -1;
};

// Unlinks every temporary that has a name. Only async-signal-safe calls.
void remove_temporaries();

}  // namespace lento::base
