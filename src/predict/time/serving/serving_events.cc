// Simulates serving event by event.
//
// One engine is simulated with its share of the traffic, because the engines of a pool are alike. Between
// two events (an arrival, a finished request, a chunk of a prompt) every step does the same work except that
// contexts grow by a token. Such runs of steps are advanced at once, so that the cost depends on the number
// of events and not of tokens.
//
// Invariants
//   1. a request occupies pages of prompt and output from its first chunk to its last token
//   2. a step takes at most `chunk` tokens, decoding requests first
//   3. prompts are taken in order of arrival; one that does not fit the cache waits, and those behind it
#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>

#include "base/rng.h"
#include "evidence/sample.h"
#include "predict/time/collective.h"
#include "predict/time/serving/serving_pool.h"
#include "predict/time/serving/serving_step.h"

namespace lento::predict {
namespace {

constexpr double kCacheShare = 0.9;  // share of the memory free after the weights that the cache gets
constexpr double kPage = 32;         // tokens in a page of the cache
constexpr double kNever = 1e300;
constexpr int64_t kMostEvents = 20'000'000;

struct Request {
  double arrived = 0;
  double prompt = 0;
  double output = 0;
  double done = 0;   // prompt tokens prefilled so far
  double first = 0;  // time of the first token
};

struct Running {
  double finish_step;  // step number at which the request ends
  size_t request;
  double start_step;  // step number at which it began to decode
  bool operator>(const Running& other) const {
    return finish_step != other.finish_step ? finish_step > other.finish_step : request > other.request;
  }
};

Percentiles percentiles(std::vector<double>& values) {
  if (values.empty())
    return {};
  return {evidence::quantile(values, 0.5), evidence::quantile(values, 0.9), evidence::quantile(values, 0.99)};
}

// Values with weights, for percentiles over many tokens.
class Weighted {
 public:
  void add(double value, double weight) {
    seen_.emplace_back(value, weight);
    total_ += weight;
  }
  Percentiles result() {
    std::ranges::sort(seen_);
    return {at(0.5), at(0.9), at(0.99)};
  }

 private:
  // Returns the weighted quantile of the values seen.
  double at(double share) const {
    double sum = 0;
    for (const auto& [value, weight] : seen_) {
      sum += weight;
      if (sum >= share * total_)
        return value;
    }
    return seen_.empty() ? 0 : seen_.back().first;
  }
  std::vector<std::pair<double, double>> seen_;
  double total_ = 0;
};

class Simulation {
 public:
  Simulation(
      const ServingRun& run,
      const StepTimes& decode,
      PrefillPool* pool,
      const ServingConstants& constants,
      double cache_tokens)
      : run_(run),
        traffic_(run.traffic),
        times_(decode),
        pool_(pool),
        constants_(constants),
        first_s_(constants.first_s),
        cache_tokens_(cache_tokens),
        rng_(run.traffic.seed, "serving"),
        together_(std::max<int64_t>(1, (traffic_.together + run.decode.copies - 1) / run.decode.copies)),
        per_s_(traffic_.per_s / run.decode.copies) {
    const int64_t wanted = traffic_.requests > 0
                               ? (traffic_.requests + run.decode.copies - 1) / run.decode.copies
                           : traffic_.at_once   ? together_
                           : traffic_.per_s > 0 ? std::max<int64_t>(1, int64_t(3600 * per_s_))
                                                : 10 * together_;
    requests_.reserve(size_t(wanted));
    wanted_ = size_t(wanted);
  }

  ServingTime result();

 private:
  bool closed() const {
    return traffic_.per_s <= 0;
  }
  bool checks_arrivals() const;
  bool holds_prompts_back();
  double steps_to_look(double steps) const;
  void arrive(double time);
  void queue_arrivals();
  void take_from_pool();
  void admit();
  void step();
  void start_decoding(size_t id);
  void finish_due();
  double next_arrival() const {
    const double begin = pool_ ? pool_->next_begin() : kNever;
    return arrivals_.empty() ? begin : std::min(begin, arrivals_.front().first);
  }

  const ServingRun& run_;
  const Traffic& traffic_;
  const StepTimes& times_;
  PrefillPool* pool_;
  const ServingConstants& constants_;
  double first_s_;
  double cache_tokens_;  // capacity of one engine's cache
  base::Rng rng_;
  int64_t together_;
  double per_s_;
  size_t wanted_ = 0;

  std::vector<Request> requests_;
  std::deque<std::pair<double, size_t>> arrivals_;  // in order of time
  std::deque<size_t> waiting_;
  std::deque<size_t> prefilling_;
  bool took_prompts_ = false;      // whether the last step contained prompts
  double prompts_wait_until_ = 0;  // step number until which the waiting prompts are held back
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double now_ = 0;
  double last_arrival_ = 0;
  double step_count_ = 0;
  double context_sum_ = 0;  // summed over the running requests
  double used_ = 0;         // tokens of the cache in use
  double most_used_ = 0;
  double busy_ = 0;
  double together_time_ = 0;
  std::vector<double> first_;
  std::vector<double> per_token_;
  std::vector<double> whole_;
  Weighted steps_;
  double output_ = 0;
  double input_ = 0;
  int64_t events_ = 0;
};

// Adds a request that arrives at `time` (seconds), with prompt and output length drawn at random.
void Simulation::arrive(double time) {
  if (requests_.size() >= wanted_)
    return;
  const double length = traffic_.shortest >= 1 ? 1 : rng_.uniform(traffic_.shortest, 1);
  const double other = traffic_.shortest >= 1 ? 1 : rng_.uniform(traffic_.shortest, 1);
  Request r;
  r.arrived = time;
  r.prompt = std::max(1.0, std::round(length * double(traffic_.prompt)));
  r.output = std::max(1.0, std::round(other * double(traffic_.output)));
  requests_.push_back(r);
  if (pool_)
    pool_->submit({time, r.prompt, requests_.size() - 1});
  else
    arrivals_.emplace_back(time, requests_.size() - 1);
}

// Adds the requests whose prefill the pool has begun to the arrivals, sorted by the end of the prefill, which
// may differ from the order of the beginnings.
void Simulation::take_from_pool() {
  for (const PrefillPool::Done& d : pool_->begun(now_)) {
    requests_[d.request].first = d.time;
    const auto at = std::ranges::upper_bound(arrivals_, d.time, {}, &std::pair<double, size_t>::first);
    arrivals_.insert(at, {d.time, d.request});
  }
}

// Returns whether the engine checks for new requests now: after each step with prompts, and every `look`
// steps while it only decodes.
bool Simulation::checks_arrivals() const {
  const double look = constants_.look;
  const bool idle = running_.empty() && prefilling_.empty();
  return pool_ || idle || took_prompts_ ||
         std::floor(step_count_ / look) > std::floor((step_count_ - 1) / look);
}

// Returns the steps to the first check for new requests after at least `steps` steps.
double Simulation::steps_to_look(double steps) const {
  if (pool_)
    return steps;
  const double look = std::ceil((step_count_ + steps) / constants_.look - 1e-9) * constants_.look;
  return std::ceil(look - step_count_ - 1e-9);
}

// Returns whether waiting prompts are held back. When each device computes attention for its own requests
// (Engine::attention_by_request), all devices wait for the one that takes a prompt. The engine therefore
// collects prompts until each device has one, for at most `balance` steps.
bool Simulation::holds_prompts_back() {
  const size_t devices = size_t(times_.attention_groups());
  const bool never = pool_ || devices == 1 || constants_.balance <= 1;
  if (never || running_.empty() || !prefilling_.empty() || step_count_ >= prompts_wait_until_)
    return false;
  std::vector<char> has(devices);
  for (const size_t id : waiting_)
    has[base::mix64(id ^ traffic_.seed) % devices] = 1;
  return std::ranges::count(has, 1) < long(devices);
}

// Moves arrived requests to the queue, and draws the next random arrival.
void Simulation::queue_arrivals() {
  const bool none_waited = waiting_.empty();
  while (!arrivals_.empty() && arrivals_.front().first <= now_) {
    waiting_.push_back(arrivals_.front().second);
    arrivals_.pop_front();
    if (!closed() && !pool_ && requests_.size() < wanted_) {
      last_arrival_ += rng_.exponential(1 / per_s_);
      arrive(last_arrival_);
    }
  }
  if (none_waited && !waiting_.empty())
    prompts_wait_until_ = step_count_ + std::floor(constants_.balance);
}

// Starts the queued requests for which the cache has room, in order.
void Simulation::admit() {
  if (pool_)
    take_from_pool();
  if (checks_arrivals())
    queue_arrivals();
  if (holds_prompts_back())
    return;
  while (!waiting_.empty()) {
    const Request& r = requests_[waiting_.front()];
    const double need = std::ceil((r.prompt + r.output) / kPage) * kPage;
    const size_t here = running_.size() + prefilling_.size();
    const bool most = run_.most_together > 0 && here >= size_t(run_.most_together);
    if (most || (here > 0 && used_ + need > cache_tokens_))
      return;
    used_ += need;
    most_used_ = std::max(most_used_, used_);
    const size_t id = waiting_.front();
    waiting_.pop_front();
    if (pool_) {
      start_decoding(id);
    } else {
      prefilling_.push_back(id);
    }
  }
}

// Moves a request whose prompt is prefilled into the decoding batch.
void Simulation::start_decoding(size_t id) {
  const Request& r = requests_[id];
  const double steps = std::max(1.0, std::ceil((r.output - 1) / run_.accepted));
  context_sum_ += r.prompt + 1;
  running_.push({step_count_ + steps, id, step_count_});
}

// Removes finished requests and records their latencies. In a closed loop a new request arrives for each.
void Simulation::finish_due() {
  while (!running_.empty() && running_.top().finish_step <= step_count_ + 1e-9) {
    const Running ended = running_.top();
    const Request& r = requests_[ended.request];
    running_.pop();
    // The request's context: its prompt and the tokens of its steps. Its last step may yield more tokens
    // than requested.
    context_sum_ -= r.prompt + 1 + run_.accepted * (step_count_ - ended.start_step);
    used_ -= std::ceil((r.prompt + r.output) / kPage) * kPage;
    output_ += r.output;
    input_ += r.prompt;
    first_.push_back(r.first - r.arrived + first_s_);
    whole_.push_back(now_ - r.arrived + first_s_);
    if (r.output > 1)
      per_token_.push_back((now_ - r.first) / (r.output - 1));
    if (closed() && !traffic_.at_once)
      arrive(now_);
  }
  if (running_.empty())
    context_sum_ = 0;
}

// Runs one step with prompts, or as many steps without prompts as have the same work.
void Simulation::step() {
  StepWork work;
  work.decoding = double(running_.size());
  work.context = running_.empty() ? 0 : context_sum_ / work.decoding;
  double room = std::max(1.0, double(run_.chunk) - work.decoding);
  std::vector<size_t> ended;
  double pairs = 0;
  for (const size_t id : prefilling_) {
    if (room <= 0)
      break;
    Request& r = requests_[id];
    const double taken = std::min(room, r.prompt - r.done);
    r.done += taken;
    room -= taken;
    work.prompt_tokens += taken;
    work.prompts += 1;
    pairs += taken * (r.done - taken / 2);
    if (r.done >= r.prompt)
      ended.push_back(id);
  }
  double steps = 1;
  if (work.prompt_tokens > 0) {
    // A token attends to its own prompt only. This context gives a prompt of mean length the mean number of
    // query-key pairs.
    work.prompt_context = pairs / work.prompt_tokens + work.prompt_tokens / work.prompts / 2;
  } else {
    steps = std::max(1.0, running_.top().finish_step - step_count_);
    const double one = times_.seconds(work, constants_);
    const double until = next_arrival() - now_;
    if (until < steps * one)
      steps = std::clamp(steps_to_look(std::max(1.0, std::ceil(until / one))), 1.0, steps);
    if (!waiting_.empty() && prompts_wait_until_ > step_count_)
      steps = std::min(steps, prompts_wait_until_ - step_count_);
    steps = std::min(steps, std::max(1.0, std::floor(work.context / 8)));
    work.context += run_.accepted * steps / 2;
  }
  const double one = times_.seconds(work, constants_);
  took_prompts_ = work.prompt_tokens > 0;
  now_ += steps * one;
  step_count_ += steps;
  busy_ += steps * one;
  together_time_ += steps * one * work.decoding;
  context_sum_ += steps * run_.accepted * work.decoding;
  if (work.decoding > 0)
    steps_.add(one, steps * work.decoding);
  finish_due();
  for (const size_t id : ended) {
    prefilling_.pop_front();
    Request& r = requests_[id];
    r.first = now_;
    start_decoding(id);
  }
}

// Returns whether the queue is steady: the requests in the last quarter then wait as long as those in the
// second quarter. In a growing queue later requests wait longer.
bool keeps_up(const std::vector<double>& in_order) {
  constexpr size_t kFew = 40;
  // Largest ratio of the waits that counts as steady. A queue that grows without end reaches 2.3.
  constexpr double kGrown = 1.5;
  if (in_order.size() < kFew)
    return true;
  const auto quarter = [&in_order](size_t i) {
    const auto from = in_order.begin() + long(i * in_order.size() / 4);
    const auto to = in_order.begin() + long((i + 1) * in_order.size() / 4);
    return evidence::median(std::vector<double>(from, to));
  };
  return quarter(3) < kGrown * quarter(1);
}

// Runs the simulation to its end and summarises latencies, rates and batch sizes.
ServingTime Simulation::result() {
  if (closed()) {
    const int64_t start = std::min<int64_t>(together_, int64_t(wanted_));
    for (int64_t i = 0; i < start; ++i)
      arrive(0);
  } else {
    do {
      last_arrival_ += rng_.exponential(1 / per_s_);
      arrive(last_arrival_);
    } while (pool_ && requests_.size() < wanted_);  // a pool admits all waiting requests together
  }
  while (first_.size() < wanted_ && events_ < kMostEvents) {
    ++events_;
    if (running_.empty() && prefilling_.empty() && waiting_.empty())
      now_ = std::max(now_, next_arrival());
    admit();
    if (!running_.empty() || !prefilling_.empty())
      step();
  }
  ServingTime t;
  t.finished = int64_t(first_.size()) * run_.decode.copies;
  t.seconds = now_;
  t.steps = int64_t(step_count_);
  t.output_tokens_per_s = output_ / now_ * run_.decode.copies;
  t.input_tokens_per_s = input_ / now_ * run_.decode.copies;
  t.mean_together = together_time_ / std::max(1e-12, busy_);
  t.cache_share = most_used_ / cache_tokens_;
  t.keeps_up = closed() || keeps_up(whole_);
  t.first_token_s = percentiles(first_);
  t.per_token_s = percentiles(per_token_);
  t.request_s = percentiles(whole_);
  t.step_s = steps_.result();
  return t;
}

// Throws base::Error when a parallel degree of the engine does not divide the model's sizes.
void check(const ServingRun& run, const Engine& engine, const base::Location& where) {
  const int tensor = engine.attention_by_request ? 1 : engine.tensor;
  check_transformer(run.model, tensor, engine.pipeline, where);
  // Experts may be replicated, so any number of ways up to the number of experts is valid.
  if (engine.expert > 1 && engine.expert > run.model.experts)
    throw base::Error(
        where,
        std::to_string(run.model.experts) + " experts do not spread over " + std::to_string(engine.expert) +
            " ways",
        "choose an expert-parallel number up to that of the experts");
  const Traffic& t = run.traffic;
  const bool nothing = t.per_s < 0 || t.together < 1 || t.prompt < 1 || t.output < 1 || run.accepted < 1;
  if (nothing)
    throw base::Error(
        where,
        "traffic of no requests or tokens",
        "rate 0 or more, one request in flight, one token, one accepted token a step, at least");
}

}  // namespace

ServingEngines prepare_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const base::Location& where) {
  check(run, run.decode, where);
  ServingEngines engines{StepTimes(system, framework, run, run.decode), std::nullopt};
  if (run.two_pools) {
    check(run, run.prefill, where);
    engines.prefill.emplace(system, framework, run, run.prefill);
  }
  return engines;
}

ServingTime
predict_serving(const ServingEngines& engines, const ServingRun& run, const ServingConstants& of_software) {
  ServingConstants constants = of_software;
  if (engines.prefill) {
    constants.prefill = of_software.pool_prefill;
    constants.first_s = of_software.pool_first_s;
  }
  const StepTimes& decode = engines.decode;
  const System& system = decode.system();
  const double memory = system.chip.memory_bytes - system.chip.memory_reserve - decode.weight_bytes();
  const double cache_tokens =
      kCacheShare * memory / decode.cache_bytes_per_token() * decode.attention_groups();
  ServingTime t;
  t.memory_bytes = decode.weight_bytes();
  const double one = double(run.traffic.prompt + run.traffic.output);
  if (cache_tokens < one)
    return t;
  std::optional<PrefillPool> pool;
  if (engines.prefill) {
    const double bytes = decode.cache_bytes_per_token() * double(run.traffic.prompt);
    const double transfer = bytes / (system.network.between_Bps * system.network.between_efficiency + 1);
    const double each = double(run.prefill.copies) / run.decode.copies;
    pool.emplace(*engines.prefill, constants, double(run.chunk), each, transfer);
  }
  t = Simulation(run, decode, pool ? &*pool : nullptr, constants, cache_tokens).result();
  t.fits = true;
  const double used =
      t.cache_share * cache_tokens * decode.cache_bytes_per_token() / decode.attention_groups();
  t.memory_bytes = decode.weight_bytes() + used;
  return t;
}

ServingTime predict_serving(
    const System& system,
    std::string_view framework,
    const ServingRun& run,
    const ServingConstants& constants,
    const base::Location& where) {
  return predict_serving(prepare_serving(system, framework, run, where), run, constants);
}

}  // namespace lento::predict
