// Names for the addresses of the processes of a trace: programs and libraries where they were mapped, code
// made at run time, heap blocks by their allocation site, and variables that a format names itself.
//
// A process is the small number that the reader of the trace gave it. Process 0 is any process, and what is
// added for it holds for every process. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/symbols.h"

namespace lento::program {

// A piece of code or data that needs no symbol table.
struct NamedRange {
  uint16_t process = 0;
  // The addresses [low, high) in the process.
  uint64_t low = 0;
  uint64_t high = 0;
  std::string name;  // "solver.f:1203", "block of 4096 bytes", "Foo::bar()"
  std::string site;  // data: where it was allocated; ranges of one site are one object
};

// The source line of a range of code that was compiled at run time.
struct SourceRange {
  uint16_t process = 0;
  // The addresses [low, high) of the code in the process.
  uint64_t low = 0;
  uint64_t high = 0;
  std::string function;
  std::string file;
  int line = 0;
};

struct Mapping {
  uint16_t process = 0;
  uint64_t low = 0;
  uint64_t high = 0;
  uint64_t file_offset = 0;
  std::string path;
  std::string build_id;  // hexadecimal, empty: not known
};

// The object that a data address belongs to.
struct DataObject {
  std::string name;  // of the whole: "counters", "heap block of 64 bytes"
  std::string site;  // of a heap block: where it was allocated
  // The addresses [low, high) of the object in the process. For heap blocks of one allocation site, those of
  // this block.
  uint64_t low = 0;
  uint64_t high = 0;
};

// A program that the user gave, and the mapping that the trace has of it.
struct GivenProgram {
  std::string path;
  const Symbols* symbols = nullptr;
  bool mapped = false;          // a mapping of the trace is this file
  bool based = false;           // the user said where it lay
  std::string mapped_build_id;  // of a mapping of the same file name that is another build; else ""
};

class AddressSpace {
 public:
  AddressSpace();
  ~AddressSpace();
  AddressSpace(AddressSpace&&) noexcept;
  AddressSpace& operator=(AddressSpace&&) noexcept;

  // Adds a program for all processes. It is placed by a mapping that names it (by build id, else by file
  // name), else at `base` when given ("prog@0x555555554000"), else at its linked address. Throws base::Error.
  void add_program(const std::string& path_and_base);
  // Adds a mapping. Its file is opened at the first lookup. A file that is absent, or has another build id,
  // names nothing.
  void add_mapping(Mapping mapping);
  // Gives mappings without a build id that of the present file, so that a later build of the file is
  // recognised as another one.
  void identify_mappings();
  void add_code(NamedRange range);
  void add_data(NamedRange range);
  void add_source(SourceRange range);
  // Reads lines of /proc/PID/maps or of `perf report --mmaps`.
  void read_maps(std::string_view text, uint16_t process);
  // Reads /tmp/perf-PID.map, whose lines are start, size and name, with hexadecimal numbers.
  void read_perf_map(std::string_view text, uint16_t process, const std::string& path);
  void note_process(uint16_t process, uint32_t pid, const std::string& name);

  bool empty() const;
  bool has_mappings() const;
  std::vector<GivenProgram> programs() const;
  // Returns the given program at an address of the process, with the address in its file, or nullptr.
  const Symbols* program_at(uint16_t process, uint64_t address, uint64_t& linked) const;
  // Returns "pid 4711 (server)", or "" when the trace does not name the process.
  std::string process_name(uint16_t process) const;

  // Returns the function that holds pc, in addresses of the process, or nullptr.
  const Symbol* function_at(uint16_t process, uint64_t pc) const;
  std::vector<SourceFrame> frames(uint16_t process, uint64_t pc) const;
  // Returns "counters[3].hits", "heap block from main.c:12 +8", or "".
  std::string describe(uint16_t process, uint64_t address) const;
  // Returns false when no range holds the address.
  bool object_at(uint16_t process, uint64_t address, DataObject& object) const;
  // Returns the declarations of the variable at the address and of its parts (Symbols::declarations).
  std::vector<Declared> declarations(uint16_t process, uint64_t address) const;
  bool is_cpp(uint16_t process, uint64_t address) const;
  std::string text() const;  // all that was added but programs and sources, for write_facts

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Facts of a trace as a whole, from its format.
struct TraceFacts {
  uint32_t line_bytes = 0;           // of the machine; 0: not stated
  uint32_t usual_line_bytes = 0;     // of the kind of machine the format is used on; 0: none
  std::string time_unit = "cycles";  // of memory::AccessRecord::cycle
  std::string latency_unit = "cycles";
  double period = 0;  // accesses that a sample stands for; 0: not stated
  std::map<uint16_t, uint8_t> node_of_cpu;
  std::vector<std::pair<std::string, std::string>> programs;  // that ran: digest of the file, its name
  AddressSpace names;
};

// Write and read the facts as text inside an access trace (docs/formats/access.md).
std::string write_facts(const TraceFacts& facts);
void read_facts(std::string_view text, TraceFacts& facts);
void read_fact(std::string_view line, TraceFacts& facts);  // one line; unknown kinds are passed over

}  // namespace lento::program
