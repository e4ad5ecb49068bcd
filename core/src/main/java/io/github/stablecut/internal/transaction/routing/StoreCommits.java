package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Commits transactions on one or several {@link Partitions}, and finds out whether earlier requests
 * were executed. Thread-safe.
 */
public final class StoreCommits {
  private final Partitions partitions;
  private final LocalDataCentre local;
  private final StoreOptions options;
  private final Message.Transport transport;
  private final CompletionExecutor completions;

  /** Whether there is only one partition, which saves a lookup. */
  private final boolean isSingle;

  private final Map<Long, CommitDriver> drivers = new ConcurrentHashMap<>();
  private final Map<Long, RequestOutcomeQuery> outcomeQueries = new ConcurrentHashMap<>();
  private final AtomicLong attempts = new AtomicLong(new SecureRandom().nextLong());
  private volatile boolean isClosed;

  /**
   * @param transport sends messages to the partitions
   * @param faults receives failures of the application's executor
   */
  StoreCommits(
      Partitions partitions,
      LocalDataCentre local,
      StoreOptions options,
      Message.Transport transport,
      FaultLog faults) {
    this.partitions = partitions;
    this.local = local;
    this.options = options;
    this.transport = transport;
    this.completions = new CompletionExecutor(options.executor(), faults);
    this.isSingle = partitions.size() == 1;
  }

  /**
   * Commits a transaction and waits until it is durable and visible.
   *
   * @param parts by partition; at least one writes
   * @return a vector that includes it
   */
  public VectorClock commit(Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    if (parts.size() == 1) {
      int number = number(parts);
      return partitions
          .all()
          .get(number)
          .commit(request(part(parts, number), TransactionMetadata.of(request)));
    }
    try {
      return seenAt(parts, ManagedBlocking.join(drive(parts, request)));
    } catch (CompletionException e) {
      if (e.getCause() instanceof StablecutException failure) {
        throw failure;
      }
      throw e.getCause() instanceof OutOfMemoryError error ? unknown(error) : e;
    } catch (OutOfMemoryError e) {
      throw unknown(e);
    }
  }

  private static CommitRequest request(CommitRequest.Part part, TransactionMetadata facts) {
    try {
      return CommitRequest.of(part, facts);
    } catch (OutOfMemoryError e) {
      throw UnexpectedFailureException.of("the transaction was not committed", e);
    }
  }

  /**
   * Returns the exception for an unknown outcome: some partitions may have their parts and commit.
   */
  private static OutcomeUnknownException unknown(OutOfMemoryError error) {
    return new OutcomeUnknownException(
        "too little memory to commit a transaction on several partitions (%s): read to find out whether it committed, or repeat the request if it belongs to a session, and give the JVM more memory"
            .formatted(error));
  }

  /**
   * Like {@link #commit}, without waiting; the application's executor completes the stage through
   * {@link CompletionExecutor}.
   *
   * @param settled called once this process knows the outcome, even if the application's executor
   *     never completes the stage
   */
  public CompletionStage<VectorClock> commitAsync(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request, Runnable settled) {
    if (parts.size() == 1) {
      int number = number(parts);
      return commitAsync(
          partitions.all().get(number),
          CommitRequest.of(part(parts, number), TransactionMetadata.of(request)),
          settled);
    }
    completions.start();
    return drive(parts, request)
        .whenComplete((time, failure) -> settled.run())
        .thenApplyAsync(time -> seenAt(parts, time), completions);
  }

  /**
   * Like {@link #commitAsync(Map, Optional, Runnable)}, for a request that writes to one partition
   * only.
   */
  public CompletionStage<VectorClock> commitAsync(
      PartitionAccess partition, CommitRequest request, Runnable settled) {
    completions.start();
    request.whenSettled(settled);
    return partition.commitAsync(request, completions);
  }

  /**
   * Whether these updates need no reads and go to one partition that accepts them without waiting.
   */
  public boolean canCommitAtOnce(Update... updates) {
    if (updates.length == 0) {
      return false;
    }
    PartitionAccess first = partitions.of(updates[0].key().id());
    for (Update update : updates) {
      Key<?> key = update.key();
      if (partitions.of(key.id()) != first
          || CallTypes.needsState(key.type(), update.operation())
          || CallTypes.needsCertification(key.type(), update.operation())
          || !first.takesAtOnce(key)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Like {@link #commitAsync}, if the transaction can be submitted to a partition's journal without
   * waiting.
   *
   * @param executor completes the stage; if it rejects the task, another thread does
   * @return empty if it was not submitted
   */
  public Optional<CompletionStage<VectorClock>> commitAtOnce(
      Map<Integer, CommitRequest.Part> parts, Runnable settled, Executor executor) {
    if (parts.size() != 1) {
      return Optional.empty();
    }
    int number = number(parts);
    CommitRequest request = CommitRequest.of(part(parts, number), TransactionMetadata.none());
    return commitAtOnce(partitions.all().get(number), request, settled, executor);
  }

  /** Like {@link #commitAtOnce(Map, Runnable, Executor)}. */
  public Optional<CompletionStage<VectorClock>> commitAtOnce(
      PartitionAccess partition, CommitRequest request, Runnable settled, Executor executor) {
    completions.start();
    request.whenSettled(settled);
    return partition.commitAtOnce(request, task -> execute(task, executor));
  }

  /** Runs a task on the application's executor; if that throws, on a thread of the store. */
  public void execute(Runnable task) {
    completions.executeFirst(task);
  }

  /**
   * Runs a task on an executor; if that throws, on a thread of the store, so the journal's thread
   * continues.
   */
  private void execute(Runnable task, Executor executor) {
    try {
      executor.execute(task);
    } catch (Throwable e) {
      completions.execute(task);
    }
  }

  /** Returns the partition of the only part. */
  private int number(Map<Integer, CommitRequest.Part> parts) {
    return isSingle ? 0 : parts.keySet().iterator().next();
  }

  private static CommitRequest.Part part(Map<Integer, CommitRequest.Part> parts, int number) {
    return Objects.requireNonNull(parts.get(number));
  }

  /** Returns the commit vector of a transaction; all its parts have the same snapshot. */
  private VectorClock seenAt(Map<Integer, CommitRequest.Part> parts, long commitTime) {
    return local.with(parts.values().iterator().next().snapshot(), commitTime);
  }

  /**
   * Looks up whether a session's request was executed before. If not, abandons earlier attempts
   * that are still open.
   *
   * @param written the objects that the request writes; at least one
   * @return a vector that includes it, if it was executed; the request is durable
   */
  public Optional<VectorClock> executed(RequestId request, Collection<Bytes> written) {
    int coordinator =
        written.stream().mapToInt(id -> partitions.of(id).number()).min().orElseThrow();
    RequestOutcomeQuery query =
        new RequestOutcomeQuery(transport, coordinator, attempts.incrementAndGet(), request);
    outcomeQueries.put(query.number(), query);
    try {
      return query
          .ask(options.timeouts().commit().toNanos())
          .map(time -> local.with(partitions.newest(), time));
    } finally {
      outcomeQueries.remove(query.number());
    }
  }

  /**
   * Completes when the partitions that certify a part know the outcomes of the transactions it may
   * have seen, or after the longest wait.
   */
  private CompletableFuture<Void> settled(Map<Integer, CommitRequest.Part> parts) {
    return CompletableFuture.allOf(
        parts.entrySet().stream()
            .map(
                part ->
                    partitions
                        .all()
                        .get(part.getKey())
                        .settled(part.getValue())
                        .exceptionally(late -> null)
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Long> drive(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    parts.keySet().forEach(partition -> partitions.all().get(partition).awaitCapacity());
    long bytes = parts.values().stream().mapToLong(CommitRequest.Part::bytes).sum();
    CommitDriver driver =
        new CommitDriver(
            transport,
            parts,
            attempts.incrementAndGet(),
            request,
            System::nanoTime,
            options.timeouts().commit(bytes).toNanos());
    drivers.put(driver.number(), driver);
    CompletableFuture<Long> outcome = settled(parts).thenCompose(settled -> driver.start());
    if (isClosed) {
      driver.close();
    }
    return outcome.whenComplete(
        (time, failure) -> {
          drivers.remove(driver.number());
        });
  }

  /** Passes a partition's answer to the driver of a transaction, if it is still waiting. */
  public void tell(long driver, Message.ToDriver answer) {
    CommitDriver waiting = drivers.get(driver);
    if (waiting != null) {
      waiting.tell(answer);
    }
    RequestOutcomeQuery query = outcomeQueries.get(driver);
    if (query != null) {
      query.tell(answer);
    }
  }

  /** Resends unanswered messages; a failure of one driver does not affect the others. */
  void tick(Consumer<Runnable> survivingly) {
    long nowNanos = System.nanoTime();
    drivers.values().forEach(driver -> survivingly.accept(() -> driver.tick(nowNanos)));
  }

  List<String> problems() {
    return completions.problems();
  }

  /** Fails the remaining commits, once the partitions are closed. */
  void close() {
    // Sets the flag before closing the drivers: a commit that starts now is closed here or sees the
    // flag.
    isClosed = true;
    drivers.values().forEach(CommitDriver::close);
    completions.close();
  }
}
