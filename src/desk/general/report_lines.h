// Finds the hardware part (a GPU, a port, a node) that a line of a report names, and the text around the name
// (grammar: report.cc). A part is returned as a name for Subject::device: "gpu3", "ens1f0".
#pragma once

#include <string>
#include <string_view>

namespace lento::desk {

// Returns the line with Unicode's box drawing (U+2500 to U+257F) in ASCII.
std::string without_box_drawing(std::string_view text);

// Removes a time of day in front, as sar, mpstat and iostat write it: "09:00:01 AM".
std::string_view without_clock(std::string_view text);

// Returns whether the line is an unindented word alone.
bool is_heading(std::string_view line);

// Returns the part that a heading names, as it is written there, or "": "ens1f0" of "Settings for ens1f0:",
// "GPU 00000000:07:00.0" as a whole.
std::string_view headed_part(std::string_view text);

// Returns the part whose name begins a line, or "": "gpu3" of "GPU #3: 51494 Gflops/s".
std::string part_of(std::string_view text);

// Returns the part that a line names in brackets, or "": "adapter3" of "GEMM (ADAPTER#3) ended with ...".
std::string bracketed_part(std::string_view text);

// "/sys/class/infiniband/mlx5_0/ports/1/rate:400 Gb/sec (4X NDR)": a file of one value, as grep prints it.
struct FileOfValue {
  std::string device;  // the last name with a number in the path, "" when the line is no such file
  std::string key;
  std::string_view value;
};
FileOfValue file_of_value(std::string_view text);

// Removes a date in front with what tools write behind it ("2026/11/20-09:12:11(UTC) "), or the seconds since
// the program began ("65.132: ").
std::string_view without_date(std::string_view text);

// Returns whether a text is a host and its port, or a folder there: "node7:9000", "node7:/bricks/b1".
bool names_server(std::string_view text);

}  // namespace lento::desk
