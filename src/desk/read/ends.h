// The two ends of a measurement between hosts, as the name of one file states them: "ibw_n1_n2.txt".
#pragma once

#include <string>
#include <vector>

namespace lento::desk {

inline constexpr const char* kEndsJoint = " and ";

// Returns both hosts of "n1 and n2", or the one host of "n1".
inline std::vector<std::string> ends_of(const std::string& hosts) {
  const std::string joint = kEndsJoint;
  const size_t at = hosts.find(joint);
  if (at == std::string::npos)
    return {hosts};
  return {hosts.substr(0, at), hosts.substr(at + joint.size())};
}

}  // namespace lento::desk
