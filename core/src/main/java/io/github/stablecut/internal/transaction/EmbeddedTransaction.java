package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Key;
import io.github.stablecut.Transaction;
import io.github.stablecut.TransactionEndedException;
import io.github.stablecut.TransactionExpiredException;
import io.github.stablecut.Update;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.ActiveSnapshots;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A transaction on an embedded store. Confined to one thread at a time. */
final class EmbeddedTransaction implements Transaction {
  private enum State {
    OPEN,
    COMMITTED,
    ABORTED,
    EXPIRED
  }

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final ActiveSnapshots.Registration registration;
  private final WriteBuffer buffer;
  private State state = State.OPEN;

  EmbeddedTransaction(
      EmbeddedStore store, VectorClock snapshot, ActiveSnapshots.Registration registration) {
    this.store = store;
    this.snapshot = snapshot;
    this.registration = registration;
    this.buffer = store.newBuffer(snapshot);
  }

  @Override
  public <V> V read(Key<V> key) {
    checkOpen();
    return key.view(buffer.state(key), snapshot);
  }

  @Override
  public Values read(Collection<? extends Key<?>> keys) {
    checkOpen();
    return store.values(keys, snapshot, buffer::state);
  }

  @Override
  public void update(Update... updates) {
    checkOpen();
    buffer.execute(updates);
  }

  @Override
  public CausalToken commit() {
    checkOpen();
    if (buffer.isEmpty()) {
      end(State.COMMITTED);
      return snapshot();
    }
    try {
      return store.commit(buffer.toRequest());
    } finally {
      end(State.COMMITTED);
    }
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    checkOpen();
    try {
      return buffer.isEmpty()
          ? CompletableFuture.completedStage(snapshot())
          : store.commitAsync(buffer.toRequest());
    } finally {
      end(State.COMMITTED);
    }
  }

  @Override
  public void abort() {
    checkOpen();
    end(State.ABORTED);
  }

  @Override
  public CausalToken snapshot() {
    return store.token(snapshot);
  }

  @Override
  public void close() {
    if (state == State.OPEN) {
      end(State.ABORTED);
    }
  }

  private void end(State newState) {
    state = newState;
    registration.end();
  }

  private void checkOpen() {
    store.checkOpen();
    if (state == State.OPEN && registration.isExpired()) {
      end(State.EXPIRED);
    }
    if (state == State.EXPIRED) {
      throw new TransactionExpiredException(
          "the transaction was open for longer than %s and was ended without effect: begin again, or raise maxTransactionAge"
              .formatted(store.options().maxTransactionAge()));
    }
    if (state != State.OPEN) {
      throw new TransactionEndedException(
          "the transaction has ended: it is "
              + (state == State.COMMITTED ? "committed" : "aborted")
              + "; begin another");
    }
  }
}
