#include "desk/formats/formats.h"

#include <gtest/gtest.h>

#include "desk/read/log_file.h"
#include "desk/read/pattern.h"
#include "desk/read/peel.h"

namespace lento::desk {
namespace {

TEST(Formats, EverySampleLineMatchesItsForm) {
  for (const Format* format : all_formats()) {
    for (const LineForm& form : format->forms) {
      const Pattern pattern(form.pattern);
      EXPECT_FALSE(form.samples.empty()) << form.pattern;
      for (const std::string_view sample : form.samples) {
        std::string buffer;
        Match match;
        const std::string_view text =
            format->is_of_whole_line ? sample : peel(sample, Depth::Log, buffer).text;
        EXPECT_TRUE(pattern.match(text, match)) << form.pattern << "\n" << sample;
      }
    }
  }
}

TEST(Formats, EverySampleLineIsRecognisedAsItsFormat) {
  const LogReader reader(all_formats());
  for (const Format* format : all_formats()) {
    for (const LineForm& form : format->forms) {
      for (const std::string_view sample : form.samples) {
        const auto found = reader.recognise(sample);
        if (format->is_fallback)
          continue;
        ASSERT_NE(found.format, nullptr) << sample;
        EXPECT_EQ(found.format->family, format->family) << sample;
      }
    }
  }
}

TEST(Formats, ATableBehindColoursAndLabelsIsOne) {
  const LogReader reader(all_formats());
  for (const std::string_view text : {
           "\x1b[1mNAME   STATUS   ROLES   AGE   VERSION\x1b[0m\r\nn1   Ready   <none>   8d   v1.31.4\r\n",
           "0: NAME   STATUS   ROLES   AGE   VERSION\n0: n1   Ready   <none>   8d   v1.31.4\n",
       })
    EXPECT_NE(reader.recognise(text).format, nullptr) << text;
}

TEST(Formats, ATitleAloneShowsNothingToBeAbsent) {
  const LogReader reader(all_formats());
  Records records;
  reader.read_text("| Diagnostic                | Result |\n", "diag.txt", records);
  reader.read_text("{\"DCGM Diagnostic\": {\"test_categories\": []}}", "diag.json", records);
  for (const SourceFile& file : records.files) {
    EXPECT_TRUE(file.recognised());
    EXPECT_TRUE(file.covers.empty()) << file.path;
  }
}

TEST(Formats, SecretsOfALineAreInNoPartOfItsEvent) {
  const LogReader reader(all_formats());
  Records records;
  reader.read_text(
      "n1:4:5 [0] NCCL WARN cannot fetch https://me:s3cr3t@host/x with token=hf_abcdefghijklmnop\n",
      "a.log",
      records);
  ASSERT_EQ(records.events().size(), 1u);
  const Event& event = records.events()[0];
  for (const std::string& text : {event.text, event.meaning}) {
    EXPECT_EQ(text.find("s3cr3t"), text.npos) << text;
    EXPECT_EQ(text.find("abcdefghijklmnop"), text.npos) << text;
  }
}

TEST(Formats, OtherTextIsNotKnown) {
  const LogReader reader(all_formats());
  for (const std::string_view text : {
           "node,time,power\na,0,510\n",
           "#include <vector>\nint main() { return 0; }\n",
           "{\"a\": [1, 2, 3]}",
           "schema: lento.chip/1\nname: x\n",
           "Dear all,\nthe rank of the matrix is 3: see page 4.\n",
       })
    EXPECT_EQ(reader.recognise(text).format, nullptr) << text;
}

}  // namespace
}  // namespace lento::desk
