// The shipped table share/lento/software.csv, whose rows are of two kinds: the scalars of a stack, and the
// error of each measured run in share/lento/field_rows.csv. The error is that of a fit without the run's
// source, which is the publication that reports it.
#include "predict/expect/software.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/number.h"
#include "base/units.h"
#include "embedded/software_files.h"

namespace lento::predict {
namespace {

constexpr std::string_view kOnAmd = " rocm";  // ends the name of a stack on AMD devices

constexpr std::array<SoftwareScalar, kSoftwareScalars> kTrain = {{
    {"library", "speed of the products over the chip's best fitted library", 0.85, 0.3, 1.15, 0.15},
    {"pointwise", "element-wise traffic over that of perfectly fused passes", 1.6, 0.7, 8, 0.4},
    {"attention", "speed of the fused attention over the chip's", 0.8, 0.15, 1.3, 0.3},
    {"exposed", "share of the traffic between replicas that no pass hides", 0.3, 0.01, 1, 0.4},
    {"host_layer", "seconds of the host to issue one pass of one layer", 1e-3, 1e-4, 1e-2, 0.4, false, true},
    {"network",
     "speed of the links between nodes over the sheet's, as such clusters have them",
     0.7,
     0.05,
     1,
     0.5},
    {"tensor", "time of the exchanges of tensor parallelism over the library's alone", 1, 0.2, 5, 0.4},
    {"experts", "time of the products of routed experts over that of as many plain ones", 1.2, 0.5, 5, 0.3},
}};
constexpr std::array<SoftwareScalar, kSoftwareScalars> kServe = {{
    {"kernels", "time of decoding kernels over that of each measured alone", 1.1, 0.6, 8, 0.15},
    {"prefill", "the same of prompts", 1.3, 0.6, 8, 0.25},
    {"exchange", "latency of the exchanges between devices over the library's alone", 0.7, 0.05, 20, 0.6},
    {"layer", "seconds of a layer that no kernel explains", 1e-5, 1e-7, 1e-3, 1, true},
    {"step", "seconds of the host for one step", 1e-3, 1e-6, 1e-1, 1, false, true},
    {"sequence", "seconds of the host for one request in one step", 1e-5, 1e-7, 1e-3, 1, false, true},
    {"server", "seconds in which a server takes in one request", 5e-3, 1e-5, 1e-1, 0.6, false, true},
    {"experts",
     "time of the experts' kernels over that of each measured alone, beside `kernels`",
     1,
     0.3,
     4,
     0.4},
}};

// Defaults of the stacks' own documentation: gpu_memory_utilization of vLLM, mem_fraction_static of SGLang,
// and cache_max_entry_count of lmdeploy. TensorRT-LLM takes 0.9 of what is free (free_gpu_memory_fraction),
// as CacheShare has it by default.
constexpr CacheShare kVllmCache{0.9, 1};
constexpr CacheShare kOldVllmCache{0.9, 1, false};  // before its hybrid allocator
constexpr CacheShare kSglangCache{0.88, 1};
constexpr CacheShare kLmdeployCache{1, 0.8};

// The names of a stack: `stack` as the tables spell it, `also` as users spell it.
struct Called {
  Work work;
  const char* stack;
  std::vector<std::string_view> also;
  bool from_host = false;  // launches_from_host
  CacheShare cache{};      // cache_share_of
};
// Returns the software stacks with other spellings of their names, by kind of work.
const std::vector<Called>& usual_names() {
  static const std::vector<Called> names = {
      {Work::Serve, "vllm v1", {"vllm"}, false, kVllmCache},
      {Work::Serve, "vllm v0", {}, false, kOldVllmCache},
      {Work::Serve, "vllm v0.6", {"vllm 0.6", "vllm 0.7"}, false, kOldVllmCache},
      {Work::Serve, kEager, {"pytorch eager"}, true},
      {Work::Serve, "vllm eager", {"vllm without graphs", "vllm enforce eager"}, true, kOldVllmCache},
      {Work::Serve, "tensorrt-llm", {"trtllm", "trt llm", "tensorrt"}},
      {Work::Serve, "sglang", {}, false, kSglangCache},
      {Work::Serve, "sglang triton", {"sglang without flashinfer"}, false, kSglangCache},
      {Work::Serve, "lmdeploy", {"turbomind"}, false, kLmdeployCache},
      {Work::Serve, "lmdeploy pytorch", {}, true, kLmdeployCache},
      {Work::Serve, "transformers generate", {"hf generate", "hugging face generate", "transformers"}, true},
      {Work::Serve, "transformers compiled", {"torch.compile"}},
      {Work::Serve, "accelerate", {"hugging face accelerate"}, true},
      {Work::Serve, "deepspeed-inference", {"ds-inference"}, true},
      {Work::Serve, "deepspeed-mii", {"mii", "deepspeed fastgen"}, true},
      {Work::Serve, "lightllm", {}, true},
      {Work::Serve, "megatron generate", {"megatron inference"}, true},
      {Work::Serve, "llama.cpp", {"llamacpp"}},
      {Work::Serve, "modular max", {"max"}},
      {Work::Serve, "gpt-fast", {}},
      {Work::Serve, "fastertransformer", {}},
      {Work::Serve, "jetstream-pytorch", {"jetstream"}},
      {Work::Train, "pytorch fsdp1", {"fsdp", "fsdp1", "pytorch fsdp", "pytorch"}},
      {Work::Train, "pytorch fsdp2", {"fsdp2"}},
      {Work::Train, "deepspeed", {"zero", "deepspeed zero"}},
      {Work::Train, "megatron-lm", {"megatron", "megatron core", "megatron-core"}},
      {Work::Train, "megatron-deepspeed", {}},
      {Work::Train, "nemo", {"nemo megatron", "nemo framework launcher"}},
      {Work::Train, "megatron bridge", {"nemo 2"}},
      {Work::Train, "torchtitan", {}},
      {Work::Train, "nanotron", {}},
      {Work::Train, "maxtext", {}},
      {Work::Train, "llm-foundry", {"mosaic", "composer"}},
      {Work::Train, "internevo", {"internlm"}},
      {Work::Train, "colossal-ai", {"colossalai"}},
      {Work::Train, "paxml", {"pax"}},
      {Work::Train, "torchtune", {}},
      {Work::Train, "transformers", {"hugging face", "hf", "hf trainer", "accelerate"}},
      {Work::Train, "transformers compiled", {"torch.compile"}},
      {Work::Train, "transformer engine", {}},
      {Work::Train, "lit-gpt fsdp", {"litgpt", "lit-gpt"}},
      {Work::Train, "nanogpt", {}},
      {Work::Train, "flash-attention trainer", {}}};
  return names;
}

// Keeps letters and digits, in lower case, so that "TensorRT-LLM" and "tensorrt_llm" compare equal.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += char(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::vector<std::string> split(const std::string& line, char by) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, by);)
    out.push_back(field);
  return out;
}

Work work_of(const std::string& text, const base::Location& where) {
  if (text == "train")
    return Work::Train;
  if (text == "serve")
    return Work::Serve;
  throw base::Error(where, "'" + text + "' is no kind of work", "train or serve");
}

// Parses the scalars of a row, which begin at field `from`.
SoftwareScalars scalars_in(const std::vector<std::string>& f, size_t from, const base::Location& where) {
  SoftwareScalars out{};
  for (size_t i = 0; i < kSoftwareScalars; ++i)
    out[i] = base::parse_double(f[from + i], where);
  return out;
}

// Reads one line of the table, whose first field gives its kind: stack or error.
void read_row(const std::vector<std::string>& f, const base::Location& where, SoftwareTable& table) {
  const auto number = [&](size_t i) {
    return base::parse_double(f[i], where);
  };
  const std::string& kind = f[0];
  const size_t fields = kind == "stack" ? 5 + kSoftwareScalars : 9;
  if (f.size() != fields)
    throw base::Error(where, "a row of " + std::to_string(f.size()) + " fields");
  const Work work = work_of(f[1], where);
  if (kind == "stack")
    table.stacks.push_back({work, f[2], size_t(number(3)), size_t(number(4)), scalars_in(f, 5, where)});
  else if (kind == "error")
    table.errors.push_back({work, f[2], f[3], f[4] == "1", f[5], f[6], number(7), number(8)});
  else
    throw base::Error(where, "'" + kind + "' is no kind of row", "stack or error");
}

}  // namespace

std::string_view name(Work work) {
  return work == Work::Train ? "train" : "serve";
}

std::span<const SoftwareScalar, kSoftwareScalars> scalars_of(Work work) {
  return work == Work::Train ? kTrain : kServe;
}

SoftwareScalars start_of(Work work) {
  SoftwareScalars out{};
  for (size_t i = 0; i < kSoftwareScalars; ++i)
    out[i] = scalars_of(work)[i].start;
  return out;
}

bool launches_from_host(std::string_view stack) {
  return std::ranges::any_of(usual_names(), [stack](const Called& c) {
    return c.from_host && c.stack == stack;
  });
}

CacheShare cache_share_of(std::string_view stack) {
  const auto at = std::ranges::find_if(usual_names(), [stack](const Called& c) {
    return c.work == Work::Serve && c.stack == stack;
  });
  return at == usual_names().end() ? CacheShare{} : at->cache;
}

std::string stack_on(std::string_view stack, std::string_view system) {
  std::string out(stack);
  return out.empty() || !system.starts_with("mi") ? out : out.append(kOnAmd);
}

std::string_view without_platform(std::string_view stack) {
  return stack.ends_with(kOnAmd) ? stack.substr(0, stack.size() - kOnAmd.size()) : stack;
}

bool is_of_host(const SoftwareScalar& scalar, bool from_host) {
  return scalar.host || (scalar.launches && from_host);
}

const Software& SoftwareTable::find(Work work, std::string_view stack) const {
  const std::string_view elsewhere = without_platform(stack);
  const std::string_view alike = launches_from_host(elsewhere) ? kEager : "";
  for (const std::string_view wanted : {stack, elsewhere, alike, std::string_view()}) {
    for (const Software& s : stacks) {
      if (s.work == work && s.stack == wanted)
        return s;
    }
  }
  LENTO_CHECK(false, "the table of software has a centre for each kind of work");
  return stacks.front();
}

SoftwareTable parse_software(std::string_view text, const std::string& file) {
  SoftwareTable table;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line[0] != '#')
      read_row(split(line, ','), {file, number}, table);
  }
  return table;
}

std::string format_software(const SoftwareTable& table) {
  std::string out =
      "# What stacks cost beyond their kernels, and how far runs lie from it; written by lento-lab field\n"
      "# stack,work,name,runs,sources,scalars | "
      "error,work,source,stack,known,chip,precision,log_error,over_limit\n";
  const auto numbers = [&out](const SoftwareScalars& scalars) {
    for (const double v : scalars)
      out += "," + base::format_number(v, 4);
  };
  for (const Software& s : table.stacks) {
    out += "stack," + std::string(name(s.work)) + "," + s.stack + "," + std::to_string(s.runs) + "," +
           std::to_string(s.sources);
    numbers(s.scalars);
    out += "\n";
  }
  for (const FieldError& e : table.errors) {
    out += "error," + std::string(name(e.work)) + "," + e.source + "," + e.stack + "," +
           (e.known_stack ? "1" : "0") + "," + e.chip + "," + e.precision + "," +
           base::format_number(e.log_error, 4) + "," + base::format_number(e.over_limit, 4) + "\n";
  }
  return out;
}

const SoftwareTable& shipped_software() {
  static const SoftwareTable table = parse_software(embedded::software_files("software.csv"), "software.csv");
  return table;
}

// Returns all accepted names of software stacks for one kind of work.
std::vector<std::string> stack_names(Work work) {
  std::vector<std::string> out;
  for (const Called& c : usual_names()) {
    if (c.work != work)
      continue;
    out.emplace_back(c.stack);
    out.insert(out.end(), c.also.begin(), c.also.end());
  }
  return out;
}

std::string stack_called(Work work, std::string_view text, const base::Location& where) {
  if (text.empty())
    return {};
  const std::string wanted = plain(text);
  for (const Called& c : usual_names()) {
    const auto is = [&wanted](std::string_view name) {
      return plain(name) == wanted;
    };
    if (c.work == work && (is(c.stack) || std::ranges::any_of(c.also, is)))
      return c.stack;
  }
  throw base::Error(
      where,
      "no software of " + std::string(work == Work::Train ? "training" : "serving") + " is called '" +
          std::string(text) + "'",
      base::suggestion(std::string(text), stack_names(work)));
}

}  // namespace lento::predict
