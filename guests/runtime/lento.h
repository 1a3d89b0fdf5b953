/* A small runtime for programs on the simulated multiprocessor: one thread per hart, in the manner of
 * pthreads. */
#ifndef LENTO_GUEST_H
#define LENTO_GUEST_H

#include <stddef.h>
#include <stdint.h>

#define LENTO_ALIGNED __attribute__((aligned(64)))

/* The platform. */
unsigned hart_count(void);
static inline unsigned hart_id(void) {
  unsigned id;
  __asm__ volatile("mv %0, tp" : "=r"(id));
  return id;
}
uint32_t guest_seed(void);               /* --seed */
uint32_t guest_argument(unsigned index); /* --argument, 0 when not given */
void guest_exit(uint32_t code) __attribute__((noreturn));
void print(const char* text);
void print_number(uint32_t value);

/* Memory. */
void* memcpy(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
void* allocate(size_t bytes); /* 64-byte aligned, never freed; not for concurrent use */

/* Threads: thread_create takes the next idle hart; with none left it runs the function at once. */
typedef struct {
  unsigned hart;
} thread_t;
void thread_create(thread_t* thread, void (*function)(void*), void* argument);
void thread_join(const thread_t* thread);

typedef struct {
  volatile uint32_t taken;
} mutex_t;
void mutex_lock(mutex_t* mutex);
void mutex_unlock(mutex_t* mutex);

typedef struct {
  volatile uint32_t arrived, phase;
  uint32_t expected;
} barrier_t;
void barrier_init(barrier_t* barrier, unsigned threads);
void barrier_wait(barrier_t* barrier);

static inline uint32_t atomic_add(volatile uint32_t* at, uint32_t value) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}

/* Devices. */
uint32_t disk_bytes(void);
int disk_read(void* to, uint32_t sector, uint32_t sectors); /* 0: done */
void frame_commit(const void* pixels, uint32_t width, uint32_t height, uint32_t bytes_per_pixel);

/* A small generator for test programs (xorshift). */
static inline uint32_t next_random(uint32_t* state) {
  uint32_t x = *state;
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return *state = x;
}

#endif
