package io.github.stablecut.internal.record;

/**
 * A transaction that several partitions take part in.
 *
 * @param coordinator the partition that decides it
 * @param epoch the coordinator's opening in which it began: what an earlier opening forgot is
 *     aborted
 * @param sequence its number in that epoch
 */
public record TransactionId(int coordinator, long epoch, long sequence) {
  @Override
  public String toString() {
    return coordinator + "-" + epoch + "-" + sequence;
  }
}
