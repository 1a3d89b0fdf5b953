// Pairs of kernels: one that is slow for a known reason of memory, and its repaired twin.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

// A second set, drawn after the model of gains was written.
constexpr int kTile = 16;

__global__ void softmax_thread_a_row(const float* in, float* out, int rows, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float most = -1e30f, sum = 0;
  for (int i = 0; i < n; ++i) most = fmaxf(most, in[size_t(r) * n + i]);
  for (int i = 0; i < n; ++i) sum += __expf(in[size_t(r) * n + i] - most);
  for (int i = 0; i < n; ++i) out[size_t(r) * n + i] = __expf(in[size_t(r) * n + i] - most) / sum;
}
__global__ void softmax_warp_a_row(const float* in, float* out, int rows, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float most = -1e30f, sum = 0;
  for (int i = lane; i < n; i += 32) most = fmaxf(most, in[size_t(r) * n + i]);
  for (int k = 16; k; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
  for (int i = lane; i < n; i += 32) sum += __expf(in[size_t(r) * n + i] - most);
  for (int k = 16; k; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  for (int i = lane; i < n; i += 32) out[size_t(r) * n + i] = __expf(in[size_t(r) * n + i] - most) / sum;
}

template <bool kSwapped> __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[kTile][kTile], sb[kTile][kTile];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    sa[ty][tx] = a[size_t(row) * n + k + tx];
    if (kSwapped) sb[tx][ty] = b[size_t(k + ty) * n + column];
    else sb[ty][tx] = b[size_t(k + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += sa[ty][i] * (kSwapped ? sb[tx][i] : sb[i][tx]);
    __syncthreads();
  }
  c[size_t(row) * n + column] = sum;
}

template <bool kPadded> __global__ void scan_blocks(const float* in, float* out, int rounds) {
  __shared__ float s[kPadded ? 1024 + 32 : 1024];
  auto at = [](int i) { return kPadded ? i + i / 32 : i; };
  for (int q = 0; q < rounds; ++q) {
    size_t base = (size_t(blockIdx.x) * rounds + q) * 1024;
    s[at(threadIdx.x)] = in[base + threadIdx.x];
    s[at(threadIdx.x + 512)] = in[base + threadIdx.x + 512];
    int offset = 1;
    for (int d = 512; d > 0; d /= 2, offset *= 2) {
      __syncthreads();
      if (threadIdx.x < d) s[at(offset * (2 * threadIdx.x + 2) - 1)] += s[at(offset * (2 * threadIdx.x + 1) - 1)];
    }
    if (threadIdx.x == 0) s[at(1023)] = 0;
    for (int d = 1; d < 1024; d *= 2) {
      offset /= 2;
      __syncthreads();
      if (threadIdx.x < d) {
        int l = at(offset * (2 * threadIdx.x + 1) - 1), r = at(offset * (2 * threadIdx.x + 2) - 1);
        float t = s[l];
        s[l] = s[r], s[r] += t;
      }
    }
    __syncthreads();
    out[base + threadIdx.x] = s[at(threadIdx.x)];
    out[base + threadIdx.x + 512] = s[at(threadIdx.x + 512)];
    __syncthreads();
  }
}

struct Vec3 { float x, y, z; };
struct Body { float x, y, z, w, more[12]; };
__global__ void norm_vec3(const Vec3* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { Vec3 v = in[i]; out[i] = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }
}
__global__ void norm_bodies(const Body* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float x = in[i].x, y = in[i].y, z = in[i].z; out[i] = sqrtf(x * x + y * y + z * z); }
}
__global__ void norm_float4(const float4* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = in[i]; out[i] = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }
}

__global__ void add_columns_first(const float* in, float* out, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[size_t(y) * w + x] = in[size_t(y) * w + x] + 1;
}
__global__ void add_rows_first(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[size_t(y) * w + x] = in[size_t(y) * w + x] + 1;
}

__global__ void lookup_narrow(const float4* table, const int* index, float4* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = table[index[i]];
}
__global__ void lookup_wide(const float4* table, const int* index, float4* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = table[size_t(index[i / 16] & 0x1ffff) * 16 + i % 16];
}

__global__ void doubles_stride2(const double* in, double* out, int rounds) {
  __shared__ double s[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) s[i] = in[i];
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += s[(threadIdx.x * 4 + k) & 1023];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
__global__ void doubles_dense(const double* in, double* out, int rounds) {
  __shared__ double s[1024];
  for (int i = threadIdx.x; i < 1024; i += 256) s[i] = in[i];
  __syncthreads();
  double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += s[(threadIdx.x + k) & 1023];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void stencil(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x + 1; i < n - 1; i += gridDim.x * blockDim.x) out[i] = in[i - 1] + in[i] + in[i + 1];
}
__global__ void bytes_of_three(const unsigned char* in, unsigned char* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = (in[3 * i] + in[3 * i + 1] + in[3 * i + 2]) / 3;
}
__global__ void compute_only(const float* in, float* out, int n) {
  float x = in[threadIdx.x * 8];
  for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

float *a, *b, *c;
int* index_;
constexpr size_t kFloats = size_t(1) << 27;
constexpr int kMany = 1 << 23;

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
  unsigned x = 777;
  for (int& v : h) x = x * 1664525u + 1013904223u, v = int(x >> 8) & ((1 << 22) - 1);
  cudaMemcpy(index_, h.data(), kMany * 4, cudaMemcpyHostToDevice);
  dim3 square(kTile, kTile), tiles(2048 / kTile, 2048 / kTile);
  run("softmax_thread_a_row", only, times, [&] { softmax_thread_a_row<<<256, 128>>>(a, b, 32768, 1024); });
  run("softmax_warp_a_row", only, times, [&] { softmax_warp_a_row<<<8192, 128>>>(a, b, 32768, 1024); });
  run("product<1>", only, times, [&] { product<true><<<tiles, square>>>(a, a, b, 2048); });
  run("product<0>", only, times, [&] { product<false><<<tiles, square>>>(a, a, b, 2048); });
  run("scan_blocks<0>", only, times, [&] { scan_blocks<false><<<1056, 512>>>(a, b, 16); });
  run("scan_blocks<1>", only, times, [&] { scan_blocks<true><<<1056, 512>>>(a, b, 16); });
  run("norm_vec3", only, times, [&] { norm_vec3<<<1056, 256>>>((Vec3*)a, b, kMany); });
  run("norm_bodies", only, times, [&] { norm_bodies<<<1056, 256>>>((Body*)a, b, kMany); });
  run("norm_float4", only, times, [&] { norm_float4<<<1056, 256>>>((float4*)a, b, kMany); });
  run("add_columns_first", only, times, [&] { add_columns_first<<<dim3(128, 1024), dim3(64, 8)>>>(a, b, 8192, 8192); });
  run("add_rows_first", only, times, [&] { add_rows_first<<<dim3(128, 1024), dim3(64, 8)>>>(a, b, 8192, 8192); });
  run("lookup_narrow", only, times, [&] { lookup_narrow<<<1056, 256>>>((float4*)a, index_, (float4*)b, kMany); });
  run("lookup_wide", only, times, [&] { lookup_wide<<<1056, 256>>>((float4*)a, index_, (float4*)b, kMany); });
  run("doubles_stride2", only, times, [&] { doubles_stride2<<<1056, 256>>>((double*)a, (double*)b, 4096); });
  run("doubles_dense", only, times, [&] { doubles_dense<<<1056, 256>>>((double*)a, (double*)b, 4096); });
  run("stencil", only, times, [&] { stencil<<<1056, 256>>>(a, b, 1 << 26); });
  run("bytes_of_three", only, times, [&] { bytes_of_three<<<1056, 256>>>((unsigned char*)a, (unsigned char*)b, 1 << 26); });
  run("compute_only", only, times, [&] { compute_only<<<1056, 256>>>(a, b, 1 << 15); });
  return cudaDeviceSynchronize() != cudaSuccess;
}
