// Names for the addresses of a program: functions, source lines with inlined frames, variables and their
// fields. Any ELF with a full or dynamic symbol table is read. DWARF (2 to 5) adds lines, inlining and
// fields, and is searched under /usr/lib/debug by build id when the file has none. C++ and Rust names are
// demangled. Addresses are those that the file was linked to. Not thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/access_type.h"

namespace lento::program {

struct Symbol {
  std::string name;
  // The addresses [low, high) of the function or variable, as the file was linked.
  uint64_t low = 0;
  uint64_t high = 0;
};

struct SourceFrame {
  std::string function;
  std::string file;
  int line = 0;  // 0: not known
};

// A variable, an array element in it, or a member in it, with the place of its declaration. A list of these
// leads from a variable down to one byte: `counters`, element 3, member `hits`.
struct Declared {
  enum class Kind {
    Variable,
    Element,  // of an array; declared where the first member of its struct is, when it is one
    Member
  };
  Kind kind = Kind::Variable;
  std::string name;    // of the variable or member; of an element: of its struct's first member
  uint64_t index = 0;  // of an element
  std::string file;    // "": not known
  int line = 0;
  int column = 0;  // of the name, from 1; 0: not known
};

class Symbols {
 public:
  // Throws base::Error when the file is no readable ELF.
  explicit Symbols(const std::string& path);
  ~Symbols();

  const Symbol* function_at(uint64_t pc) const;  // nullptr when no function holds it
  const Symbol* variable_at(uint64_t address) const;
  // Returns the inlined frames, innermost first. The last is the function that was really called. Empty
  // without debug information.
  std::vector<SourceFrame> frames(uint64_t pc) const;
  // Returns "counters[3].hits", "queue+40", or "" when no variable holds the address.
  std::string describe(uint64_t address) const;

  // Returns the variable, elements and members that describe() names, outermost first, with their
  // declarations. Empty without debug information.
  std::vector<Declared> declarations(uint64_t address) const;
  bool is_cpp(uint64_t address) const;  // the variable's unit is C++

  std::string build_id() const;  // hexadecimal, "" when there is none
  // Returns the address of the byte at `offset` of the file when loaded at 0, or false when no segment holds
  // it.
  bool address_of_offset(uint64_t offset, uint64_t& address) const;
  Symbol extent() const;                 // of all that is loaded, the part without file content included
  bool is_code(uint64_t address) const;  // in an executable section; without sections, in such a segment
  // Returns whether the instruction at pc makes an access of that type. Empty where the file cannot show it:
  // on machines other than RISC-V, for a compressed instruction, and without file content.
  std::optional<bool> makes_access(uint64_t pc, AccessType type) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lento::program
