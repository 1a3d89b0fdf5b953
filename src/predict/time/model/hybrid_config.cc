// Counts the layers of a hybrid that have attention, a recurrent state, a dense feed-forward part or experts.
//
// Each family describes its layers by other keys. All are converted to the numbers of layers with each part
// and the sizes of the state (transformer.h).
#include "predict/time/model/hybrid_config.h"

#include <algorithm>
#include <cmath>

namespace lento::predict {
namespace {

using base::Json;

// The keys under which a family gives the sizes of its Mamba-2 layers.
struct MambaKeys {
  const char* heads;
  const char* head;
  const char* groups;
  const char* state;
  const char* kernel;
};
void read_mamba(const Config& c, const MambaKeys& keys, Transformer& m) {
  const int64_t heads = c.needed({keys.heads}, kMostConfiguredWays);
  const int64_t state = c.needed({keys.state}, kMostConfiguredWays);
  m.state_width = heads * c.needed({keys.head}, kMostConfiguredWays);
  const int64_t groups = 2 * c.needed({keys.groups}, kMostConfiguredWays) * state;
  m.state_columns = 2 * m.state_width + groups + heads;
  m.state_values = m.state_width * state;
  m.state_vectors = double(m.state_width + groups) * double(c.whole({keys.kernel}, 4) + 1) +
                    3 * double(heads) + double(m.state_width);
}

// Granite 4: each layer has attention or a recurrent state, followed by a feed-forward part.
void read_mixed_layers(const Config& c, const Family& f, Transformer& m) {
  if (f.type != "granitemoehybrid")
    return;
  if (m.experts == 1)
    m.ffn = c.whole({"shared_intermediate_size"}, m.ffn);
  const Json* types = c.value("layer_types");
  if (!types || int64_t(types->items().size()) != m.layers)
    throw base::Error(c.where(), "there are not as many 'layer_types' as layers", "give one type a layer");
  for (const Json& type : types->items())
    m.state_layers += type.is_string() && type.string(c.where()) == "mamba";
  if (m.state_layers > 0)
    read_mamba(c, {"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv"}, m);
}

// Reads the layers of a hybrid model: attention, state-space and feed-forward.
void read_hybrid(const Config& c, Transformer& m) {
  const std::string pattern = layer_pattern(c);
  if (pattern.empty())
    return;
  const auto count = [&](char kind) {
    return int64_t{std::ranges::count(pattern, kind)};
  };
  if (int64_t(pattern.size()) != m.layers)
    throw base::Error(
        c.where(),
        "the pattern tells " + std::to_string(pattern.size()) + " layers, 'num_hidden_layers' " +
            std::to_string(m.layers),
        "give the whole pattern");
  if (count('M') + count('*') + count('-') + count('E') != m.layers || (count('E') > 0 && m.experts == 1))
    throw base::Error(
        c.where(),
        "the pattern has layers of an unknown kind, or of experts without 'n_routed_experts'",
        "known are Mamba-2 (M), attention (*), feed-forward (-) and experts (E)");
  m.state_layers = count('M');
  m.attention_layers = count('*');
  m.feed_layers = count('-');
  m.dense_layers = m.layers - count('E');
  m.dense_ffn = c.whole({"intermediate_size"}, m.ffn);
  if (count('E') == 0)
    m.experts = m.active_experts = 1;
  m.shared_ffn = c.whole({"moe_shared_expert_intermediate_size"}, m.shared_ffn, 0);
  m.expert_width = c.whole({"moe_latent_size"}, 0, 0);
  read_mamba(c, {"mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel"}, m);
}

// Qwen 3.5: most layers have a recurrent state (gated delta rule), the others have gated attention.
void read_linear_attention(const Config& c, Transformer& m) {
  const int64_t heads = c.whole({"linear_num_value_heads"}, 0, 0, kMostConfiguredWays);
  if (heads == 0)
    return;
  m.gated_output = true;
  const int64_t every = c.whole({"full_attention_interval"}, 4);
  m.state_layers = m.layers - m.layers / every;
  if (const Json* types = c.value("layer_types")) {
    m.state_layers = 0;
    for (const Json& type : types->items())
      m.state_layers += type.is_string() && type.string(c.where()).starts_with("linear");
  }
  if (m.state_layers > m.layers)
    throw base::Error(c.where(), "there are more 'layer_types' than layers", "give one type a layer");
  const int64_t key = c.needed({"linear_key_head_dim"}, kMostConfiguredWays);
  const int64_t value = c.needed({"linear_value_head_dim"}, kMostConfiguredWays);
  const int64_t keys = 2 * c.needed({"linear_num_key_heads"}, kMostConfiguredWays) * key;
  m.state_width = heads * value;
  m.state_columns = keys + 2 * m.state_width + 2 * heads;
  m.state_values = m.state_width * key;
  m.state_vectors = double(keys + m.state_width) * double(c.whole({"linear_conv_kernel_dim"}, 4)) +
                    2 * double(heads) + double(value);
}

// Reads the layers of Nemotron NAS. Each layer states whether it has attention and the width of its
// feed-forward part. The mean width is used for all layers, which keeps their sum and therefore all
// operations and bytes.
void read_blocks(const Config& c, const Family& f, Transformer& m) {
  const Json* blocks = c.value("block_configs");
  if (f.type != "nemotron-nas" || !blocks)
    return;
  constexpr double kMostTimes = 1000;  // largest feed-forward width over the model's width
  if (int64_t(blocks->items().size()) != m.layers)
    throw base::Error(c.where(), "there are not as many 'block_configs' as layers", "give one a layer");
  m.attention_layers = m.feed_layers = 0;
  double widths = 0;
  for (const Json& block : blocks->items()) {
    const Config attention(block.at("attention", c.where()), c.where());
    const Config feed(block.at("ffn", c.where()), c.where());
    if (attention.flag("replace_with_linear", false) || feed.flag("replace_with_linear", false))
      throw base::Error(c.where(), "a block is replaced by one product", "such blocks are not known");
    if (const Json* group = attention.value("n_heads_in_group")) {
      ++m.attention_layers;
      m.kv_heads = m.heads / group->integer(c.where(), 1, m.heads);
    }
    if (const Json* times = feed.value("ffn_mult")) {
      ++m.feed_layers;
      const double wide = std::clamp(times->number(c.where()), 0.0, kMostTimes);
      widths += std::ceil(wide * 2 * double(m.hidden) / 3 / 256) * 256;
    }
  }
  if (m.feed_layers > 0)
    m.ffn = std::llround(widths / double(m.feed_layers));
}

// Falcon-H1: every layer has attention and a recurrent state in parallel, followed by a feed-forward part.
void read_parallel_layers(const Config& c, const Family& f, Transformer& m) {
  if (f.type != "falcon_h1")
    return;
  m.attention_layers = m.state_layers = m.feed_layers = m.layers;
  read_mamba(c, {"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv"}, m);
}

// LongCat-Flash: each layer attends twice, has two dense parts, and one of experts. A token is routed to
// experts or to identities that return it unchanged, so the mean number of experts per token is smaller.
void read_double_layers(const Config& c, const Family& f, Transformer& m) {
  if (f.type != "longcat_flash")
    return;
  m.dense_layers = c.whole({"num_layers"}, m.layers);
  m.layers = m.attention_layers = m.feed_layers = 2 * m.dense_layers;
  m.ffn = c.needed({"expert_ffn_hidden_size"});
  m.dense_ffn = c.needed({"ffn_hidden_size"});
  const int64_t chosen = c.needed({"moe_topk"}, m.experts);
  const int64_t empty = c.whole({"zero_expert_num"}, 0, 0, kMostConfiguredWays);
  m.active_experts =
      std::max<int64_t>(1, std::llround(double(chosen) * double(m.experts) / double(m.experts + empty)));
}

// MiniMax-01: layers of type 0 have a recurrent state with one decay per head instead of attention. Queries,
// keys, values and a gate are as wide as all heads together.
void read_lightning_attention(const Config& c, const Family& f, Transformer& m) {
  if (!f.type.starts_with("minimax_text") && f.type != "minimax" && f.type != "minimax_m1")
    return;
  const char* key = c.value("attn_type_list") ? "attn_type_list" : "layer_types";
  const Json* types = c.value(key);
  if (!types || int64_t(types->items().size()) != m.layers)
    throw base::Error(
        c.where(),
        "there are not as many '" + std::string(key) + "' as layers",
        "give one type a layer");
  for (const Json& type : types->items())
    m.state_layers +=
        type.is_string() ? type.string(c.where()).starts_with("linear") : type.integer(c.where(), 0, 1) == 0;
  m.state_width = m.heads * m.head_size;
  m.state_columns = 4 * m.state_width;
  m.state_values = m.state_width * m.head_size;
  m.state_vectors = double(m.state_width);
}

}  // namespace

// Returns one letter per layer, as Nemotron-H writes them: "M" Mamba-2, "*" attention, "-" a feed-forward
// layer, "E" one of experts.
std::string layer_pattern(const Config& c) {
  const Json* types = c.value("layers_block_type");
  if (!types)
    return c.text("hybrid_override_pattern");
  std::string out;
  for (const Json& type : types->items()) {
    const std::string name = type.string(c.where());
    out += name == "mamba"       ? 'M'
           : name == "attention" ? '*'
           : name == "moe"       ? 'E'
           : name == "mlp"       ? '-'
                                 : '?';
  }
  return out;
}

void read_layers(const Config& c, const Family& f, Transformer& m) {
  read_hybrid(c, m);
  read_mixed_layers(c, f, m);
  read_parallel_layers(c, f, m);
  read_double_layers(c, f, m);
  read_lightning_attention(c, f, m);
  read_linear_attention(c, m);
  read_blocks(c, f, m);
}

}  // namespace lento::predict
