/* Shortest paths by Dijkstra without a heap on a random graph of 400 nodes. */
#include "core.h"
enum { N = 400 };
static uint16_t edge[N][N];
static uint32_t cost[N];
static uint8_t done[N];
int main(void) {
  uint32_t seed = 31;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) edge[i][j] = (uint16_t)(1 + next_random(&seed) % 1000);
  for (int i = 1; i < N; ++i) cost[i] = ~0u;
  for (int round = 0; round < N; ++round) {
    int best = -1;
    for (int i = 0; i < N; ++i)
      if (!done[i] && (best < 0 || cost[i] < cost[best])) best = i;
    done[best] = 1;
    for (int j = 0; j < N; ++j)
      if (cost[best] + edge[best][j] < cost[j]) cost[j] = cost[best] + edge[best][j];
  }
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      if (cost[j] > cost[i] + edge[i][j]) return 1;
  return 0;
}
