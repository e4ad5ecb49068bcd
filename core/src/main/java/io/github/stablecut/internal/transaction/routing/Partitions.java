package io.github.stablecut.internal.transaction.routing;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.DurationWords;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.materializer.FoundObjects;
import io.github.stablecut.internal.materializer.ScanPlan;
import io.github.stablecut.internal.partition.JointSync;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.Closeables;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.partition.commit.PartitionContext;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.recovery.SyncedFile;
import io.github.stablecut.internal.thread.CompletionExecutor;
import io.github.stablecut.internal.thread.FaultLog;
import io.github.stablecut.internal.thread.ManagedBlocking;
import io.github.stablecut.internal.thread.SupervisedThread;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.log.Log;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The partitions of a store as a unit: routes objects, chooses snapshots, and commits on one or
 * several partitions. Thread-safe.
 */
public final class Partitions implements AutoCloseable {
  private static final Logger LOG = Log.of(Partitions.class);
  private static final long TICK_MILLIS = 100;

  private final List<PartitionAccess> all;

  /** The only partition, which saves a lookup; null if there are several. */
  private final @Nullable PartitionAccess only;

  private final LocalDataCentre local;
  private final Routing routing;
  private final ActiveSnapshots active;
  private final IntSupplier transactionBytes;
  private final Message.Transport transport;
  private final StoreOptions options;

  private final Map<Long, CommitDriver> drivers = new ConcurrentHashMap<>();
  private final Map<Long, RequestOutcomeQuery> outcomeQueries = new ConcurrentHashMap<>();
  private final AtomicLong attempts = new AtomicLong(new SecureRandom().nextLong());
  private final FaultLog faults = new FaultLog();
  private Optional<JointSync> joint = Optional.empty();
  private final CompletionExecutor completions;
  private final SupervisedThread ticker =
      new SupervisedThread("partitions-tick", this::tickUntilClosed, faults);
  private volatile boolean closing;
  private volatile boolean areClosed;

  /**
   * @param local the data centre of the partitions
   * @param routing decides which partition an object belongs to
   * @param all by number, started
   * @param active the active snapshots of this process
   * @param transactionBytes as {@link PartitionProvider#transactionBytes}
   */
  private Partitions(
      LocalDataCentre local,
      Routing routing,
      List<PartitionAccess> all,
      ActiveSnapshots active,
      IntSupplier transactionBytes,
      StoreOptions options) {
    this.local = local;
    this.transactionBytes = transactionBytes;
    this.all = List.copyOf(all);
    this.only = all.size() == 1 ? all.get(0) : null;
    this.routing = routing;
    this.active = active;
    this.transport = this::send;
    this.options = options;
    this.completions = new CompletionExecutor(options.executor(), faults);
  }

  /**
   * Opens the partitions of a store in this process.
   *
   * @param identity the identity of the store
   * @param others the numbers of the other data centres
   * @param epoch above that of all earlier openings
   * @param clock the clock of the process
   * @param files the files of each partition; closed with it, and if this throws
   * @param synced how far the last joint sync got
   */
  public static Partitions open(
      StoreIdentity identity,
      Set<Integer> others,
      long epoch,
      HybridClock clock,
      StoreOptions options,
      List<PartitionFiles> files,
      Optional<SyncedFile> synced) {
    ActiveSnapshots active = PartitionSettings.activeSnapshots(options);
    List<Partition> opened = new ArrayList<>();
    Message.Transport transport = (partition, message) -> opened.get(partition).receive(message);
    LocalDataCentre local = identity.dataCentre();
    PartitionContext context =
        PartitionContext.builder(epoch, clock, active, transport)
            .elsewhere(vector -> RemoteEntries.lastOfAll(local, opened, vector))
            .shared(vector -> RemoteEntries.lastOfAll(local, opened, vector))
            .recorded(vector -> RemoteEntries.recordedByAll(local, opened, vector))
            .otherDataCentres(others)
            .build();
    try {
      for (int number = 0; number < files.size(); number++) {
        int partition = number;
        long end = synced.map(file -> file.end(partition)).orElse(JournalOptions.WHOLE);
        opened.add(
            files
                .get(number)
                .open(options.withPartitions(files.size()), local, number, context, end));
      }
    } catch (RuntimeException | Error e) {
      opened.forEach(partition -> Closeables.after(e, partition));
      for (int number = opened.size(); number < files.size(); number++) {
        Closeables.after(e, files.get(number).journal());
      }
      throw e;
    }
    restoreReceivedVector(opened, others);
    Routing routing = new Routing(identity.routing(), files.size());
    Partitions partitions =
        new Partitions(
            local, routing, List.copyOf(opened), active, () -> Integer.MAX_VALUE, options);
    try {
      partitions.start(opened, synced);
      if (files.size() > 1) {
        partitions.start();
      }
      return partitions;
    } catch (RuntimeException | Error e) {
      // The JVM has run out of threads.
      partitions.close();
      throw e;
    }
  }

  /**
   * Restores the progress of idle streams. A partition that received nothing from another data
   * centre does not record how far that stream has come, but transactions that read it recorded
   * that on other partitions. Without this, snapshots would lag until the other data centre sends
   * again.
   */
  private static void restoreReceivedVector(List<Partition> opened, Set<Integer> others) {
    VectorClock read =
        opened.stream()
            .map(partition -> partition.streams().readBefore())
            .reduce(VectorClock.ZERO, VectorClock::join);
    opened.forEach(partition -> partition.streams().isHere(others, read));
  }

  /** Creates the partitions of a store from a provider, local and remote. */
  public static Partitions of(
      StoreIdentity identity, PartitionProvider provider, StoreOptions options) {
    List<PartitionAccess> all = provider.partitions();
    Routing routing = new Routing(identity.routing(), all.size());
    Partitions partitions =
        new Partitions(
            identity.dataCentre(),
            routing,
            all,
            provider.active(),
            provider::transactionBytes,
            options);
    partitions.start();
    return partitions;
  }

  /** As {@link PartitionProvider#transactionBytes}. */
  public int transactionBytes() {
    return transactionBytes.getAsInt();
  }

  /**
   * Starts the local partitions, with joint syncs if commits are acknowledged before they are
   * synced.
   */
  private void start(List<Partition> opened, Optional<SyncedFile> synced) {
    if (opened.size() > 1 && options.durability() instanceof Durability.Periodic periodic) {
      JointSync jointSync =
          new JointSync(opened, synced.orElseThrow(), periodic.interval(), faults);
      joint = Optional.of(jointSync);
      jointSync.start();
    } else {
      synced.ifPresent(Partitions::endJointSyncs);
      opened.forEach(Partition::start);
    }
  }

  /** Ends joint syncs: opening the journals has synced all their records, so all of them count. */
  private static void endJointSyncs(SyncedFile synced) {
    try {
      synced.delete();
    } catch (IOException e) {
      throw JointSync.failed(e);
    }
  }

  /** Starts the thread that resends unanswered messages. */
  private void start() {
    ticker.start();
  }

  /**
   * Sends a message. An error at a local receiver loses the message and does not affect the sender.
   */
  private void send(int partition, Message.ToPartition message) {
    try {
      all.get(partition).receive(message);
    } catch (RuntimeException | Error e) {
      faults.add("the exchange of messages", e);
    }
  }

  /** Ticks until closed. Survives every error, because nothing else resends messages. */
  private void tickUntilClosed() {
    while (!closing) {
      try {
        tick();
      } catch (RuntimeException | Error e) {
        LOG.error("resending unanswered messages failed and will be retried", e);
      }
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        // Only close ends this thread, through the flag.
      }
    }
  }

  /** Resends unanswered messages. */
  private void tick() {
    all.forEach(partition -> tick(partition::tick));
    long now = System.nanoTime();
    drivers.values().forEach(driver -> tick(() -> driver.tick(now)));
  }

  /** Runs one tick; a failure delays it to the next tick and does not affect the others. */
  private void tick(Runnable one) {
    try {
      one.run();
    } catch (RuntimeException | Error e) {
      faults.add("thread partitions-tick", e);
    }
  }

  /** The failures that the partitions survived, one sentence each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>(completions.problems());
    problems.addAll(faults.describe());
    return problems;
  }

  public List<PartitionAccess> all() {
    return all;
  }

  /** The partitions in this process. */
  public List<Partition> local() {
    return all.stream().flatMap(partition -> partition.local().stream()).toList();
  }

  /** Whether nothing was ever written to any partition, as far as this process knows. */
  public boolean isNew() {
    return local().size() == all.size() && areLocalNew();
  }

  /** Whether nothing was ever written to the partitions in this process. */
  public boolean areLocalNew() {
    return local().stream()
        .map(Partition::streams)
        .allMatch(
            streams -> streams.lastOwn() == 0 && streams.lastOfAll().equals(VectorClock.ZERO));
  }

  /** The number of partitions. */
  public int size() {
    return all.size();
  }

  /** Passes a partition's answer to the driver of a transaction, if it is still waiting. */
  public void tell(long driver, Message.ToDriver answer) {
    CommitDriver waiting = drivers.get(driver);
    if (waiting != null) {
      waiting.tell(answer);
    }
    RequestOutcomeQuery asking = outcomeQueries.get(driver);
    if (asking != null) {
      asking.tell(answer);
    }
  }

  /** The partition of an object. */
  public PartitionAccess of(Bytes id) {
    PartitionAccess known = only;
    return known == null ? all.get(routing.partition(id)) : known;
  }

  /** The partition with the newest commit. */
  private PartitionAccess newestPartition() {
    PartitionAccess newest = all.get(0);
    for (int i = 1; i < all.size(); i++) {
      if (local.timeIn(newest.newest()) < local.timeIn(all.get(i).newest())) {
        newest = all.get(i);
      }
    }
    return newest;
  }

  /**
   * Returns a vector at or above all acknowledged commits. Its entries for other data centres are
   * those of the last transactions that all partitions have.
   */
  public VectorClock newest() {
    PartitionAccess known = only;
    return RemoteEntries.lastOfAll(
        local, all, known == null ? newestPartition().newest() : known.stable());
  }

  /** Lowers the vector of a read to the newest commit of all partitions. */
  public VectorClock reached(VectorClock present) {
    return local.lower(present, local.timeIn(newestPartition().newest()));
  }

  /** As {@link #newest}, but at most about a second old. */
  public VectorClock snapshot() {
    return RemoteEntries.lastOfAll(local, all, newestPartition().snapshot());
  }

  /**
   * Returns a vector that all partitions have reached. The entry of this data centre advances to
   * the present if that is needed to reach the given vector. The entries of other data centres are
   * times, whether or not there was a transaction.
   */
  public VectorClock snapshotAfter(VectorClock vector) {
    return RemoteEntries.toAll(local, all, newestPartition().snapshotAfter(vector));
  }

  /**
   * Returns a snapshot that this process can read from its own replicas. Partitions without a local
   * replica are read at their leaders.
   *
   * @param contained an issued point that the snapshot must contain; waited for
   * @throws ReadTimeoutException if a local replica does not reach it in time
   */
  public VectorClock nearest(VectorClock contained) {
    return ManagedBlocking.during(
        () -> {
          VectorClock now = snapshot().join(contained);
          // Sends the requests to all partitions first, then waits for one after the other.
          for (PartitionAccess partition : all) {
            partition.near(0, Duration.ZERO);
          }
          long least = local.timeIn(now);
          for (PartitionAccess partition : all) {
            least = Math.min(least, near(partition, local.timeIn(contained)).orElse(least));
          }
          return local.lower(now, least);
        });
  }

  private OptionalLong near(PartitionAccess partition, long contained) {
    Duration timeout = options.timeouts().read();
    OptionalLong near = partition.near(contained, timeout);
    if (near.isPresent() && near.getAsLong() < contained) {
      throw new ReadTimeoutException(
          "the replica of partition %d on this node has all commits until %s and did not reach %s within %s: retry, or take the snapshot from the leaders"
              .formatted(
                  partition.number(),
                  Timestamp.format(near.getAsLong()),
                  Timestamp.format(contained),
                  DurationWords.of(timeout)));
    }
    return near;
  }

  /** The time of the partitions, which never decreases. */
  public Instant now() {
    return Instant.ofEpochMilli(
        all.stream()
            .mapToLong(partition -> Timestamp.epochMillis(local.timeIn(partition.now())))
            .max()
            .orElseThrow());
  }

  /** Registers the newest snapshot for a transaction. */
  public ActiveSnapshots.Registration begin() {
    return begin(VectorClock.ZERO);
  }

  /** Registers the newest snapshot, however old it is; empty if that has to be retried. */
  public Optional<ActiveSnapshots.Registration> beginAtOnce() {
    ActiveSnapshots.Registration registration = active.register(newest());
    if (admit(registration.snapshot())) {
      return Optional.of(registration);
    }
    registration.end();
    return Optional.empty();
  }

  /** Registers the newest snapshot that contains a vector. */
  public ActiveSnapshots.Registration begin(VectorClock contained) {
    while (true) {
      ActiveSnapshots.Registration registration = active.register(snapshot().join(contained));
      if (admit(registration.snapshot())) {
        return registration;
      }
      registration.end();
    }
  }

  /** Registers a snapshot that another node has chosen and registered. */
  public ActiveSnapshots.Registration claim(VectorClock snapshot) {
    return active.register(snapshot);
  }

  private boolean admit(VectorClock snapshot) {
    // Without an iterator, as each transaction comes here.
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).admits(snapshot)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Registers an old snapshot until the registration is ended.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  public PartitionAccess.HeldSnapshot pin(VectorClock snapshot) {
    List<PartitionAccess.HeldSnapshot> activeSnapshots = new ArrayList<>(all.size());
    ActiveSnapshots.Registration registration = active.pin(snapshot);
    PartitionAccess.HeldSnapshot all =
        () -> {
          registration.end();
          Closeables.each(activeSnapshots, PartitionAccess.HeldSnapshot::end);
        };
    try {
      check(snapshot);
      this.all.forEach(partition -> activeSnapshots.add(partition.hold(snapshot)));
      return all;
    } catch (RuntimeException | Error e) {
      all.end();
      throw e;
    }
  }

  /**
   * Checks that a snapshot may be read now.
   *
   * @throws io.github.stablecut.error.SnapshotTruncatedException if it is too old
   */
  public void check(VectorClock snapshot) {
    all.forEach(partition -> partition.check(snapshot));
  }

  /**
   * The objects of a range at a snapshot.
   *
   * @param snapshot registered by the caller until the scan is closed
   */
  public FoundObjects scan(ScanPlan plan, VectorClock snapshot) {
    List<PartitionAccess> scanned = of(plan.range());
    return scanned.size() == 1
        ? scanned.get(0).scan(plan, snapshot)
        : MergedScan.open(scanned, plan, snapshot);
  }

  /** The partitions that may have objects of a range. */
  public List<PartitionAccess> of(IdRange range) {
    OptionalInt only = routing.partition(range);
    return only.isPresent() ? List.of(all.get(only.getAsInt())) : all;
  }

  /** The active snapshots of this process, of open transactions and pins. */
  public ActiveSnapshots activeSnapshots() {
    return active;
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
      return all.get(number).commit(request(part(parts, number), TransactionMetadata.of(request)));
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
   * As {@link #commit}, without waiting; the application's executor completes the stage through
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
          all.get(number),
          CommitRequest.of(part(parts, number), TransactionMetadata.of(request)),
          settled);
    }
    completions.start();
    return drive(parts, request)
        .whenComplete((time, failure) -> settled.run())
        .thenApplyAsync(time -> seenAt(parts, time), completions);
  }

  /**
   * As {@link #commitAsync(Map, Optional, Runnable)}, for a request that writes to one partition
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
    PartitionAccess first = of(updates[0].key().id());
    for (Update update : updates) {
      Key<?> key = update.key();
      if (of(key.id()) != first
          || CallTypes.needsState(key.type(), update.operation())
          || CallTypes.needsCertification(key.type(), update.operation())
          || !first.takesAtOnce(key)) {
        return false;
      }
    }
    return true;
  }

  /**
   * As {@link #commitAsync}, if the transaction can be submitted to a partition's journal without
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
    return commitAtOnce(all.get(number), request, settled, executor);
  }

  /** As {@link #commitAtOnce(Map, Runnable, Executor)}. */
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
    PartitionAccess known = only;
    return known == null ? parts.keySet().iterator().next() : known.number();
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
    int coordinator = written.stream().mapToInt(id -> of(id).number()).min().orElseThrow();
    RequestOutcomeQuery query =
        new RequestOutcomeQuery(transport, coordinator, attempts.incrementAndGet(), request);
    outcomeQueries.put(query.number(), query);
    try {
      return query
          .ask(options.timeouts().commit().toNanos())
          .map(time -> local.with(newest(), time));
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
                    all.get(part.getKey())
                        .settled(part.getValue())
                        .exceptionally(late -> null)
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Long> drive(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    parts.keySet().forEach(partition -> all.get(partition).awaitCapacity());
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
    if (areClosed) {
      driver.close();
    }
    return outcome.whenComplete(
        (time, failure) -> {
          drivers.remove(driver.number());
        });
  }

  /** Makes a checkpoint of each partition. */
  public void checkpoint() {
    all.forEach(PartitionAccess::checkpoint);
  }

  /** Ends joint syncs after the partitions are closed. */
  private @Nullable Throwable endJoint(@Nullable Throwable failure) {
    try {
      joint.ifPresent(JointSync::close);
      if (failure == null) {
        joint.ifPresent(JointSync::endInOrder);
      }
      return failure;
    } catch (RuntimeException | Error e) {
      return failure == null ? e : failure;
    }
  }

  /** Makes submitted records durable, closes all partitions, and fails the remaining commits. */
  @Override
  public void close() {
    closing = true;
    @Nullable Throwable failure = null;
    for (PartitionAccess partition : all) {
      try {
        partition.close();
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    failure = endJoint(failure);
    // Sets the flag before closing the drivers: a commit that starts now is closed here or sees the
    // flag.
    areClosed = true;
    drivers.values().forEach(CommitDriver::close);
    completions.close();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
