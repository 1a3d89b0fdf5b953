// Reads the collectives of one rank from a Kineto (PyTorch profiler) trace, docs/formats/kineto.md.
#pragma once

#include <string>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// Streams the file: memory grows with its kernels (16 bytes each) and collectives, not with its bytes. A
// communication kernel without arguments is counted as `unlabelled`. Throws base::Error when the text is
// damaged outside of its events.
RankTrace read_kineto_collectives(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
