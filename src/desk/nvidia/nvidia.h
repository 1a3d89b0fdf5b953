// GPUs as the tools of their makers show them: nvidia-smi (CSV queries, -q, nvlink, topo, dmon), dcgmi diag
// and dmon, rocm-smi and amd-smi: docs/formats/desk-nvidia.md.
#pragma once

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kSmiTable;      // CSV of nvidia-smi --query-gpu, rocm-smi, amd-smi
extern const Format kSmiPage;       // nvidia-smi -q
extern const Format kSmiColumns;    // nvidia-smi dmon, dcgmi dmon
extern const Format kRocmLines;     // rocm-smi without --csv
extern const Format kNvlink;        // nvidia-smi nvlink -s and -e
extern const Format kTopology;      // nvidia-smi topo -m
extern const Format kDcgmDocument;  // dcgmi diag -j
extern const Format kDcgmTable;     // dcgmi diag
extern const Format kDcgmHealth;    // dcgmi health -c
extern const Format kDcgmLinks;     // dcgmi nvlink -s
extern const Format kSmiBox;        // nvidia-smi without options
extern const Format kRocmPicture;   // rocm-smi without options
extern const Format kSmiXml;        // nvidia-smi -q -x
extern const Format kAmdTree;       // amd-smi metric
extern const Format kGpustat;       // gpustat
extern const Format kAmdJson;       // amd-smi and rocm-smi --json

Formats nvidia_formats();

}  // namespace lento::desk
