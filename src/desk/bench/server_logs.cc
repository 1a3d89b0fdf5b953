// Reads the throughput lines that servers of language models write while they run.
//
//   vLLM      = "Avg prompt throughput: " X " tokens/s, Avg generation throughput: " X " tokens/s, Running: "
//               N " reqs, " any
//               | "is preempted by " NAME " mode because there is not enough KV cache space" any
//   SGLang    = "Decode batch" any "#running-req: " N ", #token: " N any "gen throughput (token/s): " X
//   llama.cpp = "eval time = " X " ms / " N ("runs" | "tokens") any
//
// Fewer requests at a time make fewer tokens per second, which is no fault. For that reason throughputs are
// compared at the same number of running requests only, each number a quantity of its own, and the prompts
// beside them are an annotation: decoding slows down while prompts are read.
//
// Sources: vLLM 0.3 to 0.11, SGLang 0.2 to 0.5 (metrics of the scheduler), llama.cpp 2024 and 2025
// (llama_perf_context_print).
#include "desk/bench/bench.h"
#include "desk/bench/serving.h"

namespace lento::desk {
namespace {

enum ServerForm {
  Vllm,
  Sglang,
  Preempted,
};

const LineForm kServerForms[] = {
    {"Avg prompt throughput: {prompt:num} tokens/s, Avg generation throughput: {rate:num} tokens/s, Running: "
     "{running:int} reqs,",
     {"INFO 03-18 09:04:46 [metrics.py:481] Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: "
      "41.7 tokens/s, Running: 2 reqs, Swapped: 0 reqs, "
      "Pending: 0 reqs, GPU KV cache usage: 0.6%, CPU KV cache usage: 0.0%."}},
    {"Decode batch{_} #running-req: {running:int}, #token: {tokens:int},{_}gen throughput (token/s): "
     "{rate:num}",
     {"[2025-12-17 05:10:47] Decode batch. #running-req: 1, #token: 64, token usage: 0.00, gen throughput "
      "(token/s): 84.39, #queue-req: 0"}},
    {"is preempted by {mode:name} mode because there is not enough KV cache space",
     {"Request cmpl-2d79 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache "
      "space. total_cumulative_preemption_cnt=118"}},
};

// More of either slows decoding down.
const Quantity kPrompts{"prompt tokens per second", "1/s", Kind::Annotation, Better::Lower};
const Quantity kHeld{"tokens in the cache", "", Kind::Annotation, Better::Lower};

class ServerLog : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == Preempted) {
      Event event;
      event.kind = "server/preempted";
      event.meaning = "requests are preempted because the key-value cache is full: more load than it holds";
      event.action = "give the server fewer requests at a time, more memory for its cache, or more replicas";
      sink.event(std::move(event));
      return;
    }
    const double running = match.number("running").value_or(0);
    const double rate = match.number("rate").value_or(0);
    constexpr double kMostRunning = 4096;
    note_standstill(running >= 1 && rate <= 0 && match.number("prompt").value_or(1) <= 0, sink);
    if (running < 1 || running > kMostRunning || rate <= 0)
      return;
    const Sink::Place place{{}, sink.time().clock == Clock::None ? ++step_ : kUnknown};
    const std::string with =
        std::to_string(int(running)) + (running == 1 ? " request" : " requests") + " running";
    sink.sample(
        {"tokens per second with " + with, "1/s", Kind::Level, Better::Higher, with, Scope::Job},
        rate,
        place);
    if (form == Vllm)
      sink.sample(kPrompts, match.number("prompt").value_or(kUnknown), place);
    else
      sink.sample(kHeld, match.number("tokens").value_or(kUnknown), place);
  }

  // Raises a question when several reports in a row show running requests and no token, neither read nor
  // written. One such report may fall on the beginning of a request.
  void note_standstill(bool is_still, Sink& sink) {
    constexpr int kEnough = 3;
    still_ = is_still ? still_ + 1 : 0;
    if (still_ != kEnough)
      return;
    Event event;
    event.kind = "unread/state";
    event.meaning = "requests are running and no token comes";
    event.action = "py-spy dump of the server's processes, and the kernel log of its hosts";
    sink.event(std::move(event));
  }
  double step_ = 0;
  int still_ = 0;  // reports without a token, in a row
};

enum LlamaForm {
  PromptTime,
  EvalTime,
};

const LineForm kLlamaForms[] = {
    {"prompt eval time =~{ms:num} ms /~{n:int} tokens",
     {"llama_perf_context_print: prompt eval time =     111.51 ms /    12 tokens (    9.29 ms per token,   "
      "107.61 tokens per second)"}},
    {":~eval time =~{ms:num} ms /~{n:int} {_:word}",
     {"llama_perf_context_print:        eval time =    2011.30 ms /    63 runs   (   31.93 ms per token,    "
      "31.32 tokens per second)"}},
};

class LlamaTimes : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    const double ms = match.number("ms").value_or(0);
    const double n = match.number("n").value_or(0);
    if (ms <= 0 || n <= 0)
      return;
    if (form == PromptTime) {
      prompt_s_ = ms / 1000;
      prompt_tokens_ = n;
      return;
    }
    ServingResult result;
    result.tool = "llama.cpp";
    result.requests = 1;
    result.token_time_s = ms / 1000 / n;
    result.token_rate = n / ms * 1000;
    result.output_tokens = n;
    if (prompt_s_ > 0) {
      result.first_token_s = prompt_s_;
      result.input_tokens = prompt_tokens_;
    }
    write_serving(result, sink);
    prompt_s_ = 0;
  }
  double prompt_s_ = 0;
  double prompt_tokens_ = 0;
};

}  // namespace

const Format kServerLog{
    "log of a model server (vLLM, SGLang)",
    "bench",
    kServerForms,
    Shape::Lines,
    make<ServerLog>};
const Format kLlamaTimes{"times of llama.cpp", "bench", kLlamaForms, Shape::Lines, make<LlamaTimes>};

}  // namespace lento::desk
