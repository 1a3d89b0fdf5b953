/* A part of runtime.c: where threads wait for each other by other means than a mutex. Without it a replay would
 * let them run into each other's phases. */
#ifndef LENTO_RUNTIME_MEETINGS_H
#define LENTO_RUNTIME_MEETINGS_H

/* Waiting for a condition gives the mutex back. */
typedef int (*wait_fn)(pthread_cond_t*, pthread_mutex_t*);
typedef int (*timed_wait_fn)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  event((uint64_t)(uintptr_t)mutex, 2, LENTO_UNLOCK, CALLER);
  const int result = REAL(wait_fn, pthread_cond_wait)(condition, mutex);
  event((uint64_t)(uintptr_t)mutex, 2, LENTO_LOCK, CALLER);
  return result;
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  event((uint64_t)(uintptr_t)mutex, 2, LENTO_UNLOCK, CALLER);
  const int result = REAL(timed_wait_fn, pthread_cond_timedwait)(condition, mutex, until);
  event((uint64_t)(uintptr_t)mutex, 2, LENTO_LOCK, CALLER);
  return result;
}

/* Barriers by their address. A table that is full forgets: its barriers then hold nobody up. */
#define BARRIERS 256
static struct {
  pthread_barrier_t* barrier;
  uint64_t key, count, tickets;
} barriers[BARRIERS];
static unsigned next_barrier;

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) {
  typedef int (*init_fn)(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned);
  const int result = REAL(init_fn, pthread_barrier_init)(barrier, attributes, count);
  if (result != 0 || !header || count == 0) return result;
  for (unsigned i = 0; i < BARRIERS; ++i) {
    if (barriers[i].barrier == barrier) barriers[i].barrier = 0;
  }
  const unsigned at = __atomic_fetch_add(&next_barrier, 1, __ATOMIC_RELAXED) % BARRIERS;
  barriers[at].key = new_key();
  barriers[at].count = count;
  barriers[at].tickets = 0;
  barriers[at].barrier = barrier;
  return result;
}

/* Keys of later meetings follow the first; after 65,536 of them they would be another barrier's. */
static uint64_t meeting(uint64_t key, uint64_t number) { return (number >> 16) ? 0 : key + number; }

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  typedef int (*barrier_fn)(pthread_barrier_t*);
  uint64_t key = 0, count = 0;
  for (unsigned i = 0; header && i < BARRIERS && !key; ++i) {
    if (barriers[i].barrier != barrier) continue;
    count = barriers[i].count;
    key = meeting(barriers[i].key, __atomic_fetch_add(&barriers[i].tickets, 1, __ATOMIC_RELAXED) / count);
  }
  if (key) post(key);
  const int result = REAL(barrier_fn, pthread_barrier_wait)(barrier);
  if (key) await(key, count);
  return result;
}

/* OpenMP as gcc compiles it: the threads of a region begin when it is entered and end together. */
struct region {
  void (*run)(void*);
  void* data;
  uint64_t key, members;
};
static __thread struct {
  uint64_t key, count, barriers;
} team;

static void run_region(void* p) {
  struct region* region = p;
  const __typeof__(team) outer = team;
  typedef int (*count_fn)(void);
  team.count = (uint64_t)REAL(count_fn, omp_get_num_threads)();
  team.key = region->key;
  team.barriers = 2; /* the first two are the region's begin and end */
  await(region->key, 1);
  region->run(region->data);
  team = outer;
  __atomic_fetch_add(&region->members, 1, __ATOMIC_RELAXED);
  post(region->key + 1);
}

void GOMP_parallel(void (*run)(void*), void* data, unsigned threads, unsigned flags) {
  typedef void (*parallel_fn)(void (*)(void*), void*, unsigned, unsigned);
  const parallel_fn real = REAL(parallel_fn, GOMP_parallel);
  if (!header) {
    real(run, data, threads, flags);
    return;
  }
  struct region region = {run, data, new_key(), 0};
  post(region.key);
  real(run_region, &region, threads, flags);
  await(region.key + 1, region.members);
}

static uint64_t reach_barrier(void) {
  const uint64_t key = header && team.key ? meeting(team.key, team.barriers++) : 0;
  if (key) post(key);
  return key;
}
#define AT_BARRIER(name)                               \
  void name(void) {                                    \
    typedef void (*barrier_fn)(void);                  \
    const uint64_t key = reach_barrier();              \
    REAL(barrier_fn, name)();                          \
    if (key) await(key, team.count);                   \
  }
AT_BARRIER(GOMP_barrier)
AT_BARRIER(GOMP_loop_end)
AT_BARRIER(GOMP_sections_end)

static char critical; /* one lock for all unnamed sections, as the standard has it */
void GOMP_critical_start(void) {
  typedef void (*critical_fn)(void);
  REAL(critical_fn, GOMP_critical_start)();
  event((uint64_t)(uintptr_t)&critical, 2, LENTO_LOCK, CALLER);
}
void GOMP_critical_end(void) {
  typedef void (*critical_fn)(void);
  event((uint64_t)(uintptr_t)&critical, 2, LENTO_UNLOCK, CALLER);
  REAL(critical_fn, GOMP_critical_end)();
}

#endif
