// Follows metrics that are error codes. A mean of codes has no meaning, so each new value other than zero is
// an event. Exporters show NVIDIA's Xid errors as the last code of a GPU, which stays until the GPU is reset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lento::fleet {

// An entry of a catalogue of codes.
struct CodeMeaning {
  std::string text;    // "GPU fell off the bus"; "": the code is not in the catalogue
  std::string action;  // the next step
  bool fault = false;  // in most cases a fault of hardware or of a link, not of a program
};
using CodeCatalogue = CodeMeaning (*)(int64_t code);

struct CodeEvent {
  size_t metric = 0;
  size_t machine = 0;
  int64_t code = 0;
  int64_t begin_ms = 0;
  int64_t last_ms = 0;
  bool older = false;  // the machine's first row already had the code
  bool stands = true;  // false: the metric has another value since
};

// Returns "Xid 79 (GPU fell off the bus)".
std::string code_text(const CodeEvent& event, CodeCatalogue catalogue);

// Follows the codes of all machines, row by row.
class Codes {
 public:
  Codes(const std::vector<std::string>& metrics, size_t machines);
  void push(int64_t time_ms, std::span<const float> values);  // as Scan::push
  void forget_resolved(int64_t before_ms);
  const std::vector<CodeEvent>& events() const {
    return events_;
  }

 private:
  void take(size_t metric, size_t machine, int64_t time_ms, float value);

  size_t machines_;
  std::vector<size_t> metrics_;  // indices of the metrics that hold an Xid
  std::vector<float> last_;      // [metric of metrics_ * machines + machine], NaN before the first
  std::vector<CodeEvent> events_;
};

}  // namespace lento::fleet
