package io.github.stablecut.cluster.internal.exchange;

import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.TransactionOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * Updates that are committed together: in one transaction, and concurrent updates in further
 * transactions that overlap it. Confined to one thread.
 */
final class ImportBatch {
  private static final long MAX_BYTES = 4 << 20;
  private static final int MAX_UPDATES = 10_000;

  private final Store store;

  /** The updates of each transaction. */
  private final List<List<Update>> transactions = new ArrayList<>();

  /** Whether keys may already have objects of other types. */
  private boolean allowsOtherTypes;

  private long bytes;
  private long firstLine;
  private long lastLine;

  ImportBatch(Store store) {
    this.store = store;
  }

  /** Sets whether keys added from now on may already have objects of other types. */
  void setAllowsOtherTypes(boolean withOtherTypes) {
    if (withOtherTypes != allowsOtherTypes) {
      flush();
      allowsOtherTypes = withOtherTypes;
    }
  }

  /**
   * Adds concurrent updates; first commits the previous ones if they are many.
   *
   * @param updateBytes the approximate size of each update
   * @param line the line that they come from
   */
  void add(List<Update> concurrent, long updateBytes, long line) {
    if (!transactions.isEmpty()
        && (bytes + updateBytes > MAX_BYTES || transactions.get(0).size() >= MAX_UPDATES)) {
      flush();
    }
    firstLine = transactions.isEmpty() ? line : firstLine;
    lastLine = line;
    bytes += updateBytes;
    for (int i = 0; i < concurrent.size(); i++) {
      if (i == transactions.size()) {
        transactions.add(new ArrayList<>());
      }
      transactions.get(i).add(concurrent.get(i));
    }
  }

  /** Commits the added updates. */
  void flush() {
    List<Transaction> open = new ArrayList<>();
    try {
      TransactionOptions options = TransactionOptions.defaults();
      TransactionOptions chosen = allowsOtherTypes ? options.allowOtherTypes() : options;
      transactions.forEach(updates -> open.add(store.begin(chosen)));
      for (int i = 0; i < open.size(); i++) {
        open.get(i).update(transactions.get(i).toArray(Update[]::new));
      }
      open.forEach(Transaction::commit);
    } catch (LimitExceededException | OperationRefusedException e) {
      String lines = firstLine == lastLine ? "line " : "lines " + firstLine + " to ";
      throw new MalformedLineException(lines + lastLine + ": " + e.getMessage());
    } finally {
      open.forEach(Transaction::close);
    }
    transactions.clear();
    bytes = 0;
  }
}
