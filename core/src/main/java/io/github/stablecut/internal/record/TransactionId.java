package io.github.stablecut.internal.record;

/**
 * The id of a distributed transaction.
 *
 * @param coordinator the partition that decides it
 * @param epoch the coordinator's opening in which it began: transactions that an earlier opening
 *     forgot are aborted
 * @param sequence its number in that epoch
 */
public record TransactionId(int coordinator, long epoch, long sequence) {
  @Override
  public String toString() {
    return coordinator + "-" + epoch + "-" + sequence;
  }
}
