// Reads the tables of nvidia-smi and rocm-smi without options, which users often paste. A GPU takes two rows
// of nvidia-smi's box. Both tables become the fields of a query (gpu_rows.h).
//
//   box  = "|" N NAME ["On" | "Off"] "|" ADDRESS "Off" "|" ERRORS "|" NEWLINE
//          "|" FAN TEMP "C" PERF USAGE "W /" CAP "W |" USED "MiB /" TOTAL "MiB |" N "%" MODE "|"
//   rocm = "Device" ... "SCLK" ... "GPU%" {N ... X "°C" X "W" ... N "Mhz" N "Mhz" ... CAP "W" N "%" N "%"}
//
// Sources: nvidia-smi of drivers 450 to 570; rocm-smi of ROCm 5 and 6.
#include <algorithm>

#include "base/number.h"
#include "desk/nvidia/gpu_rows.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

// Returns the cells of a line between vertical bars.
std::vector<std::string> cells_of_box(std::string_view line) {
  std::vector<std::string> cells;
  while (line.starts_with("|") && cells.size() < 8) {
    line.remove_prefix(1);
    const size_t bar = line.find('|');
    if (bar == line.npos)
      break;
    cells.emplace_back(trimmed(line.substr(0, bar)));
    line.remove_prefix(bar);
  }
  return cells;
}

// Returns the number in the first word that ends with `unit`.
std::string number_with(const std::vector<std::string>& words, std::string_view unit) {
  for (const std::string& word : words)
    if (word.size() > unit.size() && word.ends_with(unit) &&
        base::try_double(word.substr(0, word.size() - unit.size())))
      return word.substr(0, word.size() - unit.size());
  return "";
}

class SmiBox : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    const std::vector<std::string> cells = cells_of_box(line);
    if (cells.size() != 3)
      return false;
    std::vector<std::string> words = words_of(cells[0]);
    const std::vector<std::string> place = words_of(cells[1]);
    if (words.size() >= 2 && base::try_uint(words[0]) && !place.empty() &&
        place[0].find(':') != std::string::npos) {
      fields_ = {
          {"index", words[0]},
          {"pci.bus_id", place[0]},
          {"ecc.errors.uncorrected.volatile.total", cells[2]}};
      std::string name;
      for (size_t i = 1; i < words.size(); ++i)
        if (words[i] != "On" && words[i] != "Off")
          name += (name.empty() ? "" : " ") + words[i];
      fields_.emplace_back("name", name);
      return true;
    }
    const bool has_memory =
        cells[1].find("MiB") != std::string::npos || cells[0].find("ERR!") != std::string::npos;
    if (fields_.empty() || !has_memory)
      return false;
    if (const std::string hot = number_with(words, "C"); !hot.empty())
      fields_.emplace_back("temperature.gpu", hot);
    const auto slash = std::ranges::find(words, "/");
    if (const std::string power = number_with({words.begin(), slash}, "W"); !power.empty())
      fields_.emplace_back("power.draw", power);
    if (const std::string cap = number_with({slash, words.end()}, "W"); !cap.empty())
      fields_.emplace_back("power.limit", cap);
    const std::vector<std::string> memory = words_of(cells[1]);
    if (memory.size() == 3 && memory[1] == "/") {
      fields_.emplace_back("memory.used", memory[0]);
      fields_.emplace_back("memory.total", memory[2]);
    }
    if (const std::string use = number_with(words_of(cells[2]), "%"); !use.empty())
      fields_.emplace_back("utilization.gpu", use);
    for (const std::string& cell : cells)
      if (cell.find("ERR!") != std::string::npos)
        fields_.emplace_back("pstate", "ERR!");
    rows_.take(fields_, sink);
    fields_.clear();
    return true;
  }
  void end(Sink& sink) override {
    rows_.end(sink);
  }

  Fields fields_;
  GpuRows rows_;
};

double score_box(std::string_view head, std::string& reason) {
  if (head.find("| NVIDIA-SMI ") == head.npos || head.find("Bus-Id") == head.npos)
    return 0;
  reason = "it has the title of nvidia-smi";
  return 0.9;
}

// Returns whether the line is the header of rocm-smi's table.
bool is_rocm_header(std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  const auto has = [&](const char* word) {
    return std::ranges::find(words, word) != words.end();
  };
  return !words.empty() && (words[0] == "Device" || words[0] == "GPU") && has("SCLK") && has("MCLK") &&
         has("GPU%");
}

double score_rocm(std::string_view head, std::string& reason) {
  for (int i = 0; i < 16 && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    if (is_rocm_header(head.substr(0, end))) {
      reason = "it has the header of rocm-smi";
      return 0.9;
    }
    head = end == head.npos ? std::string_view() : head.substr(end + 1);
  }
  return 0;
}

class RocmPicture : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (is_rocm_header(line)) {
      has_header_ = true;
      return true;
    }
    const std::vector<std::string> words = words_of(line);
    if (!has_header_ || words.size() < 6 || !base::try_uint(words[0]) || !words.back().ends_with("%"))
      return false;
    Fields fields{{"index", words[0]}};
    std::vector<std::string> clocks;
    for (const std::string& word : words)
      if (word.size() > 3 && (word.ends_with("Mhz") || word.ends_with("MHz")))
        clocks.push_back(word.substr(0, word.size() - 3));
    if (clocks.size() == 2) {
      fields.emplace_back("clocks.current.sm", clocks[0]);
      fields.emplace_back("clocks.current.memory", clocks[1]);
    }
    if (const std::string hot = number_with(words, "°C"); !hot.empty())
      fields.emplace_back("temperature.gpu", hot);
    const auto power = std::ranges::find_if(words, [](const std::string& word) {
      return !number_with({word}, "W").empty();
    });
    if (power != words.end()) {
      fields.emplace_back("power.draw", number_with({*power}, "W"));
      fields.emplace_back("power.limit", number_with({power + 1, words.end()}, "W"));
    }
    fields.emplace_back("utilization.gpu", words.back().substr(0, words.back().size() - 1));
    rows_.take(fields, sink);
    return true;
  }
  void end(Sink& sink) override {
    rows_.end(sink);
  }

  bool has_header_ = false;
  GpuRows rows_;
};

}  // namespace

const Format
    kSmiBox{"nvidia-smi", "nvidia", {}, Shape::Table, make<SmiBox>, score_box, "", "memory errors of GPUs"};
const Format kRocmPicture{"rocm-smi, concise", "nvidia", {}, Shape::Table, make<RocmPicture>, score_rocm};

}  // namespace lento::desk
