// Names addresses of one program file with elfutils. Symbol tables give functions and variables, DWARF adds
// lines, inlined frames and fields. Debug information may be in a file of its own, which is found by build
// id.
#include "program/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/error.h"
#include "program/demangle.h"
#include "program/dwarf_dies.h"

namespace lento::program {
namespace {

constexpr int kDeepestScope = 16;

// Sorts symbols by address. A symbol without a size ends at the next one.
void sort_and_close(std::vector<Symbol>& symbols) {
  std::ranges::stable_sort(symbols, [](const Symbol& a, const Symbol& b) {
    return a.low < b.low;
  });
  for (size_t i = 0; i + 1 < symbols.size(); ++i) {
    if (symbols[i].high == symbols[i].low)
      symbols[i].high = symbols[i + 1].low;  // assembler symbols have no size
  }
}

// Returns the symbol that contains an address, or null.
const Symbol* holder(const std::vector<Symbol>& symbols, uint64_t address) {
  auto at = std::upper_bound(symbols.begin(), symbols.end(), address, [](uint64_t a, const Symbol& s) {
    return a < s.low;
  });
  while (at != symbols.begin()) {
    --at;
    if (address < at->high)
      return &*at;
    if (at->high > at->low)
      break;
  }
  return nullptr;
}

std::string hexadecimal(const void* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<const uint8_t*>(bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

struct Symbols::Impl {
  int file = -1;
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
  int debug_file = -1;
  std::vector<Symbol> functions;
  std::vector<Symbol> variables;
  std::unordered_map<uint64_t, Dwarf_Off> variable_dies;  // by address
  std::string build_id;
  struct Segment {
    uint64_t address;
    uint64_t offset;
    uint64_t file_bytes;
    uint64_t bytes;
    bool executable;
  };
  std::vector<Segment> segments;
  std::vector<Symbol> code;  // executable sections
  bool is_riscv = false;

  ~Impl() {
    if (dwarf)
      dwarf_end(dwarf);
    if (elf)
      elf_end(elf);
    if (file >= 0)
      close(file);
    if (debug_file >= 0)
      close(debug_file);
  }

  // Reads machine, segments and build id.
  void read_layout() {
    GElf_Ehdr header;
    const bool has_header = gelf_getehdr(elf, &header) != nullptr;
    is_riscv = has_header && header.e_machine == EM_RISCV;
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr p;
      if (!gelf_getphdr(elf, int(i), &p) || p.p_type != PT_LOAD)
        continue;
      segments.push_back({p.p_vaddr, p.p_offset, p.p_filesz, p.p_memsz, (p.p_flags & PF_X) != 0});
    }
    read_code_sections();
    const void* bytes = nullptr;
    const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
    if (size > 0)
      build_id = hexadecimal(bytes, size_t(size));
  }

  // Reads where the code lies.
  void read_code_sections() {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section))) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
        continue;
      code.push_back({"", header.sh_addr, header.sh_addr + header.sh_size});
    }
    if (!code.empty())
      return;
    for (const Segment& s : segments) {
      if (s.executable)
        code.push_back({"", s.address, s.address + s.bytes});
    }
  }

  // Libdw looks for the end of a string beyond its section, so that debug information whose strings have no
  // end is not used.
  void drop_endless_strings() {
    Elf* of = dwarf ? dwarf_getelf(dwarf) : nullptr;
    size_t names = 0;
    if (!of || elf_getshdrstrndx(of, &names) != 0)
      return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(of, section));) {
      GElf_Shdr header;
      const char* name = gelf_getshdr(section, &header) ? elf_strptr(of, names, header.sh_name) : nullptr;
      const std::string_view kind = name ? name : "";
      if (!kind.ends_with("debug_str") && !kind.ends_with("debug_line_str"))
        continue;
      const Elf_Data* data = elf_getdata(section, nullptr);
      const bool ends = data && data->d_buf && data->d_size > 0 &&
                        static_cast<const char*>(data->d_buf)[data->d_size - 1] == '\0';
      if (ends || header.sh_size == 0)
        continue;
      dwarf_end(dwarf);
      dwarf = nullptr;
      return;
    }
  }

  // Opens the debug information of the file, or that of its package of debug symbols.
  void open_dwarf() {
    dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    drop_endless_strings();
    Dwarf_Off next = 0;
    size_t header = 0;
    const bool has_units = dwarf && dwarf_nextcu(dwarf, 0, &next, &header, nullptr, nullptr, nullptr) == 0;
    if (has_units || build_id.size() < 4)
      return;
    const std::string path =
        "/usr/lib/debug/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
    debug_file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (debug_file < 0)
      return;
    if (dwarf)
      dwarf_end(dwarf);
    dwarf = dwarf_begin(debug_file, DWARF_C_READ);
    drop_endless_strings();
  }

  // Reads functions and variables with their addresses.
  void read_symbols() {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section))) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || header.sh_entsize == 0)
        continue;
      if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)
        continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, int(i), &symbol))
          break;
        const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!name || !*name || symbol.st_shndx == SHN_UNDEF)
          continue;
        const Symbol entry{demangle(name), symbol.st_value, symbol.st_value + symbol.st_size};
        const int type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_FUNC || type == STT_GNU_IFUNC)
          functions.push_back(entry);
        if (type == STT_OBJECT)
          variables.push_back(entry);
      }
    }
    sort_and_close(functions);
    sort_and_close(variables);
  }

  // Variables of a unit, in namespaces, classes and functions too.
  void read_variables_below(Dwarf_Die parent, int depth) {
    Dwarf_Die child;
    if (depth > kDeepestScope || dwarf_child(&parent, &child) != 0)
      return;
    do {
      const int tag = dwarf_tag(&child);
      uint64_t address = 0;
      if (tag == DW_TAG_variable && fixed_address(child, address))
        variable_dies.emplace(address, dwarf_dieoffset(&child));
      if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
          tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
        read_variables_below(child, depth + 1);
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  void read_variable_dies() {
    Dwarf_Off at = 0;
    Dwarf_Off next = 0;
    size_t header = 0;
    while (dwarf && dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
      Dwarf_Die unit;
      if (dwarf_offdie(dwarf, at + header, &unit))
        read_variables_below(unit, 0);
      at = next;
    }
  }

  // Finds the variable that holds the address, and the offset in it.
  bool variable_die(uint64_t address, Dwarf_Die& die, uint64_t& offset) const {
    const Symbol* symbol = holder(variables, address);
    const auto known = symbol ? variable_dies.find(symbol->low) : variable_dies.end();
    if (known == variable_dies.end())
      return false;
    offset = address - symbol->low;
    return dwarf_offdie(dwarf, known->second, &die) != nullptr;
  }

  // Finds the compilation unit that contains a program counter.
  bool unit_of(uint64_t pc, Dwarf_Die& unit) const {
    if (!dwarf)
      return false;
    if (dwarf_addrdie(dwarf, pc, &unit))
      return true;
    Dwarf_Off at = 0;
    Dwarf_Off next = 0;
    size_t header = 0;
    while (dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
      if (dwarf_offdie(dwarf, at + header, &unit) && dwarf_haspc(&unit, pc) == 1)
        return true;
      at = next;
    }
    return false;
  }
};

Symbols::Symbols(const std::string& path)
    : impl_(std::make_unique<Impl>()) {
  elf_version(EV_CURRENT);
  impl_->file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->file < 0)
    throw base::Error({path}, "cannot be opened", std::strerror(errno));
  impl_->elf = elf_begin(impl_->file, ELF_C_READ, nullptr);
  if (!impl_->elf || elf_kind(impl_->elf) != ELF_K_ELF) {
    throw base::Error({path}, "is not an ELF program", "give the program whose addresses the trace holds");
  }
  impl_->read_layout();
  impl_->read_symbols();
  impl_->open_dwarf();
  impl_->read_variable_dies();
}

Symbols::~Symbols() = default;

const Symbol* Symbols::function_at(uint64_t pc) const {
  return holder(impl_->functions, pc);
}
const Symbol* Symbols::variable_at(uint64_t address) const {
  return holder(impl_->variables, address);
}

std::vector<SourceFrame> Symbols::frames(uint64_t pc) const {
  std::vector<SourceFrame> frames;
  Dwarf_Die unit;
  if (!impl_->unit_of(pc, unit))
    return frames;
  SourceFrame place;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, pc)) {
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    place.file = file ? file : "";
    dwarf_lineno(line, &place.line);
  }
  Dwarf_Files* files = nullptr;
  dwarf_getsrcfiles(&unit, &files, nullptr);
  for (Dwarf_Die& scope : scopes_at(unit, pc)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
      continue;
    place.function = name_of(scope, function_at(pc));
    frames.push_back(place);
    if (tag == DW_TAG_subprogram)
      break;
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    place = {};
    if (dwarf_attr(&scope, DW_AT_call_line, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      place.line = int(value);
    }
    if (dwarf_attr(&scope, DW_AT_call_file, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      const char* file = files ? dwarf_filesrc(files, value, nullptr, nullptr) : nullptr;
      place.file = file ? file : "";
    }
  }
  return frames;
}

std::string Symbols::describe(uint64_t address) const {
  const Symbol* symbol = variable_at(address);
  if (!symbol)
    return "";
  const uint64_t offset = address - symbol->low;
  const auto known = impl_->variable_dies.find(symbol->low);
  Dwarf_Die die;
  Dwarf_Die type;
  if (known != impl_->variable_dies.end() && dwarf_offdie(impl_->dwarf, known->second, &die) &&
      type_of(die, type)) {
    const std::string path = path_into(type, offset);
    if (!path.empty())
      return symbol->name + path;
  }
  if (offset == 0)
    return symbol->name;
  return symbol->name + "+" + std::to_string(offset);
}

std::vector<Declared> Symbols::declarations(uint64_t address) const {
  Dwarf_Die die;
  Dwarf_Die type;
  uint64_t offset = 0;
  if (!impl_->variable_die(address, die, offset) || !type_of(die, type))
    return {};
  std::vector<Declared> out(1);
  place(die, out.front());
  declarations_into(type, offset, out);
  return out;
}

bool Symbols::is_cpp(uint64_t address) const {
  Dwarf_Die die;
  Dwarf_Die unit;
  uint64_t offset = 0;
  if (!impl_->variable_die(address, die, offset) || !dwarf_diecu(&die, &unit, nullptr, nullptr))
    return false;
  const int language = dwarf_srclang(&unit);
  return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
         language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

std::string Symbols::build_id() const {
  return impl_->build_id;
}

bool Symbols::address_of_offset(uint64_t offset, uint64_t& address) const {
  constexpr uint64_t kPage = 4096;  // the loader maps whole pages: the first may start before its segment
  for (const Impl::Segment& s : impl_->segments) {
    const uint64_t first = s.offset / kPage * kPage;
    if (offset < first || offset >= s.offset + std::max<uint64_t>(1, s.file_bytes))
      continue;
    address = s.address - (s.offset - first) + (offset - first);
    return true;
  }
  return false;
}

Symbol Symbols::extent() const {
  Symbol all{"", UINT64_MAX, 0};
  for (const Impl::Segment& s : impl_->segments) {
    all.low = std::min(all.low, s.address);
    all.high = std::max(all.high, s.address + s.bytes);
  }
  if (all.high == 0)
    all.low = 0;
  return all;
}

bool Symbols::is_code(uint64_t address) const {
  return std::ranges::any_of(impl_->code, [&](const Symbol& s) {
    return address >= s.low && address < s.high;
  });
}

namespace {

// True when the opcode of a 32-bit RISC-V instruction makes such an access (RISC-V ISA, table of base
// opcodes).
bool opcode_makes(uint32_t instruction, AccessType type) {
  enum : uint32_t {
    kLoad = 0x03,
    kLoadFloat = 0x07,
    kStore = 0x23,
    kStoreFloat = 0x27,
    kAtomic = 0x2f
  };
  const uint32_t opcode = instruction & 0x7f;
  switch (type) {
    case AccessType::Load:
      return opcode == kLoad || opcode == kLoadFloat;
    case AccessType::Store:
      return opcode == kStore || opcode == kStoreFloat;
    case AccessType::LoadLinked:
    case AccessType::StoreConditional:
    case AccessType::Atomic:
      return opcode == kAtomic;
    case AccessType::Fetch:
    case AccessType::Prefetch:
      return true;
  }
  return true;
}

}  // namespace

std::optional<bool> Symbols::makes_access(uint64_t pc, AccessType type) const {
  constexpr uint32_t kFullLength = 3;  // the lowest two bits of an instruction that is not compressed
  if (!impl_->is_riscv || type == AccessType::Fetch || type == AccessType::Prefetch)
    return {};
  for (const Impl::Segment& s : impl_->segments) {
    if (pc < s.address || pc - s.address + 4 > s.file_bytes)
      continue;
    uint32_t instruction = 0;
    const auto at = static_cast<off_t>(s.offset + (pc - s.address));
    if (pread(impl_->file, &instruction, sizeof instruction, at) != sizeof instruction)
      return {};
    if ((instruction & kFullLength) != kFullLength)
      return {};
    return opcode_makes(instruction, type);
  }
  return {};
}

}  // namespace lento::program
