// liblento-dev, used where it was just installed.
#include <lento/lento.h>

#include <iostream>

int main() {
  lento::PredictQuestion question;
  question.workload = "examples/predict/gemm.yaml";
  question.system = "h100";
  const lento::Diagnosis d = lento::predict_workload(question);
  std::cout << "liblento-dev: installed and used: " << d.verdict << "\n";
  return d.outcome == lento::Outcome::Answer ? 0 : 1;
}
