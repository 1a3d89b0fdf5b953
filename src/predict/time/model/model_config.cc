// A Hugging Face config.json as a Transformer.
//
// What the keys do not say follows from the architecture (model_family.h).
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/json.h"
#include "predict/time/model/model_family.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {
namespace {

using base::Json;
using base::Location;

constexpr int64_t kMostConfigured = int64_t{1} << 23;
constexpr int64_t kMostConfiguredWays = 1 << 14;   // of one side of a product of two or three
constexpr int64_t kMostTokens = int64_t{1} << 40;  // of a context

// Keys under their several names.
class Config {
 public:
  Config(const Json& json, Location where)
      : json_(json),
        where_(std::move(where)) {
  }

  const Json* value(std::string_view key) const {
    const Json* found = json_.find(key);
    return found && !found->is_null() ? found : nullptr;
  }
  // Returns the first of these integer fields that is present, else `fallback`.
  int64_t whole(
      std::initializer_list<const char*> keys,
      int64_t fallback,
      int64_t least = 1,
      int64_t most = kMostConfigured) const {
    for (const char* key : keys) {
      if (const Json* found = value(key))
        return found->integer(base::child(where_, key), least, most);
    }
    return fallback;
  }
  // Returns the first of these integer fields. Throws base::Error when none is present.
  int64_t needed(std::initializer_list<const char*> keys, int64_t most = kMostConfigured) const {
    if (const int64_t found = whole(keys, 0, 1, most))
      return found;
    throw base::Error(
        where_,
        "there is no '" + std::string(*keys.begin()) + "'",
        "this is not the config.json of a decoder model");
  }
  bool flag(std::string_view key, bool fallback) const {
    const Json* found = value(key);
    return found && found->is_bool() ? found->boolean(base::child(where_, key)) : fallback;
  }
  std::string text(std::string_view key) const {
    const Json* found = value(key);
    return found && found->is_string() ? found->string(where_) : "";
  }
  const Location& where() const {
    return where_;
  }

 private:
  const Json& json_;
  Location where_;
};

// Returns the number of key-value heads, which each model family writes in another field.
int64_t kv_heads(const Config& c, const Family& f, int64_t heads) {
  if (f.type == "falcon" && !c.flag("new_decoder_architecture", false))
    return c.flag("multi_query", true) ? 1 : heads;
  if (c.flag("multi_query_attention", false))
    return c.whole({"multi_query_group_num"}, 1);
  if (f.type == "gpt_bigcode")
    return c.flag("multi_query", true) ? 1 : heads;
  return c.whole({"num_key_value_heads", "num_kv_heads", "kv_n_heads", "n_head_kv"}, heads);
}

// Reads the size of the heads. It is given or is a share of the width. Latent attention overrides it later.
void read_heads(const Config& c, Transformer& m) {
  m.head_size = c.whole({"head_dim", "attention_head_dim", "kv_channels"}, 0, 0);
  if (m.head_size > 0)
    return;
  m.head_size = std::max<int64_t>(1, m.hidden / m.heads);
  const bool latent = c.whole({"kv_lora_rank"}, 0, 0) > 0;
  if (!latent && m.hidden % m.heads != 0)
    throw base::Error(
        c.where(),
        "a width of " + std::to_string(m.hidden) + " is no whole number of " + std::to_string(m.heads) +
            " heads",
        "give 'head_dim' where heads have a size of their own");
}

// Reads number, width and routing of experts.
void read_experts(const Config& c, const Family& f, Transformer& m) {
  m.experts = std::min<int64_t>(
      kMostConfiguredWays,
      c.whole({"n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"}, 1, 0));
  m.experts = std::max<int64_t>(1, m.experts);
  if (m.experts == 1)
    return;
  m.active_experts =
      c.whole({"num_experts_per_tok", "experts_per_token", "moe_top_k", "moe_k", "num_experts_per_token"}, 1);
  if (m.active_experts > m.experts)
    throw base::Error(
        c.where(),
        "a token takes " + std::to_string(m.active_experts) + " of " + std::to_string(m.experts) +
            " experts");
  m.dense_ffn = c.whole({"intermediate_size_mlp", "intermediate_size"}, m.ffn);
  m.ffn = c.whole({"moe_intermediate_size", "ffn_hidden_size", "intermediate_size"}, m.ffn);
  m.dense_layers = std::min(m.layers - 1, c.whole({"first_k_dense_replace", "moe_layer_start_index"}, 0, 0));
  // Llama 4 and Qwen: one layer of so many has experts.
  const int64_t every = c.whole({"interleave_moe_layer_step", "decoder_sparse_step"}, 1);
  if (every > 1)
    m.dense_layers = m.layers - m.layers / every;
  if (const Json* dense = c.value("mlp_only_layers"))
    m.dense_layers = std::max(m.dense_layers, int64_t(dense->items().size()));
  m.shared_ffn = c.whole({"n_shared_experts", "num_shared_experts", "moe_num_shared_experts"}, 0, 0) * m.ffn;
  m.shared_ffn = c.whole({"shared_expert_intermediate_size", "shared_intermediate_size"}, m.shared_ffn, 0);
  if (f.type.starts_with("llama4"))
    m.shared_ffn = m.ffn;
}

void read_latent_attention(const Config& c, Transformer& m) {
  m.kv_rank = c.whole({"kv_lora_rank"}, 0);
  if (m.kv_rank == 0)
    return;
  m.query_rank = c.whole({"q_lora_rank"}, 0);
  m.rotary_size = c.needed({"qk_rope_head_dim"});
  m.head_size = c.needed({"qk_nope_head_dim"}) + m.rotary_size;
  m.value_size = c.needed({"v_head_dim"});
}

// Layers whose attention sees a window: listed, or all but every n-th.
void read_window(const Config& c, const Family& f, Transformer& m) {
  m.window = c.whole({"sliding_window", "attention_chunk_size"}, 0, 1, kMostTokens);
  if (m.window == 0 || !c.flag("use_sliding_window", true)) {
    m.window = 0;
    return;
  }
  if (const Json* types = c.value("layer_types")) {
    for (const Json& type : types->items())
      m.window_layers += type.is_string() && type.string(c.where()).starts_with("sliding");
    return;
  }
  const int64_t fallback = f.type == "gemma2"             ? 2
                           : f.type.starts_with("gemma3") ? 6
                           : f.type.starts_with("llama4") ? 4
                                                          : 0;
  const int64_t pattern = c.whole({"sliding_window_pattern"}, fallback);
  m.window_layers = pattern > 1 ? m.layers - m.layers / pattern : m.layers;
}

// Norms and biases of one layer, in values.
double layer_vectors(const Config& c, const Family& f, const Transformer& m) {
  const double h = double(m.hidden);
  const double queries = double(m.heads) * double(m.head());
  const double keys = double(m.kv()) * double(m.head());
  int norms = f.norms;
  if (f.type == "falcon" && c.flag("new_decoder_architecture", false))
    norms = 2;
  if (f.type == "falcon" && !c.flag("parallel_attn", true))
    norms = 2;
  double out = f.norm * norms * h;
  const bool query_bias = c.flag("add_qkv_bias", c.flag("qkv_bias", c.flag("attention_bias", f.query_bias)));
  const bool use_bias = c.flag("use_bias", true);
  if (m.kv_rank > 0)
    return out + double(m.query_rank) + double(m.kv_rank);
  if (query_bias && use_bias)
    out += queries + 2 * keys;
  if ((f.out_bias || (f.type == "llama" && query_bias)) && use_bias && query_bias)
    out += h;
  if (f.type == "gpt_neo")
    out += h;
  if (c.flag("mlp_bias", f.feed_bias && use_bias) && m.experts == 1)
    out += double(m.inner()) + h;
  if (f.query_key == kPerHead)
    out += 2.0 * double(m.head());
  if (f.query_key == kWhole || (f.type.starts_with("cohere") && c.flag("use_qk_norm", false)))
    out += queries + keys;
  if ((f.type == "glm4_moe" || f.type.starts_with("bailing_moe")) && c.flag("use_qk_norm", false))
    out += 2.0 * double(m.head());
  return out;
}

// Returns the number of parameters of a layer of experts besides its products: choice biases, gates of shared
// experts, biases, sinks.
double expert_vectors(const Config& c, const Family& f, const Transformer& m) {
  if (m.experts == 1)
    return 0;
  const auto experts = double(m.experts);
  if (f.type == "gpt_oss")
    return experts + double(m.heads);
  if (f.type == "qwen2_moe" && m.shared_ffn > 0)
    return double(m.hidden);
  const bool chosen_by_bias = c.text("topk_method") == "noaux_tc" || c.flag("use_routing_bias", false) ||
                              c.flag("moe_router_enable_expert_bias", false);
  return chosen_by_bias ? experts : 0;
}

// Counts parameters that occur once in the model: final norm and position embeddings.
double once(const Config& c, const Family& f, const Transformer& m) {
  double out = double(f.norm) * double(m.hidden);
  const int64_t positions = c.whole({"n_positions", "max_position_embeddings"}, 0, 1, kMostTokens);
  if (f.type == "gpt2" || f.type == "gpt_bigcode" || f.type == "gpt_neo")
    out += double(positions) * double(m.hidden);
  if (f.type == "opt")
    out += double(positions + 2) * double(m.hidden);
  if (f.type == "bloom")
    out += 2.0 * double(m.hidden);  // a norm after the embedding
  if (f.type == "gptj" || f.type.starts_with("phi-") || f.type == "phi")
    out += double(m.vocab);
  return out;
}

// Nemotron-H, a layer each: "M" Mamba-2, "*" attention, "-" a feed-forward layer, "E" one of experts.
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

// Layers of Mamba-2, by the names that a family gives to their sizes.
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

// Granite 4: each layer mixes by attention or by a state, then feeds forward.
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

// Qwen 3.5: most layers carry a state by the gated delta rule, the others attend with a gate.
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
  constexpr double kMostTimes = 1000;  // of the model's width
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

// Reads in which precision weights are stored.
void read_quantisation(const Config& c, Transformer& m) {
  const Json* q = c.value("quantization_config");
  if (!q)
    return;
  const std::string method = q->string_or("quant_method", "", c.where());
  double bits = 0;
  if (method == "fp8" || method == "fbgemm_fp8")
    bits = 8;
  if (method == "mxfp4" || method == "nvfp4" || method == "modelopt")
    bits = 4.25;
  if (method == "gptq" || method == "awq")
    bits = q->number_or("bits", 4, c.where()) + 0.15;
  if (bits == 0)
    return;  // stored as computed, as far as is known
  m.expert_bits = bits;
  if (method != "mxfp4")
    m.weight_bits = bits;
}

}  // namespace

Transformer transformer_from_config(const base::Json& config, const std::string& file) {
  const Location root{file};
  const Json* nested = config.find("text_config");
  const Json& body = nested && nested->is_object() ? *nested : config;
  const Json* attention = body.find("attn_config");
  const Json* feed = body.find("ffn_config");
  const Config c(body, root);
  std::string architecture;
  if (const Json* all = config.find("architectures")) {
    if (!all->items().empty() && all->items()[0].is_string())
      architecture = all->items()[0].string(root);
  }
  std::string type = c.text("model_type");
  if (type.empty())
    type = config.string_or("model_type", "", root);
  Transformer m;
  m.hidden = c.needed({"hidden_size", "n_embd", "d_model"});
  const Family& family = family_of(type, architecture, root);
  m.layers = c.whole(
      {"num_hidden_layers", "n_layer", "num_layers", "n_layers"},
      int64_t(layer_pattern(c).size()),
      1);
  if (m.layers == 0)
    c.needed({"num_hidden_layers"});
  m.heads = c.needed({"num_attention_heads", "n_head", "num_heads", "n_heads"});
  m.kv_heads = kv_heads(c, family, m.heads);
  if (attention && attention->is_object())
    m.kv_heads = kv_heads(Config(*attention, root), family, m.heads);
  read_heads(c, m);
  m.positions = c.whole({"max_position_embeddings", "n_positions", "max_seq_len"}, 0, 1, kMostTokens);
  m.vocab = c.needed({"padded_vocab_size", "vocab_size"});
  m.ffn = c.whole({"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size"}, 4 * m.hidden);
  if (m.ffn == 0)
    m.ffn = 4 * m.hidden;
  if (family.type == "qwen")
    m.ffn /= 2;  // the key counts both halves of the gated layer
  m.gated = family.gated;
  m.tied = c.flag(
      "tie_word_embeddings",
      config.find("tie_word_embeddings") ? Config(config, root).flag("tie_word_embeddings", family.tied)
                                         : family.tied);
  read_experts(feed && feed->is_object() ? Config(*feed, root) : c, family, m);
  read_latent_attention(c, m);
  read_window(c, family, m);
  read_hybrid(c, m);
  read_mixed_layers(c, family, m);
  read_linear_attention(c, m);
  read_blocks(c, family, m);
  read_quantisation(nested ? Config(config, root) : c, m);
  m.other_parameters = layer_vectors(c, family, m) +
                       expert_vectors(c, family, m) * double(m.expert_layers()) / double(m.layers);
  if (family.type == "gpt_oss")
    m.expert_vectors = 2.0 * double(m.ffn) + double(m.hidden);
  m.once_parameters = once(c, family, m);
  return m;
}

}  // namespace lento::predict
