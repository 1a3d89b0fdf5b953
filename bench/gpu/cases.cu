// Pairs of kernels, one that is slow for a known reason of memory and its mended twin, with healthy ones among
// them. Each kernel is timed alone, without a profiler: name, median, tenth and ninetieth percentile in
// milliseconds on standard output.
//
//   nvcc -O3 -arch=sm_90 -lineinfo cases.cu -o cases && ./cases 30 > kernel_pairs.csv
//   ncu --set full --page raw --csv ./cases 1 > raw.csv            (and the other pages)
//
// bench/gpu_measured.py compares the gains that `lento memory diagnose` predicts from the pages with the times.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int kTile = 32;

__global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) out[size_t(x) * n + y + r] = in[size_t(y + r) * n + x];
}
__global__ void transpose_conflict(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[size_t(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) out[size_t(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[size_t(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) out[size_t(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
__global__ void transpose_swizzled(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) tile[threadIdx.y + r][threadIdx.x ^ (threadIdx.y + r)] = in[size_t(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int r = 0; r < kTile; r += 8) out[size_t(y + r) * n + x] = tile[threadIdx.x][(threadIdx.y + r) ^ threadIdx.x];
}

__global__ void reduce_interleaved(const float* in, float* out, int rounds) {
  __shared__ float s[256];
  float total = 0;
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[(size_t(blockIdx.x) * rounds + k) * 256 + threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
      int i = 2 * step * threadIdx.x;
      if (i + step < 256) s[i] += s[i + step];
      __syncthreads();
    }
    if (threadIdx.x == 0) total += s[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
__global__ void reduce_sequential(const float* in, float* out, int rounds) {
  __shared__ float s[256];
  float total = 0;
  for (int k = 0; k < rounds; ++k) {
    s[threadIdx.x] = in[(size_t(blockIdx.x) * rounds + k) * 256 + threadIdx.x];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
      if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
      __syncthreads();
    }
    if (threadIdx.x == 0) total += s[0];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void particles_aos(const Particle* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i].mass * 2;
}
__global__ void particles_soa(const float* mass, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = mass[i] * 2;
}

__global__ void matvec_row_a_thread(const float* m, const float* v, float* out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += m[size_t(r) * columns + c] * v[c];
  out[r] = sum;
}
__global__ void matvec_warp_a_row(const float* m, const float* v, float* out, int rows, int columns) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += m[size_t(r) * columns + c] * v[c];
  for (int k = 16; k; k /= 2) sum += __shfl_down_sync(~0u, sum, k);
  if (lane == 0) out[r] = sum;
}

__global__ void gather_scalars(const float* table, const int* index, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = table[index[i]];
}
__global__ void gather_rows(const float* table, const int* index, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = table[size_t(index[i / 64]) * 64 + i % 64];
}

// Shared memory read in rows of 16 bytes: four wavefronts a request are the least, nothing is wrong.
__global__ void shared_float4(const float4* in, float4* out, int rounds) {
  __shared__ float4 s[256];
  s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  float4 sum = make_float4(0, 0, 0, 0);
  for (int k = 0; k < rounds; ++k) {
    float4 v = s[(threadIdx.x + k * 32) & 255];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void shared_stride8(const float* in, float* out, int rounds) {
  __shared__ float s[2048];
  for (int i = threadIdx.x; i < 2048; i += 256) s[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds; ++k) sum += s[(threadIdx.x * 8 + k) & 2047];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void shared_stride9(const float* in, float* out, int rounds) {
  __shared__ float s[2304];
  for (int i = threadIdx.x; i < 2304; i += 256) s[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < rounds; ++k) { int j = threadIdx.x * 8 + k & 2047; sum += s[j + j / 8]; }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// A tile of the right operand that is read by columns: half precision, 64 columns, in pairs.
__global__ void column_of_half2(const float* in, float* out, int rounds) {
  __shared__ float s[64][32];
  for (int i = threadIdx.x; i < 2048; i += 256) s[i / 32][i % 32] = in[i];
  __syncthreads();
  int row = threadIdx.x % 32, column = threadIdx.x / 32;
  float sum = 0;
  for (int k = 0; k < rounds; ++k) sum += s[row + (k & 32)][(column + k) & 31];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void column_of_half2_swizzled(const float* in, float* out, int rounds) {
  __shared__ float s[64][32];
  for (int i = threadIdx.x; i < 2048; i += 256) s[i / 32][(i % 32) ^ (i / 32 & 31)] = in[i];
  __syncthreads();
  int row = threadIdx.x % 32, column = threadIdx.x / 32;
  float sum = 0;
  for (int k = 0; k < rounds; ++k) sum += s[row + (k & 32)][((column + k) & 31) ^ row];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void stride_16(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[size_t(i) * 16];
}
__global__ void offset_1(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i + 1];
}
__global__ void copy(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
__global__ void copy_float4(const float4* in, float4* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}

__global__ void histogram_one_copy(const int* in, int* out, int n) {
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(in[i] & 7) * 32], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void histogram_copies(const int* in, int* out, int n) {
  __shared__ int bins[8 * 32];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(in[i] & 7) * 32 + threadIdx.x % 32], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

float *a, *b, *c;
int* index_;
constexpr size_t kFloats = size_t(1) << 27;
constexpr int kN = 8192, kMany = 1 << 23;

template <class F> void run(const char* name, const char* only, int times, F f) {
  if (only && strcmp(only, name)) return;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<float> ms;
  for (int k = 0; k < times; ++k) {
    cudaEventRecord(begin);
    f();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float t;
    cudaEventElapsedTime(&t, begin, end);
    ms.push_back(t);
  }
  std::sort(ms.begin(), ms.end());
  printf("%s,%.6f,%.6f,%.6f\n", name, ms[times / 2], ms[times / 10], ms[times * 9 / 10]);
  cudaError_t e = cudaGetLastError();
  if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e));
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 30;
  const char* only = argc > 2 ? argv[2] : nullptr;
  cudaMalloc(&a, kFloats * 4), cudaMalloc(&b, kFloats * 4), cudaMalloc(&c, 1 << 24), cudaMalloc(&index_, kMany * 4);
  cudaMemset(a, 0, kFloats * 4), cudaMemset(c, 0, 1 << 24);
  std::vector<int> h(kMany);
  unsigned x = 12345;
  for (int& v : h) x = x * 1664525u + 1013904223u, v = int(x >> 8) & ((1 << 21) - 1);
  cudaMemcpy(index_, h.data(), kMany * 4, cudaMemcpyHostToDevice);
  dim3 grid(kN / 32, kN / 32), block(32, 8);
  run("transpose_naive", only, times, [&] { transpose_naive<<<grid, block>>>(a, b, kN); });
  run("transpose_conflict", only, times, [&] { transpose_conflict<<<grid, block>>>(a, b, kN); });
  run("transpose_padded", only, times, [&] { transpose_padded<<<grid, block>>>(a, b, kN); });
  run("transpose_swizzled", only, times, [&] { transpose_swizzled<<<grid, block>>>(a, b, kN); });
  run("reduce_interleaved", only, times, [&] { reduce_interleaved<<<2048, 256>>>(a, b, 32); });
  run("reduce_sequential", only, times, [&] { reduce_sequential<<<2048, 256>>>(a, b, 32); });
  run("particles_aos", only, times, [&] { particles_aos<<<1056, 256>>>((Particle*)a, b, kMany); });
  run("particles_soa", only, times, [&] { particles_soa<<<1056, 256>>>(a, b, kMany); });
  run("matvec_row_a_thread", only, times, [&] { matvec_row_a_thread<<<64, 256>>>(a, c, b, 16384, 4096); });
  run("matvec_warp_a_row", only, times, [&] { matvec_warp_a_row<<<2048, 256>>>(a, c, b, 16384, 4096); });
  run("gather_scalars", only, times, [&] { gather_scalars<<<1056, 256>>>(a, index_, b, kMany); });
  run("gather_rows", only, times, [&] { gather_rows<<<1056, 256>>>(a, index_, b, kMany); });
  run("shared_float4", only, times, [&] { shared_float4<<<1056, 256>>>((float4*)a, (float4*)b, 4096); });
  run("shared_stride8", only, times, [&] { shared_stride8<<<1056, 256>>>(a, b, 4096); });
  run("shared_stride9", only, times, [&] { shared_stride9<<<1056, 256>>>(a, b, 4096); });
  run("column_of_half2", only, times, [&] { column_of_half2<<<1056, 256>>>(a, b, 4096); });
  run("column_of_half2_swizzled", only, times, [&] { column_of_half2_swizzled<<<1056, 256>>>(a, b, 4096); });
  run("stride_16", only, times, [&] { stride_16<<<1056, 256>>>(a, b, kMany); });
  run("offset_1", only, times, [&] { offset_1<<<1056, 256>>>(a, b, 1 << 26); });
  run("copy", only, times, [&] { copy<<<1056, 256>>>(a, b, 1 << 26); });
  run("copy_float4", only, times, [&] { copy_float4<<<1056, 256>>>((float4*)a, (float4*)b, 1 << 24); });
  run("histogram_one_copy", only, times, [&] { histogram_one_copy<<<1056, 256>>>(index_, (int*)c, kMany); });
  run("histogram_copies", only, times, [&] { histogram_copies<<<1056, 256>>>(index_, (int*)c, kMany); });
  return cudaDeviceSynchronize() != cudaSuccess;
}
