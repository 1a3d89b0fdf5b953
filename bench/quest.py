#!/usr/bin/env python3
"""Transactions after Agrawal and Srikant (VLDB 1994) on stdout, as T40I10D100K was made: quest.py SEED [TRANSACTIONS].

Mean length 40, patterns of mean length 10, 1,000 items, 2,000 patterns with exponential weights, half of a pattern taken
from the one before, each corrupted at its own level (mean 0.5, variance 0.1).
"""
import bisect
import math
import random
import sys

LENGTH, PATTERN, ITEMS, PATTERNS = 40, 10, 1000, 2000


def poisson(rng, mean):
    least, count, product = math.exp(-mean), 0, rng.random()
    while product > least:
        count += 1
        product *= rng.random()
    return max(1, count)


def patterns_of(rng):
    patterns, last = [], []
    for _ in range(PATTERNS):
        size = poisson(rng, PATTERN)
        share = min(1.0, rng.expovariate(2))
        items = set(rng.sample(last, min(len(last), int(share * size))))
        while len(items) < size:
            items.add(rng.randrange(ITEMS))
        last = sorted(items)
        patterns.append(last)
    return patterns


def drawn(rng, patterns, cumulated, corruption):
    k = min(PATTERNS - 1, bisect.bisect(cumulated, rng.random() * cumulated[-1]))
    items = list(patterns[k])
    while items and rng.random() < corruption[k]:
        items.pop(rng.randrange(len(items)))
    return items


def main():
    rng = random.Random(int(sys.argv[1]))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    patterns = patterns_of(rng)
    cumulated, total = [], 0.0
    for _ in patterns:
        total += rng.expovariate(1)
        cumulated.append(total)
    corruption = [min(1, max(0, rng.gauss(0.5, math.sqrt(0.1)))) for _ in patterns]
    held = None
    for _ in range(count):
        size, row = poisson(rng, LENGTH), set()
        while len(row) < size:
            items, held = (held, None) if held is not None else (drawn(rng, patterns, cumulated, corruption), None)
            if row and len(row) + len(items) > size:
                # An item set that exceeds the size goes into this transaction in half of the cases, else into the next.
                if rng.random() < 0.5:
                    row.update(items)
                else:
                    held = items
                break
            row.update(items)
        print(*sorted(row))


main()
