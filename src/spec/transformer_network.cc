// Builds the operators of one transformer inference. Keys and values are tensors [batch, kv heads, cached
// tokens, head size]. Queries that share a key head are consecutive rows, so that one product covers them
// all, and the queries of one token are adjacent, so that a run of tokens is a run of rows:
//
//   [1, T, kv, group, d] -> transpose -> [1, kv, T * group, d] x [1, kv, d, cache] -> softmax -> x values
//
// An expert takes a run of neighbouring tokens. Real routing picks tokens by their data, but the load of a
// core depends only on how many tokens each expert takes.
#include "spec/transformer_network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace lento::spec {
namespace {

using base::Error;

class NetworkBuilder {
 public:
  NetworkBuilder(const TransformerShape& shape, const TransformerRun& run)
      : m_(shape),
        run_(run),
        layers_(run.layers > 0 ? std::min(run.layers, shape.layers) : shape.layers),
        caches_(size_t(layers_)) {
    net_.name = shape.name;
  }

  // Builds the operations of prompt processing and of each generated token.
  Network run() {
    if (m_.patch > 0)
      image();
    if (run_.tokens > 0)
      pass("prefill", run_.tokens);
    for (int64_t step = 0; step < run_.steps; ++step)
      pass("step" + std::to_string(step), 1);
    return std::move(net_);
  }

 private:
  struct Cache {
    // Tensor numbers. -1 means that the cache is empty.
    int keys = -1;
    int values = -1;
  };

  // Adds a tensor. Returns its number.
  int tensor(const Shape& shape, bool constant = false) {
    Tensor t;
    t.name = "t" + std::to_string(net_.tensors.size());
    t.shape = shape;
    t.element_bytes = 1;
    t.constant = constant;
    net_.tensors.push_back(std::move(t));
    return int(net_.tensors.size()) - 1;
  }
  int input(const Shape& shape) {
    net_.inputs.push_back(tensor(shape));
    return net_.inputs.back();
  }
  const Shape& shape(int id) const {
    return net_.tensors[size_t(id)].shape;
  }

  using Integers = std::map<std::string, std::vector<int64_t>>;
  // Adds an operation with one output. Returns the output's number.
  int op(
      const char* type,
      const std::string& name,
      std::vector<int> in,
      const Shape& out,
      Integers ints = {}) {
    Operation o;
    o.name = prefix_ + name;
    o.type = type;
    o.inputs = std::move(in);
    o.integers = std::move(ints);
    o.outputs = {tensor(out)};
    net_.operations.push_back(std::move(o));
    return net_.operations.back().outputs.front();
  }
  int reshape(int x, const Shape& to) {
    return op("Reshape", "reshape", {x}, to);
  }
  int transpose(int x, const std::vector<int64_t>& order) {
    Shape to;
    for (const int64_t d : order)
      to.push_back(shape(x)[size_t(d)]);
    return op("Transpose", "transpose", {x}, to, {{"perm", order}});
  }
  int linear(const std::string& name, int x, int64_t width) {
    Shape to = shape(x);
    const int weight = tensor({to.back(), width}, true);
    to.back() = width;
    return op("MatMul", name, {x, weight}, to);
  }
  int norm(const std::string& name, int x) {
    const int scale = tensor({shape(x).back()}, true);
    return op("LayerNormalization", name, {x, scale}, shape(x));
  }
  int add(const std::string& name, int a, int b) {
    return op("Add", name, {a, b}, shape(a));
  }
  int join(const std::string& name, const std::vector<int>& parts, int64_t axis) {
    Shape to = shape(parts.front());
    to[size_t(axis)] = 0;
    for (const int part : parts)
      to[size_t(axis)] += shape(part)[size_t(axis)];
    return op("Concat", name, parts, to, {{"axis", {axis}}});
  }
  // Splits a tensor along the tokens. Returns the parts.
  std::vector<int> split(int x, const std::vector<int64_t>& sizes) {
    Operation o;
    o.name = prefix_ + "split";
    o.type = "Split";
    o.inputs = {x};
    o.integers["axis"] = {1};
    for (const int64_t size : sizes) {
      Shape to = shape(x);
      to[1] = size;
      o.outputs.push_back(tensor(to));
    }
    net_.operations.push_back(o);
    return o.outputs;
  }

  // Adds a pass of `tokens` tokens through all layers.
  void pass(const std::string& name, int64_t tokens) {
    int x = input({1, tokens, m_.hidden});
    for (int64_t layer = 0; layer < layers_; ++layer) {
      prefix_ = name + "." + std::to_string(layer) + ".";
      x = block(x, layer);
    }
    prefix_ = name + ".";
    finish(x, tokens);
  }

  // Adds the image patches at the input.
  void image() {
    const int64_t side = m_.image / m_.patch;
    Operation conv;
    conv.name = "patches";
    conv.type = "Conv";
    conv.inputs = {
        input({1, m_.channels, m_.image, m_.image}),
        tensor({m_.hidden, m_.channels, m_.patch, m_.patch}, true)};
    conv.integers["strides"] = {m_.patch, m_.patch};
    conv.integers["kernel_shape"] = {m_.patch, m_.patch};
    conv.outputs = {tensor({1, m_.hidden, side, side})};
    net_.operations.push_back(conv);
    prefix_ = "image.";
    const int patches = reshape(conv.outputs.front(), {1, m_.hidden, side * side});
    int x = transpose(patches, {0, 2, 1});
    const int whole_image = input({1, 1, m_.hidden});
    x = join("class", {whole_image, x}, 1);
    for (int64_t layer = 0; layer < layers_; ++layer) {
      prefix_ = std::to_string(layer) + ".";
      x = block(x, layer);
    }
    finish(x, side * side + 1);
  }

  // Adds the output layer, which only the last token passes.
  void finish(int x, int64_t tokens) {
    if (m_.vocab > 0 && layers_ == m_.layers) {
      x = norm("norm", x);
      if (tokens > 1)
        x = split(x, {tokens - 1, 1})[1];
      x = linear("head", x, m_.vocab);
    }
    net_.outputs.push_back(x);
  }

  // Adds one layer: attention and feed-forward.
  int block(int x, int64_t layer) {
    const int attention_of = attention(norm("norm1", x), layer);
    const int attended = add("attention.sum", attention_of, x);
    const int normed = norm("norm2", attended);
    const bool of_experts = m_.experts > 1;
    const int64_t width = of_experts ? m_.dense_ffn : m_.ffn;
    int fed = 0;
    if (of_experts && layer >= m_.dense_layers)
      fed = mixture(normed);
    else
      fed = feed("mlp", normed, width);
    return add("mlp.sum", fed, attended);
  }

  int attention(int x, int64_t layer) {
    const int64_t tokens = shape(x)[1];
    const int64_t group = m_.heads / m_.kv_heads;
    const int64_t d = m_.head_size;
    const int q = linear("q", x, m_.heads * d);
    const int by_token = reshape(q, {1, tokens, m_.kv_heads, group, d});
    const int by_head = transpose(by_token, {0, 2, 1, 3, 4});
    const int queries = reshape(by_head, {1, m_.kv_heads, tokens * group, d});
    const int64_t cached_width = m_.kv_heads * d;
    Cache& cache = caches_[size_t(layer)];
    const int new_keys = heads_of(linear("k", x, cached_width), tokens);
    cache.keys = extended(cache.keys, new_keys, "keys");
    const int new_values = heads_of(linear("v", x, cached_width), tokens);
    cache.values = extended(cache.values, new_values, "values");
    const int64_t seen = shape(cache.keys)[2];
    const Shape square{1, m_.kv_heads, tokens * group, seen};
    const int turned_keys = transpose(cache.keys, {0, 1, 3, 2});
    const int scores = op("MatMul", "scores", {queries, turned_keys}, square);
    const int weights = op("Softmax", "softmax", {scores}, square, {{"axis", {-1}}});
    const int mixed = op("MatMul", "mix", {weights, cache.values}, shape(queries));
    const int mixed_by_head = reshape(mixed, {1, m_.kv_heads, tokens, group, d});
    const int mixed_by_token = transpose(mixed_by_head, {0, 2, 1, 3, 4});
    const int back = reshape(mixed_by_token, {1, tokens, m_.heads * d});
    return linear("out", back, m_.hidden);
  }

  int heads_of(int x, int64_t tokens) {
    const int by_token = reshape(x, {1, tokens, m_.kv_heads, m_.head_size});
    return transpose(by_token, {0, 2, 1, 3});
  }

  // Appends keys or values of the new tokens to their cache. At the first step after a given context the
  // cache is an input of the graph.
  int extended(int cached, int fresh, const std::string& name) {
    if (cached < 0 && run_.context > 0)
      cached = input({1, m_.kv_heads, run_.context, m_.head_size});
    if (cached < 0)
      return fresh;
    return join(name, {cached, fresh}, 2);
  }

  // Adds a feed-forward part.
  int feed(const std::string& name, int x, int64_t width) {
    int up = linear(name + ".up", x, width);
    if (m_.gated) {
      const int gate = linear(name + ".gate", x, width);
      up = op("Mul", name + ".gate.product", {gate, up}, shape(up));
    }
    return linear(name + ".down", up, m_.hidden);
  }

  // Adds a mixture of experts. Real routing is unknown, so the experts are split into as many groups as a
  // token has active experts. Each token passes one expert of each group, and the experts of a group divide
  // the tokens among them.
  int mixture(int x) {
    const int64_t tokens = shape(x)[1];
    std::vector<int> sums;
    for (int64_t choice = 0; choice < m_.active_experts; ++choice) {
      const int64_t first = choice * m_.experts / m_.active_experts;
      const int64_t last = (choice + 1) * m_.experts / m_.active_experts;
      std::vector<int64_t> sizes = expert_tokens(tokens, last - first, run_.expert_skew);
      std::erase(sizes, 0);
      std::vector<int> parts = {x};
      if (sizes.size() > 1)
        parts = split(x, sizes);
      std::vector<int> results;
      int64_t expert = first;
      for (const int part : parts) {
        const std::string name = "expert" + std::to_string(expert);
        results.push_back(feed(name, part, m_.ffn));
        ++expert;
      }
      int sum = results.front();
      if (results.size() > 1)
        sum = join("experts", results, 1);
      sums.push_back(sum);
    }
    if (m_.shared_ffn > 0)
      sums.push_back(feed("shared", x, m_.shared_ffn));
    int out = sums.front();
    for (size_t i = 1; i < sums.size(); ++i)
      out = add("experts.sum", out, sums[i]);
    return out;
  }

  const TransformerShape& m_;
  const TransformerRun& run_;
  int64_t layers_ = 0;
  std::vector<Cache> caches_;  // by layer
  std::string prefix_;
  Network net_;
};

// Throws base::Error for sizes that do not divide.
void check(const TransformerShape& m, const TransformerRun& run, const std::string& file) {
  const base::Location where{file};
  const auto count = [](int64_t n) {
    return std::to_string(n);
  };
  if (m.heads % m.kv_heads != 0)
    throw Error(where, count(m.heads) + " query heads cannot share " + count(m.kv_heads) + " key heads");
  if (m.active_experts > m.experts)
    throw Error(where, "a token takes " + count(m.active_experts) + " of " + count(m.experts) + " experts");
  if (m.patch > 0 && m.image % m.patch != 0)
    throw Error(
        where,
        "an image of " + std::to_string(m.image) + " is no whole number of patches of " +
            std::to_string(m.patch));
  if (m.patch == 0 && run.tokens == 0 && run.steps == 0)
    throw Error(where, "neither a prompt nor decoded tokens: nothing to run", "give --tokens or --steps");
}

}  // namespace

std::vector<int64_t> expert_tokens(int64_t tokens, int64_t experts, double skew) {
  std::vector<double> share;
  for (int64_t rank = 1; rank <= experts; ++rank)
    share.push_back(std::pow(double(rank), -skew));
  const double whole = std::accumulate(share.begin(), share.end(), 0.0);
  std::vector<int64_t> out;
  double upto = 0;
  int64_t given = 0;
  for (const double s : share) {
    upto += s;
    const int64_t next = std::llround(double(tokens) * std::min(1.0, upto / whole));
    out.push_back(next - given);
    given = next;
  }
  return out;
}

Network
transformer_network(const TransformerShape& shape, const TransformerRun& run, const std::string& file) {
  check(shape, run, file);
  return NetworkBuilder(shape, run).run();
}

}  // namespace lento::spec
