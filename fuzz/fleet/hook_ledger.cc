// Any bytes as the ledger of hooks that several watches share. A hook that may run is never run twice.
#include "fleet/watch/hook_ledger.h"

#include <filesystem>

#include "base/error.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lento::fleet::HookLedger;
  static NamedFile file;
  constexpr int64_t kNow = 1'000'000'000;
  try {
    HookLedger ledger(file.fill(data, size));
    if (ledger.claim("job", "n1", kNow, 100) == HookLedger::Answer::Run &&
        ledger.claim("job", "n1", kNow, 100) == HookLedger::Answer::Run)
      std::abort();
    ledger.ended("job", "n1", kNow, 3);
    ledger.cleared("job", "n2", kNow);
    for (const HookLedger::Event& start : ledger.unknown("job", kNow))
      ledger.told_unknown(start, kNow);
    if (!ledger.unknown("job", kNow).empty())
      std::abort();
    HookLedger(file.path(), "elsewhere:1:2").unknown("job", kNow + HookLedger::kHour);
    HookLedger own(file.path(), HookLedger::process_name());
    own.claim("own", "n1", kNow, 100);
    HookLedger(file.path(), HookLedger::process_name() + "0").claim("own", "n2", kNow, 100);
    for (const HookLedger::Event& start : own.unknown("own", kNow))
      if (start.by == HookLedger::process_name())
        std::abort();  // it runs
    std::filesystem::remove(file.path());
    if (HookLedger(file.path()).claim("job", "n1", kNow, 100) != HookLedger::Answer::Run)
      std::abort();
    HookLedger remembered("");
    remembered.claim("job", "n1", kNow, 1);
    if (remembered.claim("job", "n2", kNow, 1) != HookLedger::Answer::Capped)
      std::abort();
  } catch (const lento::base::Error&) {
  }
  return 0;
}
