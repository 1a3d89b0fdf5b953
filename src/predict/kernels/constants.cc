// Reads the shipped table share/lento/kernel_constants.csv: kind,chip,framework,format,kernel,rows, then the
// scalars in the order of scalars_of. `lento-lab validate --kernel-constants` writes it.
#include <map>
#include <sstream>

#include "base/number.h"
#include "embedded/kernel_constants.h"
#include "predict/kernels/kernels.h"

namespace lento::predict {
namespace {

constexpr size_t kColumns = 6;  // columns before the scalars

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');)
    out.push_back(field);
  return out;
}

KernelConstants parse_line(const std::string& line) {
  const std::vector<std::string> f = split(line);
  LENTO_CHECK(f.size() > kColumns, "the shipped table of kernel constants has six columns and the scalars");
  const auto kind = parse_fused_kind(f[0]);
  LENTO_CHECK(kind.has_value(), "the shipped table of kernel constants names known kinds");
  KernelConstants c{*kind, f[1], f[2], f[3], f[4], size_t(base::parse_int(f[5], {})), {}};
  const size_t scalars = scalars_of(*kind).size();
  LENTO_CHECK(f.size() == kColumns + scalars, "the shipped kernel constants have all scalars of their kind");
  for (size_t i = 0; i < scalars; ++i)
    c.scalars[i] = base::parse_double(f[kColumns + i], {});
  return c;
}

std::vector<KernelConstants> parse_all(std::string_view text) {
  std::vector<KernelConstants> out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool data = !line.empty() && line[0] != '#' && !line.starts_with("kind,");
    if (data)
      out.push_back(parse_line(line));
  }
  return out;
}

// Returns the search key of a row of fitted constants.
std::string key(
    FusedKind kind,
    std::string_view chip,
    std::string_view framework,
    std::string_view format,
    std::string_view kernel) {
  std::string out(name(kind));
  for (const std::string_view part : {chip, framework, format, kernel}) {
    out += ',';
    out += part;
  }
  return out;
}

// Returns the shipped constants under this key, or null.
const KernelConstants* lookup(const std::string& wanted) {
  static const std::map<std::string, const KernelConstants*> index = [] {
    std::map<std::string, const KernelConstants*> out;
    for (const KernelConstants& c : shipped_kernel_constants())
      out[key(c.kind, c.chip, c.framework, c.format, c.kernel)] = &c;
    return out;
  }();
  const auto at = index.find(wanted);
  return at == index.end() ? nullptr : at->second;
}

// Returns the constants for a kind of kernel without fitted rows: the start value of each scalar.
const KernelConstants& generic(FusedKind kind) {
  static const std::vector<KernelConstants> starts = [] {
    std::vector<KernelConstants> out;
    for (size_t i = 0; i < kFusedKinds; ++i) {
      const auto each = static_cast<FusedKind>(i);
      out.push_back({each, {}, {}, {}, {}, 0, start_of(each)});
    }
    return out;
  }();
  return starts[size_t(kind)];
}

}  // namespace

const std::vector<KernelConstants>& shipped_kernel_constants() {
  static const std::vector<KernelConstants> all =
      parse_all(embedded::kernel_constants("kernel_constants.csv"));
  return all;
}

// Finds the constants that match best: on chip, framework, format and kernel, else on fewer of them, else
// those fitted over all chips.
FoundConstants find_constants(
    FusedKind kind,
    const System& system,
    std::string_view framework,
    const KernelFormat& format,
    std::string_view kernel) {
  for (const std::string_view chip : {std::string_view(system.name), std::string_view(system.family)}) {
    if (kernel.empty())
      break;
    if (const auto* c = lookup(key(kind, chip, framework, format.name, kernel)))
      return {c, KernelMatch::Exact};
  }
  for (const std::string_view chip : {std::string_view(system.name), std::string_view(system.family)}) {
    for (const std::string_view software : {framework, std::string_view()}) {
      if (const auto* c = lookup(key(kind, chip, software, format.name, "")))
        return {c, KernelMatch::Software};
    }
  }
  if (!kernel.empty()) {
    if (const auto* c = lookup(key(kind, "", "", "", kernel)))
      return {c, KernelMatch::Kernel};
  }
  if (const auto* c = lookup(key(kind, "", "", "", "")))
    return {c, KernelMatch::Kind};
  return {&generic(kind), KernelMatch::Kind};
}

}  // namespace lento::predict
