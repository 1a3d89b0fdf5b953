/* The memory-mapped file that the runtime of the recorder writes and `lento memory record` reads. It is
 * written in C because the runtime is.
 *
 *   file  = header page, chunks of LENTO_CHUNK bytes in the order of their allocation
 *   chunk = struct lento_chunk, events of 16 bytes to the first one whose first word is 0, or to the end
 *   event = word 0: address 48 bits | log2 of the size 4 | kind 8 | marks 4;  word 1: code address
 *
 * The file is sparse and mapped shared: what was stored is there however the program ends. */
#ifndef LENTO_RECORD_FORMAT_H
#define LENTO_RECORD_FORMAT_H

#include <stdint.h>

#define LENTO_RECORD_MAGIC UINT64_C(0x314345524f544e4c) /* "LNTOREC1" */
#define LENTO_CHUNK 65536u
#define LENTO_HEADER 65536u
#define LENTO_MAPS_BYTES 57344u

struct lento_header {
  uint64_t magic;
  uint64_t bytes;         /* of the file */
  uint64_t next_chunk;    /* chunks taken; may exceed what there is room for: the rest was lost */
  uint64_t next_thread;   /* threads numbered, from 1 */
  uint64_t on_us, off_us; /* bursts; off 0: everything */
  uint64_t line_bytes;
  uint64_t maps_bytes; /* of /proc/self/maps, a copy of which is at offset 4096 */
  uint64_t next_key;   /* synchronisation points numbered, from 1 */
  uint64_t passed;     /* accesses and calls between bursts or beyond the limit, which were not stored */
  uint64_t seen_us, worked_us; /* CPU time of the processes: while accesses were stored, and all */
  uint64_t unordered;          /* synchronisation points that the full table lacks: their order is lost */
  uint64_t is_static;          /* calls of the C library are seen as far as --wrap names them */
};

struct lento_chunk {
  uint32_t pid, thread; /* thread 0: never used */
  uint64_t sequence;    /* of the thread's chunks, from 0 */
};

/* A mark: the address lies within 4 KiB of the value that the thread last loaded. */
#define LENTO_DEPENDENT 1u

enum lento_kind {
  LENTO_NONE = 0,
  LENTO_READ = 1,
  LENTO_WRITE = 2,
  LENTO_ATOMIC = 3,
  LENTO_BURST = 4,   /* address: number of the burst */
  LENTO_CREATE = 5,  /* address: number of the new thread */
  LENTO_JOIN = 6,    /* address: number of the ended thread */
  LENTO_LOCK = 7,    /* address: of the lock, taken */
  LENTO_UNLOCK = 8,  /* given back */
  LENTO_ALLOC = 9,   /* address: of the block; an event LENTO_SIZE follows */
  LENTO_SIZE = 10,   /* address: bytes */
  LENTO_UPDATE = 11, /* an atomic that adds or sets bits */
  LENTO_POST = 12,   /* address: key of a synchronisation point that the thread has reached */
  LENTO_AWAIT = 13,  /* address: key; word 1: so many threads must reach it before this one continues */
  LENTO_SHARED = 14, /* address: of memory that processes share, mapped by word 1; LENTO_SIZE and, where it is
                        a file's, LENTO_SIZE with its inode and offset follow */
  LENTO_FORK = 15,   /* address: process that this one comes from; word 1: its thread */
  LENTO_COMPARE = 16, /* a compare-and-swap that stored */
  LENTO_LOST = 17,    /* one that found another value */
  LENTO_DROP = 18,    /* an atomic that subtracts */
  LENTO_READER = 19,  /* address: of a read-write lock, taken to read */
  LENTO_WRITER = 20,  /* taken to write */
  LENTO_LEAVE = 21,   /* given back by either */
  LENTO_CALLERS = 22, /* after LENTO_SIZE of a block: the call of the allocating function, and in word 1 the
                         call of that call's function; 0 where not known */
  LENTO_TAKE = 23,    /* address: of a semaphore that was taken */
  LENTO_GIVE = 24,    /* given back */
  LENTO_PERMITS = 25  /* address: of a semaphore; word 1: takes that it allows before a post */
};

#endif
