package io.github.stablecut.internal.stream;

import io.github.stablecut.causality.VectorClock;
import java.util.List;

/**
 * Consecutive transactions of a stream, as encoded records ({@link
 * io.github.stablecut.internal.record.TransactionRecord#linked}). Immutable.
 *
 * @param source the data centre that committed them
 * @param after the commit time of the transaction before the first one; 0 if there is none
 * @param through a time at or after the last one: the stream has no other transaction up to it
 * @param records the transactions; empty if the batch only reports time
 * @param promise later transactions of the stream have read at this vector or a later one
 */
public record StreamBatch(
    int source, long after, long through, List<byte[]> records, VectorClock promise) {
  /** Copies the list and checks the order. */
  public StreamBatch {
    records = List.copyOf(records);
    if (after < 0 || through < after) {
      throw new IllegalArgumentException(
          "invalid batch of a stream: after %d, through %d".formatted(after, through));
    }
  }

  /** The size of the records. */
  public long bytes() {
    long bytes = 0;
    for (byte[] record : records) {
      bytes += record.length;
    }
    return bytes;
  }
}
