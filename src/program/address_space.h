// Names for the addresses of the processes of a trace: programs and libraries where they were mapped, code
// that was made at run time, heap blocks by where they were allocated, variables that a format names itself.
//
// A process is the small number that the reader of the trace gave it; 0 stands for "any": what is added for
// it answers for every process. Not thread safe.
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
  // [low, high)
  uint64_t low = 0;
  uint64_t high = 0;
  std::string name;  // "solver.f:1203", "block of 4096 bytes", "Foo::bar()"
  std::string site;  // data: where it was allocated; ranges of one site are one object
};

// Where code that was made at run time comes from.
struct SourceRange {
  uint16_t process = 0;
  // [low, high)
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

// What a data address belongs to.
struct DataObject {
  std::string name;  // of the whole: "counters", "heap block of 64 bytes"
  std::string site;  // of a heap block: where it was allocated
  // of this instance
  uint64_t low = 0;
  uint64_t high = 0;
};

// A program that was given, and what the trace says of it.
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

  // A program for all processes. Where a mapping names it (by build id, else by file name) it lies there,
  // else at `base` when given ("prog@0x555555554000"), else where it was linked. Throws base::Error.
  void add_program(const std::string& path_and_base);
  // Files are looked for when first asked; those that are not there, or of another build id, name nothing.
  void add_mapping(Mapping mapping);
  // Writes into mappings without a build id that of the file now there: later builds of it are then told
  // apart.
  void identify_mappings();
  void add_code(NamedRange range);
  void add_data(NamedRange range);
  void add_source(SourceRange range);
  // Lines of /proc/PID/maps or `perf report --mmaps`.
  void read_maps(std::string_view text, uint16_t process);
  // /tmp/perf-PID.map: start size name, hexadecimal.
  void read_perf_map(std::string_view text, uint16_t process, const std::string& path);
  void note_process(uint16_t process, uint32_t pid, const std::string& name);

  bool empty() const;
  bool has_mappings() const;
  std::vector<GivenProgram> programs() const;
  // The given program that lies at an address of the process, and the address in its file; null: none does.
  const Symbols* program_at(uint16_t process, uint64_t address, uint64_t& linked) const;
  // "pid 4711 (server)"; "" when it is not known.
  std::string process_name(uint16_t process) const;

  // The function that holds pc, in addresses of the process; nullptr when none does.
  const Symbol* function_at(uint16_t process, uint64_t pc) const;
  std::vector<SourceFrame> frames(uint16_t process, uint64_t pc) const;
  // "counters[3].hits", "heap block from main.c:12 +8", or "".
  std::string describe(uint16_t process, uint64_t address) const;
  // False when nothing is known of the address.
  bool object_at(uint16_t process, uint64_t address, DataObject& object) const;
  // Where the variable at the address and its parts are declared (Symbols::declarations).
  std::vector<Declared> declarations(uint16_t process, uint64_t address) const;
  bool is_cpp(uint16_t process, uint64_t address) const;
  std::string text() const;  // all that was added but programs and sources, for write_facts

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What a format tells of its trace as a whole.
struct TraceFacts {
  uint32_t line_bytes = 0;           // of the machine; 0: not told
  uint32_t usual_line_bytes = 0;     // of the kind of machine the format is used on; 0: none
  std::string time_unit = "cycles";  // of memory::AccessRecord::cycle
  std::string latency_unit = "cycles";
  double period = 0;  // accesses that a sample stands for; 0: not told
  std::map<uint16_t, uint8_t> node_of_cpu;
  std::vector<std::pair<std::string, std::string>> programs;  // that ran: digest of the file, its name
  AddressSpace names;
};

// As text inside an access trace, and back (docs/formats/access.md).
std::string write_facts(const TraceFacts& facts);
void read_facts(std::string_view text, TraceFacts& facts);
void read_fact(std::string_view line, TraceFacts& facts);  // one line; unknown kinds are passed over

}  // namespace lento::program
