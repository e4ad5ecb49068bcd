package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Certification;
import io.github.stablecut.Key;
import io.github.stablecut.Transaction;
import io.github.stablecut.TransactionEndedException;
import io.github.stablecut.TransactionExpiredException;
import io.github.stablecut.Update;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A transaction on an embedded store. Confined to one thread at a time. */
final class EmbeddedTransaction implements Transaction {
  private enum State {
    OPEN("is open"),
    COMMITTED("is committed"),
    ABORTED("is aborted"),
    EXPIRED("has expired"),
    FAILED("ended with a commit that failed");

    private final String words;

    State(String words) {
      this.words = words;
    }
  }

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final ActiveSnapshots.Registration registration;
  private final WriteBuffer buffer;
  private State state = State.OPEN;

  EmbeddedTransaction(
      EmbeddedStore store, ActiveSnapshots.Registration registration, Certification certification) {
    this.store = store;
    this.snapshot = registration.snapshot();
    this.registration = registration;
    this.buffer = new WriteBuffer(store, snapshot, certification);
  }

  @Override
  public <V> V read(Key<V> key) {
    checkOpen();
    return key.view(buffer.read(key), snapshot);
  }

  @Override
  public Values read(Collection<? extends Key<?>> keys) {
    checkOpen();
    return store.values(keys, snapshot, buffer::read);
  }

  @Override
  public void update(Update... updates) {
    checkOpen();
    buffer.execute(updates);
  }

  @Override
  public CausalToken commit() {
    checkOpen();
    State outcome = State.FAILED;
    try {
      CausalToken token = buffer.isEmpty() ? snapshot() : store.commit(buffer.toRequest());
      outcome = State.COMMITTED;
      return token;
    } finally {
      end(outcome);
    }
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    checkOpen();
    State outcome = State.FAILED;
    try {
      CompletionStage<CausalToken> token =
          buffer.isEmpty()
              ? CompletableFuture.completedStage(snapshot())
              : store.commitAsync(buffer.toRequest());
      outcome = State.COMMITTED;
      return token;
    } finally {
      end(outcome);
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
          "the transaction has ended, it " + state.words + ": begin another");
    }
  }
}
