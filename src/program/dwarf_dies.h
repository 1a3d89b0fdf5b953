// Types, places and scopes of one entry of debug information (a DIE, DWARF 2 to 5), from which names of
// addresses are composed.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "program/symbols.h"

namespace lento::program {

// Returns the type of a variable or member without typedefs and qualifiers, or false when there is none.
bool type_of(Dwarf_Die& die, Dwarf_Die& type);

// Follows arrays and members down to `offset` bytes into a value of `type`: "[3].hits".
std::string path_into(Dwarf_Die type, uint64_t offset);
// Appends the declarations of the array elements and members that path_into passes, outermost first.
void declarations_into(Dwarf_Die type, uint64_t offset, std::vector<Declared>& out);
void place(Dwarf_Die& die, Declared& out);  // name, file, line and column of the declaration

// Returns the fixed address of a variable, or false for locals on the stack and in registers.
bool fixed_address(Dwarf_Die& die, uint64_t& address);

// Returns the demangled linkage name when there is one, because it separates overloads and templates. A
// function without one has the name of its symbol.
std::string name_of(Dwarf_Die& die, const Symbol* symbol);

// Returns the scopes of a unit whose code holds pc, innermost first.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die& unit, uint64_t pc);

}  // namespace lento::program
