// Names code, lines, variables and items as findings and figures print them.
#pragma once

#include <string>

#include "base/units.h"
#include "memory/mine/contention_scan.h"

namespace lento::memory {

using base::hex;
using base::percent;

class ContentionNames {
 public:
  ContentionNames(
      const ContentionOptions& options,
      const program::AddressSpace& space,
      const WindowScan& windows,
      Functions& functions)
      : options_(options),
        space_(space),
        windows_(windows),
        functions_(functions) {
  }

  const std::string& function(uint32_t id) const {
    return functions_.name(id);
  }
  // Returns the function's name, or the address of `pc` where it has none.
  std::string code(uint32_t function, uint64_t pc) const;
  // Returns function, address, and the source lines of inlined frames.
  std::string place(uint16_t process, uint64_t pc) const;
  // Returns "line 0x4000 (counters[0].hits, total)": the variables in the bytes that were used, costliest
  // first.
  std::string line(const Line& line) const;
  // Returns "counters[3].hits", or the address.
  std::string data(uint16_t process, uint64_t address) const;
  // Returns "counters" or "block from main.c:12", the whole object that holds the byte, else the address.
  std::string variable(uint16_t process, uint64_t address) const;
  std::string process(uint16_t number) const;  // " in pid 17 (server)", "" where there is one only
  std::string item(uint32_t id) const;
  // Joins the items by commas. With `ranges`, each function is followed by the range of its code addresses
  // in the windows that contain the pattern.
  std::string pattern(const std::vector<uint32_t>& items, const std::vector<WindowFacts::Range>& ranges)
      const;
  const program::AddressSpace& space() const {
    return space_;
  }

 private:
  std::string latency(uint64_t bin) const;

  const ContentionOptions& options_;
  const program::AddressSpace& space_;
  const WindowScan& windows_;
  Functions& functions_;
};

}  // namespace lento::memory
