// Results of benchmarks and summaries of profilers: what was measured, on which hosts, in one run
// (docs/formats/desk-bench.md).
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kCollectiveBench;  // nccl-tests, rccl-tests
extern const Format kGpuBurn;          // gpu-burn
extern const Format kServingText;      // the summary that vLLM and SGLang print
extern const Format kServingJson;      // results of vLLM, SGLang, genai-perf and AIPerf as JSON
extern const Format kServerLog;        // what vLLM and SGLang servers write while they run
extern const Format kLlamaTimes;       // llama.cpp
extern const Format kPerftest;         // ib_write_bw and its kind
extern const Format kIperf;            // iperf 2 and 3
extern const Format kBandwidthMatrix;  // nvbandwidth, p2pBandwidthLatencyTest, mpiGraph
extern const Format kNsysKernels;      // nsys stats, cuda_gpu_kern_sum, CSV or columns
extern const Format kNcuKernels;       // ncu --csv
extern const Format kRocprofKernels;   // rocprof --stats, rocprofv3 --stats and --kernel-trace

// Returns all formats of this family.
Formats bench_formats();

}  // namespace lento::desk
