// Assigns waiting prompts to the prefill engine that is free first. Cost: one pass over the engines for each
// batch of prompts.
#include "predict/time/serving/serving_pool.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {

PrefillPool::PrefillPool(
    const StepTimes& times,
    const ServingConstants& constants,
    double chunk,
    double engines,
    double transfer_s)
    : times_(times),
      constants_(constants),
      chunk_(chunk),
      free_(std::max<size_t>(1, size_t(std::lround(std::max(1.0, engines)))), 0.0),
      stretch_(double(free_.size()) / engines),
      transfer_s_(transfer_s) {
}

double PrefillPool::next_begin() const {
  constexpr double kNever = 1e300;
  return queue_.empty() ? kNever : std::max(std::ranges::min(free_), queue_.front().arrived);
}

double PrefillPool::seconds(size_t prompts, double tokens) const {
  StepWork work;
  work.prompt_tokens = tokens;
  work.prompt_context = tokens / double(prompts);
  work.prompts = double(prompts);
  return times_.seconds(work, constants_);
}

std::vector<PrefillPool::Done> PrefillPool::begun(double now) {
  std::vector<Done> out;
  while (next_begin() <= now) {
    const double start = next_begin();
    double& engine = *std::ranges::min_element(free_);
    const double longest = queue_.front().tokens;
    const double room = times_.attention_groups() * std::max(chunk_, longest) / stretch_;
    const size_t first = out.size();
    double tokens = 0;
    while (!queue_.empty() && queue_.front().arrived <= start) {
      const Prompt& p = queue_.front();
      if (out.size() > first && tokens + p.tokens > room)
        break;
      tokens += p.tokens;
      out.push_back({0, p.request});
      queue_.pop_front();
    }
    const size_t prompts = out.size() - first;
    const double own = seconds(prompts, tokens);
    for (size_t i = first; i < out.size(); ++i)
      out[i].time = start + own + transfer_s_;
    // The pool models one decoder's share of the engines. With less than one engine per decoder, prompts of
    // the other decoders use the same devices and chunks and delay these prompts.
    const auto with_others = static_cast<size_t>(std::ceil(double(prompts) * stretch_));
    const double all = stretch_ > 1 ? seconds(with_others, tokens * stretch_) : own;
    engine = start + std::max(own, all);
  }
  return out;
}

}  // namespace lento::predict
