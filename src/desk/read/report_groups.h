// Groups (Quantity::group) of what a report states without a known meaning. The reader of reports writes
// them, and the judge of states reads from them what may be asked of such a value.
#pragma once

namespace lento::desk {

constexpr const char* kUnreadGroup = "report, without a meaning";
constexpr const char* kPartsGroup = "report, without a meaning, of parts";  // not searched for outliers
constexpr const char* kInFull = ", read in full";  // appended where each line of the report was read

}  // namespace lento::desk
