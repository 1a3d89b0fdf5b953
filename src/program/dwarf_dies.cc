// Reads types, places and scopes from DWARF through libdw. An address in a variable is resolved by descending
// from its type: an array gives an index, a struct the last member that starts at or before the offset.
// Depths are bounded, because debug information of a hostile file may be cyclic.
#include "program/dwarf_dies.h"

#include <dwarf.h>

#include <algorithm>

#include "program/demangle.h"

namespace lento::program {
namespace {

constexpr int kDeepestType = 16;

// Strips typedefs and qualifiers from a type. Returns false when there is none.
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

// Returns the bytes of a type, or 0 when DWARF has no size.
uint64_t size_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&type, &size) == 0)
    return size;
  return 0;
}

// Returns the numbers of elements of an array, outermost first, with 0 for a bound that DWARF does not give.
std::vector<uint64_t> dimensions(Dwarf_Die& array) {
  std::vector<uint64_t> out;
  Dwarf_Die child;
  if (dwarf_child(&array, &child) != 0)
    return out;
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type)
      continue;
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&child, DW_AT_count, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      out.push_back(value);
    } else if (
        dwarf_attr(&child, DW_AT_upper_bound, &attribute) && dwarf_formudata(&attribute, &value) == 0) {
      out.push_back(value + 1);
    } else {
      out.push_back(0);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return out;
}

// Descends one step into an array: appends "[2][3]" and reduces the offset to that in the element. Returns
// false when the size of the element or an inner bound is absent.
bool enter_array(Dwarf_Die& type, uint64_t& offset, std::string& path) {
  Dwarf_Die element;
  if (!type_of(type, element))
    return false;
  const uint64_t size = size_of(element);
  if (size == 0)
    return false;
  const std::vector<uint64_t> counts = dimensions(type);
  uint64_t index = offset / size;
  std::string text;
  for (size_t d = counts.size(); d-- > 1;) {
    if (counts[d] == 0)
      return false;
    text = "[" + std::to_string(index % counts[d]) + "]" + text;
    index /= counts[d];
  }
  path += "[" + std::to_string(index) + "]" + text;
  offset %= size;
  type = element;
  return true;
}

// Finds the last member or base class that starts at or before the offset.
bool find_member(Dwarf_Die& type, uint64_t offset, Dwarf_Die& best, Dwarf_Word& best_at) {
  Dwarf_Die child;
  bool found = false;
  best_at = 0;
  if (dwarf_child(&type, &child) != 0)
    return false;
  do {
    Dwarf_Attribute attribute;
    Dwarf_Word at = 0;
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
      continue;
    if (dwarf_attr(&child, DW_AT_external, &attribute))
      continue;  // a static member lies elsewhere
    if (dwarf_attr(&child, DW_AT_data_member_location, &attribute)) {
      if (dwarf_formudata(&attribute, &at) != 0)
        continue;
    }
    if (at > offset || (found && at <= best_at))
      continue;
    best = child;
    best_at = at;
    found = true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return found;
}

// Descends one step into a struct.
bool enter_member(Dwarf_Die& type, uint64_t& offset, std::string& path) {
  Dwarf_Die best;
  Dwarf_Word best_at = 0;
  Dwarf_Die member;
  if (!find_member(type, offset, best, best_at) || !type_of(best, member))
    return false;
  const bool is_base = dwarf_tag(&best) == DW_TAG_inheritance;
  const char* name = dwarf_diename(&best);
  if (!is_base && name)
    path += std::string(".") + name;
  offset -= best_at;
  type = member;
  return true;
}

bool is_struct(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// Finds the scopes below `parent` whose code holds pc, outermost first. (dwarf_getscopes continues from an
// inlined call to the definition of the called function, and fails when one scope of the unit cannot be
// read.)
bool find_scopes(Dwarf_Die parent, uint64_t pc, std::vector<Dwarf_Die>& out) {
  Dwarf_Die child;
  if (out.size() > size_t{8} * kDeepestType || dwarf_child(&parent, &child) != 0)
    return false;
  do {
    const int tag = dwarf_tag(&child);
    const bool is_code =
        tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
    const bool may_hold_code =
        tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (may_hold_code && find_scopes(child, pc, out))
      return true;
    if (!is_code || dwarf_haspc(&child, pc) != 1)
      continue;
    out.push_back(child);
    find_scopes(child, pc, out);
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

}  // namespace

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(&die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type) &&
         plain_type(type);
}

void place(Dwarf_Die& die, Declared& out) {
  const char* file = dwarf_decl_file(&die);
  out.file = file ? file : "";
  dwarf_decl_line(&die, &out.line);
  dwarf_decl_column(&die, &out.column);
  const char* name = dwarf_diename(&die);
  out.name = name ? name : "";
}

void declarations_into(Dwarf_Die type, uint64_t offset, std::vector<Declared>& out) {
  for (int depth = 0; depth < kDeepestType; ++depth) {
    Declared step;
    Dwarf_Die member;
    Dwarf_Word at = 0;
    if (dwarf_tag(&type) == DW_TAG_array_type) {
      Dwarf_Die element;
      const uint64_t size = type_of(type, element) ? size_of(element) : 0;
      if (size == 0)
        return;
      step.kind = Declared::Kind::Element;
      step.index = offset / size;
      if (is_struct(element) && find_member(element, 0, member, at))
        place(member, step);
      offset %= size;
      type = element;
    } else {
      if (!is_struct(type) || !find_member(type, offset, member, at))
        return;
      step.kind = Declared::Kind::Member;
      place(member, step);
      offset -= at;
      if (!type_of(member, type)) {
        out.push_back(step);
        return;
      }
    }
    out.push_back(step);
  }
}

std::string path_into(Dwarf_Die type, uint64_t offset) {
  std::string path;
  for (int depth = 0; depth < kDeepestType; ++depth) {
    if (dwarf_tag(&type) == DW_TAG_array_type) {
      if (!enter_array(type, offset, path))
        break;
    } else if (!is_struct(type) || !enter_member(type, offset, path)) {
      break;
    }
  }
  return path;
}

bool fixed_address(Dwarf_Die& die, uint64_t& address) {
  Dwarf_Attribute attribute;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (!dwarf_attr(&die, DW_AT_location, &attribute))
    return false;
  if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count == 0)
    return false;
  if (ops[0].atom == DW_OP_addr) {
    address = ops[0].number;
    return true;
  }
  if (ops[0].atom != DW_OP_addrx)
    return false;
  Dwarf_Attribute value;
  return dwarf_getlocation_attr(&attribute, &ops[0], &value) == 0 && dwarf_formaddr(&value, &address) == 0;
}

std::string name_of(Dwarf_Die& die, const Symbol* symbol) {
  Dwarf_Attribute attribute;
  const char* linkage = nullptr;
  if (dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute))
    linkage = dwarf_formstring(&attribute);
  if (linkage)
    return demangle(linkage);
  if (symbol && dwarf_tag(&die) == DW_TAG_subprogram)
    return symbol->name;
  const char* name = dwarf_diename(&die);
  return name ? name : "?";
}

std::vector<Dwarf_Die> scopes_at(Dwarf_Die& unit, uint64_t pc) {
  std::vector<Dwarf_Die> out;
  find_scopes(unit, pc, out);
  std::ranges::reverse(out);
  return out;
}

}  // namespace lento::program
