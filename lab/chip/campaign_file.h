// The contents of a campaign file, YAML `lento.campaign/1` (docs/formats/campaign.md). Paths in it are
// relative to the folder of the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chip/detect/method.h"
#include "chip/map/binary_tree.h"
#include "lab/chip/data_set.h"
#include "lab/chip/mismatch.h"
#include "lab/chip/recorder.h"
#include "spec/transformer_network.h"

namespace lento::chip {

struct Campaign {
  struct Workload {
    std::string name;
    std::string chip;     // path
    std::string runs_on;  // path of the chip that runs, when it is not the one that judges
    // Replaces the noise that the chip files state. -1 keeps theirs.
    double noise_of_cores = -1;
    double noise_of_links = -1;
    std::string mapping;  // path; or
    std::string model;    // path of an ONNX file or a transformer's config.json, mapped with `batch`; or
    int64_t batch = 64;
    spec::TransformerRun run;  // of a config.json
    bool is_tree = false;      // a binary tree
    BinaryTree tree;
  };
  std::string title = "campaign";
  std::vector<Workload> workloads;  // those of map folders included
  std::vector<MethodChoice> methods{{}};
  std::vector<RecorderChoice> recorders{{}};
  std::vector<std::string> probes{"full"};
  std::vector<Mismatch> mismatches{{}};  // every run is repeated with each
  std::string fault_files;               // a folder; empty: drawn
  DataSetOptions draw;
  std::vector<double> factors{10};  // drawn cases are repeated with each; "name x factor" in tables
  bool training_only = false;       // the cases that are otherwise left out, and no others
  int64_t inferences = 16;
  std::vector<uint64_t> seeds{1};  // of faulty runs
  int64_t clean_runs = 152;  // a workload, with seeds of their own, which follow from the first of `seeds`
  int64_t altered_runs = 0;  // more clean runs, of altered structures
  int64_t altered_structures = 4;
  double lost_records = 0;
  bool healthy_run = false;  // one of the same chip is given to every diagnosis
  bool replay = true;        // the detector may simulate hypotheses
};

// Throws base::Error that names every bad key of the file at once.
Campaign read_campaign(const std::string& path);
Campaign parse_campaign(const std::string& text, const std::string& file);

}  // namespace lento::chip
