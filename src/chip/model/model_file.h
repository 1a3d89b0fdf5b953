// A learnt model on disk: what a diagnosis of the same chip and mapping need not simulate again.
//
// The file is a cache and no document: it holds the numbers of this machine behind a digest of what they were
// learnt from and one of themselves. A file that is damaged, cut or of another version reads as none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chip/model/model.h"

namespace lento::chip {

// `key`: digest of chip, mapping and all else that the model depends on. Throws base::Error when the file
// cannot be written.
void write_model(const std::string& path, const std::string& key, const ChipModel& model);
std::optional<ChipModel> read_model(const std::string& path, const std::string& key, const LearnSetup& setup);

// Removes the files of a folder that were used longest ago, until the rest has at most this size. Only files
// that write_model() names so are touched.
inline constexpr const char* kModelSuffix = ".lento-chip";
void keep_newest_models(const std::string& folder, uint64_t most_bytes);

}  // namespace lento::chip
