/* A byte-code machine with an indirect jump an instruction: sums 1..30000. */
#include "core.h"
enum { PUSH, ADD, DROP, LESS, BRANCH, HALT };
int main(void) {
  /* sum += i, i += 1 while i < 30001 */
  static const int32_t code[] = {ADD, PUSH, LESS, BRANCH, 0, HALT};
  static const void* const go[] = {&&push, &&add, &&drop, &&less, &&branch, &&halt};
  int32_t at = 0, i = 1, sum = 0, flag = 0;
#define NEXT goto* go[code[at++]]
  NEXT;
push:
  ++i;
  NEXT;
add:
  sum += i;
  NEXT;
drop:
  --i;
  NEXT;
less:
  flag = i < 30001;
  NEXT;
branch:
  at = flag ? code[at] : at + 1;
  NEXT;
halt:
  return sum != 30000 / 2 * 30001;
}
