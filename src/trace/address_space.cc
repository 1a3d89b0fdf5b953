// Maps file (also inside access traces), one fact a line, fields parted by one tab:
//   line 64 | usual_line 64 | time ns | latency cycles | period 1000 | node CPU NODE
//   process N PID NAME | map N LOW HIGH OFFSET BUILDID PATH | code N LOW HIGH NAME | data N LOW HIGH NAME
//   SITE | program DIGEST NAME
#include "trace/address_space.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/number.h"

namespace lento::trace {
namespace {

std::optional<uint64_t> hex_of(std::string_view text) {
  if (text.starts_with("0x"))
    text.remove_prefix(2);
  return base::try_uint(text, 16);
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The last range of (process, low) order that holds the address; ranges added later win.
template <class Range>
const Range* holder(const std::vector<Range>& ranges, uint16_t process, uint64_t address) {
  for (const uint16_t p : {process, uint16_t{0}}) {
    auto at = std::upper_bound(
        ranges.begin(),
        ranges.end(),
        std::pair{p, address},
        [](const auto& key, const Range& r) {
          return key < std::pair{r.process, r.low};
        });
    for (int looked = 0; at != ranges.begin() && looked < 8; ++looked) {
      --at;
      if (at->process != p)
        break;
      if (address < at->high)
        return &*at;
    }
    if (process == 0)
      break;
  }
  return nullptr;
}

}  // namespace

struct AddressSpace::Impl {
  // A program or library where it was loaded.
  struct Loaded {
    uint16_t process = 0;
    uint64_t low = 0;
    uint64_t high = 0;
    uint64_t bias = 0;
    const Symbols* symbols = nullptr;
    std::string path;
  };
  struct Given {
    std::string path;
    std::optional<uint64_t> base;
    std::unique_ptr<Symbols> symbols;
  };

  std::vector<Given> programs;
  std::vector<Mapping> mappings;
  std::vector<NamedRange> code;
  std::vector<NamedRange> data;
  std::vector<SourceRange> sources;
  std::map<uint16_t, std::pair<uint32_t, std::string>> processes;
  std::map<std::string, std::unique_ptr<Symbols>> files;  // opened for mappings; null: cannot be read
  std::vector<Loaded> loaded;
  bool placed = false;
  // In addresses of the process. Ranges may begin together: the end belongs to the key.
  mutable std::map<std::tuple<uint16_t, uint64_t, uint64_t>, Symbol> answers;

  const Symbols* symbols_for(const Mapping& mapping) {
    for (const Given& given : programs) {
      const std::string id = given.symbols->build_id();
      const bool same_id = !mapping.build_id.empty() && id == mapping.build_id;
      const bool same_name = file_name(given.path) == file_name(mapping.path);
      if (same_id || (same_name && (mapping.build_id.empty() || id.empty())))
        return given.symbols.get();
    }
    auto at = files.find(mapping.path);
    if (at == files.end())
      at = files.emplace(mapping.path, open(mapping)).first;
    return at->second.get();
  }

  static std::unique_ptr<Symbols> open(const Mapping& mapping) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(mapping.path, error))
      return nullptr;
    try {
      auto symbols = std::make_unique<Symbols>(mapping.path);
      const bool another = !mapping.build_id.empty() && symbols->build_id() != mapping.build_id;
      return another ? nullptr : std::move(symbols);
    } catch (const base::Error&) {
      return nullptr;  // mapped, but no program: a font, a database
    }
  }

  void place() {
    placed = true;
    loaded.clear();
    answers.clear();
    std::set<const Symbols*> mapped;
    std::set<std::tuple<uint16_t, const Symbols*, uint64_t>> known;
    for (const Mapping& m : mappings) {
      const Symbols* symbols = symbols_for(m);
      uint64_t linked = 0;
      if (!symbols || !symbols->address_of_offset(m.file_offset, linked))
        continue;
      mapped.insert(symbols);
      const uint64_t bias = m.low - linked;
      if (known.emplace(m.process, symbols, bias).second)
        load(m.process, *symbols, bias, m.path);
    }
    for (const Given& given : programs) {
      if (mapped.contains(given.symbols.get()))
        continue;
      load(0, *given.symbols, given.base.value_or(0), given.path);
    }
    const auto by_place = [](const auto& a, const auto& b) {
      return std::pair{a.process, a.low} < std::pair{b.process, b.low};
    };
    std::ranges::stable_sort(code, by_place);
    std::ranges::stable_sort(data, by_place);
    std::ranges::stable_sort(sources, by_place);
  }

  void load(uint16_t process, const Symbols& symbols, uint64_t bias, const std::string& path) {
    const Symbol all = symbols.extent();
    loaded.push_back({process, all.low + bias, all.high + bias, bias, &symbols, path});
  }

  const Loaded* loaded_at(uint16_t process, uint64_t address) {
    if (!placed)
      place();
    for (const Loaded& l : loaded) {
      const bool its_own = l.process == process || l.process == 0;
      if (its_own && address >= l.low && address < l.high)
        return &l;
    }
    return nullptr;
  }

  // Keeps the answer, so that pointers to it stay valid.
  const Symbol* keep(uint16_t process, const std::string& name, uint64_t low, uint64_t high) {
    return &answers.try_emplace({process, low, high}, Symbol{name, low, high}).first->second;
  }
};

AddressSpace::AddressSpace()
    : impl_(std::make_unique<Impl>()) {
}
AddressSpace::~AddressSpace() = default;
AddressSpace::AddressSpace(AddressSpace&&) noexcept = default;
AddressSpace& AddressSpace::operator=(AddressSpace&&) noexcept = default;

void AddressSpace::add_program(const std::string& text) {
  Impl::Given given{text, std::nullopt, nullptr};
  const size_t at = text.rfind("@0x");
  std::error_code error;
  if (at != std::string::npos && !std::filesystem::exists(text, error)) {
    given.path = text.substr(0, at);
    given.base = hex_of(text.substr(at + 1));
    if (!given.base)
      throw base::Error(
          {text},
          "the load address behind '@' is no hexadecimal number",
          "write for example program@0x555555554000");
  }
  given.symbols = std::make_unique<Symbols>(given.path);
  impl_->programs.push_back(std::move(given));
  impl_->placed = false;
}

void AddressSpace::add_mapping(Mapping mapping) {
  if (mapping.high <= mapping.low || mapping.path.empty() || mapping.path[0] != '/')
    return;
  impl_->mappings.push_back(std::move(mapping));
  impl_->placed = false;
}

void AddressSpace::add_code(NamedRange range) {
  impl_->code.push_back(std::move(range));
  impl_->placed = false;
}

void AddressSpace::add_data(NamedRange range) {
  impl_->data.push_back(std::move(range));
  impl_->placed = false;
}

void AddressSpace::add_source(SourceRange range) {
  impl_->sources.push_back(std::move(range));
  impl_->placed = false;
}

void AddressSpace::read_maps(std::string_view text, uint16_t process) {
  // low-high perms offset device inode path
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t dash = line.find('-');
    const size_t blank = line.find(' ');
    const size_t slash = line.find('/');
    if (dash == std::string_view::npos || blank == std::string_view::npos || slash == std::string_view::npos)
      continue;
    const auto low = hex_of(line.substr(0, dash));
    const auto high = dash < blank ? hex_of(line.substr(dash + 1, blank - dash - 1)) : std::nullopt;
    const size_t offset_at = line.find(' ', blank + 1);
    if (!low || !high || offset_at == std::string_view::npos)
      continue;
    const std::string_view rest = line.substr(offset_at + 1);
    const auto offset = hex_of(rest.substr(0, rest.find(' ')));
    if (offset)
      add_mapping({process, *low, *high, *offset, std::string(line.substr(slash)), ""});
  }
}

void AddressSpace::read_perf_map(std::string_view text, uint16_t process, const std::string& path) {
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.empty())
      continue;
    const size_t first = line.find(' ');
    const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    const auto start = hex_of(line.substr(0, first));
    const auto size =
        second == std::string_view::npos ? std::nullopt : hex_of(line.substr(first + 1, second - first - 1));
    if (!start || !size || *size > UINT64_MAX - *start)
      throw base::Error(
          {path, number},
          "no line of a perf map",
          "each line is: start size name, hexadecimal");
    add_code({process, *start, *start + *size, std::string(line.substr(second + 1)), ""});
  }
}

void AddressSpace::note_process(uint16_t process, uint32_t pid, const std::string& name) {
  auto& entry = impl_->processes[process];
  entry.first = pid;
  if (!name.empty())
    entry.second = name;
}

void AddressSpace::identify_mappings() {
  std::map<std::string, std::string> ids;
  for (Mapping& m : impl_->mappings) {
    if (!m.build_id.empty())
      continue;
    auto at = ids.find(m.path);
    if (at == ids.end()) {
      const std::unique_ptr<Symbols> symbols = Impl::open(m);
      at = ids.emplace(m.path, symbols ? symbols->build_id() : "").first;
    }
    m.build_id = at->second;
  }
  impl_->placed = false;
}

bool AddressSpace::has_mappings() const {
  return !impl_->mappings.empty();
}

std::vector<GivenProgram> AddressSpace::programs() const {
  if (!impl_->placed)
    impl_->place();
  std::vector<GivenProgram> out;
  for (const Impl::Given& given : impl_->programs) {
    GivenProgram p{given.path, given.symbols.get(), false, given.base.has_value(), ""};
    const std::string id = given.symbols->build_id();
    for (const Mapping& m : impl_->mappings) {
      p.mapped |= impl_->symbols_for(m) == p.symbols;
      const bool another = !m.build_id.empty() && !id.empty() && m.build_id != id;
      if (another && file_name(m.path) == file_name(given.path))
        p.mapped_build_id = m.build_id;
    }
    out.push_back(std::move(p));
  }
  return out;
}

const Symbols* AddressSpace::program_at(uint16_t process, uint64_t address, uint64_t& linked) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  const bool given = l && std::ranges::any_of(impl_->programs, [&](const Impl::Given& g) {
                       return g.symbols.get() == l->symbols;
                     });
  if (!given)
    return nullptr;
  linked = address - l->bias;
  return l->symbols;
}

bool AddressSpace::empty() const {
  const Impl& i = *impl_;
  return i.programs.empty() && i.mappings.empty() && i.code.empty() && i.data.empty();
}

std::string AddressSpace::process_name(uint16_t process) const {
  const auto at = impl_->processes.find(process);
  if (at == impl_->processes.end())
    return "";
  const auto& [pid, name] = at->second;
  return "pid " + std::to_string(pid) + (name.empty() ? "" : " (" + name + ")");
}

const Symbol* AddressSpace::function_at(uint16_t process, uint64_t pc) const {
  const Impl::Loaded* l = impl_->loaded_at(process, pc);
  const Symbol* symbol = l ? l->symbols->function_at(pc - l->bias) : nullptr;
  if (symbol && l->bias == 0)
    return symbol;
  if (symbol)
    return impl_->keep(process, symbol->name, symbol->low + l->bias, symbol->high + l->bias);
  const NamedRange* range = holder(impl_->code, process, pc);
  return range ? impl_->keep(process, range->name, range->low, range->high) : nullptr;
}

std::vector<SourceFrame> AddressSpace::frames(uint16_t process, uint64_t pc) const {
  const Impl::Loaded* l = impl_->loaded_at(process, pc);
  if (l)
    return l->symbols->frames(pc - l->bias);
  const SourceRange* made = holder(impl_->sources, process, pc);
  if (!made)
    return {};
  return {{made->function, made->file, made->line}};
}

std::string AddressSpace::describe(uint16_t process, uint64_t address) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  if (l) {
    const std::string name = l->symbols->describe(address - l->bias);
    if (!name.empty())
      return name;
  }
  const NamedRange* range = holder(impl_->data, process, address);
  if (!range)
    return "";
  std::string text = range->name;
  if (!range->site.empty())
    text += " from " + range->site;
  return address == range->low ? text : text + " +" + std::to_string(address - range->low);
}

bool AddressSpace::object_at(uint16_t process, uint64_t address, DataObject& object) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  const Symbol* symbol = l ? l->symbols->variable_at(address - l->bias) : nullptr;
  if (symbol) {
    object = {symbol->name, "", symbol->low + l->bias, symbol->high + l->bias};
    return true;
  }
  const NamedRange* range = holder(impl_->data, process, address);
  if (range)
    object = {range->name, range->site, range->low, range->high};
  return range != nullptr;
}

std::vector<Declared> AddressSpace::declarations(uint16_t process, uint64_t address) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  return l ? l->symbols->declarations(address - l->bias) : std::vector<Declared>{};
}

bool AddressSpace::is_cpp(uint16_t process, uint64_t address) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  return l && l->symbols->is_cpp(address - l->bias);
}

namespace {

std::string hex_text(uint64_t value) {
  char text[20];
  return "0x" + std::string(text, std::to_chars(text, text + sizeof text, value, 16).ptr);
}

// Tabs and line ends part the fields.
std::string plain(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n')
      c = ' ';
  }
  return text;
}

using Fields = std::vector<std::string_view>;

Fields split_tabs(std::string_view line) {
  Fields out;
  for (;;) {
    const size_t tab = std::min(line.find('\t'), line.size());
    out.push_back(line.substr(0, tab));
    if (tab == line.size())
      return out;
    line.remove_prefix(tab + 1);
  }
}

uint64_t number_at(const Fields& f, size_t i) {
  if (i >= f.size())
    return 0;
  return f[i].starts_with("0x") ? hex_of(f[i]).value_or(0) : base::try_uint(f[i]).value_or(0);
}
std::string text_at(const Fields& f, size_t i) {
  return i < f.size() ? std::string(f[i]) : "";
}

NamedRange range_of(const Fields& f) {
  return {uint16_t(number_at(f, 1)), number_at(f, 2), number_at(f, 3), text_at(f, 4), text_at(f, 5)};
}

}  // namespace

std::string AddressSpace::text() const {
  std::string out;
  const auto line = [&](std::initializer_list<std::string> fields) {
    std::string row;
    for (const std::string& field : fields)
      row += (row.empty() ? "" : "\t") + plain(field);
    out += row + "\n";
  };
  for (const auto& [process, who] : impl_->processes)
    line({"process", std::to_string(process), std::to_string(who.first), who.second});
  for (const Mapping& m : impl_->mappings)
    line(
        {"map",
         std::to_string(m.process),
         hex_text(m.low),
         hex_text(m.high),
         hex_text(m.file_offset),
         m.build_id.empty() ? "-" : m.build_id,
         m.path});
  for (const NamedRange& r : impl_->code)
    line({"code", std::to_string(r.process), hex_text(r.low), hex_text(r.high), r.name, r.site});
  for (const NamedRange& r : impl_->data)
    line({"data", std::to_string(r.process), hex_text(r.low), hex_text(r.high), r.name, r.site});
  return out;
}

void read_fact(std::string_view text, TraceFacts& facts) {
  const Fields f = split_tabs(text);
  const std::string& kind = std::string(f[0]);
  if (kind == "line")
    facts.line_bytes = uint32_t(std::min<uint64_t>(number_at(f, 1), 4096));
  if (kind == "time")
    facts.time_unit = text_at(f, 1);
  if (kind == "latency")
    facts.latency_unit = text_at(f, 1);
  if (kind == "period")
    facts.period = double(number_at(f, 1));
  if (kind == "node")
    facts.node_of_cpu[uint16_t(number_at(f, 1))] = uint8_t(number_at(f, 2));
  if (kind == "process")
    facts.names.note_process(uint16_t(number_at(f, 1)), uint32_t(number_at(f, 2)), text_at(f, 3));
  if (kind == "map")
    facts.names.add_mapping(
        {uint16_t(number_at(f, 1)),
         number_at(f, 2),
         number_at(f, 3),
         number_at(f, 4),
         text_at(f, 6),
         text_at(f, 5) == "-" ? "" : text_at(f, 5)});
  if (kind == "program" && f.size() >= 3)
    facts.programs.emplace_back(text_at(f, 1), text_at(f, 2));
  if (kind == "code")
    facts.names.add_code(range_of(f));
  if (kind == "data")
    facts.names.add_data(range_of(f));
}

std::string write_facts(const TraceFacts& facts) {
  std::string out;
  if (facts.line_bytes > 0)
    out += "line\t" + std::to_string(facts.line_bytes) + "\n";
  out += "time\t" + facts.time_unit + "\n";
  out += "latency\t" + facts.latency_unit + "\n";
  if (facts.period > 0)
    out += "period\t" + std::to_string(uint64_t(facts.period)) + "\n";
  for (const auto& [digest, name] : facts.programs)
    out += "program\t" + plain(digest) + "\t" + plain(name) + "\n";
  for (const auto& [cpu, node] : facts.node_of_cpu)
    out += "node\t" + std::to_string(cpu) + "\t" + std::to_string(node) + "\n";
  return out + facts.names.text();
}

void read_facts(std::string_view text, TraceFacts& facts) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    read_fact(line, facts);
  }
}

}  // namespace lento::trace
