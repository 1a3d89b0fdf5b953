// Reads NCCL's RAS answer in JSON ("verbose status", docs/formats/nccl-ras.md).
#pragma once

#include <string>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

RasAnswer read_ras_answer(const std::string& path, base::ReadReport& report);

}  // namespace lento::fleet::ranks
