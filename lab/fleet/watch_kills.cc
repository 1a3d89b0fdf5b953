// Starts watches as processes, kills them at drawn moments around an alert and reads what they left: the
// alerts that were sent, the ledger of hooks and the marks of the hooks themselves.
#include "lab/fleet/watch_kills.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/rng.h"
#include "fleet/watch/hook_command.h"
#include "fleet/watch/watch.h"
#include "lab/fleet/sim_store.h"

namespace lento::fleet {
namespace {

using base::Error;

constexpr int64_t kTick = 5000;      // ms of the job between two steps of a watch
constexpr int64_t kBefore = 20'000;  // the processes begin so long before the fault

// Writes one line per message, whole: the file holds all that left the process.
class AlertFile : public AlertSink {
 public:
  AlertFile(const std::string& path, const SimClock& clock)
      : clock_(clock),
        file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
  }
  ~AlertFile() override {
    ::close(file_);
  }
  bool send(const std::vector<Alert>& alerts) override {
    for (const Alert& a : alerts) {
      const Told t = told_by(a, clock_.steady);
      const std::string machine = t.machine.empty() ? "-" : t.machine;
      const std::string line =
          std::to_string(t.at) + " " + std::to_string(a.ends_ms) + " " + t.kind + " " + machine + "\n";
      if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return false;
    }
    return true;
  }

 private:
  const SimClock& clock_;
  int file_;
};

// The parts of a case that a watch needs, equal in every process.
struct Setup {
  std::string folder;
  std::string hook = "rehearsed";  // a hook of the rehearsal that starts late writes into a file of its own
  SimClock clock;
  std::unique_ptr<SimStore> store;

  WatchOptions options(int watch) const {
    WatchOptions o;
    o.state = folder + "/state" + std::to_string(watch);
    o.ledger = folder + "/ledger";
    o.hook = true;
    o.hook_live = true;
    o.hook_per_hour = 100;
    return o;
  }
};

// A watch in a process of its own that makes one step for every time it is given.
class WatchProcess {
 public:
  WatchProcess(Setup& setup, int watch) {
    std::array<int, 2> down{};
    std::array<int, 2> up{};
    if (::pipe2(down.data(), O_CLOEXEC) != 0 || ::pipe2(up.data(), O_CLOEXEC) != 0)
      throw Error({}, "no pipes are left");
    pid_ = ::fork();
    if (pid_ < 0)
      throw Error({}, "no process can be started");
    if (pid_ == 0) {
      ::close(down[1]);
      ::close(up[0]);
      run(setup, watch, down[0], up[1]);
      ::_exit(0);
    }
    ::close(down[0]);
    ::close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  ~WatchProcess() {
    ::close(to_);
    ::close(from_);
    kill();
    int status = 0;
    ::waitpid(pid_, &status, 0);
  }
  WatchProcess(const WatchProcess&) = delete;

  void begin_step(int64_t steady) const {
    if (::write(to_, &steady, sizeof steady) != sizeof steady)
      throw Error({}, "a watch has ended by itself");
  }
  void await_step() const {
    char done = 0;
    if (::read(from_, &done, 1) != 1)
      throw Error({}, "a watch has ended by itself");
  }
  void kill() const {
    ::kill(pid_, SIGKILL);
  }

 private:
  static void run(Setup& setup, int watch, int from, int to) {
    const std::string folder = setup.folder;
    AlertFile alerts(folder + "/alerts", setup.clock);
    HookCommand hooks(folder + "/" + setup.hook);
    std::unique_ptr<FleetWatch> one;
    int64_t steady = 0;
    while (::read(from, &steady, sizeof steady) == sizeof steady) {
      setup.clock.steady = steady;
      if (!one)
        one = std::make_unique<FleetWatch>(
            WatchWorld{setup.clock, *setup.store, alerts, hooks},
            WatchLog{},
            setup.options(watch));
      one->step();
      if (::write(to, "", 1) != 1)
        break;
    }
  }

  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

struct NoAlerts : AlertSink {
  bool send(const std::vector<Alert>&) override {
    return true;
  }
};

class Case {
 public:
  explicit Case(const KillCase& c)
      : c_(c),
        rng_(c.seed, "kill", c.index) {
    setup_.folder = (std::filesystem::temp_directory_path() /
                     ("lento_kill_" + std::to_string(::getpid()) + "_" + std::to_string(c.index)))
                        .string();
    std::filesystem::create_directories(setup_.folder);
    write_hook("rehearsed");
    write_hook("hook");
    setup_.store = std::make_unique<SimStore>(setup_.clock, c.seed * 7919 + c.index);
    setup_.store->step = c.step_s * 1000;
    setup_.store->add_machines(8 + rng_.below(9), rng_);
    plant();
    warm();
  }
  ~Case() {
    watches_.clear();
    std::filesystem::remove_all(setup_.folder);
  }

  KillResult run() {
    const int64_t alert_at = rehearse();
    // The tick of the alert most of the time, otherwise one about it.
    const int64_t about = rng_.below(3) == 0 ? int64_t(rng_.below(8)) - 3 : int64_t(rng_.below(2));
    const int64_t kill_at = alert_at + about * kTick;
    const uint64_t whom = rng_.below(uint64_t(1) << c_.watches);  // a bit a watch; 0: all
    start_all();
    const int64_t end = fault_at_ + bar() + 240'000;
    for (int64_t t = begin_; t < end; t += kTick) {
      if (t == kill_at) {
        kill_within_step(t, whom == 0 ? ~uint64_t{0} : whom);
        away_ms_ = int64_t(rng_.below(12)) * kTick;
        back_at_ = t + kTick + away_ms_;
        continue;
      }
      if (t >= back_at_)
        start_all();
      step_all(t);
    }
    watches_.clear();
    return judge(end);
  }

 private:
  void write_hook(const std::string& name) const {
    const std::string path = setup_.folder + "/" + name;
    base::write_file(path, "#!/bin/sh\necho \"$2\" >>'" + path + "s'\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  void plant() {
    const int64_t warm = std::max<int64_t>(1'200'000, 30 * setup_.store->step);
    fault_at_ = kSimStart + warm + int64_t(rng_.below(60)) * 1000;
    begin_ = fault_at_ - kBefore;
    SimMachine& m = setup_.store->machines[3];
    faulty_ = m.name;
    (c_.silent ? m.down : m.slow).push_back({fault_at_, INT64_MAX});
  }

  // The state that every process starts from: twenty minutes without a fault.
  void warm() {
    NoAlerts alerts;
    SimHooks hooks;
    WatchOptions o = setup_.options(0);
    o.hook = false;
    o.hook_live = false;
    FleetWatch watch({setup_.clock, *setup_.store, alerts, hooks}, {}, o);
    for (; setup_.clock.steady < begin_; setup_.clock.steady += kTick)
      watch.step();
    watch.close();
    begin_ = setup_.clock.steady;
    std::filesystem::copy_file(setup_.folder + "/state0", setup_.folder + "/warm");
  }

  void reset_files() const {
    for (const char* name : {"/alerts", "/hooks", "/ledger", "/ledger-journal"})
      std::filesystem::remove(setup_.folder + name);
    for (int w = 0; w < c_.watches; ++w)
      std::filesystem::copy_file(
          setup_.folder + "/warm",
          setup_.folder + "/state" + std::to_string(w),
          std::filesystem::copy_options::overwrite_existing);
  }

  void start_all() {
    watches_.resize(size_t(c_.watches));
    for (int w = 0; w < c_.watches; ++w) {
      if (!watches_[size_t(w)])
        watches_[size_t(w)] = std::make_unique<WatchProcess>(setup_, w);
    }
  }

  void step_all(int64_t t) const {
    for (const auto& w : watches_) {
      if (w)
        w->begin_step(t);
    }
    for (const auto& w : watches_) {
      if (w)
        w->await_step();
    }
  }

  // Nobody is killed: when is the alert raised, and how long does that step take?
  int64_t rehearse() {
    reset_files();
    start_all();
    int64_t at = begin_;
    for (; at < fault_at_ + bar() && !raised(); at += kTick) {
      const auto start = std::chrono::steady_clock::now();
      step_all(at);
      step_us_ =
          std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start)
              .count();
    }
    watches_.clear();
    reset_files();
    setup_.hook = "hook";
    return at - kTick;
  }

  bool raised() const {
    return !alerts_of(setup_.folder + "/alerts", faulty_).empty();
  }

  void kill_within_step(int64_t t, uint64_t whom) {
    for (const auto& w : watches_)
      w->begin_step(t);
    const auto wait = int64_t(rng_.uniform(0, 1.3) * double(step_us_));
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
    for (size_t w = 0; w < watches_.size(); ++w) {
      if ((whom >> w & 1) == 0)
        continue;
      watches_[w]->kill();
      watches_[w].reset();
      ++result_.kills;
    }
    for (const auto& w : watches_) {
      if (w)
        w->await_step();
    }
    result_.story.push_back(
        std::to_string((t - fault_at_) / 1000) + " s: killed " + std::to_string(wait) +
        " us into a step of " + std::to_string(step_us_) + " us");
  }

  struct Post {
    int64_t at = 0;
    int64_t ends = 0;
    std::string kind;
    std::string machine;
  };

  static std::vector<Post> alerts_of(const std::string& path, const std::string& machine) {
    std::vector<Post> out;
    std::ifstream in(path);
    Post p;
    while (in >> p.at >> p.ends >> p.kind >> p.machine) {
      if (p.machine == machine && p.kind != "LentoHookUnknown")
        out.push_back(p);
    }
    return out;
  }

  int64_t bar() const {
    return 240'000 + 4 * setup_.store->step + kTick;
  }

  // The hook is a process of its own, which a machine under load may start late.
  void await_hook() const {
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (i > 3 && std::filesystem::exists(setup_.folder + "/hooks"))
        return;
      if (i > 3 && announced())
        return;
    }
  }

  bool announced() const {
    const std::string path = setup_.folder + "/alerts";
    return std::filesystem::exists(path) &&
           base::read_file(path).find("LentoHookUnknown " + faulty_) != std::string::npos;
  }

  KillResult judge(int64_t end) {
    await_hook();
    std::ifstream hooks(setup_.folder + "/hooks");
    for (std::string line; std::getline(hooks, line);)
      (line == faulty_ ? result_.hooks : result_.foreign_hooks) += 1;
    result_.announced = announced();
    const std::string kind = c_.silent ? "LentoSilentMachine" : "LentoDeviatingMachine";
    int64_t stands_until = INT64_MIN;
    for (const Post& p : alerts_of(setup_.folder + "/alerts", faulty_)) {
      if (p.kind != kind)
        continue;
      if (stands_until == INT64_MIN) {
        result_.raised = p.at <= fault_at_ + bar() + away_ms_ + kTick;
        result_.story.push_back("raised after " + std::to_string((p.at - fault_at_) / 1000) + " s");
      } else if (p.at > stands_until) {
        result_.lapsed = true;
      }
      stands_until = p.ends;
    }
    result_.lapsed = result_.lapsed || (result_.raised && stands_until < end);
    result_.story.push_back(
        "hooks " + std::to_string(result_.hooks) + (result_.announced ? ", announced as unknown" : ""));
    return result_;
  }

  KillCase c_;
  base::Rng rng_;
  Setup setup_;
  std::vector<std::unique_ptr<WatchProcess>> watches_;
  std::string faulty_;
  int64_t fault_at_ = 0;
  int64_t begin_ = 0;
  int64_t step_us_ = 0;
  int64_t away_ms_ = 0;
  int64_t back_at_ = 0;
  KillResult result_;
};

}  // namespace

KillCase kill_case(uint64_t seed, uint64_t index) {
  constexpr std::array<int, 3> steps{1, 10, 15};
  KillCase c;
  c.seed = seed;
  c.index = index;
  c.watches = 1 + int(index % 2);
  c.silent = index / 2 % 2 == 1;
  c.step_s = steps[index / 4 % steps.size()];
  return c;
}

KillResult run_kill_case(const KillCase& c) {
  return Case(c).run();
}

finding::TableFigure measure_watch_kills(uint64_t seed, uint64_t cases, const base::Progress& progress) {
  finding::TableFigure table;
  table.columns = {
      "watches",
      "trials",
      "kills",
      "hooks run",
      "hooks doubled",
      "hooks of others",
      "cut off and announced",
      "hooks lost without a word",
      "alerts lost"};
  std::map<int, std::array<uint64_t, 8>> rows;
  for (uint64_t i = 0; i < cases && !progress.stopped(); ++i) {
    progress("kills", double(i), double(cases));
    const KillCase c = kill_case(seed, i);
    const KillResult r = run_kill_case(c);
    const std::array<uint64_t, 8> one{
        1,
        uint64_t(r.kills),
        uint64_t(r.hooks),
        uint64_t(r.doubled()),
        uint64_t(r.foreign_hooks),
        uint64_t(r.announced),
        uint64_t(r.lost_hook()),
        uint64_t(r.lost_alert())};
    for (size_t k = 0; k < one.size(); ++k)
      rows[c.watches][k] += one[k];
  }
  for (const auto& [watches, sums] : rows) {
    std::vector<std::string> row{std::to_string(watches)};
    for (const uint64_t v : sums)
      row.push_back(std::to_string(v));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace lento::fleet
