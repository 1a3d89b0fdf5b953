// Any events of four threads as a recording, replayed: edges that nobody meets, locks that nobody gives back,
// mappings of any size.
#include "memory/record/recording.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "memory/record/record_format.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile held;
  constexpr size_t kThreads = 4;
  if (size < kThreads)
    return 0;
  std::string bytes(LENTO_HEADER + kThreads * LENTO_CHUNK, '\0');
  lento_header header = {};
  header.magic = LENTO_RECORD_MAGIC;
  header.bytes = bytes.size();
  header.next_chunk = kThreads;
  std::memcpy(bytes.data(), &header, sizeof header);
  const size_t each = std::min<size_t>((size - kThreads) / kThreads, LENTO_CHUNK - sizeof(lento_chunk));
  for (size_t t = 0; t < kThreads; ++t) {
    const lento_chunk head = {uint32_t(data[t] & 3) + 1, uint32_t(data[t] >> 2 & 3) + 1, t};
    char* at = bytes.data() + LENTO_HEADER + t * LENTO_CHUNK;
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, data + kThreads + t * each, each);
  }
  try {
    const lento::memory::Recording recording(
        held.fill(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    lento::memory::Relayout pad{lento::memory::Relayout::Kind::Pad, 0x1000, 0x2000, nullptr};
    pad.users = lento::memory::main_users(recording, pad.low, pad.high);
    lento::memory::replay_recording(recording, 64, {pad}, nullptr);
  } catch (const lento::base::Error&) {
  }
  return 0;
}
