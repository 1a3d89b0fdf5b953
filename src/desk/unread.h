// Reports files that no part of Lento reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "desk/recognise.h"
#include "finding/finding.h"

namespace lento::desk {

// Returns the verdict *cannot judge* with `remedy` when at least one of the files is text whose lines mostly
// hold numbers, which a reader or a peer could make judgeable. Nothing when any file has a role, or all are
// prose, programs or settings.
std::optional<finding::Diagnosis> verdict_on_unread(
    const std::vector<RecognisedFile>& files,
    const std::string& remedy);

}  // namespace lento::desk
