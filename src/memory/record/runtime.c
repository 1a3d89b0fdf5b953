/* liblento_record: takes the compiler's memory hooks (gcc or clang -fsanitize=thread, linked without libtsan) and
 * stores every access of a burst into a mapped file (record_format.h).
 *
 *   cc -g -fsanitize=thread -c prog.c ; cc prog.o -llento_record -ldl -pthread
 *
 * Environment: LENTO_RECORD file (made by `lento memory record`); without it the hooks do nothing. All threads
 * record the same slices of time: a helper thread sets and clears one flag. Written without any library that may
 * itself be instrumented; nothing here allocates. Survives fork (the child takes chunks of its own), signals,
 * _exit and kill (the mapping is shared). With LENTO_STATIC the interposed functions are reached by
 * -Wl,--wrap=NAME, for programs that are linked statically. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory/record/record_format.h"

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)

static struct lento_header* header; /* null: not recording */
static volatile int recording;      /* within a burst */
static volatile uint64_t burst;
static uint64_t last_chunk;
static int needs_helper;

#define FRAMES 64u

struct thread_state {
  uint64_t* at;
  uint64_t* end;
  uint64_t sequence, burst;
  uint64_t value; /* that it last loaded, of eight bytes */
  uint64_t passed; /* since they were last added to the header's */
  uint64_t frames[FRAMES]; /* return addresses of the functions that are active, the last ones */
  unsigned depth;
  uint32_t thread;
};
static __thread struct thread_state self;

static uint64_t pack(uint64_t address, unsigned log2_size, unsigned kind) {
  return (address & UINT64_C(0xffffffffffff)) | (uint64_t)log2_size << 48 | (uint64_t)kind << 52;
}

static void start_helper(void);

static uint64_t worked_us(void) {
  struct timespec t = {0, 0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* CPU time since the last call: as work, and as seen work where accesses were stored. */
static uint64_t counted;
static void count_time(int seen) {
  const uint64_t now = worked_us();
  const uint64_t more = now - __atomic_exchange_n(&counted, now, __ATOMIC_RELAXED);
  __atomic_fetch_add(&header->worked_us, more, __ATOMIC_RELAXED);
  if (seen) __atomic_fetch_add(&header->seen_us, more, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void add_passed(void) {
  if (header) __atomic_fetch_add(&header->passed, self.passed, __ATOMIC_RELAXED);
  self.passed = 0;
}

/* A new chunk for the thread; 0 when the file is full. */
static int take_chunk(void) {
  if (needs_helper) {
    needs_helper = 0;
    start_helper();
  }
  if (self.thread == 0) self.thread = (uint32_t)__atomic_add_fetch(&header->next_thread, 1, __ATOMIC_RELAXED);
  const uint64_t chunk = __atomic_fetch_add(&header->next_chunk, 1, __ATOMIC_RELAXED);
  if (chunk >= last_chunk) {
    if (recording) count_time(1);
    recording = 0;
    self.at = self.end = 0;
    return 0;
  }
  char* bytes = (char*)header + LENTO_HEADER + chunk * LENTO_CHUNK;
  struct lento_chunk* head = (struct lento_chunk*)bytes;
  head->pid = (uint32_t)getpid();
  head->sequence = self.sequence++;
  head->thread = self.thread;
  self.at = (uint64_t*)(head + 1);
  self.end = (uint64_t*)(bytes + LENTO_CHUNK);
  return 1;
}

static void put(uint64_t first, uint64_t second) {
  uint64_t* at = self.at;
  if (at == self.end) {
    if (!take_chunk()) return;
    at = self.at;
  }
  self.at = at + 2;
  at[1] = second;
  at[0] = first;
}

static __attribute__((noinline)) void new_burst(void) {
  self.burst = burst;
  put(pack(self.burst, 0, LENTO_BURST), 0);
}

static inline __attribute__((always_inline)) void event(uint64_t address, unsigned log2_size, unsigned kind,
                                                        uint64_t pc) {
  if (LIKELY(!recording)) {
    if ((++self.passed & 0xffff) == 0) add_passed();
    return;
  }
  if (self.burst != burst) new_burst();
  const uint64_t follows = address - self.value < 4096 ? (uint64_t)LENTO_DEPENDENT << 60 : 0;
  if (kind == LENTO_READ && log2_size == 3) memcpy(&self.value, (void*)(uintptr_t)address, 8);
  put(pack(address, log2_size, kind) | follows, pc);
}

/* Rare events that order what threads do: always stored. */
static void edge(uint64_t address, unsigned kind, uint64_t pc) {
  if (header) put(pack(address, 0, kind), pc);
}

/* ---- hooks of the compiler ---- */

void __tsan_init(void) {}
void __tsan_func_entry(void* pc) { self.frames[self.depth++ % FRAMES] = (uint64_t)(uintptr_t)pc; }
void __tsan_func_exit(void) { --self.depth; }
/* The return address of the function so many calls above the one that called the runtime. */
static uint64_t caller_above(unsigned calls) {
  return self.depth < calls || self.depth > 0x7fffffff ? 0 : self.frames[(self.depth - calls) % FRAMES];
}

#define ACCESS(name, log2_size)                                                                              \
  void __tsan_read##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER); }           \
  void __tsan_write##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER); }         \
  void __tsan_unaligned_read##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER); } \
  void __tsan_unaligned_write##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER); } \
  void __tsan_volatile_read##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER); }  \
  void __tsan_volatile_write##name(void* p) { event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER); } \
  void __tsan_unaligned_volatile_read##name(void* p) {                                                       \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER);                                             \
  }                                                                                                          \
  void __tsan_unaligned_volatile_write##name(void* p) {                                                      \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER);                                            \
  }                                                                                                          \
  void __tsan_read_write##name(void* p) {                                                                    \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER);                                             \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER);                                            \
  }
ACCESS(1, 0)
ACCESS(2, 1)
ACCESS(4, 2)
ACCESS(8, 3)
ACCESS(16, 4)

static void range(uint64_t from, uint64_t bytes, unsigned kind, uint64_t pc) {
  const uint64_t word = 8, most = 512; /* events; a longer range is stored as its start */
  uint64_t done = 0;
  for (; bytes >= word && done < most; from += word, bytes -= word, ++done) event(from, 3, kind, pc);
  for (; bytes > 0 && done < most; ++from, --bytes, ++done) event(from, 0, kind, pc);
}
void __tsan_read_range(void* p, unsigned long n) { range((uint64_t)(uintptr_t)p, n, LENTO_READ, CALLER); }
void __tsan_write_range(void* p, unsigned long n) { range((uint64_t)(uintptr_t)p, n, LENTO_WRITE, CALLER); }
void __tsan_vptr_update(void** p, void* value) {
  (void)value;
  event((uint64_t)(uintptr_t)p, 3, LENTO_WRITE, CALLER);
}
void __tsan_vptr_read(void** p) { event((uint64_t)(uintptr_t)p, 3, LENTO_READ, CALLER); }

/* Atomics are performed here, always as the strongest order: the program asked for at most that. */
#define FETCH(bits, log2_size, op, is_sub)                                                           \
  uint##bits##_t __tsan_atomic##bits##_fetch_##op(volatile uint##bits##_t* p, uint##bits##_t v, int order) { \
    const int drops = is_sub < 0 ? 0 : (v >> (bits - 1)) != (uint##bits##_t)is_sub;                   \
    (void)order;                                                                                     \
    event((uint64_t)(uintptr_t)p, log2_size, drops ? LENTO_DROP : LENTO_UPDATE, CALLER);              \
    return __atomic_fetch_##op(p, v, __ATOMIC_SEQ_CST);                                              \
  }
#define COMPARE(bits, log2_size, strength)                                                           \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile uint##bits##_t* p, uint##bits##_t* e, \
                                                        uint##bits##_t v, int order, int failed) {   \
    const int stored = __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    (void)order;                                                                                     \
    (void)failed;                                                                                    \
    event((uint64_t)(uintptr_t)p, log2_size, stored ? LENTO_COMPARE : LENTO_LOST, CALLER);            \
    return stored;                                                                                   \
  }
#define ATOMICS(bits, log2_size)                                                                     \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* p, int order) {           \
    (void)order;                                                                                     \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_READ, CALLER);                                     \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                                  \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t* p, uint##bits##_t v, int order) {        \
    (void)order;                                                                                     \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_WRITE, CALLER);                                    \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                        \
  }                                                                                                  \
  uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t* p, uint##bits##_t v, int order) { \
    (void)order;                                                                                     \
    event((uint64_t)(uintptr_t)p, log2_size, LENTO_ATOMIC, CALLER);                                   \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                              \
  }                                                                                                  \
  FETCH(bits, log2_size, add, 0)                                                                        \
  FETCH(bits, log2_size, sub, 1)                                                                        \
  FETCH(bits, log2_size, and, -1)                                                                        \
  FETCH(bits, log2_size, or, -1)                                                                         \
  FETCH(bits, log2_size, xor, -1)                                                                        \
  FETCH(bits, log2_size, nand, -1)                                                                       \
  COMPARE(bits, log2_size, strong)                                                                   \
  COMPARE(bits, log2_size, weak)                                                                     \
  uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(volatile uint##bits##_t* p, uint##bits##_t e, \
                                                            uint##bits##_t v, int order, int failed) { \
    const int stored = __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    (void)order;                                                                                     \
    (void)failed;                                                                                    \
    event((uint64_t)(uintptr_t)p, log2_size, stored ? LENTO_COMPARE : LENTO_LOST, CALLER);            \
    return e;                                                                                        \
  }
ATOMICS(8, 0)
ATOMICS(16, 1)
ATOMICS(32, 2)
ATOMICS(64, 3)
void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- functions of the C library ---- */

#ifdef LENTO_STATIC
#define TAKE(name) __wrap_##name
#define REAL(type, name) __real_##name
extern int __real_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
extern int __real_pthread_join(pthread_t, void**);
extern int __real_pthread_mutex_lock(pthread_mutex_t*);
extern int __real_pthread_mutex_trylock(pthread_mutex_t*);
extern int __real_pthread_mutex_unlock(pthread_mutex_t*);
extern void* __real_malloc(size_t);
extern void* __real_calloc(size_t, size_t);
extern void* __real_realloc(void*, size_t);
extern void __real_free(void*);
#define real_malloc __real_malloc
#define real_calloc __real_calloc
#define real_realloc __real_realloc
#define real_free __real_free
#else
#define TAKE(name) name
static void* real_function(const char* name) { return dlsym(RTLD_NEXT, name); }
#define REAL(type, name)                                                       \
  ({                                                                           \
    static type found;                                                         \
    if (!found) found = (type)(uintptr_t)real_function(#name);                 \
    found;                                                                     \
  })
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);
#define real_malloc __libc_malloc
#define real_calloc __libc_calloc
#define real_realloc __libc_realloc
#define real_free __libc_free
#endif

typedef int (*create_fn)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
typedef int (*join_fn)(pthread_t, void**);
typedef int (*mutex_fn)(pthread_mutex_t*);

/* Who comes to a meeting posts its key; who waits for it goes on when enough have come. */
static uint64_t new_key(void) { return __atomic_add_fetch(&header->next_key, 1, __ATOMIC_RELAXED) << 16; }
static void post(uint64_t key) { edge(key, LENTO_POST, 0); }
static void await(uint64_t key, uint64_t count) { edge(key, LENTO_AWAIT, count); }

struct start {
  void* (*run)(void*);
  void* argument;
  uint32_t thread;
  int detached;
};

/* Threads by their handle, for joins. A table that is full forgets: the edge is then missing. */
#define THREADS 4096
static struct {
  pthread_t handle;
  uint32_t thread;
} joinable[THREADS];

static void pause_us(uint64_t us);

/* A thread that has done its work stays until it is joined, a second at most. Otherwise threads that start later would
 * be given its memory, and in virtual time they run side by side and would fight over it. */
static volatile char wanted[THREADS];
static void stay(const struct start* start) {
  const unsigned most = 10000, step = 100; /* microseconds */
  for (unsigned i = 0; i < most && header && !start->detached && !wanted[start->thread % THREADS]; ++i) pause_us(step);
}
static void release_thread(pthread_t handle) {
  for (unsigned i = 0; header && i < THREADS; ++i)
    if (joinable[i].thread != 0 && pthread_equal(joinable[i].handle, handle)) wanted[i] = 1;
}

static void* run_thread(void* p) {
  struct start start = *(struct start*)p;
  real_free(p);
  self.thread = start.thread;
  void* result = start.run(start.argument);
  add_passed();
#ifndef LENTO_STATIC
  stay(&start);
#endif
  return result;
}

int TAKE(pthread_create)(pthread_t* handle, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  const create_fn real = REAL(create_fn, pthread_create);
  struct start* start = header ? real_malloc(sizeof *start) : 0;
  if (!start) return real(handle, attributes, run, argument);
  start->run = run;
  start->argument = argument;
  start->thread = (uint32_t)__atomic_add_fetch(&header->next_thread, 1, __ATOMIC_RELAXED);
  const uint32_t thread = start->thread;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  start->detached = state == PTHREAD_CREATE_DETACHED;
  wanted[thread % THREADS] = 0;
  edge(thread, LENTO_CREATE, CALLER);
  const int result = real(handle, attributes, run_thread, start);
  if (result != 0) {
    real_free(start);
    return result;
  }
  joinable[thread % THREADS].handle = *handle;
  joinable[thread % THREADS].thread = thread;
  return 0;
}

int TAKE(pthread_join)(pthread_t handle, void** value) {
  release_thread(handle);
  const int result = REAL(join_fn, pthread_join)(handle, value);
  for (unsigned i = 0; header && i < THREADS; ++i) {
    if (joinable[i].thread == 0 || !pthread_equal(joinable[i].handle, handle)) continue;
    edge(joinable[i].thread, LENTO_JOIN, CALLER);
    joinable[i].thread = 0;
    break;
  }
  return result;
}

/* With a core for each thread, another one would go on as soon as a lock is given back. On few cores a thread would
 * empty a queue before the others come to it, and the replay could not show who fights for it. */
static int let_others(int result) {
  if (recording) sched_yield();
  return result;
}

int TAKE(pthread_mutex_lock)(pthread_mutex_t* mutex) {
  const int result = REAL(mutex_fn, pthread_mutex_lock)(mutex);
  if (result == 0) event((uint64_t)(uintptr_t)mutex, 2, LENTO_LOCK, CALLER);
  return result;
}
int TAKE(pthread_mutex_trylock)(pthread_mutex_t* mutex) {
  const int result = REAL(mutex_fn, pthread_mutex_trylock)(mutex);
  if (result == 0) event((uint64_t)(uintptr_t)mutex, 2, LENTO_LOCK, CALLER);
  return result;
}
int TAKE(pthread_mutex_unlock)(pthread_mutex_t* mutex) {
  event((uint64_t)(uintptr_t)mutex, 2, LENTO_UNLOCK, CALLER);
  return let_others(REAL(mutex_fn, pthread_mutex_unlock)(mutex));
}

#ifndef LENTO_STATIC
int pthread_detach(pthread_t handle) {
  release_thread(handle);
  return REAL(__typeof__(&pthread_detach), pthread_detach)(handle);
}
#include "memory/record/runtime_meetings.inc"
#include "memory/record/runtime_locks.inc"
#endif

static void* allocated(void* block, size_t bytes, uint64_t pc) {
  if (!header || !block) return block;
  put(pack((uint64_t)(uintptr_t)block, 0, LENTO_ALLOC), pc);
  put(pack(bytes, 0, LENTO_SIZE), pc);
  put(pack(caller_above(1), 0, LENTO_CALLERS), caller_above(2));
  return block;
}

void* TAKE(malloc)(size_t n) { return allocated(real_malloc(n), n, CALLER); }
void* TAKE(calloc)(size_t n, size_t m) { return allocated(real_calloc(n, m), n * m, CALLER); }
void* TAKE(realloc)(void* p, size_t n) { return allocated(real_realloc(p, n), n, CALLER); }
void TAKE(free)(void* p) { real_free(p); }
#ifndef LENTO_STATIC
void* memalign(size_t align, size_t n) { return allocated(__libc_memalign(align, n), n, CALLER); }
void* aligned_alloc(size_t align, size_t n) { return allocated(__libc_memalign(align, n), n, CALLER); }
int posix_memalign(void** out, size_t align, size_t n) {
  void* block = __libc_memalign(align, n);
  if (!block) return 12; /* ENOMEM */
  *out = allocated(block, n, CALLER);
  return 0;
}
/* Memory that processes share: an anonymous mapping is shared with children, a file's with whoever maps it. */
static void* mapped(void* block, size_t bytes, int protection, int flags, int file, off_t offset, uint64_t pc) {
  if (!header || block == MAP_FAILED || !(flags & MAP_SHARED) || !(protection & PROT_WRITE)) return block;
  struct stat status;
  allocated(block, bytes, pc);
  edge((uint64_t)(uintptr_t)block, LENTO_SHARED, pc);
  edge(bytes, LENTO_SIZE, 0);
  if (!(flags & MAP_ANONYMOUS) && fstat(file, &status) == 0)
    edge((uint64_t)offset, LENTO_SIZE, (uint64_t)status.st_ino + ((uint64_t)status.st_dev << 40));
  return block;
}
void* mmap(void* where, size_t bytes, int protection, int flags, int file, off_t offset) {
  typedef void* (*map_fn)(void*, size_t, int, int, int, off_t);
  void* block = REAL(map_fn, mmap)(where, bytes, protection, flags, file, offset);
  return mapped(block, bytes, protection, flags, file, offset, CALLER);
}
void* mmap64(void* where, size_t bytes, int protection, int flags, int file, off_t offset) {
  typedef void* (*map_fn)(void*, size_t, int, int, int, off_t);
  void* block = REAL(map_fn, mmap64)(where, bytes, protection, flags, file, offset);
  return mapped(block, bytes, protection, flags, file, offset, CALLER);
}
/* operator new: the site is the program's line, not the library's. */
static void* must(void* block) {
  if (!block) abort();
  return block;
}
void* _Znwm(size_t n) { return allocated(must(__libc_malloc(n ? n : 1)), n, CALLER); }
void* _Znam(size_t n) { return allocated(must(__libc_malloc(n ? n : 1)), n, CALLER); }
void* _ZnwmSt11align_val_t(size_t n, size_t align) { return allocated(must(__libc_memalign(align, n)), n, CALLER); }
void* _ZnamSt11align_val_t(size_t n, size_t align) { return allocated(must(__libc_memalign(align, n)), n, CALLER); }
#endif

/* ---- start, bursts, fork ---- */

static void pause_us(uint64_t us) {
  struct timespec t = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
  nanosleep(&t, 0);
}

/* The first half of the file is filled without a break, so that programs of a few million accesses are recorded
 * whole, on a busy machine too. */
static void* toggle(void* nothing) {
  (void)nothing;
  while (header->next_chunk < last_chunk / 2) pause_us(header->on_us);
  while (header->next_chunk < last_chunk) {
    pause_us(header->on_us);
    count_time(recording);
    recording = 0;
    pause_us(header->off_us);
    ++burst;
    count_time(0);
    recording = 1;
  }
  recording = 0;
  return 0;
}

static void start_helper(void) {
  sigset_t all, before;
  pthread_t helper;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  REAL(create_fn, pthread_create)(&helper, &attributes, toggle, 0);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, 0);
}

/* The child has its parent's memory: a chunk of its own, and bursts of its own. */
static void after_fork(void) {
  if (!header) return;
  counted = 0;
  self.passed = 0;
  self.at = self.end = 0;
  self.sequence = 0;
  const uint32_t parent = self.thread;
  self.thread = 0;
  needs_helper = header->off_us > 0;
  edge((uint64_t)getppid(), LENTO_FORK, parent);
}

static void store_maps(void) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char* to = (char*)header + 4096;
  uint64_t done = 0;
  while (done < LENTO_MAPS_BYTES) {
    const ssize_t got = read(file, to + done, LENTO_MAPS_BYTES - done);
    if (got <= 0) break;
    done += (uint64_t)got;
  }
  close(file);
  if (done > header->maps_bytes) header->maps_bytes = done;
}

/* Before the program's own constructors, which allocate too. */
static __attribute__((constructor(101))) void begin(void) {
  const char* path = getenv("LENTO_RECORD");
  if (!path) return;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  struct lento_header there;
  const int is_ours = read(file, &there, sizeof there) == (ssize_t)sizeof there &&
                      there.magic == LENTO_RECORD_MAGIC && there.bytes > LENTO_HEADER;
  void* bytes = is_ours ? mmap(0, there.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (bytes == MAP_FAILED) return;
  header = bytes;
#ifdef LENTO_STATIC
  header->is_static = 1;
#endif
  last_chunk = (there.bytes - LENTO_HEADER) / LENTO_CHUNK;
  store_maps();
  pthread_atfork(0, 0, after_fork);
  burst = 1;
  if (header->off_us > 0) start_helper();
  recording = 1;
}

static __attribute__((destructor)) void end(void) {
  if (!header) return;
  store_maps(); /* libraries that were loaded later */
  count_time(recording);
  add_passed();
}
