// Reports files with numbers that none of Lento's readers recognises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "desk/recognise.h"
#include "finding/finding.h"

namespace lento::desk {

// Returns the verdict *cannot judge* when at least one of the files is a text, JSON file or table most of
// whose lines hold numbers. `remedy` and the same output of other hosts, which could be compared with it, are
// what would help. Returns nothing when any file has a role (desk/recognise.h), or all are prose, programs or
// settings.
std::optional<finding::Diagnosis> verdict_on_unread(
    const std::vector<RecognisedFile>& files,
    const std::string& remedy);

// The same for files of any kind. Returns nothing when none of them holds numbers in most of its lines.
std::optional<finding::Diagnosis> verdict_on_numbers(
    std::vector<std::string> unread,
    const std::string& remedy);

}  // namespace lento::desk
