#include "lento.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define SYSTEM 0x10000000u
#define DISK 0x10000100u
#define FRAME 0x10000200u
#define SOFTWARE_INTERRUPT(hart) REGISTER(0x02000000u + 4 * (hart))

enum { kMaxHarts = 64 };

/* One slot per hart, each in its own cache line. */
static struct LENTO_ALIGNED slot {
  void (*volatile function)(void*);
  void* argument;
  volatile uint32_t busy;
} slots[kMaxHarts];
static unsigned next_hart = 1;

void wait_for_interrupt(void);

unsigned hart_count(void) { return REGISTER(SYSTEM + 8); }
uint32_t guest_seed(void) { return REGISTER(SYSTEM + 12); }
uint32_t guest_argument(unsigned index) { return REGISTER(SYSTEM + 0x20 + 4 * index); }

void guest_exit(uint32_t code) {
  REGISTER(SYSTEM + 4) = code;
  for (;;) {
  }
}

void print(const char* text) {
  while (*text) REGISTER(SYSTEM) = (uint8_t)*text++;
}

void print_number(uint32_t value) {
  char digits[12];
  char* at = digits + 11;
  *at = 0;
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  print(at);
}

void* memcpy(void* to, const void* from, size_t bytes) {
  char* d = to;
  const char* s = from;
  if ((((uintptr_t)d | (uintptr_t)s) & 3) == 0) {
    for (; bytes >= 16; bytes -= 16, d += 16, s += 16) {
      const uint32_t a = ((const uint32_t*)s)[0], b = ((const uint32_t*)s)[1], c = ((const uint32_t*)s)[2], e = ((const uint32_t*)s)[3];
      ((uint32_t*)d)[0] = a, ((uint32_t*)d)[1] = b, ((uint32_t*)d)[2] = c, ((uint32_t*)d)[3] = e;
    }
    for (; bytes >= 4; bytes -= 4, d += 4, s += 4) *(uint32_t*)d = *(const uint32_t*)s;
  }
  while (bytes-- > 0) *d++ = *s++;
  return to;
}

void* memset(void* to, int value, size_t bytes) {
  char* d = to;
  if (((uintptr_t)d & 3) == 0) {
    const uint32_t word = (uint8_t)value * 0x01010101u;
    for (; bytes >= 16; bytes -= 16, d += 16) {
      ((uint32_t*)d)[0] = word, ((uint32_t*)d)[1] = word, ((uint32_t*)d)[2] = word, ((uint32_t*)d)[3] = word;
    }
  }
  while (bytes-- > 0) *d++ = (char)value;
  return to;
}

extern char __heap[];
static char* heap_at = __heap;

void* allocate(size_t bytes) {
  char* at = (char*)(((uintptr_t)heap_at + 63) & ~(uintptr_t)63);
  if ((uintptr_t)at + bytes > 0x81000000u) guest_exit(901); /* out of memory */
  heap_at = at + bytes;
  return at;
}

/* Where harts other than 0 live. */
void lento_idle(void) {
  const unsigned me = hart_id();
  wait_for_interrupt();
  SOFTWARE_INTERRUPT(me) = 0;
  struct slot* slot = &slots[me];
  if (!slot->busy) return;
  slot->function(slot->argument);
  __atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
}

void thread_create(thread_t* thread, void (*function)(void*), void* argument) {
  thread->hart = next_hart < hart_count() ? next_hart++ : 0;
  if (thread->hart == 0) {
    function(argument);
    return;
  }
  struct slot* slot = &slots[thread->hart];
  slot->function = function;
  slot->argument = argument;
  __atomic_store_n(&slot->busy, 1, __ATOMIC_RELEASE);
  SOFTWARE_INTERRUPT(thread->hart) = 1;
}

void thread_join(const thread_t* thread) {
  if (thread->hart == 0) return;
  while (__atomic_load_n(&slots[thread->hart].busy, __ATOMIC_ACQUIRE)) {
  }
}

/* Test and test-and-set: waits in the own cache, goes to memory when the lock looks free. */
void mutex_lock(mutex_t* mutex) {
  while (__atomic_exchange_n(&mutex->taken, 1, __ATOMIC_ACQUIRE)) {
    while (mutex->taken) {
    }
  }
}

void mutex_unlock(mutex_t* mutex) { __atomic_store_n(&mutex->taken, 0, __ATOMIC_RELEASE); }

void barrier_init(barrier_t* barrier, unsigned threads) {
  barrier->arrived = 0;
  barrier->phase = 0;
  barrier->expected = threads;
}

void barrier_wait(barrier_t* barrier) {
  const uint32_t phase = barrier->phase;
  if (atomic_add(&barrier->arrived, 1) + 1 == barrier->expected) {
    barrier->arrived = 0;
    __atomic_store_n(&barrier->phase, phase + 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(&barrier->phase, __ATOMIC_ACQUIRE) == phase) {
    }
  }
}

uint32_t disk_bytes(void) { return REGISTER(DISK + 20); }

int disk_read(void* to, uint32_t sector, uint32_t sectors) {
  REGISTER(DISK + 0) = sector;
  REGISTER(DISK + 4) = sectors;
  REGISTER(DISK + 8) = (uint32_t)(uintptr_t)to;
  REGISTER(DISK + 12) = 1;
  uint32_t status;
  while ((status = REGISTER(DISK + 16)) == 1) {
  }
  return status == 2 ? 0 : -1;
}

void frame_commit(const void* pixels, uint32_t width, uint32_t height, uint32_t bytes_per_pixel) {
  REGISTER(FRAME + 0) = (uint32_t)(uintptr_t)pixels;
  REGISTER(FRAME + 4) = width;
  REGISTER(FRAME + 8) = height;
  REGISTER(FRAME + 12) = bytes_per_pixel;
  REGISTER(FRAME + 16) = 1;
}
