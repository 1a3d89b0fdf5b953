#include "base/units.h"

#include <gmock/gmock.h>

#include <cmath>
#include <tuple>

#include "base/number.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using test::error_of;
using testing::HasSubstr;

double read(const char* text, Dimension dimension) {
  return parse_quantity(text, dimension, {"f"});
}

TEST(ParseQuantity, EachPrefixIsAThousandOfTheOneBelow) {
  const std::vector<std::pair<Dimension, std::vector<const char*>>> ladders = {
      {Dimension::Time, {"1 ps", "1 ns", "1 us", "1 ms", "1 s"}},
      {Dimension::Frequency, {"1 Hz", "1 kHz", "1 MHz", "1 GHz"}},
      {Dimension::Bytes, {"1 B", "1 kB", "1 MB", "1 GB", "1 TB"}},
      {Dimension::BytesPerTime, {"1 B/s", "1 kB/s", "1 MB/s", "1 GB/s", "1 TB/s"}},
      {Dimension::Rate, {"1 FLOP/s", "1 kFLOP/s", "1 MFLOP/s", "1 GFLOP/s", "1 TFLOP/s", "1 PFLOP/s"}},
      {Dimension::Rate, {"1 OP/s", "1 kOP/s", "1 MOP/s", "1 GOP/s", "1 TOP/s", "1 POP/s"}},
      {Dimension::Power, {"1 mW", "1 W", "1 kW", "1 MW"}},
      {Dimension::Energy, {"1 fJ", "1 pJ", "1 nJ", "1 uJ", "1 mJ", "1 J", "1 kJ", "1 MJ"}},
      {Dimension::Voltage, {"1 mV", "1 V"}},
      {Dimension::Length, {"1 nm", "1 um", "1 mm"}}};
  for (const auto& [dimension, ladder] : ladders) {
    for (size_t i = 1; i < ladder.size(); ++i) {
      const double ratio = read(ladder[i], dimension) / read(ladder[i - 1], dimension);
      EXPECT_NEAR(ratio, 1000, 1e-9) << ladder[i];
    }
  }
}

TEST(ParseQuantity, BinaryPrefixesArePowersOf1024) {
  const char* sizes[] = {"1 KiB", "1 MiB", "1 GiB", "1 TiB"};
  const char* speeds[] = {"1 KiB/s", "1 MiB/s", "1 GiB/s", "1 TiB/s"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(read(sizes[i], Dimension::Bytes), std::exp2(10 * (i + 1))) << sizes[i];
    EXPECT_EQ(read(speeds[i], Dimension::BytesPerTime), std::exp2(10 * (i + 1))) << speeds[i];
  }
}

TEST(ParseQuantity, BaseUnitsAreOne) {
  EXPECT_EQ(read("1 s", Dimension::Time), 1);
  EXPECT_EQ(read("1 Hz", Dimension::Frequency), 1);
  EXPECT_EQ(read("1 B", Dimension::Bytes), 1);
  EXPECT_EQ(read("1 FLOP/s", Dimension::Rate), 1);
  EXPECT_EQ(read("1 OP/s", Dimension::Rate), 1);
  EXPECT_EQ(read("1 W", Dimension::Power), 1);
  EXPECT_EQ(read("1 J", Dimension::Energy), 1);
  EXPECT_EQ(read("1 V", Dimension::Voltage), 1);
  EXPECT_EQ(read("1 m2", Dimension::Area), 1);
  EXPECT_EQ(read("1 m", Dimension::Length), 1);
  EXPECT_EQ(read("1 USD", Dimension::Money), 1);
}

TEST(ParseQuantity, LongTimesAndAreas) {
  EXPECT_EQ(read("1 min", Dimension::Time), 60);
  EXPECT_EQ(read("1 h", Dimension::Time), 60 * 60);
  EXPECT_EQ(read("1 d", Dimension::Time), 24 * 60 * 60);
  EXPECT_DOUBLE_EQ(read("1 cm", Dimension::Length), 0.01);
  // A square of the length of the same name.
  for (const auto& [area, length] :
       {std::pair{"1 um2", "1 um"}, std::pair{"1 mm2", "1 mm"}, std::pair{"1 cm2", "1 cm"}}) {
    const double side = read(length, Dimension::Length);
    EXPECT_DOUBLE_EQ(read(area, Dimension::Area), side * side) << area;
  }
}

TEST(ParseQuantity, PercentIsAHundredthAndABareNumberTheShareItself) {
  EXPECT_DOUBLE_EQ(read("50 %", Dimension::Percent), 0.5);
  EXPECT_DOUBLE_EQ(read("0.5", Dimension::Percent), 0.5);
  EXPECT_DOUBLE_EQ(read("50%", Dimension::Percent), 0.5);
}

TEST(ParseQuantity, NumbersOfEveryForm) {
  EXPECT_DOUBLE_EQ(read("-1.5e3 s", Dimension::Time), -1500);
  EXPECT_DOUBLE_EQ(read(".5 s", Dimension::Time), 0.5);
  EXPECT_DOUBLE_EQ(read("12   ms", Dimension::Time), 0.012);
  EXPECT_DOUBLE_EQ(read("1e-3s", Dimension::Time), 1e-3);
}

TEST(ParseQuantity, WhatIsNoQuantityIsRefusedAtItsPlace) {
  const auto complaint = [](const char* text, Dimension dimension) {
    return error_of([&] {
      parse_quantity(text, dimension, {"chip.yaml", 7, 3});
    });
  };
  for (const char* text : {"", "fast", "s", "GHz 1", "nan s", "inf s", "1e999 s"}) {
    EXPECT_THAT(complaint(text, Dimension::Time), HasSubstr("chip.yaml:7:3: error: found '")) << text;
    EXPECT_THAT(complaint(text, Dimension::Time), HasSubstr("needed a quantity such as '10 ms'")) << text;
  }
  EXPECT_THAT(complaint("3", Dimension::Time), HasSubstr("without a unit"));
  EXPECT_THAT(complaint("3 GS", Dimension::Time), HasSubstr("unit 'GS' does not fit here"));
  EXPECT_THAT(complaint("3 s", Dimension::Plain), HasSubstr("needed a number without a unit"));
  EXPECT_THAT(complaint("3 Ms", Dimension::Time), HasSubstr("hint: units: ps, ns, us, ms, s, min, h, d"));
}

TEST(ParseQuantity, UnitsAreCaseSensitive) {
  EXPECT_NE(read("1 mW", Dimension::Power), read("1 MW", Dimension::Power));
  for (const auto& [text, dimension] :
       {std::pair{"1 ghz", Dimension::Frequency},
        std::pair{"1 kib", Dimension::Bytes},
        std::pair{"1 Kb", Dimension::Bytes}}) {
    EXPECT_THAT(
        error_of([&, t = text, d = dimension] {
          read(t, d);
        }),
        HasSubstr("does not fit here"))
        << text;
  }
}

TEST(FormatQuantity, TakesTheLargestUnitThatIsNotAboveTheValue) {
  EXPECT_EQ(format_quantity(999e-6, Dimension::Time), "999 us");
  EXPECT_EQ(format_quantity(1e-3, Dimension::Time), "1 ms");
  EXPECT_EQ(format_quantity(1023, Dimension::Bytes), "1023 B");
  EXPECT_EQ(format_quantity(1024, Dimension::Bytes), "1 KiB");
  EXPECT_EQ(format_quantity(-2048, Dimension::Bytes), "-2 KiB");
  EXPECT_EQ(format_quantity(1e-15, Dimension::Time), "0.001 ps");
  EXPECT_EQ(format_quantity(1234, Dimension::Plain), "1234");
  EXPECT_EQ(format_quantity(0.125, Dimension::Percent), "12.5 %");
}

TEST(FormatQuantity, WhatIsWrittenReadsBackToFourDigits) {
  Rng rng(11, "units");
  for (const Dimension dimension :
       {Dimension::Time,
        Dimension::Frequency,
        Dimension::Bytes,
        Dimension::BytesPerTime,
        Dimension::Rate,
        Dimension::Power,
        Dimension::Energy,
        Dimension::Voltage,
        Dimension::Area,
        Dimension::Length,
        Dimension::Percent}) {
    for (int i = 0; i < 50; ++i) {
      const double value = std::pow(10, rng.uniform(-3, 3));
      const std::string text = format_quantity(value, dimension);
      EXPECT_NEAR(parse_quantity(text, dimension, {}) / value, 1, 6e-3) << text;
    }
  }
  EXPECT_EQ(parse_quantity(format_quantity(0, Dimension::Time), Dimension::Time, {}), 0);
}

TEST(FormatExact, IsTheSameDoubleAgainAndNoLongerThanSeventeenDigits) {
  Rng rng(12, "exact");
  for (int i = 0; i < 1000; ++i) {
    const double value = (rng.uniform() - 0.5) * std::pow(10, rng.uniform(-300, 300));
    const std::string text = format_exact(value);
    EXPECT_EQ(try_double(text), value) << text;
  }
  EXPECT_EQ(format_exact(0.1), "0.1");
  EXPECT_EQ(format_exact(3), "3");
}

TEST(FormatNumber, SignificantDigitsWithoutTrailingZeros) {
  EXPECT_EQ(format_number(1.0), "1");
  EXPECT_EQ(format_number(1.23456), "1.235");
  EXPECT_EQ(format_number(1.23456, 2), "1.2");
  EXPECT_EQ(format_number(0.5, 8), "0.5");
  EXPECT_EQ(format_number(-0.00012345), "-0.0001234");
}

TEST(FormatNumber, NoExponentWhereDigitsAreReadable) {
  EXPECT_EQ(format_number(123456), "123456");
  EXPECT_EQ(format_number(999999999999.0), "999999999999");
  EXPECT_EQ(format_number(1e15), "1e+15");
  EXPECT_EQ(format_number(1e-7), "1e-07");
}

TEST(FormatMeasure, ClocksInMegahertzStayAsToolsPrintThem) {
  EXPECT_EQ(format_measure(1980, "MHz"), "1980 MHz");
  EXPECT_EQ(format_measure(345e6, "Hz"), "345 MHz");
  EXPECT_EQ(format_measure(20000, "MHz"), "20 GHz");
}

TEST(FormatCompact, LettersFromTenThousand) {
  EXPECT_EQ(format_compact(10000), "10k");
  EXPECT_EQ(format_compact(999000), "999k");
  EXPECT_EQ(format_compact(1e6), "1M");
  EXPECT_EQ(format_compact(2.5e9), "2.5G");
  EXPECT_EQ(format_compact(7e12), "7T");
  EXPECT_EQ(format_compact(4e15), "4P");
  EXPECT_EQ(format_compact(4e17), "400P");
  EXPECT_EQ(format_compact(0), "0");
}

TEST(FormatCompact, KeepsFourDigitsOfEverySize) {
  Rng rng(13, "compact");
  const std::string letters = "kMGTP";
  for (int i = 0; i < 500; ++i) {
    const double value = std::pow(10, rng.uniform(4, 17.9));
    const std::string text = format_compact(value);
    const size_t letter = letters.find(text.back());
    ASSERT_NE(letter, std::string::npos) << text;
    const auto number = try_double(std::string_view(text).substr(0, text.size() - 1));
    ASSERT_TRUE(number) << text;
    EXPECT_NEAR(*number * std::pow(1000, double(letter) + 1) / value, 1, 6e-4) << text;
    EXPECT_LE(*number, 1000) << text;
  }
}

TEST(Percent, OfAShare) {
  EXPECT_EQ(percent(0.1234), "12.3 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0), "0 %");
}

TEST(Hex, ReadsBack) {
  EXPECT_EQ(hex(0x80001000), "0x80001000");
  EXPECT_EQ(hex(0), "0x0");
  Rng rng(14, "hex");
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = rng.next();
    EXPECT_EQ(try_uint(hex(value).substr(2), 16), value);
  }
}

}  // namespace
}  // namespace lento::base
