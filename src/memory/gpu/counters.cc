// Reads counters of GPU kernels. All tables become one map per kernel and line, from the profiler's name of a
// counter to its sum over the launches, its largest value or its mean, and one table says which names mean
// what:
//
//   raw page       a row a launch, a column a metric; a row of units follows the header
//   details page   a row a metric (Metric Name, Metric Value), or a rule with its text (Rule Description)
//   source page    a row a source line or instruction
//   rocprof        a row a launch, a column a counter; COUNTER[3] is of channel 3
//   rocprofv3      a row a counter (Counter_Name, Counter_Value)
//
// Lines before the header ("==PROF==") are dropped. Source: the metrics references of Nsight Compute and of
// the MI200 and MI300 series; the layouts as their manuals show them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>

#include "base/error.h"
#include "base/number.h"
#include "base/scan/lines.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {
namespace {

constexpr size_t kMostColumns = 16384;
constexpr size_t kMostKernels = 65536;

using Row = std::vector<std::string>;

// Takes one record of a table with quoted fields from the front of the text.
Row take_record(std::string_view& text, char delimiter) {
  Row row(1);
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      row.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '\n' || c == '\r')) {
      break;
    } else if (!quoted && c == delimiter && row.size() < kMostColumns) {
      row.emplace_back();
    } else {
      row.back() += c;
    }
  }
  while (i < text.size() && (text[i] == '\n' || text[i] == '\r'))
    ++i;
  text.remove_prefix(i);
  return row;
}

// Reads "1,234.5" and "12.5%".
std::optional<double> number_of(std::string text) {
  std::erase_if(text, [](char c) {
    return c == ',' || c == '%' || c == ' ' || c == '\'';
  });
  return base::try_double(text);
}

// Returns what a value in the unit is in bytes, sectors or nanoseconds: "Mbyte" 1e6, "usecond" 1e3.
double scale_of(const std::string& unit) {
  static const std::map<std::string, double, std::less<>> kTimes =
      {{"second", 1e9}, {"s", 1e9}, {"msecond", 1e6}, {"ms", 1e6}, {"usecond", 1e3}, {"us", 1e3}};
  static const std::map<char, double> kPrefixes = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
  const auto time = kTimes.find(unit);
  if (time != kTimes.end())
    return time->second;
  const auto prefix = unit.size() > 1 ? kPrefixes.find(unit[0]) : kPrefixes.end();
  const bool scaled =
      prefix != kPrefixes.end() && unit[1] >= 'a' && unit[1] <= 'z' && unit != "Mhz" && unit != "Ghz";
  return scaled ? prefix->second : 1;
}

struct Sum {
  double sum = 0;
  double most = 0;
  double count = 0;
  double mean() const {
    return count > 0 ? sum / count : 0;
  }
};

struct Values {
  std::map<std::string, Sum, std::less<>> by_name;
  uint64_t launches = 0;
  bool is_line = false;

  void add(const std::string& name, double value) {
    Sum& s = by_name[name];
    s.sum += value;
    s.most = s.count == 0 ? value : std::max(s.most, value);
    ++s.count;
  }
  const Sum* find(std::string_view name) const {
    const auto at = by_name.find(name);
    return at == by_name.end() ? nullptr : &at->second;
  }
  double sum(std::string_view name) const {
    const Sum* s = find(name);
    return s ? s->sum : 0;
  }
  bool has(std::string_view name) const {
    return find(name) != nullptr;
  }
  double first_sum(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (has(name))
        return sum(name);
    }
    return 0;
  }
};

using Key = std::pair<std::string, std::string>;  // kernel, line

class Table {
 public:
  Table(std::string_view text, const std::string& path, base::ReadReport& report)
      : path_(path),
        report_(report) {
    while (text.starts_with("==") || text.starts_with('#') || text.starts_with('\n') ||
           text.starts_with('\r'))
      base::take_line(text), ++line_;
    const char delimiter = text.substr(0, text.find('\n')).find('\t') != text.npos ? '\t' : ',';
    header_ = take_record(text, delimiter);
    for (std::string& name : header_)
      name = trimmed(name);
    locate();
    while (!text.empty()) {
      ++line_;
      const Row row = take_record(text, delimiter);
      if (row.size() == 1 && row[0].empty())
        continue;
      if (row.size() != header_.size())
        report_.skip({path_, line_}, "another number of fields than the header");
      else
        take(row);
    }
  }

  const std::map<Key, Values>& values() const {
    return values_;
  }

 private:
  static std::string trimmed(const std::string& text) {
    const size_t from = text.find_first_not_of(" \xEF\xBB\xBF");
    return from == text.npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
  }
  // Returns the index of the first of these columns that exists, or -1.
  int find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto at = std::ranges::find(header_, name);
      if (at != header_.end())
        return int(at - header_.begin());
    }
    return -1;
  }

  // Finds the columns, whose names differ between the profilers of NVIDIA and AMD.
  void locate() {
    kernel_ = find({"Kernel Name", "Kernel_Name", "KernelName", "Function Name"});
    launch_ = find({"ID", "Dispatch_Id", "Index", "Correlation_Id"});
    name_ = find({"Metric Name", "Counter_Name"});
    value_ = find({"Metric Value", "Counter_Value"});
    unit_ = find({"Metric Unit"});
    rule_ = find({"Rule Description"});
    source_ = find({"Source"});
    file_ = find({"File", "File Path"});
    row_number_ = find({"#", "Line", "Address"});
  }

  // Adds a row to the values of its kernel and source line.
  void take(const Row& row) {
    std::string kernel = kernel_ >= 0 ? row[size_t(kernel_)] : "";
    std::string line;
    if (source_ >= 0 && kernel_ < 0)
      kernel = "kernel";
    if (source_ >= 0)
      line = place(row);
    if (kernel.empty()) {
      units_ = row;  // a row without a kernel stands below the header
      return;
    }
    if (values_.size() >= kMostKernels && !values_.contains({kernel, line}))
      return report_.skip({path_, line_}, "more kernels than are told apart");
    Values& v = values_[{kernel, line}];
    v.is_line = !line.empty();
    ++report_.taken;
    const std::string launch = launch_ >= 0 ? row[size_t(launch_)] : std::to_string(line_);
    auto& last = last_launch_[kernel];
    if (launch != last || v.launches == 0)
      ++v.launches;
    last = launch;
    if (name_ >= 0 && value_ >= 0)
      take_metric(row, v);
    else
      take_columns(row, v);
    if (rule_ >= 0)
      take_rule(row[size_t(rule_)], v);
  }

  // Returns the source line of a row as text.
  std::string place(const Row& row) const {
    const std::string number = row_number_ >= 0 ? row[size_t(row_number_)] : std::to_string(line_);
    if (file_ >= 0 && !row[size_t(file_)].empty())
      return row[size_t(file_)] + ":" + number;
    std::string text = trimmed(row[size_t(source_)]);
    constexpr size_t kShown = 60;
    if (text.size() > kShown)
      text = text.substr(0, kShown) + "...";
    return "line " + number + " (" + text + ")";
  }

  void take_metric(const Row& row, Values& v) {
    const std::string& name = row[size_t(name_)];
    const auto value = number_of(row[size_t(value_)]);
    if (value && !name.empty())
      v.add(name, *value * (unit_ >= 0 ? scale_of(row[size_t(unit_)]) : 1));
  }

  // Adds the values of a row that has one column per counter.
  void take_columns(const Row& row, Values& v) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (int(i) == kernel_ || int(i) == launch_)
        continue;
      const auto value = number_of(row[i]);
      if (value)
        v.add(header_[i], *value * (i < units_.size() ? scale_of(units_[i]) : 1));
    }
  }

  // Rules state what they found in sentences that have not changed for years.
  static void take_rule(const std::string& text, Values& v) {
    static const std::regex kSectors(
        R"(total of (\d+) excessive sectors \(\d+% of the total (\d+)\s+sectors\))");
    static const std::regex kBanks(
        R"(results in (\d+) bank conflicts,\s+which represent [\d.]+% of the overall (\d+)\s+wavefronts)");
    constexpr size_t kLongest = 4096;
    if (text.empty() || text.size() > kLongest)
      return;
    std::smatch m;
    if (std::regex_search(text, m, kSectors)) {
      v.add("rule excessive sectors", number_of(m[1]).value_or(0));
      v.add("rule sectors", number_of(m[2]).value_or(0));
    }
    if (std::regex_search(text, m, kBanks)) {
      v.add("rule bank conflicts", number_of(m[1]).value_or(0));
      v.add("rule wavefronts", number_of(m[2]).value_or(0));
    }
  }

  const std::string& path_;
  base::ReadReport& report_;
  int line_ = 1;
  Row header_;
  Row units_;  // of a table with a column a metric
  int kernel_ = -1;
  int launch_ = -1;
  int name_ = -1;
  int value_ = -1;
  int unit_ = -1;
  int rule_ = -1;
  int source_ = -1;
  int file_ = -1;
  int row_number_ = -1;
  std::map<Key, Values> values_;
  std::map<std::string, std::string> last_launch_;
};

// Sums of loads and stores, where they are counted apart.
double both(const Values& v, const std::string& before, const std::string& after) {
  if (v.has(before + after))
    return v.sum(before + after);
  return v.sum(before + "_op_ld" + after) + v.sum(before + "_op_st" + after);
}

// Returns requests and needed requests of shared memory, from whichever counters the profile has.
Requests shared_of(const Values& v) {
  const std::string pipe = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  const double conflicts = both(v, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared", ".sum");
  const double wavefronts = both(v, pipe, ".sum");
  if (v.has("memory_l1_wavefronts_shared_ideal") || v.has("L1 Wavefronts Shared Ideal"))
    return {
        v.first_sum({"memory_l1_wavefronts_shared", "L1 Wavefronts Shared"}),
        v.first_sum({"memory_l1_wavefronts_shared_ideal", "L1 Wavefronts Shared Ideal"})};
  if (v.has("derived__memory_l1_wavefronts_shared_excessive") && v.has("memory_l1_wavefronts_shared"))
    return {
        v.sum("memory_l1_wavefronts_shared"),
        v.sum("memory_l1_wavefronts_shared") - v.sum("derived__memory_l1_wavefronts_shared_excessive")};
  if (wavefronts > 0)
    return {wavefronts, wavefronts - std::min(conflicts, wavefronts)};
  if (v.has("rule wavefronts"))
    return {v.sum("rule wavefronts"), v.sum("rule wavefronts") - v.sum("rule bank conflicts")};
  const double instructions =
      v.sum("smsp__inst_executed_op_shared_ld.sum") + v.sum("smsp__inst_executed_op_shared_st.sum");
  if (conflicts > 0 && instructions > 0)
    return {instructions + conflicts, instructions};
  const double active = v.first_sum({"SQ_LDS_IDX_ACTIVE", "SQ_LDS_IDX_ACTIVE_sum"});
  const double stalled = v.first_sum({"SQ_LDS_BANK_CONFLICT", "SQ_LDS_BANK_CONFLICT_sum"});
  return {active, active - std::min(active, stalled)};
}

constexpr double kSector = 32;      // bytes
constexpr double kWidestLoad = 16;  // sectors that a warp's widest loads need
constexpr double kUsualLoad = 4;    // of four bytes a lane

// Returns sectors and needed sectors of global memory. `ambiguous`: the counters cannot tell reads from
// other traffic.
Requests global_of(const Values& v, bool& ambiguous) {
  if (v.has("memory_l2_theoretical_sectors_global_ideal") || v.has("L2 Theoretical Sectors Global Ideal"))
    return {
        v.first_sum({"memory_l2_theoretical_sectors_global", "L2 Theoretical Sectors Global"}),
        v.first_sum({"memory_l2_theoretical_sectors_global_ideal", "L2 Theoretical Sectors Global Ideal"})};
  const char* kExcess = "derived__memory_l2_theoretical_sectors_global_excessive";
  if (v.has(kExcess) && v.has("memory_l2_theoretical_sectors_global"))
    return {
        v.sum("memory_l2_theoretical_sectors_global"),
        v.sum("memory_l2_theoretical_sectors_global") - v.sum(kExcess)};
  if (v.has("rule sectors"))
    return {v.sum("rule sectors"), v.sum("rule sectors") - v.sum("rule excessive sectors")};
  Requests r;
  for (const std::string way : {"ld", "st"}) {
    const double sectors = v.sum("l1tex__t_sectors_pipe_lsu_mem_global_op_" + way + ".sum");
    const double requests = v.sum("l1tex__t_requests_pipe_lsu_mem_global_op_" + way + ".sum");
    const Sum* used = v.find("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + way + ".ratio");
    if (used && sectors > 0) {
      r.served += sectors;
      r.ideal += sectors * std::min(1.0, used->mean() / kSector);
    } else if (sectors > 0 && requests > 0) {
      const double each = sectors / requests;
      r.served += sectors;
      r.ideal += each > kWidestLoad ? requests * kUsualLoad : sectors;
      ambiguous |= each > kUsualLoad * 1.25 && each <= kWidestLoad;
    }
  }
  if (r.served > 0)
    return r;
  // On AMD a wavefront of 64 lanes makes an access for each four lanes whose data lie together.
  constexpr double kLanes = 64;
  constexpr double kQuad = 4;
  const double wavefronts = v.first_sum({"TA_TOTAL_WAVEFRONTS_sum", "TA_TOTAL_WAVEFRONTS"});
  const double accesses = v.first_sum({"TCP_TOTAL_ACCESSES_sum", "TCP_TOTAL_ACCESSES"});
  if (wavefronts > 0 && accesses > 0)
    return {accesses, std::min(accesses, wavefronts * kLanes / kQuad)};
  return {};
}

// Counters of single channels, such as TCC_REQ[0] to TCC_REQ[15], or the profiler's own largest and mean.
Channels channels_of(
    const Values& v,
    std::initializer_list<std::string_view> arrays,
    std::initializer_list<std::string_view> named) {
  for (const std::string_view array : arrays) {
    const std::string begin = std::string(array) + "[";
    Channels c;
    double sum = 0;
    for (auto at = v.by_name.lower_bound(begin); at != v.by_name.end() && at->first.starts_with(begin);
         ++at) {
      c.most = std::max(c.most, at->second.sum);
      sum += at->second.sum;
      ++c.count;
    }
    if (c.count > 1) {
      c.mean = sum / double(c.count);
      return c;
    }
  }
  for (const std::string_view name : named) {
    const Sum* most = v.find(std::string(name) + ".max");
    const Sum* mean = v.find(std::string(name) + ".avg");
    if (most && mean)
      return {most->sum, mean->sum, 0};
  }
  return {};
}

// Returns the memory figures of one kernel or source line.
KernelMemory kernel_of(const Key& key, const Values& v) {
  KernelMemory k;
  k.kernel = key.first;
  k.line = key.second;
  k.launches = v.launches;
  for (const auto& [name, sum] : v.by_name)
    k.is_amd |= name.starts_with("SQ_") || name.starts_with("TCC_") || name.starts_with("TCP_") ||
                name.starts_with("TA_") || name == "LDSBankConflict";
  k.shared = shared_of(v);
  k.global = global_of(v, k.ambiguous);
  k.slices = channels_of(v, {"TCC_REQ", "TCC_READ", "TCC_HIT"}, {"lts__t_sectors", "lts__t_requests"});
  k.memory = channels_of(
      v,
      {"TCC_EA_RDREQ", "TCC_EA0_RDREQ", "TCC_EA_WRREQ", "TCC_EA0_WRREQ", "TCC_MISS"},
      {"dram__sectors", "dram__bytes", "dram__sectors_read", "dram__bytes_read", "fbpa__dram_sectors"});
  k.cycles = v.first_sum({"sm__cycles_elapsed.sum", "sm__cycles_active.sum"});
  k.nanoseconds = v.first_sum({"gpu__time_duration.sum"});
  if (const Sum* share = v.find("LDSBankConflict"))
    k.conflict_time = share->mean() / 100;
  for (const char* name :
       {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "Memory Throughput",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed"}) {
    const Sum* busy = v.find(name);
    if (busy && k.memory_busy < 0 && busy->mean() <= 100)
      k.memory_busy = busy->mean() / 100;
  }
  return k;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return text.find(word) != text.npos;
  });
}

// Returns whether each row of a table with a metric a row is a duration: a list of kernels, without counters.
bool has_durations_only(std::string_view head) {
  base::take_line(head);  // the titles
  size_t rows = 0;
  for (size_t end; (end = head.find('\n')) != head.npos; ++rows) {
    if (!has_any(head.substr(0, end), {"gpu__time_duration", "\"Duration\""}))
      return false;
    head.remove_prefix(end + 1);
  }
  return rows > 0;
}

}  // namespace

bool is_gpu_counters(std::string_view head) {
  while (head.starts_with("==") || head.starts_with('\n'))
    base::take_line(head);
  if (has_durations_only(head))
    return false;
  const std::string_view line = head.substr(0, head.find('\n'));
  const bool by_kernel = has_any(line, {"Kernel Name", "Kernel_Name", "KernelName"});
  const bool by_line = has_any(line, {"L1 Wavefronts Shared", "L2 Theoretical Sectors Global"});
  return by_line || (by_kernel && has_any(
                                      line,
                                      {"Metric Name",
                                       "Counter_Name",
                                       "l1tex__",
                                       "lts__",
                                       "dram__",
                                       "smsp__",
                                       "sm__",
                                       "device__",
                                       "SQ_LDS",
                                       "TCC_",
                                       "TCP_",
                                       "TA_",
                                       "LDSBankConflict"}));
}

std::vector<KernelMemory>
read_gpu_counters(std::string_view text, const std::string& path, base::ReadReport& report) {
  if (!is_gpu_counters(text))
    throw base::Error(
        {path},
        "is no table of counters of GPU kernels",
        "write it with: ncu --csv --page raw, ncu --csv --metrics ..., or rocprofv3 --pmc ... -f csv");
  const Table table(text, path, report);
  std::vector<KernelMemory> out;
  for (const auto& [key, values] : table.values())
    out.push_back(kernel_of(key, values));
  return out;
}

}  // namespace lento::memory
