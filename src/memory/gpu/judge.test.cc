// Counters and accesses of GPU kernels whose fault is planted, beside healthy twins.
#include "memory/gpu/judge.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/file.h"
#include "base/test_error.h"
#include "base/test_folder.h"
#include "memory/gpu/kernel_memory.h"

namespace lento::memory {
namespace {

using finding::Diagnosis;
using finding::Outcome;
using ::testing::Contains;
using ::testing::HasSubstr;

class GpuMemory : public base::test::FolderTest {
 protected:
  Diagnosis of(const std::string& text) {
    return diagnose_gpu_memory(file("profile", text), false);
  }
  std::string first(const std::string& text) {
    const Diagnosis d = of(text);
    return d.findings.empty() ? finding::name(d.outcome)
                              : d.findings[0].category + " in " + d.findings[0].subject;
  }
};

std::string ncu(const std::vector<std::pair<std::string, std::string>>& metrics) {
  std::string text =
      "==PROF== Connected to process 7\n\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
      "Value\"\n";
  for (const auto& [name, value] : metrics)
    text += "\"0\",\"transpose(float *, int)\",\"" + name + "\",\"\",\"" + value + "\"\n";
  return text;
}

TEST(GpuCounters, AListOfDurationsHasNone) {
  const std::string titles = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  const std::string time = "\"0\",\"gemm\",\"gpu__time_duration.sum\",\"nsecond\",\"90000\"\n";
  EXPECT_FALSE(is_gpu_counters(titles + time + time));
  EXPECT_TRUE(is_gpu_counters(titles + time + "\"0\",\"gemm\",\"lts__t_sectors.sum\",\"sector\",\"9\"\n"));
  EXPECT_TRUE(is_gpu_counters(titles));
}

TEST_F(GpuMemory, WavefrontsBeyondTheLeastAreBankConflicts) {
  const std::string pipe = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
  const Diagnosis d = of(ncu({{pipe, "1,081,344"}, {conflicts, "1,048,576"}}));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].category, "bank conflicts");
  EXPECT_EQ(d.findings[0].subject, "transpose(float *, int)");
  EXPECT_NEAR(*d.findings[0].factor, 33, 0.01);
  EXPECT_THAT(d.findings[0].next_step, HasSubstr("[32][33]"));
  EXPECT_EQ(first(ncu({{pipe, "1,081,344"}, {conflicts, "21,000"}})), "healthy");
  // These conflicts take one cycle in a thousand.
  EXPECT_EQ(
      first(ncu({{pipe, "30000"}, {conflicts, "20000"}, {"sm__cycles_elapsed.sum", "20000000"}})),
      "healthy");
}

using Metrics = std::vector<std::pair<std::string, std::string>>;

// A kernel whose pipe to shared memory works `served` of 1,000,000 cycles, `excess` of them for nothing.
Metrics conflicts_beside(const std::string& memory_busy, const std::string& excess = "600000") {
  return {
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "800000"},
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", excess},
      {"sm__cycles_elapsed.sum", "1000000"},
      {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "80"},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "20"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "10"},
      {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", memory_busy}};
}

TEST_F(GpuMemory, SharesOfTheUnitsBoundTheGain) {
  const Diagnosis d = of(ncu(conflicts_beside("40")));
  ASSERT_EQ(d.findings.size(), 1u);
  // At best memory is left with 0.4. At worst 0.6 / 0.8 of its work comes out: 1 - 0.6 (1 - 0.4 / 0.8).
  EXPECT_THAT(d.findings[0].factor_of, HasSubstr("1.43 to 2.5 times"));
  EXPECT_NEAR(*d.findings[0].factor, std::sqrt(2.5 / 0.7), 0.01);
  const Diagnosis beside = of(ncu(conflicts_beside("90")));
  EXPECT_EQ(beside.outcome, Outcome::Healthy);
  EXPECT_THAT(beside.verdict, HasSubstr("certain to cost time"));
  EXPECT_THAT(beside.notes, Contains(HasSubstr("its busiest unit is memory (90 %)")));
  EXPECT_THAT(of(ncu(conflicts_beside("90", "5000"))).notes, ::testing::IsEmpty());
}

TEST_F(GpuMemory, UnitsThatAreNotMeasuredWidenTheInterval) {
  Metrics metrics = conflicts_beside("10");
  metrics.erase(metrics.begin() + 4, metrics.begin() + 6);
  const Diagnosis d = of(ncu(metrics));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_THAT(d.findings[0].factor_of, HasSubstr("1.03 to 5 times"));
  EXPECT_THAT(d.findings[0].evidence[2].text, HasSubstr("--section SpeedOfLight"));
  metrics[1].second = "200000";
  EXPECT_EQ(of(ncu(metrics)).outcome, Outcome::CannotJudge);
}

TEST_F(GpuMemory, CachesAndMemoryServeFewerSectorsWhenCoalesced) {
  // 800,000 sectors where 100,000 do. All reach a second cache that is 80 % busy, and half of them the
  // memory.
  const Metrics metrics = {
      {"memory_l2_theoretical_sectors_global", "800000"},
      {"memory_l2_theoretical_sectors_global_ideal", "100000"},
      {"lts__t_sectors_srcunit_tex.sum", "800000"},
      {"lts__t_requests_srcunit_tex.sum", "800000"},
      {"dram__bytes.sum", "12800000"},
      {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "16"},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "80"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "5"},
      {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "40"}};
  const Diagnosis d = of(ncu(metrics));
  ASSERT_EQ(d.findings.size(), 1u);
  // Memory is left with 0.4 / 4, the second cache with 0.1 by sectors and 0.025 by requests.
  EXPECT_THAT(d.findings[0].factor_of, HasSubstr("2.58 to 10 times"));
}

TEST_F(GpuMemory, AnIdleUnitMayBeUneven) {
  const auto slices = [](const std::string& busy) {
    Metrics metrics = conflicts_beside("30", "0");
    metrics.insert(
        metrics.end(),
        {{"lts__t_sectors.max", "9000"},
         {"lts__t_sectors.avg", "5000"},
         {"lts__t_sectors.max.pct_of_peak_sustained_elapsed", busy},
         {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "20"}});
    return ncu(metrics);
  };
  EXPECT_EQ(first(slices("36")), "healthy");
  EXPECT_EQ(first(slices("95")), "L2 slice imbalance in transpose(float *, int)");
}

TEST_F(GpuMemory, SharesOfSectorsWithoutTheirNumberAreNoAllClear) {
  const Diagnosis d = of(ncu(
      {{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "1000"},
       {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", "12.5"}}));
  EXPECT_EQ(d.outcome, Outcome::CannotJudge);
}

TEST_F(GpuMemory, SectorsBeyondTheDataAreUncoalesced) {
  const auto sectors = [](const std::string& all, const std::string& used) {
    return ncu(
        {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", all},
         {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "1000"},
         {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", used}});
  };
  EXPECT_THAT(first(sectors("32000", "4")), HasSubstr("uncoalesced"));
  EXPECT_EQ(first(sectors("16000", "32")), "healthy");  // loads of 16 bytes
  EXPECT_THAT(
      first(ncu(
          {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "32000"},
           {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "1000"}})),
      HasSubstr("uncoalesced"));
  // Eight sectors a request are eight bytes a lane, or half-used sectors.
  EXPECT_EQ(
      first(ncu(
          {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "8000"},
           {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "1000"}})),
      "cannot judge");
  EXPECT_EQ(first(ncu({{"launch__registers_per_thread", "40"}})), "cannot judge");
}

TEST_F(GpuMemory, RulesOfTheDetailsPageAreRead) {
  const std::string head =
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\",\"Rule Name\",\"Rule "
      "Description\"\n\"0\",\"f\",\"\",\"\",\"R\",";
  EXPECT_THAT(
      first(
          head + "\"This kernel has uncoalesced global accesses resulting in a total of 7000 excessive "
                 "sectors (87% of "
                 "the total 8000 sectors).\"\n"),
      HasSubstr("uncoalesced access in f"));
  EXPECT_THAT(
      first(
          head + "\"a 4.0 - way bank conflict across all 100 shared load requests.This results in 300 bank "
                 "conflicts,  "
                 "which represent 75.00% of the overall 400 wavefronts for shared loads.\"\n"),
      HasSubstr("bank conflicts in f"));
}

// The details page as ncu of CUDA 13 writes it: rows of metrics end before the columns of rules, and lines of
// the profiler and of the program come before the header.
TEST_F(GpuMemory, RowsOfTheDetailsPageEndEarly) {
  const std::string text =
      "==PROF== Connected to process 7 (/tmp/a)\ncopy,0.21,\"0.22\n"
      "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule "
      "Description\"\n"
      "\"0\",\"f\",\"L1/TEX Cache Throughput\",\"%\",\"90\",\n"
      "\"0\",\"f\",\"L2 Cache Throughput\",\"%\",\"10\",\n"
      "\"0\",\"f\",\"DRAM Throughput\",\"%\",\"10\",\n"
      "\"0\",\"f\",\"Compute (SM) Throughput\",\"%\",\"10\",\n"
      "\"0\",\"f\",\"Total SM Elapsed Cycles\",\"cycle\",\"1,000,000\",\n"
      "\"0\",\"f\",\"\",\"\",\"\",\"R\",\"uncoalesced shared accesses resulting in a total of 750000 "
      "excessive "
      "wavefronts (83% of the total 900000 wavefronts). Check the L1 Wavefronts Shared Excessive table\"\n";
  const Diagnosis d = of(text);
  EXPECT_EQ(d.records_skipped, 0u);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_THAT(d.findings[0].summary, HasSubstr("6 wavefronts for each"));
}

TEST_F(GpuMemory, PrintedSectionsAreRead) {
  const auto page = [](const std::string& wavefronts) {
    return "[7] cases@127.0.0.1\n  f(const float *, int) (256, 1, 1)x(32, 8, 1), Context 1, Stream 7, Device "
           "0, CC 9.0\n"
           "    Section: GPU Speed Of Light Throughput\n"
           "    ----------------------- ----------- ------------\n"
           "    Metric Name             Metric Unit Metric Value\n"
           "    ----------------------- ----------- ------------\n"
           "    L1/TEX Cache Throughput           %        90.00\n"
           "    L2 Cache Throughput               %        10.00\n"
           "    DRAM Throughput                   %        10.00\n"
           "    Compute (SM) Throughput           %        10.00\n"
           "    Total SM Elapsed Cycles       cycle    1,000,000\n"
           "    Branch Instructions            inst          100\n"
           "    ----------------------- ----------- ------------\n\n"
           "    OPT   Est. Speedup: 60%                                     \n"
           "          This kernel has uncoalesced shared accesses resulting in a total of " +
           wavefronts +
           " excessive wavefronts (83% of the \n"
           "          total 900000 wavefronts). Check the table.\n";
  };
  EXPECT_EQ(first(page("750000")), "bank conflicts in f(const float *, int)");
  EXPECT_EQ(first(page("5000")), "healthy");
}

TEST_F(GpuMemory, SourcePagesHaveAHeaderForEachKernel) {
  const std::string first_kernel =
      "\"Kernel Name\",\"f(int)\",\n\"Address\",\"Source\",\"L2 Theoretical Sectors Global\",\"L2 "
      "Theoretical "
      "Sectors Global Ideal\"\n\"0x7f00\",\"  LDC R1\",\"0\",\"0\"\n\"0x7f40\",\"  LDG R1\",\"800\",\"100\"\n"
      "\"0x7f50\",\"  LDG R2\",\"400\",\"100\"\n";
  const std::string second_kernel =
      "\"Kernel Name\",\"g(int)\",\n\"Address\",\"Source\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared "
      "Ideal\"\n\"0x9f00\",\"  LDS R1\",\"3200\",\"100\"\n";
  const Diagnosis d = of(first_kernel + second_kernel);
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].subject, "g(int) at instruction +0x0 (LDS R1)");
  EXPECT_EQ(d.findings[1].subject, "f(int) at instruction +0x40 (LDG R1)");
  EXPECT_THAT(d.findings[1].evidence.back().text, HasSubstr("+0x50"));
  EXPECT_EQ(first("\"File Name\",\"f.cu\"\n\"Line No\",\"Source\"\n\"1\",\"int x;\"\n"), "cannot judge");
}

TEST_F(GpuMemory, UnitsOfTheRawPageAreScaled) {
  const auto page = [](const std::string& most, const std::string& unit) {
    return "\"ID\",\"Kernel Name\",\"dram__bytes.avg\",\"dram__bytes.max\"\n\"\",\"\",\"Kbyte\",\"" + unit +
           "\"\n\"0\",\"k\",\"900.5\",\"" + most + "\"\n";
  };
  EXPECT_EQ(first(page("1.1", "Mbyte")), "healthy");
  EXPECT_EQ(first(page("4.1", "Mbyte")), "HBM channel imbalance in k");
}

TEST_F(GpuMemory, SourcePagesNameTheLine) {
  const std::string head = "\"#\",\"Source\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\"\n";
  EXPECT_THAT(
      first(
          head +
          "\"12\",\"  tile[x][y] = v;\",\"3200\",\"100\"\n\"13\",\"  out = tile[y][x];\",\"100\",\"100\"\n"),
      HasSubstr("line 12 (tile[x][y] = v;)"));
}

TEST_F(GpuMemory, CountersOfAmdAndTheirChannels) {
  const std::string head = "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n";
  const auto lds = [&](int stalled) {
    return head + "1,gemm,SQ_LDS_IDX_ACTIVE,1000000\n1,gemm,SQ_LDS_BANK_CONFLICT," + std::to_string(stalled) +
           "\n";
  };
  EXPECT_EQ(first(lds(800000)), "bank conflicts in gemm");
  EXPECT_EQ(first(lds(20000)), "healthy");
  // rocprofv3 quotes its header and its texts, and no numbers.
  const auto listed = [&](int stalled) {
    const std::string row = "\n7,1,\"Agent 2\",\"scan(int*, int)\",256,";
    return "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Kernel_Name\",\"Grid_Size\",\"Counter_Name\","
           "\"Counter_Value\"" +
           row + "\"SQ_LDS_IDX_ACTIVE\",1000000.0" + row + "\"SQ_LDS_BANK_CONFLICT\"," +
           std::to_string(stalled) + "\n3,4 lines, of the program\n";
  };
  EXPECT_THAT(first(listed(900000)), HasSubstr("bank conflicts in scan"));
  EXPECT_EQ(first(listed(2000)), "healthy");
  const auto channels = [](double hot) {
    std::string names = "Index,KernelName";
    std::string row = "\n0,copy";
    for (int c = 0; c < 16; ++c) {
      names += ",TCC_EA_RDREQ[" + std::to_string(c) + "]";
      row += "," + std::to_string(int(c == 3 ? hot : 10000));
    }
    return names + row + "\n";
  };
  EXPECT_EQ(first(channels(90000)), "HBM channel imbalance in copy");
  EXPECT_EQ(first(channels(10900)), "healthy");
  EXPECT_EQ(
      first("Index,KernelName,TA_TOTAL_WAVEFRONTS_sum,TCP_TOTAL_ACCESSES_sum\n0,k,1000,64000\n"),
      "uncoalesced access in k");
  EXPECT_EQ(
      first("Index,KernelName,TA_TOTAL_WAVEFRONTS_sum,TCP_TOTAL_ACCESSES_sum\n0,k,1000,16400\n"),
      "healthy");
}

std::string
warp(const std::string& instruction, const std::function<uint64_t(uint64_t)>& address, int lanes = 32) {
  std::string text = instruction;
  for (int lane = 0; lane < lanes; ++lane) {
    char word[32];
    std::snprintf(word, sizeof word, " 0x%llx", static_cast<unsigned long long>(address(uint64_t(lane))));
    text += word;
  }
  return text + "\n";
}

TEST_F(GpuMemory, AccessesAreCountedAndLayoutsTried) {
  const std::string launch =
      "CTX 0x1 - LAUNCH - Kernel pc 0x7f00 - Kernel name transpose(float*) - grid launch id 3 - grid size "
      "1\n";
  const std::string at = "CTX 0x1 - grid_launch_id 3 - CTA 0,0,0 - warp 0 - ";
  const auto column = warp(at + "LDS.32 -", [](uint64_t lane) {
    return 0x400 + 128 * lane;
  });
  const Diagnosis d = of(launch + column);
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_EQ(d.findings[0].subject, "transpose(float*) at LDS.32");
  EXPECT_NEAR(*d.findings[0].factor, 32, 0.01);
  EXPECT_THAT(d.findings[0].next_step, HasSubstr("pad each row of 128 bytes by 4 bytes"));
  EXPECT_EQ(
      first(
          launch + warp(
                       at + "LDS.32 -",
                       [](uint64_t lane) {
                         return 0x400 + 132 * lane;
                       })),
      "healthy");
  EXPECT_EQ(
      first(
          launch + warp(
                       at + "LDS.128 -",
                       [](uint64_t lane) {
                         return 0x400 + 16 * lane;
                       })),
      "healthy");
  EXPECT_EQ(
      first(
          launch + warp(
                       at + "LDS.32 -",
                       [](uint64_t) {
                         return 0x400;
                       })),
      "healthy");  // a broadcast
  // Every other word: two lanes a bank, and no row to pad.
  EXPECT_THAT(
      of(launch + warp(
                      at + "STS.32 -",
                      [](uint64_t lane) {
                        return 0x400 + 8 * lane;
                      }))
          .findings[0]
          .next_step,
      HasSubstr("an array for each member"));
}

TEST_F(GpuMemory, GlobalAccessesByLine) {
  EXPECT_EQ(
      first(
          "kernel spmv\n" + warp(
                                "spmv.cu:41 LDG.E",
                                [](uint64_t lane) {
                                  return 0x7f0000000000 + 4096 * lane;
                                })),
      "uncoalesced access in spmv at spmv.cu:41");
  EXPECT_EQ(
      first(
          "kernel copy\n" + warp(
                                "copy.cu:7 LDG.E.64",
                                [](uint64_t lane) {
                                  return 0x7f0000000000 + 8 * lane;
                                })),
      "healthy");
}

// Each address of ldmatrix is that of a row of 16 bytes, eight of which are read at once.
TEST_F(GpuMemory, RowsOfMatricesAreWide) {
  const auto rows = [&](uint64_t exchange) {
    return "kernel mma\n" + warp("mma.cu:9 LDSM.16.M88.4", [&](uint64_t lane) {
             return 0x400 + 128 * lane + 16 * (lane % 8 * exchange);
           });
  };
  const Diagnosis d = of(rows(0));
  ASSERT_EQ(d.findings.size(), 1u);
  EXPECT_NEAR(*d.findings[0].factor, 8, 0.01);
  EXPECT_EQ(first(rows(1)), "healthy");
}

TEST_F(GpuMemory, FewRequestsDoNotFillAllChannels) {
  const auto copy = [&](uint64_t requests, uint64_t step) {
    std::string text = "kernel copy\n";
    for (uint64_t r = 0; r < requests; ++r)
      text += warp(
          "copy.hip:3 global_load_dword",
          [&](uint64_t lane) {
            return 0x7f0000000000 + r * step + 4 * lane;
          },
          64);
    return text;
  };
  EXPECT_EQ(first(copy(8, 256)), "healthy");
  EXPECT_EQ(first(copy(100, 256)), "healthy");
  EXPECT_EQ(first(copy(100, 4096)), "HBM channel imbalance in copy at copy.hip:3");
}

TEST_F(GpuMemory, BrokenInputIsCountedOrRefused) {
  const Diagnosis d = of("kernel k\nk.cu:1 LDS 0x0 0x80\nnonsense\n");
  EXPECT_EQ(d.records_skipped, 1u);
  EXPECT_THAT(
      base::test::error_of([&] {
        of("kernel k\nnothing here\n");
      }),
      HasSubstr("holds no memory instruction"));
  EXPECT_EQ(
      of(ncu({{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "n/a"}})).outcome,
      Outcome::CannotJudge);
  const Diagnosis cut = of("\"Kernel Name\",\"lts__t_sectors.max\",\"lts__t_sectors.avg\"\n\"a\",\"9\"\n");
  EXPECT_EQ(cut.records_skipped, 1u);
}

}  // namespace
}  // namespace lento::memory
