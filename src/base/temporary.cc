// Creates temporary files and puts them in place of their targets. A signal handler must be able to remove
// them, so the names are in a fixed table of atomic slots, without locks or allocation.
#include "base/temporary.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace lento::base {
namespace {

// A table of names to unlink when a signal ends the process. The text of a slot is complete before its state
// is `Used`.
enum State : int {
  Free,
  Taken,
  Used
};
struct Slot {
  std::atomic<int> state{Free};
  char path[4096];
};
std::array<Slot, 64> g_slots;

// Reserves a place in the table of temporary files, which a signal handler can remove. Returns -1 when full.
int reserve_slot(const std::string& path) {
  for (size_t i = 0; i < g_slots.size() && path.size() < sizeof g_slots[i].path; ++i) {
    int expected = Free;
    if (!g_slots[i].state.compare_exchange_strong(expected, Taken))
      continue;
    std::memcpy(g_slots[i].path, path.c_str(), path.size() + 1);
    g_slots[i].state = Used;
    return int(i);
  }
  return -1;  // more than the table holds: the destructor still removes it
}

void release_slot(int& slot) {
  if (slot >= 0)
    g_slots[size_t(slot)].state = Free;
  slot = -1;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return "./";
  return path.substr(0, slash + 1);
}

// Returns a name that another user of the folder cannot guess.
std::string random_name() {
  constexpr const char* kHex = "0123456789abcdef";
  unsigned char bytes[8] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return std::to_string(::getpid());
  std::string text;
  for (const unsigned char b : bytes)
    text += {kHex[b >> 4], kHex[b & 15]};
  return text;
}

constexpr int kTries = 16;

}  // namespace

Temporary::Temporary(const std::string& target)
    : stem_(folder_of(target) + ".lento-") {
  // A file without a name gets one later through /proc, so /proc must be there.
  if (::access("/proc/self/fd", X_OK) == 0)
    fd_ = ::open(folder_of(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  for (int i = 0; fd_ < 0 && i < kTries; ++i) {
    name_ = stem_ + random_name();
    slot_ = reserve_slot(name_);
    fd_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ >= 0)
      return;
    const int why = errno;
    release_slot(slot_);
    name_.clear();
    errno = why;
    if (why != EEXIST)
      return;
  }
}

Temporary::~Temporary() {
  if (!name_.empty())
    ::unlink(name_.c_str());
  release_slot(slot_);
  if (fd_ >= 0)
    ::close(fd_);
}

// Gives the unnamed temporary file a name. Returns false when that fails.
bool Temporary::link_name() {
  if (!name_.empty())
    return true;
  const std::string self = "/proc/self/fd/" + std::to_string(fd_);
  for (int i = 0; i < kTries; ++i) {
    const std::string name = stem_ + random_name();
    slot_ = reserve_slot(name);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      name_ = name;
      return true;
    }
    const int why = errno;
    release_slot(slot_);
    errno = why;
    if (why != EEXIST)
      return false;
  }
  return false;
}

bool Temporary::replace(const std::string& target) {
  struct stat old {};
  // The new file gets owner and mode of the old one, so that the same users can read it. The change of owner
  // may fail for lack of rights, and the mode is then still the same.
  if (::stat(target.c_str(), &old) == 0) {
    if (::fchown(fd_, old.st_uid, old.st_gid) != 0)
      errno = 0;
    if (::fchmod(fd_, old.st_mode & 07777) != 0)
      return false;
  }
  if (::fsync(fd_) != 0 && errno != EINVAL)
    return false;
  if (!link_name())
    return false;
  if (::rename(name_.c_str(), target.c_str()) != 0)
    return false;
  name_.clear();
  release_slot(slot_);
  return true;
}

void remove_temporaries() {
  const int kept = errno;
  for (Slot& slot : g_slots)
    if (slot.state == Used)
      ::unlink(slot.path);
  errno = kept;
}

}  // namespace lento::base
