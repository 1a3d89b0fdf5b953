// Names addresses of the processes of a trace. Ranges are kept sorted by process and begin, so that a lookup
// is a binary search. Mapped files are opened at the first lookup, because a trace maps far more libraries
// than its accesses touch. facts_text.cc reads and writes the text form.
#include "program/address_space.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/scan/lines.h"
#include "program/maps_words.h"

namespace lento::program {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the last range in the order of (process, low) that holds the address, so that a range added later
// has precedence.
template <class Range>
const Range* holder(const std::vector<Range>& ranges, uint16_t process, uint64_t address) {
  const auto begins_after = [](const auto& key, const Range& r) {
    return key < std::pair{r.process, r.low};
  };
  for (const uint16_t p : {process, uint16_t{0}}) {
    const std::pair key{p, address};
    auto at = std::upper_bound(ranges.begin(), ranges.end(), key, begins_after);
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
  // A program or library at the address where it was loaded.
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
  // The symbols returned so far, in addresses of the process, by process, low and high. Two ranges may begin
  // at one address, so `high` belongs to the key.
  mutable std::map<std::tuple<uint16_t, uint64_t, uint64_t>, Symbol> answers;

  // Returns the symbols for a mapping: of the given program with the same build id or name, else of the file
  // itself.
  const Symbols* symbols_for(const Mapping& mapping) {
    for (const Given& given : programs) {
      const std::string id = given.symbols->build_id();
      const bool both_known = !mapping.build_id.empty() && !id.empty();
      const bool same_id = !mapping.build_id.empty() && id == mapping.build_id;
      const bool same_name = file_name(given.path) == file_name(mapping.path);
      if (same_id || (same_name && !both_known))
        return given.symbols.get();
    }
    auto at = files.find(mapping.path);
    if (at == files.end())
      at = files.emplace(mapping.path, open(mapping)).first;
    return at->second.get();
  }

  // Opens the mapped file. Returns null when it is absent or of another build.
  static std::unique_ptr<Symbols> open(const Mapping& mapping) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(mapping.path, error))
      return nullptr;
    try {
      auto symbols = std::make_unique<Symbols>(mapping.path);
      const bool another = !mapping.build_id.empty() && symbols->build_id() != mapping.build_id;
      if (another)
        return nullptr;
      return symbols;
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
    Loaded& entry = loaded.emplace_back();
    entry.process = process;
    entry.low = all.low + bias;
    entry.high = all.high + bias;
    entry.bias = bias;
    entry.symbols = &symbols;
    entry.path = path;
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

  // Stores a symbol in `answers` and returns a pointer to it, which stays valid.
  const Symbol* keep(uint16_t process, const std::string& name, uint64_t low, uint64_t high) {
    const Symbol symbol{name, low, high};
    const auto [at, fresh] = answers.try_emplace({process, low, high}, symbol);
    return &at->second;
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
  // Fields of a line: low-high perms offset device inode path.
  while (!text.empty()) {
    const std::string_view line = base::take_line(text);
    const size_t dash = line.find('-');
    const size_t blank = line.find(' ');
    const size_t slash = line.find('/');
    if (dash == std::string_view::npos || blank == std::string_view::npos || slash == std::string_view::npos)
      continue;
    const auto low = hex_of(line.substr(0, dash));
    std::optional<uint64_t> high;
    if (dash < blank)
      high = hex_of(line.substr(dash + 1, blank - dash - 1));
    const size_t offset_at = line.find(' ', blank + 1);
    if (!low || !high || offset_at == std::string_view::npos)
      continue;
    const std::string_view rest = line.substr(offset_at + 1);
    const auto offset = hex_of(rest.substr(0, rest.find(' ')));
    if (!offset)
      continue;
    Mapping mapping;
    mapping.process = process;
    mapping.low = *low;
    mapping.high = *high;
    mapping.file_offset = *offset;
    mapping.path = line.substr(slash);
    add_mapping(std::move(mapping));
  }
}

void AddressSpace::read_perf_map(std::string_view text, uint16_t process, const std::string& path) {
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = base::take_line(text);
    ++number;
    if (line.empty())
      continue;
    const size_t first = line.find(' ');
    size_t second = first;
    std::optional<uint64_t> size;
    if (first != std::string_view::npos)
      second = line.find(' ', first + 1);
    if (second != std::string_view::npos)
      size = hex_of(line.substr(first + 1, second - first - 1));
    const auto start = hex_of(line.substr(0, first));
    if (!start || !size || *size > UINT64_MAX - *start)
      throw base::Error(
          {path, number},
          "no line of a perf map",
          "each line is: start size name, hexadecimal");
    NamedRange range;
    range.process = process;
    range.low = *start;
    range.high = *start + *size;
    range.name = line.substr(second + 1);
    add_code(std::move(range));
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
      const std::string id = symbols ? symbols->build_id() : "";
      at = ids.emplace(m.path, id).first;
    }
    m.build_id = at->second;
  }
  impl_->placed = false;
}

bool AddressSpace::has_mappings() const {
  return !impl_->mappings.empty();
}

// Returns the given programs and whether each was mapped in the trace.
std::vector<GivenProgram> AddressSpace::programs() const {
  if (!impl_->placed)
    impl_->place();
  std::vector<GivenProgram> out;
  for (const Impl::Given& given : impl_->programs) {
    GivenProgram p{given.path, given.symbols.get(), false, given.base.has_value(), ""};
    const std::string id = given.symbols->build_id();
    for (const Mapping& m : impl_->mappings) {
      p.mapped |= impl_->symbols_for(m) == p.symbols;
      const bool both_known = !m.build_id.empty() && !id.empty();
      const bool another = both_known && m.build_id != id;
      const bool same_name = file_name(m.path) == file_name(given.path);
      if (another && same_name)
        p.mapped_build_id = m.build_id;
    }
    out.push_back(std::move(p));
  }
  return out;
}

const Symbols* AddressSpace::program_at(uint16_t process, uint64_t address, uint64_t& linked) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  if (!l)
    return nullptr;
  const auto is_it = [&](const Impl::Given& given) {
    return given.symbols.get() == l->symbols;
  };
  if (std::ranges::none_of(impl_->programs, is_it))
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
  const std::string number = "pid " + std::to_string(pid);
  if (name.empty())
    return number;
  return number + " (" + name + ")";
}

const Symbol* AddressSpace::function_at(uint16_t process, uint64_t pc) const {
  const Impl::Loaded* l = impl_->loaded_at(process, pc);
  const Symbol* symbol = nullptr;
  if (l)
    symbol = l->symbols->function_at(pc - l->bias);
  if (symbol && l->bias == 0)
    return symbol;
  if (symbol) {
    const uint64_t low = symbol->low + l->bias;
    const uint64_t high = symbol->high + l->bias;
    return impl_->keep(process, symbol->name, low, high);
  }
  const NamedRange* range = holder(impl_->code, process, pc);
  if (range)
    return impl_->keep(process, range->name, range->low, range->high);
  return nullptr;
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
  // The heap may lie directly behind a program's variables, so an allocated block comes first.
  const NamedRange* range = holder(impl_->data, process, address);
  const bool allocated = range && !range->site.empty();
  const Impl::Loaded* l = allocated ? nullptr : impl_->loaded_at(process, address);
  if (l) {
    const std::string name = l->symbols->describe(address - l->bias);
    if (!name.empty())
      return name;
  }
  if (!range)
    return "";
  std::string text = range->name;
  if (!range->site.empty())
    text += " from " + range->site;
  if (address == range->low)
    return text;
  return text + " +" + std::to_string(address - range->low);
}

bool AddressSpace::object_at(uint16_t process, uint64_t address, DataObject& object) const {
  const NamedRange* range = holder(impl_->data, process, address);
  const bool allocated = range && !range->site.empty();
  const Impl::Loaded* l = allocated ? nullptr : impl_->loaded_at(process, address);
  const Symbol* symbol = nullptr;
  if (l)
    symbol = l->symbols->variable_at(address - l->bias);
  if (symbol) {
    const uint64_t low = symbol->low + l->bias;
    const uint64_t high = symbol->high + l->bias;
    object = {symbol->name, "", low, high};
    return true;
  }
  if (range)
    object = {range->name, range->site, range->low, range->high};
  return range != nullptr;
}

std::vector<Declared> AddressSpace::declarations(uint16_t process, uint64_t address) const {
  const Impl::Loaded* l = impl_->loaded_at(process, address);
  if (l)
    return l->symbols->declarations(address - l->bias);
  return std::vector<Declared>{};
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

}  // namespace

std::string AddressSpace::text() const {
  std::string out;
  const auto line = [&](std::initializer_list<std::string> fields) {
    std::string row;
    for (const std::string& field : fields)
      row += (row.empty() ? "" : "\t") + plain_field(field);
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
  const auto named = [&](const char* kind, const NamedRange& r) {
    const std::string process = std::to_string(r.process);
    line({kind, process, hex_text(r.low), hex_text(r.high), r.name, r.site});
  };
  for (const NamedRange& r : impl_->code)
    named("code", r);
  for (const NamedRange& r : impl_->data)
    named("data", r);
  return out;
}

}  // namespace lento::program
