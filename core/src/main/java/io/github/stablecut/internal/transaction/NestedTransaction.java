package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A nested transaction: a savepoint in the buffer of the outermost transaction, at the same
 * snapshot (vCorfu, section 4.2). Confined to one thread at a time.
 */
final class NestedTransaction implements Transaction {
  private final EmbeddedTransaction outermost;
  private final TransactionNesting nesting;
  private final WriteBuffer.Savepoint savepoint;
  private boolean ended;

  NestedTransaction(
      EmbeddedTransaction outermost, TransactionNesting nesting, WriteBuffer.Savepoint savepoint) {
    this.outermost = outermost;
    this.nesting = nesting;
    this.savepoint = savepoint;
  }

  WriteBuffer.Savepoint savepoint() {
    return savepoint;
  }

  @Override
  public <V> V read(Query<V> query) {
    checkUsable();
    return outermost.readInside(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    checkUsable();
    return outermost.readInside(queries);
  }

  @Override
  public Scan scan(ScanOptions options) {
    checkUsable();
    return outermost.scanInside(options, this::checkUsable);
  }

  @Override
  public void update(Update... updates) {
    checkUsable();
    outermost.updateInside(updates);
  }

  @Override
  public Transaction begin() {
    checkUsable();
    return nesting.begin(outermost);
  }

  @Override
  public CausalToken commit() {
    checkUsable();
    ended = true;
    nesting.merge();
    return snapshot();
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    return CompletableFuture.completedStage(commit());
  }

  @Override
  public void abort() {
    if (!outermost.isRefused()) {
      checkUsable();
      nesting.rollBack(this);
    }
  }

  @Override
  public CausalToken snapshot() {
    return outermost.snapshot();
  }

  @Override
  public void close() {
    if (!ended) {
      nesting.rollBack(this);
    }
  }

  /** Marks the transaction as ended by an outer one. */
  void markEnded() {
    ended = true;
  }

  private void checkUsable() {
    outermost.checkOpen();
    if (ended) {
      throw new TransactionEndedException("the nested transaction has ended: begin another");
    }
    nesting.checkInnermost(this);
  }
}
