/* The time of a dependent load through N places STRIDE bytes apart, in random order: a check of `lento memory calibrate` that shares
 * no code with it. pointer_chase N STRIDE [HUGE [RUNS]] prints the least, tenth percentile and median of the runs in ns of CPU time.
 * cc -O2 pointer_chase.c -o pointer_chase; 384 64 1: first cache; 8576 64 1: second; 2097152 64 1: memory; 8192 4096 and 8192
 * 64 1: what a word a page adds. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static char *base;
static size_t stride;

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static int smaller(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
/* Words of pages lie on lines of all sets. */
static char *place(size_t k) { return base + k * stride + (stride >= 4096 ? k * 7 % 64 * 64 : 0); }

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const size_t n = strtoull(argv[1], 0, 0), large = (size_t)2 << 20;
  stride = strtoull(argv[2], 0, 0);
  const int huge = argc > 3 && atoi(argv[3]), runs = argc > 4 ? atoi(argv[4]) : 200;
  const size_t bytes = n * stride + 4096;
  char *all = mmap(0, bytes + large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  base = (char *)(((size_t)all + large - 1) & ~(large - 1));
  madvise(base, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(base, 1, bytes);
  size_t *order = malloc(n * sizeof *order);
  double *times = malloc((size_t)runs * sizeof *times);
  unsigned long long state = 88172645463325252ULL;
  for (size_t i = 0; i < n; ++i) order[i] = i;
  for (size_t i = n; i > 1; --i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const size_t j = state % i, kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
  for (size_t i = 0; i < n; ++i) *(char **)place(order[i]) = place(order[(i + 1) % n]);
  const size_t small = 65536, loads = n < 20000 ? n * (1 + 20000 / n) : n <= small ? n : 20000;
  char *p = place(order[0]);
  for (int r = 0; r < runs; ++r) {
    for (size_t i = 0; n <= small && i < n; ++i) p = *(char *volatile *)p;
    const double start = cpu_ns();
    for (size_t i = 0; i < loads; ++i) p = *(char *volatile *)p;
    times[r] = (cpu_ns() - start) / (double)loads;
  }
  qsort(times, (size_t)runs, sizeof *times, smaller);
  printf("%zu places %zu bytes apart: least %.2f, tenth %.2f, median %.2f ns%s\n", n, stride, times[0], times[runs / 10], times[runs / 2],
         p ? "" : " ");
  return 0;
}
