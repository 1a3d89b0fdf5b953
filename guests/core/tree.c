/* A binary search tree: random inserts, then searches. */
#include "core.h"
struct node {
  struct node* child[2];
  uint32_t key;
};
static struct node nodes[20000];
static struct node* root;
int main(void) {
  uint32_t seed = 3, depth = 0;
  for (int i = 0; i < 20000; ++i) {
    nodes[i].key = next_random(&seed);
    struct node** at = &root;
    while (*at) at = &(*at)->child[nodes[i].key > (*at)->key];
    *at = &nodes[i];
  }
  seed = 3;
  for (int i = 0; i < 20000; ++i) {
    const uint32_t key = next_random(&seed);
    const struct node* at = root;
    while (at && at->key != key) at = at->child[key > at->key], ++depth;
    if (!at) return 1;
  }
  return depth == 0;
}
