// Reads the collectives of one rank from a Kineto (PyTorch profiler) trace, docs/formats/kineto.md.
#pragma once

#include <string>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// Streams the file: memory grows with its kernels (16 bytes each) and collectives, not with its bytes. A
// communication kernel without arguments is counted as `unlabelled`. A file that lacks its end is read up to
// its last whole event: it is counted in the report and RankTrace::closed is false. Throws base::Error when
// the text is damaged outside of its events, and when it ends before its first whole event.
RankTrace read_kineto_collectives(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
