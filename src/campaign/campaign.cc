// Runs many independent simulations once each. Threads of one process take the next run from a Ledger under a
// lock. Rank 0 also answers the other ranks, one message per run, so that fast machines do more runs than
// slow ones. Only rank 0 writes the journal.
#include "campaign/campaign.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "campaign/journal.h"
#include "campaign/ranks.h"

namespace lento::campaign {
namespace {

// Hands out runs that are not done, keeps their results and writes the journal. Safe from several threads.
class Ledger {
 public:
  Ledger(uint64_t count, const Options& options)
      : options_(options) {
    outcome_.results.resize(count);
    if (!options.journal.empty())
      journal_ = std::make_unique<Journal>(options.journal, options.identity);
    if (!journal_)
      return;
    for (const auto& [run, result] : journal_->done()) {
      if (run >= count)
        throw base::Error(
            {options.journal},
            "the journal holds run " + std::to_string(run) + " of a campaign of " + std::to_string(count));
      outcome_.results[run] = result;
      ++outcome_.resumed;
    }
    done_ = outcome_.resumed;
  }

  // Returns the number of the next run to do, or kNone when all are handed out, a run failed or the user
  // stopped.
  uint64_t next() {
    const std::lock_guard lock(mutex_);
    if (failure_ || options_.progress.stopped())
      return kNone;
    while (next_ < outcome_.results.size() && !outcome_.results[next_].empty())
      ++next_;
    if (next_ < outcome_.results.size())
      return next_++;
    return kNone;
  }

  // Takes the result of a run and writes it to the journal.
  void take(uint64_t run, const std::string& result) {
    const std::lock_guard lock(mutex_);
    if (result.empty()) {  // given up because the user stopped
      LENTO_CHECK(options_.progress.stopped(), "a run must have a result");
      return;
    }
    outcome_.results[run] = result;
    if (journal_)
      journal_->append(run, result);
    ++done_;
    options_.progress("runs", double(done_), double(outcome_.results.size()));
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_)
      failure_ = failure;
  }

  // Returns all results. Rethrows the first failure of a run.
  Outcome finish() {
    if (failure_)
      std::rethrow_exception(failure_);
    outcome_.complete = done_ == outcome_.results.size();
    return std::move(outcome_);
  }

 private:
  const Options& options_;
  std::unique_ptr<Journal> journal_;
  std::mutex mutex_;
  Outcome outcome_;
  uint64_t next_ = 0;
  uint64_t done_ = 0;
  std::exception_ptr failure_;
};

// Performs runs in this process until none is left.
void run_locally(Ledger& ledger, const Run& run) {
  try {
    for (uint64_t i = ledger.next(); i != kNone; i = ledger.next())
      ledger.take(i, run(i));
  } catch (...) {
    ledger.fail(std::current_exception());
  }
}

// Records a result. A journal that cannot be written ends the campaign and not the program, so that the other
// ranks and threads get their last answer.
void record_report(Ledger& ledger, const Report& report) {
  try {
    ledger.take(report.run, report.text);
  } catch (...) {
    ledger.fail(std::current_exception());
  }
}

// Answers the other ranks, on rank 0, until each has received kNone.
void serve(Ledger& ledger, Ranks* ranks) {
  int others = world(ranks).size - 1;
  while (others > 0) {
    Report report;
    if (!ranks->poll_report(report)) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    if (report.failed)
      ledger.fail(std::make_exception_ptr(base::Error({"rank " + std::to_string(report.rank)}, report.text)));
    else if (report.run != kNone)
      record_report(ledger, report);
    const uint64_t next = ledger.next();
    ranks->send_run(report.rank, next);
    if (next == kNone)
      --others;
  }
}

// Performs one run at a time on a worker rank until rank 0 sends kNone. To use more cores, start more ranks.
void run_remotely(Ranks& ranks, const Run& run) {
  Report report;
  for (;;) {
    ranks.send_report(report);
    const uint64_t next = ranks.receive_run();
    if (next == kNone)
      return;
    report = {0, next, false, {}};
    try {
      report.text = run(next);
    } catch (const std::exception& e) {
      report.failed = true;
      report.text = e.what();
    }
  }
}

}  // namespace

World world(Ranks* ranks) {
  if (ranks)
    return ranks->world();
  return World{};
}

Outcome run_all(uint64_t count, const Run& run, const Options& options) {
  const World here = world(options.ranks);
  if (here.rank > 0) {
    run_remotely(*options.ranks, run);
    return {};
  }
  std::unique_ptr<Ledger> ledger;
  try {
    ledger = std::make_unique<Ledger>(count, options);
  } catch (...) {
    // Serving an empty ledger sends kNone to the other ranks, which wait for a run, before this rank throws.
    Options none;
    Ledger empty(0, none);
    serve(empty, options.ranks);
    throw;
  }
  // With several ranks, each rank computes on one thread, and a further thread of rank 0 hands out the runs.
  const unsigned threads = here.size > 1 ? 1 : options.threads ? options.threads : base::hardware_threads();
  {
    std::vector<std::jthread> workers;
    const auto most = unsigned(std::clamp<uint64_t>(count, 1, threads));
    for (unsigned i = 0; i < most; ++i)
      workers.emplace_back([&] {
        run_locally(*ledger, run);
      });
    serve(*ledger, options.ranks);
  }
  return ledger->finish();
}

}  // namespace lento::campaign
