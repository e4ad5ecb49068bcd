package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.commit.CommitTarget;
import io.github.stablecut.examples.bench.counter.CounterTarget;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Reads and durable increments of counters chosen uniformly.
 *
 * @param reads the percentage of reads
 */
record CounterLoad(CounterTarget target, int counters, int reads) implements CommitTarget {
  private static final int PERCENT = 100;

  @Override
  public void commit(byte[] body) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int counter = random.nextInt(counters);
    if (random.nextInt(PERCENT) >= reads) {
      target.increment(counter);
    } else if (target.read(counter) < 0) {
      throw new IllegalStateException("a counter that only grows is negative");
    }
  }

  @Override
  public long syncs() {
    return -1;
  }

  @Override
  public void close() {
    target.close();
  }
}
