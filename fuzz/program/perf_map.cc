// Any text as the names of addresses: a map of code made at run time, the mappings of a process, facts of a
// trace. What was read must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "program/address_space.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lento;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  program::TraceFacts facts;
  program::read_facts(text, facts);
  try {
    facts.names.read_perf_map(text, 0, "fuzz");
  } catch (const base::Error&) {
  }
  if (!facts.names.has_mappings()) {  // else files would be opened that the text names
    (void)facts.names.function_at(0, 0x1000);
    (void)facts.names.frames(0, 0x1000);
    (void)facts.names.describe(0, 0x1000);
    (void)facts.names.process_name(1);
    program::DataObject object;
    (void)facts.names.object_at(0, 0x1000, object);
  }
  facts.names.read_maps(text, 1);
  program::TraceFacts again;
  program::read_facts(program::write_facts(facts), again);
  program::TraceFacts third;
  program::read_facts(program::write_facts(again), third);
  if (program::write_facts(third) != program::write_facts(again))
    std::abort();
  return 0;
}
