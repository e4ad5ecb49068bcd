package io.github.stablecut.map.internal;

import io.github.stablecut.Transaction;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.key.Update;
import io.github.stablecut.map.storage.Cells;
import io.github.stablecut.map.storage.Computed;
import io.github.stablecut.map.storage.RecordChange;
import io.github.stablecut.map.storage.RecordCursor;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.storage.RecordRange;
import io.github.stablecut.map.storage.RecordWriter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Records as a transaction sees and changes them. Confined to the transaction's thread. */
final class TransactionRecords implements RecordWriter {
  private final Transaction transaction;

  TransactionRecords(Transaction transaction) {
    this.transaction = transaction;
  }

  @Override
  public Map<RecordId, Cells> read(Collection<RecordId> ids) {
    return RecordObjects.read(transaction, ids);
  }

  @Override
  public RecordCursor scan(RecordRange range) {
    return RecordObjects.cursor(transaction.scan(RecordNames.options(range)), range.limit());
  }

  @Override
  public <R> R compute(
      Collection<RecordId> ids, Function<Map<RecordId, Cells>, Computed<R>> function) {
    Computed<R> computed = function.apply(read(ids));
    if (!computed.changes().isEmpty()) {
      write(computed.changes());
    }
    return computed.result();
  }

  @Override
  public void write(List<RecordChange> changes) {
    Update[] updates = changes.stream().map(RecordObjects::update).toArray(Update[]::new);
    try {
      transaction.update(updates);
    } catch (LimitExceededException e) {
      throw RecordObjects.tooLarge(changes, e);
    }
  }
}
