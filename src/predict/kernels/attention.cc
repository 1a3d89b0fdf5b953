// Times attention in one kernel.
//
// Over a prompt (prefill): blocks of `rows` queries. Each block is one work item of a unit.
//   key       4 * rows * head / (share * peak / units), slower for heads narrower or wider than 128
//   rounds    items / units, at least 1
//   compute   rounds * (mean keys * key + item) + tail * (most keys - mean keys) * key: the last block of a
//             prompt attends to twice the keys of the mean one and ends after the others
//   memory    queries, keys, values and results, each moved once
//   time      launch + (compute^2 + memory^2)^(1/2)
// Over a cache (decode): each item is a group of up to `packed` query heads that share keys, of one sequence.
//   memory    data that fits the last-level cache comes `fast` times as fast: kernels are timed over and
//             over on the same data, and a small cache stays there in a decode loop too
//   serial    an item reads its keys in blocks of 64. While units are idle its keys are split between them,
//             and a second pass joins the splits. The time counts whole rounds of items over the units
//   time      launch + (memory^2 + max(serial, compute)^2)^(1/2)
// Latent attention reads one vector of 576 values per token for all heads, and computes over 576 and 512 of
// them.
#include <algorithm>
#include <cmath>

#include "predict/kernels/kernels.h"
#include "predict/kernels/scalars.h"

namespace lento::predict {
namespace {

constexpr double kLatentKey = 576;    // values cached per token: the compressed vector and the rotary part
constexpr double kLatentValue = 512;  // the part of the cached values that forms the result
constexpr double kPlainKey = 192;     // values of one head's key after expansion
constexpr double kPlainValue = 128;
constexpr double kUsualHead = 128;  // head size to which the fitted times refer
constexpr double kBlock = 64;       // keys that a decode kernel reads at a time

// Returns the number of query-key pairs of causal attention over `context` keys, within a window (0: none).
double pairs(double queries, double context, double window) {
  // The last query attends to `context` keys, and each query before it to one less.
  const double full = queries * (context - queries) + queries * (queries + 1) / 2;
  if (window <= 0 || window >= context)
    return full;
  double sum = 0;
  const double first = context - queries + 1;
  const double growing = std::clamp(window - first, 0.0, queries);
  sum += growing * (first + (growing - 1) / 2);
  return sum + (queries - growing) * window;
}

bool is_latent(FusedKind kind) {
  return kind == FusedKind::LatentPrefill || kind == FusedKind::LatentDecode;
}

bool is_prefill(FusedKind kind) {
  return kind == FusedKind::Prefill || kind == FusedKind::LatentPrefill;
}

// Returns the least bytes of attention over a prompt: queries, results, keys and values once.
double prefill_bytes(const AttentionKernel& k) {
  const double queries = double(k.batch) * double(k.tokens);
  if (k.kind == FusedKind::LatentPrefill)
    return queries *
           (double(k.heads) * 2 * (kPlainKey + kPlainValue) * 2 + kLatentKey * k.format.stored_bytes);
  const double outer = 2 * 2 * double(k.heads);
  const double inner = double(k.kv_heads) * (2 * 2 + 2 * k.format.stored_bytes);
  return queries * double(k.head) * (outer + inner);
}

// Returns the least bytes of a decode step: the cached keys and values, queries and results.
double decode_bytes(const AttentionKernel& k, double context) {
  const double sequences = double(k.batch);
  if (k.kind == FusedKind::LatentDecode)
    return sequences *
           (context * kLatentKey * k.format.stored_bytes + double(k.heads) * (kLatentKey + kLatentValue) * 2);
  const double head = double(k.head);
  return sequences * head *
         (double(k.kv_heads) * context * 2 * k.format.stored_bytes + 2 * 2 * double(k.heads));
}

}  // namespace

double peak_of(const Chip& chip, Precision arithmetic) {
  const double own = chip.peak(arithmetic);
  if (own > 0)
    return own;
  const double half = chip.peak(Precision::Bf16);
  return half > 0 ? half : chip.peak(Precision::Fp16);
}

// Collects all sizes that the timing formula of attention needs: FLOPs, bytes and peak rates of the chip.
PreparedKernel prepare(const Chip& chip, const AttentionKernel& k) {
  PreparedKernel p;
  p.kind = k.kind;
  p.peak_flops = peak_of(chip, k.format.arithmetic);
  p.memory_Bps = chip.memory_Bps;
  p.cache_bytes = chip.cache_bytes;
  p.units = chip.units;
  p.batch = double(k.batch);
  p.tokens = double(k.tokens);
  p.heads = double(k.heads);
  p.kv_heads = is_latent(k.kind) ? 1 : double(k.kv_heads);
  p.group = std::max(1.0, p.heads / p.kv_heads);
  if (is_prefill(k.kind)) {
    p.context = double(k.context);
    p.head = is_latent(k.kind) ? (kPlainKey + kPlainValue) / 2 : double(k.head);
    p.seen = pairs(p.tokens, p.context, double(k.window));
    p.all = pairs(p.tokens, p.context, 0);
    p.bytes = prefill_bytes(k);
  } else {
    p.context = k.window > 0 ? double(std::min(k.context, k.window)) : double(k.context);
    p.head = is_latent(k.kind) ? (kLatentKey + kLatentValue) / 2 : double(k.head);
    p.bytes = decode_bytes(k, p.context);
    p.seen = p.context;
    p.all = double(k.context);
  }
  return p;
}

// Times attention over prompts (formula at the top of this file).
FusedTime time_prefill(const PreparedKernel& p, const KernelScalars& x) {
  const double rows = x[kRows];
  const double blocks = std::ceil(p.tokens / rows - 1e-9);
  const double seen = p.seen / p.tokens;
  const double keys = (p.seen + x[kLeak] * (p.all - p.seen)) / p.tokens + x[kExtra];
  const bool windowed = p.seen < p.all;
  const double most = windowed ? seen + x[kLeak] * (p.context - seen) : p.context;
  const double wide = std::pow(p.head / kUsualHead, -x[kWide]);
  const double narrow = std::pow(p.head / kUsualHead, x[kNarrow] - 1);
  const double rate = p.peak_flops / p.units * x[kCompute] * (p.head > kUsualHead ? wide : narrow);
  const double key_s = 4 * rows * p.head / rate;
  const double rounds = std::max(1.0, p.batch * p.heads * blocks / p.units);
  const double behind = key_s * std::max(0.0, most + x[kExtra] - keys);
  FusedTime t;
  t.launch_s = x[kLaunch] * 1e-6;
  t.compute_s = rounds * (key_s * keys + x[kItem] * 1e-6) + x[kTail] * behind;
  t.memory_s = p.bytes / (p.memory_Bps * x[kMemory]);
  t.seconds = t.launch_s + std::sqrt(t.compute_s * t.compute_s + t.memory_s * t.memory_s);
  return t;
}

// Times attention of a decode step over a cache. Data that fits the last-level cache is read faster.
FusedTime time_decode(const PreparedKernel& p, const KernelScalars& x) {
  constexpr double kKept = 0.8;  // share of the last-level cache available to keys and values
  const double room = kKept * p.cache_bytes;
  const double near = p.bytes <= room ? p.bytes : std::max(0.0, 2 * room - p.bytes);
  const double rate = p.memory_Bps * x[kMemory];
  FusedTime t;
  t.launch_s = x[kLaunch] * 1e-6;
  t.memory_s = (p.bytes - near) / rate + near / (rate * x[kFast]);
  const double groups = std::ceil(p.group / x[kPacked] - 1e-9);
  const double items = p.batch * p.kv_heads * groups;
  const double blocks = std::ceil(p.context / kBlock);
  const double walk = x[kToken] * 1e-3 * blocks * kBlock * p.head / kUsualHead;
  // A split holds at least one block of keys, and all splits together need no more than the units.
  const double most = std::max(1.0, std::min(x[kSplits], blocks));
  const double splits = std::clamp(std::floor(p.units / items), 1.0, most);
  if (splits > 1)
    t.launch_s += x[kJoin] * 1e-6;
  const double rounds = std::ceil(items * splits / p.units - 1e-9);
  const double serial = rounds * (x[kItem] + walk / splits) * 1e-6;
  // Query heads per key head, padded to the 16 rows of a matrix unit.
  const double padded = std::max(16.0, p.heads / p.kv_heads) * p.kv_heads;
  const double flops = 4 * p.batch * padded * p.context * p.head;
  t.compute_s = std::max(serial, flops / (p.peak_flops * x[kCompute]));
  t.seconds = t.launch_s + std::sqrt(t.memory_s * t.memory_s + t.compute_s * t.compute_s);
  return t;
}

}  // namespace lento::predict
