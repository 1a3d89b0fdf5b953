// Describes a software stack by a few scalars: the time that a stack of training or serving adds to the
// kernels it calls.
//
// Each scalar is positive and multiplies or adds to a term of the time of a run (run_time.h). The scalars of
// a stack lie around those of all stacks of its kind, so that a stack without measured runs gets the centre
// and a wider interval. `lento-lab field` fits the table share/lento/software.csv to the runs of
// share/lento/field_rows.csv.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/time/serving/inference.h"

namespace lento::predict {

enum class Work {
  Train,
  Serve
};
constexpr size_t kWorks = 2;
std::string_view name(Work work);  // "train", "serve"

constexpr size_t kSoftwareScalars = 8;
using SoftwareScalars = std::array<double, kSoftwareScalars>;

struct SoftwareScalar {
  const char* name;
  const char* meaning;
  double start;  // first value that a fit tries
  double low;
  double high;
  double apart;           // standard deviation of the log between stacks, before any stack was measured
  bool launches = false;  // grows where the host launches each kernel
  bool host = false;      // time of the host
};
// Returns the scalars of a kind of work, in the order of SoftwareScalars.
std::span<const SoftwareScalar, kSoftwareScalars> scalars_of(Work work);
SoftwareScalars start_of(Work work);
// Returns whether the time of this scalar is spent on the host. `from_host` is true when the stack launches
// each kernel from the host.
bool is_of_host(const SoftwareScalar& scalar, bool from_host);

struct Software {
  Work work = Work::Serve;
  std::string stack;  // "vllm", "pytorch fsdp1"; empty: the centre of all stacks
  size_t runs = 0;
  size_t sources = 0;
  SoftwareScalars scalars{};
};

// The error of one measured run (share/lento/field_rows.csv), predicted with a fit that leaves its source
// out.
struct FieldError {
  Work work = Work::Serve;
  std::string source;
  std::string stack;
  bool known_stack = false;  // the fit had other sources of the same stack
  std::string chip;
  std::string precision;
  double log_error = 0;   // log of measured over expected time
  double over_limit = 0;  // log of expected time over the limit of the hardware
};

struct SoftwareTable {
  std::vector<Software> stacks;
  std::vector<FieldError> errors;

  // Returns the constants fitted for `stack` (stack_on) at this kind of work. A stack that was fitted on
  // other devices only gets those constants. A stack that was not fitted gets the constants of the typical
  // stack that launches kernels in the same way. An empty name gets those of the typical stack.
  const Software& find(Work work, std::string_view stack) const;
};
const SoftwareTable& shipped_software();
// Parses the table. Throws base::Error at a line that cannot be read.
SoftwareTable parse_software(std::string_view text, const std::string& file);
std::string format_software(const SoftwareTable& table);

// Returns the table's name of a stack, with case and separators ignored: "TensorRT-LLM", "trtllm", "FSDP". An
// empty text stays empty. Throws base::Error with the nearest name when no such stack does this work.
std::string stack_called(Work work, std::string_view text, const base::Location& where);
std::vector<std::string> stack_names(Work work);

// The name of the typical stack among those that launch each kernel from the host.
constexpr const char* kEager = "eager";
// Returns whether a stack of serving launches each kernel from the host at every step, without captured
// graphs and without a compiled loop.
bool launches_from_host(std::string_view stack);

// Returns how much memory a stack of serving gives to weights and cache by default.
CacheShare cache_share_of(std::string_view stack);

// Returns the name under which the table has `stack` on this system. On AMD devices a stack calls other
// kernels, so that it is a stack of its own: "sglang rocm". An empty name stays empty.
std::string stack_on(std::string_view stack, std::string_view system);
// Returns the name without what stack_on added.
std::string_view without_platform(std::string_view stack);

}  // namespace lento::predict
