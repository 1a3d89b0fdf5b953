// Named fields of a GPU at one moment, whichever tool they are from, become samples, states and events. The
// names are those of nvidia-smi --help-query-gpu: "clocks.current.sm", "temperature.gpu".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The temperature above which a GPU of NVIDIA counts as too hot where nothing states its own limit. The
// largest operating temperatures that nvidia-smi -q -d TEMPERATURE shows are 83 (V100), 85 (A100, T4), 87
// (H100) and 88 C (A10).
inline constexpr double kTooHot_C = 90;
// Makes the event of a GPU that is too hot.
Event hot_gpu(double celsius);

// Returns the normalised name of a column: lower case, without its unit, with older and shorter names and
// those of rocm-smi and amd-smi replaced. `is_known` receives whether the field is used.
std::string field_name(std::string_view column, bool* is_known = nullptr);

// Collects rounds, each with one row of each GPU. The rows of a round share the time of the first one,
// because a tool queries the GPUs one after another. A file with one round has no time axis. Its samples are
// at step 0, so that hosts that were queried at different times can be compared.
class GpuRows {
 public:
  void take(const Fields& fields, Sink& sink);
  void end(Sink& sink);

 private:
  struct Row {
    Fields fields;
    std::string line;
    int64_t number = 0;
    Subject prefix;
    Subject subject;
    Moment time;
    double step = 0;
  };
  void write(const Row& row, bool is_snapshot, Sink& sink);
  void write_samples(const Row& row, bool is_snapshot, Sink& sink) const;
  void write_load(const Row& row, double load, bool is_snapshot, Sink& sink) const;
  void write_reasons(const Row& row, uint64_t reasons, Sink& sink);
  void write_memory(const Row& row, Sink& sink);
  void write_condition(const Row& row, Sink& sink);
  void write_states(const Row& row, bool is_idle, Sink& sink);
  // Returns the field when it differs from the previous row of that GPU, else "".
  std::string changed(const Row& row, std::string_view name);

  std::vector<Row> first_round_;
  std::set<Subject> seen_;  // in this round
  Moment round_time_;
  double step_ = 0;
  std::map<Subject, uint64_t> reasons_;
  std::set<Subject> hot_;
  std::map<std::pair<Subject, std::string>, std::string> last_;
};

}  // namespace lento::desk
