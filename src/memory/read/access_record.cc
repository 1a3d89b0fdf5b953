// Names of delay causes and services, as traces, findings and tables print them.
#include "memory/read/access_record.h"

namespace lento::memory {

const char* to_string(DelayCause cause) {
  static constexpr const char* kNames[kDelayCauses] =
      {"none", "interconnect", "bank", "coherence", "writebuffer"};
  return kNames[int(cause)];
}

const char* to_string(Service service) {
  static constexpr const char* kNames[kServices] =
      {"unknown", "L1", "buffer", "L2", "L3", "memory", "remote memory", "peer", "remote peer", "page walk"};
  return kNames[int(service)];
}

}  // namespace lento::memory
