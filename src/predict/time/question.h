// Questions to the predictor, one for each row of a table, and their answers.
//
// The columns of a table decide which kind of question its rows are (docs/formats/questions.md lists the
// dialects). The tables published with NeuSight, DeepBench, AIConfigurator, vTrain, nanotron and Megatron
// are read without change. Columns that hold a measurement are read by measured_s() only, for validation and
// calibration.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/scan/csv.h"
#include "predict/kernels/kernels.h"
#include "predict/time/collective.h"
#include "predict/time/gemm.h"
#include "predict/time/graph.h"
#include "predict/time/lstm.h"
#include "predict/time/serving/inference.h"
#include "predict/time/serving/serving.h"
#include "predict/time/training/training.h"

namespace lento::predict {

struct Question {
  std::variant<
      Gemm,
      LstmLayer,
      Collective,
      TrainingRun,
      InferenceRun,
      GraphRun,
      ExpertLayer,
      AttentionKernel,
      ServingRun>
      what;
  std::string device;     // device name in the row; empty when the row has none
  std::string framework;  // the software that runs it; empty: the system's own stack

  bool operator==(const Question&) const = default;
};

// The stack name of kernels from a profiler's trace. Such kernels run between others and with cold caches,
// unlike kernels in a benchmark loop.
inline constexpr const char* kTraced = "PyTorch";

enum class Dialect {
  Gemm,                // [device],[precision],[batch],m,n,k
  NeuSight,            // op,B,M,N,K where N is the reduction: (M x N) * (N x K)
  Lstm,                // cell,hidden,batch,timesteps,[precision],[pass]
  CollectiveBytes,     // size_B,n_gpus
  CollectiveElements,  // op_name,num_gpus,message_elems,nccl_dtype
  TrainVtrain,
  TrainNanotron,
  TrainMegatron,  // hidden,layers,heads,gpus,global_batch,...
  TrainKorthikanti,
  Experts,          // num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,distribution
  ExpertsAmd,       // tokens,model_dim,inter_dim,experts,topk,act_dtype,weight_dtype,quant
  Attention,        // batch_size,isl,[step],num_heads,num_key_value_heads,head_dim,window_size
  LatentAttention,  // op_name,mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,step
  TrainRecipe,      // model,chip,n_gpus,seq_len,tp,pp,cp: torchtitan, Megatron Bridge, published runs
  TrainMpt,         // model,chip,n_gpus,seq_len,sharding,activation_checkpointing
  TrainMaxtext,     // model,chip,n_chips,per_device_batch,ici_tp,remat
  NeusightRun,      // device,model,mode,seq_len,batch
  NeusightGpus,     // device,model,global_batch,strategy
  ServeInferencex,  // isl,osl,concurrency,decode_tp,disaggregated
  ServeTrtllm,      // model,chip,tp,pp,isl,osl,load
  ServeBatch,       // setup,model,isl,osl,load
  Inference,        // Input Tokens,Output Tokens,Concurrency
};

// Returns the dialect of a table's columns. Throws Error that lists the dialects when none matches.
Dialect dialect_of(const base::CsvReader& table);

// Parses the question of the current row. Throws Error at a field that cannot be read.
Question parse_question(Dialect dialect, const base::CsvReader& row);

// Returns the measured seconds of the current row. Returns nothing when the table has none or when the run
// failed.
std::optional<double> measured_s(Dialect dialect, const base::CsvReader& row);

struct Answer {
  double seconds = 0;
  std::string bound;
  double p50 = 0,
         p90 = 0;  // |predicted / measured - 1| that half, and 90 %, of similar questions do not exceed
  bool in_domain = true;  // inside the range on which the constants were validated
};

Answer answer(const System& system, const Question& question);

// Returns the shipped system of `system`'s family whose name is the row's device, else `system`.
const System& variant_for(const System& system, const Question& question);
// Returns variant_for(system, question) with the stack of the question's framework.
System specialised(const System& system, const Question& question);

// Returns the system that answers a question, with the stack of its framework: `given`, or else the shipped
// system that the question names. Throws base::Error when neither exists, or when the question names another
// device than `given`.
System system_for(const System* given, const Question& question);

}  // namespace lento::predict
