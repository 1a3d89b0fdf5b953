// An FST recording (GTKWave, Verilator --trace-fst) as the text of a VCD. A child process converts it, so
// that a damaged file cannot crash the caller. The reader is GTKWave's own, whose source is in Debian's
// package verilator. Without that source at build time, the child runs gtkwave's program fst2vcd.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lento::tile {

bool is_fst(std::string_view first_bytes);

class FstAsVcd {
 public:
  explicit FstAsVcd(const std::string& path);
  ~FstAsVcd();  // kills the child process
  FstAsVcd(const FstAsVcd&) = delete;
  FstAsVcd& operator=(const FstAsVcd&) = delete;

  // Returns the path of a pipe from which the VCD text can be read once.
  std::string pipe_path() const;

  // Waits for the child process to end and throws base::Error unless it converted the whole file. To be
  // called once, after the VCD text was read to its end.
  void require_whole();

 private:
  std::string path_;
  int read_end_ = -1;
  int child_ = -1;
};

// Runs in the child process: converts the FST file at `path` and writes the VCD text to `out`. Returns the
// child's exit code, 0 on success and 127 when there is no reader.
int write_fst_as_vcd(const char* path, std::FILE* out);

}  // namespace lento::tile
