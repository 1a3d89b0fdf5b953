// Counts the parameters of a transformer, and those that one token uses.
#include <algorithm>
#include <cmath>

#include "predict/time/model/transformer.h"

namespace lento::predict {
namespace {

double product(int64_t rows, int64_t columns) {
  return double(rows) * double(columns);
}

}  // namespace

double Transformer::attention_parameters() const {
  if (window_heads > 0) {
    double mean = 0;
    for (const LayerKind& kind : attention_kinds(*this))
      mean += kind.share * kind.model.attention_parameters();
    return mean;
  }
  if (kv_rank == 0)
    return product(hidden, query_width() + key_value_columns()) + product(heads * value(), hidden);
  const int64_t plain = head() - rotary_size;  // size of a query or key without its rotary part
  const double queries = query_rank > 0 ? product(hidden, query_rank) + product(query_rank, heads * head())
                                        : product(hidden, heads * head());
  const double index = product(query_rank, index_heads * index_size) +
                       product(hidden, index_heads > 0 ? index_size + index_heads : 0);
  return index + queries + product(hidden, kv_rank + rotary_size) +
         product(kv_rank, heads * (plain + value())) + product(heads * value(), hidden);
}

double Transformer::expert_parameters() const {
  return product(routed_width(), inner()) * (gated ? 3 : 2) + expert_vectors;
}

// Returns the number of parameters of the whole model, with embeddings.
double Transformer::parameters() const {
  const int64_t sides = gated ? 3 : 2;
  const double other = other_parameters > 0 ? other_parameters : 4.0 * double(hidden);
  const double attention = attention_parameters() * double(attending());
  const double states =
      double(state_layers) * (product(hidden, state_columns) + product(state_width, hidden) + state_vectors);
  const double routed = double(expert_layers()) *
                        (expert_parameters() * double(experts) + product(hidden, experts) +
                         product(hidden, expert_width) * 2 + product(hidden, shared_ffn) * double(sides));
  const double dense = double(dense_feeds()) *
                       (experts > 1 ? product(hidden, dense_ffn) * double(sides) : expert_parameters());
  return attention + states + routed + dense + other * double(layers) + once_parameters +
         product(vocab, hidden) * (tied ? 1 : 2);
}

double Transformer::parameters_without_experts() const {
  return parameters() - double(expert_layers()) * expert_parameters() * double(experts);
}

double Transformer::active_parameters() const {
  return parameters_without_experts() +
         double(expert_layers()) * expert_parameters() * double(active_experts);
}

// Counts norms and biases as 4 hidden, even when the configuration gives their number. Time and memory of a
// run are then equal to the bit whether its model was read from a configuration or given by sizes.
double Transformer::layer_parameters(int expert_parallel) const {
  const double other = other_parameters > 0 ? other_parameters : 4.0 * double(hidden);
  const double outside = product(vocab, hidden) * (tied ? 1 : 2) + once_parameters + other * double(layers);
  const double routed = double(expert_layers()) * expert_parameters() * double(experts);
  return std::round((parameters() - outside - routed + routed / expert_parallel) / double(layers)) +
         4.0 * double(hidden);
}

double Transformer::cache_held(double context) const {
  return index_heads > 0 ? cache_values() * context : cache_reads(context);
}

double Transformer::cache_reads(double context) const {
  if (kv_rank > 0 && index_heads > 0)
    return (double(kv_rank + rotary_size) * std::min(context, double(index_top)) +
            double(index_size) * context) *
           double(attending()) / double(layers);
  double read = 0;
  for (const LayerKind& kind : attention_kinds(*this)) {
    const double reach = kind.model.window > 0 ? double(kind.model.window) : context;
    read += kind.share * kind.model.cache_values() * std::min(context, reach);
  }
  return read;
}

double Transformer::cache_values() const {
  double all = double(kv_rank > 0 ? kv_rank + rotary_size + index_size : kv() * (head() + value()));
  if (window_heads > 0) {
    all = 0;
    for (const LayerKind& kind : attention_kinds(*this))
      all += kind.share * double(kind.model.kv() * (kind.model.head() + kind.model.value()));
  }
  return all * double(attending()) / double(layers);
}

}  // namespace lento::predict
