// Predicts again with each input changed by 5 %, or with each size of the workload doubled, and compares the
// times.
#include "predict/time/sensitivity.h"

#include <cmath>

namespace lento::predict {
namespace {

template <class Part>
struct Input {
  const char* name;
  double Part::*at;
};

constexpr Input<Chip> kOfChip[] = {
    {"clock", &Chip::clock_hz},
    {"memory bandwidth", &Chip::memory_Bps},
    {"memory size", &Chip::memory_bytes},
    {"cache size", &Chip::cache_bytes},
    {"running sums of a unit", &Chip::unit_results},
    {"buffer of a unit", &Chip::unit_buffer_bytes},
    {"power", &Chip::power_w},
    {"idle share of the power", &Chip::idle_share}};
constexpr Input<Stack> kOfStack[] = {
    {"speed of the library", &Stack::library},
    {"overlap of gradients", &Stack::overlap},
    {"launch time", &Stack::launch_s},
    {"host time of a layer", &Stack::host_layer_s},
    {"host time of a tensor-parallel way", &Stack::host_tensor},
    {"stall of a hand-over", &Stack::hand_over_s},
    {"element-wise traffic", &Stack::pointwise}};
constexpr Input<NodeLinks> kOfNode[] = {
    {"link bandwidth in a node", &NodeLinks::lane_Bps},
    {"efficiency of a link", &NodeLinks::efficiency},
    {"latency of a link", &NodeLinks::latency_s},
    {"start of a collective", &NodeLinks::start_s},
    {"set-up of large messages", &NodeLinks::setup_s},
    {"reduction in the switch", &NodeLinks::in_switch}};
constexpr Input<Network> kOfNetwork[] = {
    {"bandwidth between nodes", &Network::between_Bps},
    {"efficiency between nodes", &Network::between_efficiency},
    {"latency between nodes", &Network::between_latency_s}};

constexpr double kGrowth = 1.05;

double time_of(const System& s, const Question& q) {
  return answer(s, q).seconds;
}

double elasticity(double seconds, double before, double growth) {
  return std::log(seconds / before) / std::log(growth);
}

// Returns the system with one kernel constant increased by kGrowth in all precisions.
System with_constants(System s, const CalibrationConstant& constant) {
  for (size_t i = 0; i < kPrecisions; ++i) {
    Calibration c = s.chip.constants(static_cast<Precision>(i));
    c.*constant.at *= kGrowth;
    s.chip.calibration[i] = c;
  }
  return s;
}

struct Size {
  std::string name;
  int64_t* at;
};

// Returns the sizes of a model that may be doubled.
std::vector<Size> sizes_of(Transformer& m) {
  return {
      {"layers", &m.layers},
      {"hidden", &m.hidden},
      {"heads", &m.heads},
      {"kv_heads", &m.kv_heads},
      {"ffn", &m.ffn},
      {"vocab", &m.vocab},
      {"experts", &m.experts},
      {"active_experts", &m.active_experts}};
}

struct SizesOf {
  std::vector<Size> operator()(Gemm& g) const {
    return {{"batch", &g.batch}, {"m", &g.m}, {"n", &g.n}, {"k", &g.k}};
  }
  std::vector<Size> operator()(LstmLayer& l) const {
    return {{"hidden", &l.hidden}, {"batch", &l.batch}, {"steps", &l.steps}};
  }
  std::vector<Size> operator()(Collective&) const {
    return {};
  }
  std::vector<Size> operator()(TrainingRun& r) const {
    std::vector<Size> sizes = sizes_of(r.model);
    sizes.insert(
        sizes.end(),
        {{"sequence", &r.sequence}, {"global_batch", &r.global_batch}, {"micro_batch", &r.micro_batch}});
    return sizes;
  }
  std::vector<Size> operator()(InferenceRun& r) const {
    std::vector<Size> sizes = sizes_of(r.model);
    sizes.insert(sizes.end(), {{"batch", &r.batch}, {"prompt", &r.prompt}, {"output", &r.output}});
    return sizes;
  }
  std::vector<Size> operator()(GraphRun&) const {
    return {};
  }
  std::vector<Size> operator()(ServingRun& r) const {
    return {
        {"requests in flight", &r.traffic.together},
        {"prompt", &r.traffic.prompt},
        {"output", &r.traffic.output},
        {"chunk", &r.chunk}};
  }
  std::vector<Size> operator()(ExpertLayer& l) const {
    return {
        {"tokens", &l.tokens},
        {"hidden", &l.hidden},
        {"inner", &l.inner},
        {"experts", &l.experts},
        {"chosen", &l.chosen}};
  }
  std::vector<Size> operator()(AttentionKernel& k) const {
    return {{"batch", &k.batch}, {"context", &k.context}, {"heads", &k.heads}, {"head", &k.head}};
  }
};

// Returns the degrees of parallelism of a question, which are of type int and not int64_t.
std::vector<std::pair<const char*, int*>> ways_of(Question& q) {
  if (TrainingRun* r = std::get_if<TrainingRun>(&q.what))
    return {
        {"tensor ways", &r->tensor},
        {"pipeline ways", &r->pipeline},
        {"data ways", &r->data},
        {"context ways", &r->context},
        {"expert ways", &r->expert},
        {"interleave", &r->interleave}};
  if (InferenceRun* r = std::get_if<InferenceRun>(&q.what))
    return {
        {"tensor ways", &r->tensor},
        {"pipeline ways", &r->pipeline},
        {"data ways", &r->data},
        {"expert ways", &r->expert}};
  if (GraphRun* r = std::get_if<GraphRun>(&q.what))
    return {{"replicas", &r->replicas}};
  if (Collective* c = std::get_if<Collective>(&q.what))
    return {{"devices", &c->devices}};
  return {};
}

}  // namespace

// Returns for each input of the system the relative change of the time per relative change of the input.
std::vector<Elasticity> elasticities(const System& system, const Question& q) {
  const double before = time_of(system, q);
  std::vector<Elasticity> out;
  System changed = system;
  const auto grow = [&](auto& part, const auto& inputs) {
    for (const auto& input : inputs) {
      const double kept = part.*input.at;
      part.*input.at *= kGrowth;
      out.push_back({input.name, elasticity(time_of(changed, q), before, kGrowth)});
      part.*input.at = kept;
    }
  };
  grow(changed.chip, kOfChip);
  grow(changed.stack, kOfStack);
  grow(changed.network.node, kOfNode);
  grow(changed.network, kOfNetwork);
  System wider = system;
  wider.chip.units += std::max(1, int(std::lround((kGrowth - 1) * system.chip.units)));
  out.push_back(
      {"units", elasticity(time_of(wider, q), before, double(wider.chip.units) / system.chip.units)});
  System stronger = system;
  for (double& flops : stronger.chip.flops_per_cycle)
    flops *= kGrowth;
  out.push_back({"operations a cycle", elasticity(time_of(stronger, q), before, kGrowth)});
  for (const CalibrationConstant& constant : kCalibrationConstants)
    out.push_back(
        {std::string("constant ") + constant.name,
         elasticity(time_of(with_constants(system, constant), q), before, kGrowth)});
  return out;
}

// Returns for each size of the question the ratio of the times at twice the size and at the size.
std::vector<Doubling> doublings(const System& system, const Question& q) {
  const double before = time_of(system, q);
  std::vector<Doubling> out;
  const auto attempt = [&](const std::string& name, auto& value, Question& changed) {
    const auto kept = value;
    if (kept <= 0)
      return;  // 0: the size is derived from others
    value *= 2;
    try {
      out.push_back({name, time_of(system, changed) / before});
    } catch (const base::Error&) {
      // This size cannot be doubled alone.
    }
    value = kept;
  };
  Question changed = q;
  for (const Size& size : std::visit(SizesOf{}, changed.what))
    attempt(size.name, *size.at, changed);
  for (const auto& [name, at] : ways_of(changed))
    attempt(name, *at, changed);
  if (Collective* c = std::get_if<Collective>(&changed.what))
    attempt("bytes", c->bytes, changed);
  return out;
}

}  // namespace lento::predict
