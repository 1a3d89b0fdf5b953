// A learnt model on disk: what a diagnosis of the same chip and mapping need not simulate again.
//
// The file is a cache and no document: it holds the numbers of this machine behind a digest of what they were
// learnt from and one of themselves. A file that is damaged, cut or of another version counts as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chip/model/model.h"

namespace lento::chip {

// `key` identifies chip, mapping and all else that the model depends on. write_model() throws base::Error
// when the file cannot be written. read_model() returns nullopt when there is no file, or when the file is
// damaged, of another version, of another key or of another number of inferences.
void write_model(const std::string& path, const std::string& key, const ChipModel& model);
std::optional<ChipModel> read_model(const std::string& path, const std::string& key, const LearnSetup& setup);

// Removes the files of a folder that were used longest ago, until the rest has at most this size. Only files
// whose names end in kModelSuffix count and are removed. Errors of the file system are ignored.
inline constexpr const char* kModelSuffix = ".lento-chip";
void keep_newest_models(const std::string& folder, uint64_t most_bytes);

}  // namespace lento::chip
