// Passes the events of growing logs to a watch of metrics: kernel logs, journals and other files of the
// desk's formats. Each names its machines in its lines or in its file name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/feed.h"
#include "fleet/scan/codes.h"

namespace lento::desk {

class LogEvents : public fleet::EventFeed {
 public:
  // `paths` are files and folders. `note` gets the first error of a series of failed reads.
  LogEvents(std::vector<std::string> paths, std::function<void(const std::string&)> note);

  // Reads the files again when one of them changed, at most every ten seconds.
  std::vector<fleet::MachineEvent> since(int64_t begin_ms) override;

 private:
  // For each file its size in bytes and the time of its last change in ticks of std::filesystem's clock.
  using Stamps = std::map<std::string, std::pair<uint64_t, int64_t>>;

  Stamps stamps() const;
  void read(const Stamps& stamps);

  std::vector<std::string> paths_;
  std::function<void(const std::string&)> note_;
  Stamps read_;
  int64_t looked_ms_ = INT64_MIN;  // steady
  bool noted_ = false;
  std::vector<fleet::MachineEvent> events_;  // the oldest first
};

// Returns the meaning of an Xid error of NVIDIA's catalogue, for codes among the metrics of a fleet.
fleet::CodeMeaning meaning_of_xid(int64_t code);

}  // namespace lento::desk
