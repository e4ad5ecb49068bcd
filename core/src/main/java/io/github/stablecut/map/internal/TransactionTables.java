package io.github.stablecut.map.internal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import java.util.List;

/** Tables as a transaction sees and changes them. Confined to the transaction's thread. */
public final class TransactionTables extends StoredAccess {
  private final Transaction transaction;

  public TransactionTables(Transaction transaction) {
    super(new TransactionRecords(transaction), new Schemas());
    this.transaction = transaction;
  }

  @Override
  public TableCursor scan(TableScan scan) {
    return new OpenCursor(super.scan(scan));
  }

  /** A cursor that reads only while the transaction is open. */
  private final class OpenCursor implements TableCursor {
    private final TableCursor cursor;

    OpenCursor(TableCursor cursor) {
      this.cursor = cursor;
    }

    /** Throws the same exception as any read if the transaction has ended. */
    @CanIgnoreReturnValue
    private Values checkOpen() {
      return transaction.read(List.of());
    }

    @Override
    public boolean hasNext() {
      checkOpen();
      return cursor.hasNext();
    }

    @Override
    public TableRecord next() {
      checkOpen();
      return cursor.next();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
