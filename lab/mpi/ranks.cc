// Implements the transport of a campaign by MPI. This is the only file that includes MPI, so that all other
// programs run without it. MPI is started on first use, because a program that uses no ranks must not need
// mpirun.
#include "lab/mpi/ranks.h"

#define OMPI_SKIP_MPICXX 1  // the C interface only
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace lento::lab {
namespace {

using campaign::kNone;
using campaign::Report;
using campaign::World;

constexpr int kReportTag = 1;
constexpr int kRunTag = 2;

World start() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  std::atexit([] {
    MPI_Finalize();
  });
  World w;
  MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &w.size);
  return w;
}

}  // namespace

World MpiRanks::world() {
  static const World w = start();
  return w;
}

// Layout: run (8 bytes), failed (1 byte), text.
void MpiRanks::send_report(const Report& report) {
  std::vector<char> bytes(9 + report.text.size());
  std::memcpy(bytes.data(), &report.run, 8);
  bytes[8] = report.failed;
  std::memcpy(bytes.data() + 9, report.text.data(), report.text.size());
  MPI_Send(bytes.data(), int(bytes.size()), MPI_BYTE, 0, kReportTag, MPI_COMM_WORLD);
}

uint64_t MpiRanks::receive_run() {
  uint64_t run = kNone;
  MPI_Recv(&run, 8, MPI_BYTE, 0, kRunTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return run;
}

bool MpiRanks::poll_report(Report& report) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kReportTag, MPI_COMM_WORLD, &there, &status);
  if (!there)
    return false;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<char> bytes(size);
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kReportTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  report.rank = status.MPI_SOURCE;
  std::memcpy(&report.run, bytes.data(), 8);
  report.failed = bytes[8] != 0;
  report.text.assign(bytes.begin() + 9, bytes.end());
  return true;
}

void MpiRanks::send_run(int rank, uint64_t run) {
  MPI_Send(&run, 8, MPI_BYTE, rank, kRunTag, MPI_COMM_WORLD);
}

}  // namespace lento::lab
