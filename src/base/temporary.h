// Temporary files that must not outlive the process, however it ends.
//
// The system creates the file without a name where it can (O_TMPFILE), so that it vanishes with the process.
// Elsewhere the file gets a random name beside the target, created exclusively, and the name is kept in a
// table that a signal handler can read.
#pragma once

#include <string>

namespace lento::base {

class Temporary {
 public:
  // Creates an empty file in the folder of `target`, open for writing. On failure fd() is -1 and errno holds
  // the reason.
  explicit Temporary(const std::string& target);
  ~Temporary();  // removes the file unless it took the target's place
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int fd() const {
    return fd_;
  }
  // Renames the file to `target`, whose mode it keeps. On failure returns false, and errno holds the reason.
  bool replace(const std::string& target);

 private:
  bool link_name();

  std::string stem_;  // FOLDER/.lento-
  std::string name_;  // "" while it has none
  int slot_ = -1;     // in the table
  int fd_ = -1;
};

// Unlinks every temporary file that has a name. It calls only async-signal-safe functions.
void remove_temporaries();

}  // namespace lento::base
