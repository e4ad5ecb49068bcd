package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Scan;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.HookFailedException;
import io.github.stablecut.error.HookTimeoutException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A transaction on an embedded store. Confined to one thread at a time. */
final class EmbeddedTransaction implements Transaction, BufferLimit.LimitedTransaction {
  private enum State {
    OPEN("is open"),
    COMMITTED("is committed"),
    ABORTED("is aborted"),
    REFUSED("is aborted because a hook has refused an update"),
    EXPIRED("has expired"),
    TORN("is aborted because there was no memory to roll back an update"),
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

  /** The nested transactions; null until there is one. */
  private @Nullable TransactionNesting nesting;

  /** The session's request that this executes. */
  private final Optional<RequestId> request;

  private State state = State.OPEN;

  /** The memory permits that it holds until its outcome is known. Set before the first use. */
  private HeapPermits.Permits permits = HeapPermits.NOTHING;

  EmbeddedTransaction(
      EmbeddedStore store,
      ActiveSnapshots.Registration registration,
      TransactionOptions options,
      Optional<RequestId> request) {
    this(
        store,
        registration,
        new SnapshotSource(store, registration.snapshot(), options.allowsOtherTypes()),
        options.certification(),
        request);
  }

  private EmbeddedTransaction(
      EmbeddedStore store,
      ActiveSnapshots.Registration registration,
      ObjectSource source,
      Certification certification,
      Optional<RequestId> request) {
    this.request = request;
    this.store = store;
    this.snapshot = registration.snapshot();
    this.registration = registration;
    this.buffer = new WriteBuffer(store, source, certification);
  }

  /** Creates a transaction that neither reads nor certifies anything. */
  static EmbeddedTransaction blind(EmbeddedStore store, ActiveSnapshots.Registration registration) {
    return new EmbeddedTransaction(
        store,
        registration,
        new WriteOnlySource(registration.snapshot()),
        Certification.NONE,
        Optional.empty());
  }

  /** Makes this transaction release permits when its outcome is known, and returns it. */
  EmbeddedTransaction holding(HeapPermits.Permits acquired) {
    permits = acquired;
    return this;
  }

  @Override
  public void countIn(BufferLimit limit) {
    buffer.countIn(limit);
  }

  @Override
  public <V> V read(Query<V> query) {
    checkUsable();
    return readInside(query);
  }

  /** Like {@link #read(Query)}, for a transaction nested in this one. */
  <V> V readInside(Query<V> query) {
    return buffer.read(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    checkUsable();
    return readInside(queries);
  }

  /** Like {@link #read(Collection)}, for a transaction nested in this one. */
  Values readInside(Collection<? extends Query<?>> queries) {
    return store.values(queries, snapshot, buffer::read);
  }

  @Override
  public Scan scan(ScanOptions options) {
    checkUsable();
    return scanInside(options, this::checkUsable);
  }

  /**
   * Like {@link #scan}, for a transaction nested in this one.
   *
   * @param checkUsable throws if the nested transaction may no longer scan
   */
  Scan scanInside(ScanOptions options, Runnable checkUsable) {
    ScanPlan plan = ScanPlan.of(options);
    return EmbeddedScan.open(
        store,
        checkUsable,
        plan,
        snapshot,
        options.limit(),
        objects -> buffer.scan(objects, plan),
        buffer.certifyScan(plan));
  }

  @Override
  public void update(Update... updates) {
    checkUsable();
    updateInside(updates);
  }

  /** Like {@link #update}, for a transaction nested in this one. */
  void updateInside(Update... updates) {
    Update[] hooked = hooked(updates);
    try {
      buffer.execute(hooked);
    } catch (OutOfMemoryError e) {
      throw UnexpectedFailureException.of("the update was not executed", e);
    }
  }

  /** Runs pre-commit hooks on updates; if one refuses, the transaction is aborted. */
  private Update[] hooked(Update... updates) {
    try {
      return store.hooks().beforeCommit(updates, new EmbeddedSnapshot(store, snapshot));
    } catch (HookFailedException | HookTimeoutException e) {
      end(State.REFUSED);
      throw e;
    }
  }

  private void ended(@Nullable CausalToken token, @Nullable Throwable failure) {
    release();
    if (token != null && !buffer.hookUpdates().isEmpty()) {
      runPostCommitHooks(token);
    }
  }

  private void runPostCommitHooks(CausalToken token) {
    // A repeated request of a session committed before this transaction began, and its hooks ran
    // then.
    if (!buffer.hookUpdates().isEmpty() && !token.vector().isAtOrBefore(snapshot)) {
      store.hooks().afterCommit(new EmbeddedSnapshot(store, token.vector()), buffer.hookUpdates());
    }
  }

  @Override
  public Transaction begin() {
    checkUsable();
    if (nesting == null) {
      nesting = new TransactionNesting(buffer, store.options().limits().nestingDepth());
    }
    return nesting.begin(this);
  }

  @Override
  public CausalToken commit() {
    checkCommit();
    registration.keep();
    State outcome = State.FAILED;
    try {
      CausalToken token = buffer.isEmpty() ? snapshot() : store.commit(parts(), request);
      outcome = State.COMMITTED;
      runPostCommitHooks(token);
      return token;
    } finally {
      end(outcome);
    }
  }

  private Map<Integer, CommitRequest.Part> parts() {
    try {
      return buffer.toParts();
    } catch (OutOfMemoryError e) {
      throw UnexpectedFailureException.of("the transaction was not committed", e);
    }
  }

  @Override
  public CompletionStage<CausalToken> commitAsync() {
    checkCommit();
    if (buffer.isEmpty()) {
      end(State.COMMITTED);
      return CompletableFuture.completedStage(snapshot());
    }
    registration.keep();
    CompletionStage<CausalToken> token;
    try {
      token = store.commitAsync(parts(), request, this::release);
    } catch (RuntimeException | Error e) {
      end(State.FAILED);
      throw e;
    }
    // The snapshot stays registered until all partitions have the effects or the commit has failed.
    endKeepingSnapshot(State.COMMITTED);
    return token.whenComplete(this::ended);
  }

  /**
   * Like {@link #commitAsync}, if the commit can be submitted without waiting; otherwise aborts.
   * The transaction ends in both cases.
   *
   * @param executor completes the stage, and neither blocks nor refuses
   * @return empty if the transaction is aborted
   */
  Optional<CompletionStage<CausalToken>> commitAtOnce(Executor executor) {
    checkCommit();
    registration.keep();
    Optional<CompletionStage<CausalToken>> token = Optional.empty();
    try {
      token = store.commitAtOnce(buffer.toParts(), this::release, executor);
    } finally {
      if (token.isEmpty()) {
        end(State.ABORTED);
      }
    }
    token.ifPresent(
        submitted -> {
          endKeepingSnapshot(State.COMMITTED);
          FireAndForget.whenDone(submitted, this::ended);
        });
    return token;
  }

  @Override
  public void abort() {
    if (!isRefused()) {
      checkUsable();
      end(State.ABORTED);
    }
  }

  /**
   * Whether a hook has aborted this transaction; then the application may abort it without an
   * error.
   */
  boolean isRefused() {
    return state == State.REFUSED;
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
    endKeepingSnapshot(newState);
    release();
  }

  private void release() {
    registration.end();
    permits.close();
    buffer.release();
  }

  private void endKeepingSnapshot(State newState) {
    state = newState;
    if (nesting != null) {
      nesting.endAll();
    }
  }

  private void checkCommit() {
    checkUsable();
    Evaluation.checkNotEvaluating(store);
  }

  private void checkUsable() {
    checkOpen();
    if (nesting != null) {
      nesting.checkNone();
    }
  }

  void checkOpen() {
    store.checkOpen();
    if (state == State.OPEN && registration.isExpired()) {
      end(State.EXPIRED);
    }
    if (state == State.OPEN && buffer.isTorn()) {
      end(State.TORN);
    }
    if (state == State.EXPIRED) {
      throw new TransactionExpiredException(
          "the transaction was open for longer than %s and was ended without effect: begin again, or raise maxTransactionAge"
              .formatted(DurationWords.of(store.options().maxTransactionAge())));
    }
    if (state != State.OPEN) {
      throw new TransactionEndedException(
          "the transaction has ended, it " + state.words + ": begin another");
    }
  }
}
