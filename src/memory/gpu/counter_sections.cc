// Reads what Nsight Compute prints without --csv, which is what people paste:
//
//     transpose(float *, int) (256, 256, 1)x(32, 8, 1), Context 1, Stream 7, Device 0, CC 9.0
//       Section: GPU Speed Of Light Throughput
//       ----------------------- ----------- ------------
//       Metric Name             Metric Unit Metric Value
//       ----------------------- ----------- ------------
//       DRAM Throughput                   %        46.59
//       ----------------------- ----------- ------------
//
//       OPT   Est. Speedup: 93.14%
//             This kernel has uncoalesced shared accesses resulting in a total of ...
//
// The dashes above a table are the widths of its columns. A rule goes on until an empty line or dashes.
#include <vector>

#include "base/scan/lines.h"
#include "memory/gpu/counter_values.h"

namespace lento::memory {
namespace {

constexpr size_t kMostLaunches = 65536;
constexpr size_t kLongestRule = 4096;

std::string_view stripped(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r");
  return from == text.npos ? std::string_view()
                           : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

// Returns the kernel's name when the line is the title of a launch, "" else.
std::string_view launch_title(std::string_view line) {
  const size_t sizes = line.find(")x(");
  if (sizes == line.npos || line.find(", Context ", sizes) == line.npos)
    return {};
  const size_t grid = line.rfind(" (", sizes);
  return grid == line.npos ? std::string_view() : stripped(line.substr(0, grid));
}

// Returns where the first columns of a line of dashes begin, nothing for any other line.
std::vector<size_t> dashes(std::string_view line) {
  std::vector<size_t> begins;
  if (line.find_first_not_of("- \r") != line.npos)
    return begins;
  constexpr size_t kMost = 4;  // one more than a table has
  for (size_t i = 0; i < line.size() && begins.size() < kMost; ++i) {
    if (line[i] == '-' && (i == 0 || line[i - 1] != '-'))
      begins.push_back(i);
  }
  return begins;
}

class Sections {
 public:
  explicit Sections(base::ReadReport& report)
      : report_(report) {
  }

  void take(std::string_view line) {
    const std::string_view text = stripped(line);
    if (const std::string_view title = launch_title(line); !title.empty())
      return begin_launch(title);
    if (launch_ == nullptr)
      return;  // lines of the program
    if (const auto columns = dashes(line); text.empty() || !columns.empty()) {
      end_rule();
      if (text.empty())
        columns_.clear();
      else if (columns.size() == 3)
        columns_ = columns;
      return;
    }
    constexpr size_t kTag = 4;
    if (text.starts_with("OPT ") || text.starts_with("INF ") || text.starts_with("WRN ")) {
      end_rule();
      rule_ = stripped(text.substr(kTag));
    } else if (!rule_.empty() && rule_.size() < kLongestRule) {
      rule_ += ' ';
      rule_ += text;
    } else if (columns_.size() == 3 && line.size() > columns_[2]) {
      take_row(line);
    }
  }

  // Ends the last rule, because a text may end without an empty line.
  void end_rule() {
    if (launch_ != nullptr)
      add_rule(rule_, *launch_);
    rule_.clear();
  }

  ValuesByPlace values_;

 private:
  void begin_launch(std::string_view title) {
    end_rule();
    columns_.clear();
    const PlaceKey key{std::string(title), ""};
    launch_ = values_.size() < kMostLaunches || values_.contains(key) ? &values_[key] : nullptr;
    if (launch_ != nullptr)
      ++launch_->launches;
  }

  void take_row(std::string_view line) {
    const std::string name(stripped(line.substr(columns_[0], columns_[1] - columns_[0])));
    const std::string unit(stripped(line.substr(columns_[1], columns_[2] - columns_[1])));
    const auto value = counter_number(std::string(stripped(line.substr(columns_[2]))));
    if (!value || name.empty())
      return;
    launch_->add(name, unit, *value);
    ++report_.taken;
  }

  base::ReadReport& report_;
  Values* launch_ = nullptr;
  std::vector<size_t> columns_;
  std::string rule_;
};

}  // namespace

bool is_counter_sections(std::string_view head) {
  bool launch = false;
  while (!head.empty()) {
    const std::string_view line = base::take_line(head);
    launch = launch || !launch_title(line).empty();
    if (launch && line.find("Metric Name") != line.npos && line.find("Metric Value") != line.npos)
      return true;
  }
  return false;
}

ValuesByPlace read_counter_sections(std::string_view text, base::ReadReport& report) {
  Sections sections(report);
  while (!text.empty())
    sections.take(base::take_line(text));
  sections.end_rule();
  return std::move(sections.values_);
}

}  // namespace lento::memory
