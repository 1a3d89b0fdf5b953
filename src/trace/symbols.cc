#include "trace/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/error.h"

namespace lento::trace {
namespace {

constexpr int kDeepestType = 16;

void sort_and_close(std::vector<Symbol>& symbols) {
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.low < b.low; });
  for (size_t i = 0; i + 1 < symbols.size(); ++i) {
    if (symbols[i].high == symbols[i].low)
      symbols[i].high = symbols[i + 1].low;  // assembler symbols have no size
  }
}

const Symbol* holder(const std::vector<Symbol>& symbols, uint64_t address) {
  auto at = std::upper_bound(symbols.begin(), symbols.end(), address,
                             [](uint64_t a, const Symbol& s) { return a < s.low; });
  while (at != symbols.begin()) {
    --at;
    if (address < at->high) return &*at;
    if (at->high > at->low) break;
  }
  return nullptr;
}

// The type behind names and qualifiers.
bool plain_type(Dwarf_Die& die) {
  for (int depth = 0; depth < kDeepestType; ++depth) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_atomic_type) {
      return true;
    }
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &die))
      return false;
  }
  return false;
}

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(&die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type) &&
         plain_type(type);
}

// Follows arrays and members down to `offset` bytes into a value of `type`: "[3].hits".
std::string path_into(Dwarf_Die type, uint64_t offset) {
  std::string path;
  for (int depth = 0; depth < kDeepestType; ++depth) {
    const int tag = dwarf_tag(&type);
    if (tag == DW_TAG_array_type) {
      Dwarf_Die element;
      if (!type_of(type, element)) break;
      Dwarf_Word size = 0;
      if (dwarf_aggregate_size(&element, &size) != 0 || size == 0) break;
      path += "[" + std::to_string(offset / size) + "]";
      offset %= size;
      type = element;
      continue;
    }
    if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type) break;
    Dwarf_Die child, best;
    Dwarf_Word best_at = 0;
    bool found = false;
    if (dwarf_child(&type, &child) != 0) break;
    do {
      Dwarf_Attribute attribute;
      Dwarf_Word at = 0;
      if (dwarf_tag(&child) != DW_TAG_member) continue;
      if (dwarf_attr(&child, DW_AT_data_member_location, &attribute)) dwarf_formudata(&attribute, &at);
      if (at <= offset && (!found || at > best_at)) best = child, best_at = at, found = true;
    } while (dwarf_siblingof(&child, &child) == 0);
    Dwarf_Die member_type;
    if (!found || !type_of(best, member_type)) break;
    const char* name = dwarf_diename(&best);
    path += std::string(".") + (name ? name : "?");
    offset -= best_at;
    type = member_type;
  }
  return path;
}

}  // namespace

struct Symbols::Impl {
  int file = -1;
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
  std::vector<Symbol> functions, variables;
  std::map<std::string, Dwarf_Off> variable_dies;

  ~Impl() {
    if (dwarf) dwarf_end(dwarf);
    if (elf) elf_end(elf);
    if (file >= 0) close(file);
  }

  void read_symbols() {
    Elf_Scn* section = nullptr;
    while ((section = elf_nextscn(elf, section))) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol)) break;
        const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!name || !*name || symbol.st_shndx == SHN_UNDEF) continue;
        const Symbol entry{name, symbol.st_value, symbol.st_value + symbol.st_size};
        const int type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_FUNC) functions.push_back(entry);
        if (type == STT_OBJECT) variables.push_back(entry);
      }
    }
    sort_and_close(functions);
    sort_and_close(variables);
  }

  void read_variable_dies() {
    Dwarf_Off at = 0, next = 0;
    size_t header = 0;
    while (dwarf && dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
      Dwarf_Die unit, child;
      if (dwarf_offdie(dwarf, at + header, &unit) && dwarf_child(&unit, &child) == 0) {
        do {
          const char* name = dwarf_tag(&child) == DW_TAG_variable ? dwarf_diename(&child) : nullptr;
          if (name) variable_dies.emplace(name, dwarf_dieoffset(&child));
        } while (dwarf_siblingof(&child, &child) == 0);
      }
      at = next;
    }
  }

  bool unit_of(uint64_t pc, Dwarf_Die& unit) const {
    if (!dwarf) return false;
    if (dwarf_addrdie(dwarf, pc, &unit)) return true;
    Dwarf_Off at = 0, next = 0;
    size_t header = 0;
    while (dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
      if (dwarf_offdie(dwarf, at + header, &unit) && dwarf_haspc(&unit, pc) == 1) return true;
      at = next;
    }
    return false;
  }
};

Symbols::Symbols(const std::string& path) : impl_(std::make_unique<Impl>()) {
  elf_version(EV_CURRENT);
  impl_->file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl_->file < 0) throw base::Error({path}, "cannot be opened", std::strerror(errno));
  impl_->elf = elf_begin(impl_->file, ELF_C_READ, nullptr);
  if (!impl_->elf || elf_kind(impl_->elf) != ELF_K_ELF) {
    throw base::Error({path}, "is not an ELF program", "give the program whose addresses the trace holds");
  }
  impl_->read_symbols();
  impl_->dwarf = dwarf_begin_elf(impl_->elf, DWARF_C_READ, nullptr);
  impl_->read_variable_dies();
}

Symbols::~Symbols() = default;

const Symbol* Symbols::function_at(uint64_t pc) const { return holder(impl_->functions, pc); }
const Symbol* Symbols::variable_at(uint64_t address) const { return holder(impl_->variables, address); }

std::vector<SourceFrame> Symbols::frames(uint64_t pc) const {
  std::vector<SourceFrame> frames;
  Dwarf_Die unit;
  if (!impl_->unit_of(pc, unit)) return frames;
  SourceFrame place;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, pc)) {
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    place.file = file ? file : "";
    dwarf_lineno(line, &place.line);
  }
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes(&unit, pc, &scopes);
  Dwarf_Files* files = nullptr;
  dwarf_getsrcfiles(&unit, &files, nullptr);
  for (int i = 0; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    const char* name = dwarf_diename(&scopes[i]);
    place.function = name ? name : "?";
    frames.push_back(place);
    if (tag == DW_TAG_subprogram) break;
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    place = {};
    if (dwarf_attr(&scopes[i], DW_AT_call_line, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      place.line = static_cast<int>(value);
    }
    if (dwarf_attr(&scopes[i], DW_AT_call_file, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      const char* file = files ? dwarf_filesrc(files, value, nullptr, nullptr) : nullptr;
      place.file = file ? file : "";
    }
  }
  std::free(scopes);
  return frames;
}

std::string Symbols::describe(uint64_t address) const {
  const Symbol* symbol = variable_at(address);
  if (!symbol) return "";
  const uint64_t offset = address - symbol->low;
  const auto known = impl_->variable_dies.find(symbol->name);
  Dwarf_Die die, type;
  if (known != impl_->variable_dies.end() && dwarf_offdie(impl_->dwarf, known->second, &die) &&
      type_of(die, type)) {
    const std::string path = path_into(type, offset);
    if (!path.empty()) return symbol->name + path;
  }
  return offset == 0 ? symbol->name : symbol->name + "+" + std::to_string(offset);
}

}  // namespace lento::trace
