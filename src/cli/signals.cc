// Ends a command cleanly on a signal. The handler only sets a flag and posts a semaphore, which is all that
// is safe there. A watcher thread waits for the semaphore and ends the process when the command has not ended
// in time. Crashes remove the temporary files and then take their usual course.
#include "cli/signals.h"

#include <fcntl.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "base/interrupt.h"
#include "base/temporary.h"
#include "base/units.h"
#include "base/visible.h"
#include "cli/run.h"

namespace lento::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A user waits about two seconds, and the grace period of a scheduler may be half a second of processor time.
// Both limits leave time for the removal of files.
constexpr auto kMostWall = std::chrono::milliseconds(1300);
constexpr double kMostCpuSeconds = 0.35;
constexpr auto kLook = std::chrono::milliseconds(10);

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
// Signals that end the process in their own way, after the temporary files have been removed.
constexpr std::array kCrashes = {SIGQUIT, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

sem_t g_asked;  // wakes the watcher
std::atomic<int> g_depth{0};
std::atomic<bool> g_hangup_reloads{false};
std::atomic<bool> g_reload{false};

// Handles a signal: the first one asks to stop, the second one ends the process.
void on_signal(int signal) {
  const int kept = errno;
  if (signal == SIGHUP && g_hangup_reloads) {
    g_reload = true;
  } else if (base::interrupted()) {
    base::remove_temporaries();
    ::_exit(130);
  } else {
    base::set_interrupted(true);
    ::sem_post(&g_asked);
  }
  errno = kept;
}

void on_crash(int signal) {
  base::remove_temporaries();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

struct Noted {
  std::mutex mutex;
  std::string what;
  double done = 0;
  double total = 0;
};
Noted& noted() {
  static Noted n;
  return n;
}

// Returns how far the work has come, for the message after a signal.
std::string how_far() {
  Noted& n = noted();
  const std::unique_lock lock(n.mutex, std::try_to_lock);
  if (!lock || n.what.empty())
    return {};
  std::string text = ": " + base::visible(n.what) + " " + base::format_number(n.done, 6);
  if (n.total > 0)
    text += " of " + base::format_number(n.total, 6);
  return text;
}

}  // namespace

struct Signals::Impl {
  std::array<struct sigaction, kEnding.size()> former_ending{};
  std::array<struct sigaction, kCrashes.size()> former_crashes{};
  std::atomic<bool> over{false};
  std::thread watcher;

  // Ends the process when it has not stopped some time after it was asked to.
  void watch() const {
    while (::sem_wait(&g_asked) != 0)
      continue;
    const Clock::time_point asked = Clock::now();
    const double spent = cpu_seconds();
    while (!over) {
      if (Clock::now() - asked > kMostWall || cpu_seconds() - spent > kMostCpuSeconds)
        end();
      std::this_thread::sleep_for(kLook);
    }
  }

  [[noreturn]] static void end() {
    const std::string text = "error: interrupted" + how_far() + "; nothing more was written\n";
    base::remove_temporaries();
    if (::write(2, text.data(), text.size()) < 0)
      errno = 0;  // stderr is gone too
    ::_exit(130);
  }
};

// A command may run others in this process (the demo does). They share the handlers of the first.
Signals::Signals() {
  if (g_depth++ > 0)
    return;
  impl_ = std::make_unique<Impl>();
  base::set_interrupted(false);
  g_hangup_reloads = false;
  g_reload = false;
  note_progress({}, 0, 0);
  ::sem_init(&g_asked, 0, 0);
  // The watcher blocks all signals, so that a signal interrupts the blocked read of another thread.
  sigset_t all;
  sigset_t former;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &former);
  impl_->watcher = std::thread([impl = impl_.get()] {
    impl->watch();
  });
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: a read that waits is broken off
  for (size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &impl_->former_ending[i]);
    const bool ignored = impl_->former_ending[i].sa_handler == SIG_IGN;  // nohup, a shell's background job
    if (!ignored)
      ::sigaction(kEnding[i], &action, nullptr);
  }
  action.sa_handler = on_crash;
  action.sa_flags = int(SA_RESETHAND);
  for (size_t i = 0; i < kCrashes.size(); ++i) {
    ::sigaction(kCrashes[i], nullptr, &impl_->former_crashes[i]);
    const bool default_action = impl_->former_crashes[i].sa_handler == SIG_DFL;  // else a sanitizer's
    if (default_action)
      ::sigaction(kCrashes[i], &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a write over the limit fails and says so
}

Signals::~Signals() {
  --g_depth;
  if (!impl_)
    return;
  impl_->over = true;
  ::sem_post(&g_asked);
  impl_->watcher.join();
  for (size_t i = 0; i < kEnding.size(); ++i)
    ::sigaction(kEnding[i], &impl_->former_ending[i], nullptr);
  for (size_t i = 0; i < kCrashes.size(); ++i)
    ::sigaction(kCrashes[i], &impl_->former_crashes[i], nullptr);
  ::sem_destroy(&g_asked);
}

void note_progress(std::string_view what, double done, double total) {
  Noted& n = noted();
  const std::lock_guard lock(n.mutex);
  n.what = what;
  n.done = done;
  n.total = total;
}

void hangup_reloads() {
  g_hangup_reloads = true;
}
bool take_reload() {
  return g_reload.exchange(false);
}

void hold_standard_descriptors() {
  // Each descriptor is opened in the wrong direction, so that its use is an error as on a closed one.
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      const int got = ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
      if (got != fd)
        ::_exit(2);  // the lowest free number is given out: cannot be
    }
}

}  // namespace lento::cli
