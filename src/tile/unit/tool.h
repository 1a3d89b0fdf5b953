// Starts a tool of the system (a compiler, a simulator) in a folder of its own, without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lento::tile {

// A folder for temporary files, removed with all it holds.
class TempFolder {
 public:
  TempFolder();  // throws base::Error when it cannot be made
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// Runs a program without a shell, with its output and errors in the file `log`. Returns its exit code, 127
// when it cannot be started, or 128 when a signal ended it.
int run_program(const std::vector<std::string>& args, const std::string& log);

}  // namespace lento::tile
