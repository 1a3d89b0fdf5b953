// Converts a Hugging Face config.json to a Transformer.
//
// Properties that no key holds follow from the architecture (model_family.h).
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "predict/time/model/hybrid_config.h"
#include "predict/time/model/quantisation.h"
#include "predict/time/model/transformer.h"

namespace lento::predict {
namespace {

using base::Json;
using base::Location;

// Returns the number of key-value heads, which each model family writes in another field.
int64_t kv_heads(const Config& c, const Family& f, int64_t heads) {
  if (f.type == "falcon" && !c.flag("new_decoder_architecture", false))
    return c.flag("multi_query", true) ? 1 : heads;
  if (c.flag("multi_query_attention", false))
    return c.whole({"multi_query_group_num"}, 1);
  if (f.type == "gpt_bigcode")
    return c.flag("multi_query", true) ? 1 : heads;
  const int64_t kv = c.whole({"num_key_value_heads", "num_kv_heads", "kv_n_heads", "n_head_kv"}, heads);
  if (kv > 0 && heads % kv != 0)
    throw base::Error(
        c.where(),
        std::to_string(heads) + " heads are no whole number of groups with " + std::to_string(kv) +
            " heads of keys",
        "'num_key_value_heads' divides 'num_attention_heads'");
  return kv;
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
  m.active_experts = c.whole(
      {"num_experts_per_tok",
       "experts_per_token",
       "moe_top_k",
       "moe_k",
       "num_experts_per_token",
       "top_k_experts"},
      1);
  if (m.active_experts > m.experts)
    throw base::Error(
        c.where(),
        "a token takes " + std::to_string(m.active_experts) + " of " + std::to_string(m.experts) +
            " experts");
  m.dense_ffn = c.whole({"intermediate_size_mlp", "intermediate_size"}, m.ffn);
  m.ffn = c.whole({"moe_intermediate_size", "ffn_hidden_size", "intermediate_size"}, m.ffn);
  m.dense_layers = std::min(m.layers - 1, c.whole({"first_k_dense_replace", "moe_layer_start_index"}, 0, 0));
  // Llama 4 and Qwen: one layer in every `every` layers has experts.
  const int64_t every = c.whole({"interleave_moe_layer_step", "decoder_sparse_step"}, 1);
  std::set<int64_t> dense;
  for (int64_t layer = 0; every > 1 && layer < m.layers; ++layer) {
    if ((layer + 1) % every != 0)
      dense.insert(layer);
  }
  if (const Json* listed = c.value("mlp_only_layers")) {
    for (const Json& layer : listed->items())
      dense.insert(layer.integer(c.where(), 0, m.layers - 1));
  }
  m.dense_layers = std::max(m.dense_layers, int64_t(dense.size()));
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
  m.index_heads = c.whole({"index_n_heads"}, 0, 0, kMostConfiguredWays);
  if (m.index_heads == 0)
    return;
  m.index_size = c.needed({"index_head_dim"}, kMostConfiguredWays);
  m.index_top = c.needed({"index_topk"});
  m.query_rank = c.needed({"q_lora_rank"});
}

// Counts the entries of a list of flags, one a layer, that are `wanted`. Throws base::Error when the list has
// another length.
int64_t layers_flagged(const Config& c, const char* key, int64_t wanted, int64_t layers) {
  const Json* flags = c.value(key);
  if (!flags || !flags->is_array())
    return 0;
  if (int64_t(flags->items().size()) != layers)
    throw base::Error(
        c.where(),
        "there are not as many '" + std::string(key) + "' as layers",
        "give one a layer");
  return std::ranges::count_if(flags->items(), [&](const Json& flag) {
    return flag.integer(c.where(), 0, 1) == wanted;
  });
}

// MiMo V2: layers with a window differ in heads from the others, and keys are wider than values. Gemma 4:
// layers without a window have wider heads and fewer key heads, and use keys as values.
void read_window_heads(const Config& c, const Family& f, Transformer& m) {
  if (f.type.starts_with("mimo_v2")) {
    m.value_size = c.whole({"v_head_dim"}, m.head_size);
    m.window_layers = layers_flagged(c, "hybrid_layer_pattern", 1, m.layers);
    m.dense_layers = layers_flagged(c, "moe_layer_freq", 0, m.layers);
    m.window_heads = c.whole({"swa_num_attention_heads"}, m.heads);
    m.window_kv_heads = c.whole({"swa_num_key_value_heads"}, m.kv());
    m.window_head_size = c.whole({"swa_head_dim"}, m.head_size);
    m.window_value_size = c.whole({"swa_v_head_dim"}, m.value_size);
  }
  if (!f.type.starts_with("gemma4"))
    return;
  for (const auto& [key, what] :
       {std::pair{"hidden_size_per_layer_input", "embeddings that each layer adds"},
        {"num_kv_shared_layers", "layers that share the keys of others"}}) {
    if (c.whole({key}, 0, 0) > 0)
      throw base::Error(
          c.where(),
          "the configuration has " + std::string(what) + " ('" + key + "'), which is not modelled",
          "give the sizes of what comes nearest as 'model:' of a workload file");
  }
  m.window_heads = m.heads;
  m.window_kv_heads = m.kv();
  m.window_head_size = m.window_value_size = m.head_size;
  m.head_size = c.whole({"global_head_dim"}, m.head_size);
  m.keys_are_values = c.flag("attention_k_eq_v", false);
  if (m.keys_are_values)
    m.kv_heads = c.whole({"num_global_key_value_heads"}, m.kv());
  if (m.experts > 1)
    m.shared_ffn = c.needed({"intermediate_size"});
}

// Reads the layers whose attention is limited to a window: a list of them, or all but every n-th.
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
  if (c.value("hybrid_layer_pattern"))
    return;
  const int64_t fallback = f.type == "gemma2"             ? 2
                           : f.type.starts_with("gemma3") ? 6
                           : f.type.starts_with("llama4") ? 4
                                                          : 0;
  const int64_t pattern = c.whole({"sliding_window_pattern"}, fallback);
  m.window_layers = pattern > 1 ? m.layers - m.layers / pattern : m.layers;
}

// Counts the parameters of norms and biases in one layer.
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

// Values that Hugging Face's classes have by default. It leaves those out of a config.json that equal them.
constexpr std::pair<const char*, int64_t> kGemma3[] = {
    {"vocab_size", 262208},
    {"num_attention_heads", 8},
    {"num_key_value_heads", 4},
    {"head_dim", 256},
    {"sliding_window", 4096},
    {"max_position_embeddings", 131072}};

// Returns the configuration with the defaults of its class, and whether any was left out.
std::pair<Json, bool> with_class_defaults(const Json& body, const std::string& type) {
  Json out = body;
  bool any = false;
  if (!type.starts_with("gemma3") || type.starts_with("gemma3n"))
    return {out, any};
  for (const auto& [key, value] : kGemma3) {
    if (body.find(key))
      continue;
    out.set(key, value);
    any = any || std::string_view(key) == "vocab_size" || std::string_view(key).starts_with("num_");
  }
  return {out, any};
}

}  // namespace

Transformer transformer_from_config(const base::Json& config, const std::string& file) {
  const Location root{file};
  const Json* nested = config.find("text_config");
  const bool inside = nested && nested->is_object();
  const Json& given = inside ? *nested : config;
  std::string architecture;
  if (const Json* all = config.find("architectures")) {
    if (!all->items().empty() && all->items()[0].is_string())
      architecture = all->items()[0].string(root);
  }
  std::string type = Config(given, root).text("model_type");
  if (type.empty())
    type = config.string_or("model_type", "", root);
  const auto [body, left_out] = with_class_defaults(given, type);
  const Json* attention = body.find("attn_config");
  const Json* feed = body.find("ffn_config");
  const Config c(body, inside ? base::child(root, "text_config") : root);
  Transformer m;
  m.class_defaults = left_out;
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
  m.vocab = c.whole({"padded_vocab_size"}, 0);
  if (m.vocab == 0)
    m.vocab = c.needed({"vocab_size"});
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
  read_window_heads(c, family, m);
  read_layers(c, family, m);
  // Checkpoints with other parts than a decoder state it beside or inside 'text_config'.
  read_quantisation(c.value("quantization_config") ? c : Config(config, root), m);
  m.other_parameters = layer_vectors(c, family, m) +
                       expert_vectors(c, family, m) * double(m.expert_layers()) / double(m.layers);
  if (family.type == "gpt_oss")
    m.expert_vectors = 2.0 * double(m.ffn) + double(m.hidden);
  m.once_parameters = once(c, family, m);
  return m;
}

}  // namespace lento::predict
