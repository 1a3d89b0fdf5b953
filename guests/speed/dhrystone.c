/* The work of Dhrystone 2 (Weicker, 1988), written anew from its description: per run two string copies and a
 * comparison, record assignments through pointers, procedure calls with in, out and global arguments, and
 * integer arithmetic. RUNS of them (2 million); the end state is that of the original. */
#include "core.h"
#ifndef RUNS
#define RUNS 2000000
#endif

enum ident { IDENT1, IDENT2, IDENT3, IDENT4, IDENT5 };
struct record {
  struct record* next;
  int kind;
  enum ident component;
  int number;
  char text[31];
};
#define APART __attribute__((noinline))

static struct record first, second, *global, *next_global;
static int int_global, bool_global, array1[50], array2[50][50];
static char char1, char2;

APART static void copy_text(char* to, const char* from) {
  while ((*to++ = *from++) != 0) {
  }
}
APART static int compare_text(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == 0) return 0;
  return *a < *b ? -1 : 1;
}

APART static void sum(int a, int b, int* out) { *out = b + a + 2; }

APART static enum ident same_letter(char a, char b) {
  if (a != b) return IDENT1;
  char1 = a;
  return IDENT2;
}
APART static int after(const char* a, const char* b) {
  int at = 2;
  char letter = 0;
  while (at <= 2)
    if (same_letter(a[at], b[at + 1]) == IDENT1) letter = 'A', ++at;
  if (letter >= 'W' && letter < 'Z') at = 7;
  if (letter == 'R') return 1;
  if (compare_text(a, b) <= 0) return 0;
  int_global = at + 7;
  return 1;
}
APART static int is_third(enum ident x) { return x == IDENT3; }

APART static void replace(enum ident in, enum ident* out) {
  *out = is_third(in) ? in : IDENT4;
  switch (in) {
    case IDENT1:
      *out = IDENT1;
      break;
    case IDENT2:
      *out = int_global > 100 ? IDENT1 : IDENT4;
      break;
    case IDENT3:
      *out = IDENT2;
      break;
    case IDENT4:
      break;
    case IDENT5:
      *out = IDENT3;
      break;
  }
}
APART static void follow(struct record** to) {
  if (global != 0) *to = global->next;
  sum(10, int_global, &global->number);
}
APART static void assign(struct record* from) {
  struct record* const next = from->next;
  *from->next = *global;
  from->number = 5;
  next->number = from->number;
  next->next = from->next;
  follow(&next->next);
  if (next->kind == 0) {
    next->number = 6;
    replace(from->component, &next->component);
    next->next = global->next;
    sum(next->number, 10, &next->number);
  } else {
    *from = *from->next;
  }
}
APART static void adjust(int* x) {
  int value = *x + 10;
  enum ident id = IDENT2;
  do {
    if (char1 == 'A') --value, *x = value - int_global, id = IDENT1;
  } while (id != IDENT1);
}
APART static void set_letters(void) {
  bool_global = (char1 == 'A') | bool_global;
  char2 = 'B';
}
APART static void set_first(void) {
  char1 = 'A';
  bool_global = 0;
}
APART static void fill_arrays(int* a, int b[][50], int x, int y) {
  const int at = x + 5;
  a[at] = y, a[at + 1] = a[at], a[at + 30] = at;
  for (int i = at; i <= at + 1; ++i) b[at][i] = at;
  b[at][at - 1] += 1;
  b[at + 20][at] = a[at];
  int_global = 5;
}

int main(void) {
  int one = 0, two = 0, three = 0;
  enum ident id = IDENT1;
  char text1[31], text2[31];
  next_global = &second, global = &first;
  first = (struct record){next_global, 0, IDENT3, 40, "DHRYSTONE PROGRAM, SOME STRING"};
  copy_text(text1, "DHRYSTONE PROGRAM, 1'ST STRING");
  array2[8][7] = 10;
  for (int run = 1; run <= RUNS; ++run) {
    set_first(), set_letters();
    one = 2, two = 3;
    copy_text(text2, "DHRYSTONE PROGRAM, 2'ND STRING");
    id = IDENT2;
    bool_global = !after(text1, text2);
    for (; one < two; ++one) three = 5 * one - two, sum(one, two, &three);
    fill_arrays(array1, array2, one, three);
    assign(global);
    for (char letter = 'A'; letter <= char2; ++letter) {
      if (id == same_letter(letter, 'C'))
        replace(IDENT1, &id), int_global = run, copy_text(text2, "DHRYSTONE PROGRAM, 3'RD STRING");
    }
    two = two * one;
    one = two / three;
    two = 7 * (two - three) - one;
    adjust(&one);
  }
  return !(int_global == 5 && bool_global == 1 && char1 == 'A' && char2 == 'B' && array1[8] == 7 &&
           one == 5 && two == 13 && three == 7 && id == IDENT2 && array2[8][7] == RUNS + 10 &&
           first.number == 17 && second.number == 18);
}
