package io.github.stablecut.examples.bench.counter;

import io.github.stablecut.examples.bench.commit.RawLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLongArray;

/** Numbers in memory with the plain loop of {@link RawLog}: no snapshots, no transactions. */
public final class RawCounters implements CounterTarget {
  private static final int ZEROS_AHEAD_BYTES = 1 << 20;

  /** Roughly the bytes that the store writes for an increment. */
  private static final int RECORD_BYTES = 50;

  private final RawLog log;
  private final AtomicLongArray values;
  private final byte[] record = new byte[RECORD_BYTES];

  public RawCounters(Path file, int counters) throws IOException {
    log = new RawLog(file, ZEROS_AHEAD_BYTES);
    values = new AtomicLongArray(counters);
  }

  @Override
  public void increment(int counter) {
    log.commit(record);
    values.getAndIncrement(counter);
  }

  @Override
  public long read(int counter) {
    return values.get(counter);
  }

  @Override
  public void close() {
    log.close();
  }
}
