// The part of a machine that a report describes at a line, from the headings above it and from indentation.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "desk/general/report_lines.h"
#include "desk/read/observation.h"
#include "desk/read/rank_word.h"

namespace lento::desk {

// Keeps the hardware part (a device, a port, a service) that the next lines describe: the one that the last
// heading or pair names which is not indented deeper than they are.
class PartContext {
 public:
  void name(size_t indent, std::string_view device) {
    while (!parts_.empty() && parts_.back().indent >= indent)
      parts_.pop_back();
    constexpr size_t kDeepest = 64;
    if (parts_.size() < kDeepest)
      parts_.push_back({indent, std::string(device)});
  }
  // Forgets the parts whose names are indented deeper than the line at `indent`.
  void enter(size_t indent) {
    while (!parts_.empty() && parts_.back().indent > indent)
      parts_.pop_back();
  }
  // Sets the host that wrote the line, or "".
  void set_host(std::string host) {
    host_ = std::move(host);
  }
  const std::string& host() const {
    return host_;
  }
  // Returns the part of the line's host with a name, which may be that of a rank, or of a host with its port:
  // "node7:9000".
  Subject part(std::string device) const {
    const RankWord rank = rank_in(device);
    const bool is_rank = !rank.number.empty() && rank.begin == 0 && rank.end == device.size();
    if (host_.empty() && names_server(device))
      return {device.substr(0, device.find(':')), "", ""};
    return is_rank ? Subject{host_, "", rank.number} : Subject{host_, std::move(device), ""};
  }
  Subject subject(bool is_numbered) const {
    return part(device(is_numbered));
  }
  // Returns the name of the part that was named last and is still described. Returns "" when there is none
  // or, with `is_numbered`, when its name has no number.
  std::string device(bool is_numbered) const {
    for (size_t i = parts_.size(); i-- > 0;)
      if (!parts_[i].device.empty())
        return !is_numbered || parts_[i].device.find_first_of("0123456789") != std::string::npos
                   ? parts_[i].device
                   : "";
    return "";
  }

 private:
  struct Part {
    size_t indent;
    std::string device;
  };
  std::vector<Part> parts_;
  std::string host_;
};

}  // namespace lento::desk
