package io.github.stablecut;

/**
 * Facts about a store at one moment. Immutable.
 *
 * @param storeId which store it is
 * @param epoch how often the store was opened, this time included
 * @param objects the number of objects that anything was ever done to
 * @param openTransactions the number of open transactions
 * @param stable the newest point that can be read
 * @param minDependency the oldest point that an open transaction reads
 * @param journal its journal
 */
public record StoreStatus(
    long storeId,
    long epoch,
    int objects,
    int openTransactions,
    CausalToken stable,
    CausalToken minDependency,
    Journal journal) {
  /**
   * Figures of the journal; what counts, counts since the store was opened.
   *
   * @param segments the number of its files
   * @param allocatedBytes what they take on the disk
   * @param records the records that were written
   * @param syncs how often they were made durable
   * @param largestGroup the most records that one sync made durable
   */
  public record Journal(
      int segments, long allocatedBytes, long records, long syncs, int largestGroup) {}
}
