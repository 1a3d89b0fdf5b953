// What debug information says about one entry of it (a DIE, DWARF 2 to 5): the types, places and scopes that
// the names of addresses are made of.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "program/symbols.h"

namespace lento::program {

// The type of a variable or member behind names and qualifiers. False when there is none.
bool type_of(Dwarf_Die& die, Dwarf_Die& type);

// Follows arrays and members down to `offset` bytes into a value of `type`: "[3].hits".
std::string path_into(Dwarf_Die type, uint64_t offset);
// The steps that path_into takes, with their declarations.
void declarations_into(Dwarf_Die type, uint64_t offset, std::vector<Declared>& out);
void place(Dwarf_Die& die, Declared& out);  // name, file, line and column of the declaration

// The fixed address of a variable; false for locals on the stack and in registers.
bool fixed_address(Dwarf_Die& die, uint64_t& address);

// The linkage name, demangled, when there is one: it tells overloads and templates apart. Functions of which
// the compiler kept the symbol alone are called as that.
std::string name_of(Dwarf_Die& die, const Symbol* symbol);

// The scopes of a unit that hold pc as the code lies, innermost first.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die& unit, uint64_t pc);

}  // namespace lento::program
