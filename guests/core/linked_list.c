/* Walks a list whose nodes lie in random order over 1.5 MiB. */
#include "core.h"
struct node {
  struct node* next;
  uint32_t value, pad[6];
};
static struct node nodes[49152];
static uint32_t order[49152];
int main(void) {
  uint32_t seed = 5, sum = 0;
  for (uint32_t i = 0; i < 49152; ++i) order[i] = i;
  for (uint32_t i = 49151; i > 0; --i) {
    const uint32_t j = next_random(&seed) % (i + 1), swap = order[i];
    order[i] = order[j], order[j] = swap;
  }
  for (uint32_t i = 0; i < 49152; ++i) {
    nodes[order[i]].next = i + 1 < 49152 ? &nodes[order[i + 1]] : 0;
    nodes[order[i]].value = i;
  }
  for (const struct node* at = &nodes[order[0]]; at; at = at->next) sum += at->value;
  return sum != 49152u / 2 * 49151u;
}
