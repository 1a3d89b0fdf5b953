#include <finding/finding.h>
#include <report/report.h>

#include <iostream>

int main() {
  lento::finding::Diagnosis diagnosis;
  diagnosis.verdict = "nothing wrong was seen";
  std::cout << lento::report::write_text(diagnosis);
  return lento::report::write_html(diagnosis).empty() ? 1 : 0;
}
