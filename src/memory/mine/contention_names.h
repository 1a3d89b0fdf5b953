// Names of code, lines and items as findings and figures print them.
#pragma once

#include <string>

#include "memory/mine/contention_scan.h"

namespace lento::memory {

std::string cpu_list(uint64_t mask);  // bits as "0-3,7"

class Names {
 public:
  // `symbols` may be null.
  Names(const ContentionOptions& options, const trace::Symbols* symbols, const WindowScan& windows,
        Functions& functions)
      : options_(options), symbols_(symbols), windows_(windows), functions_(functions) {}

  const std::string& function(uint32_t id) const { return functions_.name(id); }
  std::string place(uint64_t pc) const;  // function, address, and the source lines of inlined frames
  std::string line(uint64_t line) const;
  std::string item(uint32_t id) const;
  // The items joined by commas; with ranges, each function's from the supporting windows.
  std::string pattern(const std::vector<uint32_t>& items,
                      const std::vector<WindowFacts::Range>& ranges) const;

 private:
  std::string latency(uint64_t bin) const;

  const ContentionOptions& options_;
  const trace::Symbols* symbols_;
  const WindowScan& windows_;
  Functions& functions_;
};

}  // namespace lento::memory
