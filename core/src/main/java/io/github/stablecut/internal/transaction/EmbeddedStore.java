package io.github.stablecut.internal.transaction;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Pin;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.Watch;
import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.counter.BoundedCounter;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.UsageException;
import io.github.stablecut.internal.backup.BackupWriter;
import io.github.stablecut.internal.clock.HybridClock;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.meter.CommitEvent;
import io.github.stablecut.internal.meter.CommitMeter;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.recovery.Lineage;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreIdentity;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.internal.transaction.datacentre.StandaloneDataCentre;
import io.github.stablecut.internal.transaction.datacentre.StoreBackup;
import io.github.stablecut.internal.transaction.routing.AcknowledgedPoint;
import io.github.stablecut.internal.transaction.routing.NodesBackup;
import io.github.stablecut.internal.transaction.routing.PartitionProvider;
import io.github.stablecut.internal.transaction.routing.PartitionSettings;
import io.github.stablecut.internal.transaction.routing.Partitions;
import io.github.stablecut.internal.transaction.routing.StatusConversion;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.watch.CommitFilter;
import io.github.stablecut.internal.watch.NodesWatchReader;
import io.github.stablecut.internal.watch.WatchBuffer;
import io.github.stablecut.internal.watch.WatchDispatcher;
import io.github.stablecut.internal.watch.WatchReader;
import io.github.stablecut.internal.watch.WatchSource;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose transactions run in this process, with local and remote partitions. Thread-safe.
 */
public final class EmbeddedStore implements Store {
  /** The maximum number of attempts of an update that conflicts with other transactions. */
  private static final int MAX_ATTEMPTS = 50;

  private final StoreIdentity identity;
  private final long epoch;
  private final StoreOptions options;
  private final Partitions partitions;
  private final CausalTokens tokens;
  private final List<Directory> checkpoints;
  private final WatchDispatcher watches;
  private final StoreHooks hooks;
  private final Optional<EmbeddedReplication> replication;
  private final Supplier<Optional<Membership>> group;
  private final Runnable release;

  /** Measures the commits of this store's callers. */
  private final CommitMeter commits = new CommitMeter();

  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  EmbeddedStore(StoreContext origin, Partitions partitions, StoreOptions options) {
    this.identity = origin.identity();
    this.epoch = origin.epoch();
    this.checkpoints = origin.checkpoints();
    this.group = origin.group();
    this.release = origin.release();
    this.partitions = partitions;
    this.replication = origin.replication();
    this.tokens =
        new CausalTokens(
            identity, origin.lineage(), partitions, replication, options.timeouts().read());
    this.options = options;
    this.watches =
        new WatchDispatcher(
            identity.dataCentre(),
            partitions.local().stream().map(Partition::commits).toList(),
            options.limits().openWatches());
    this.hooks = new StoreHooks(options.hooks());
  }

  /**
   * Creates a store whose partitions are distributed over nodes.
   *
   * @param provider the partitions
   */
  public static EmbeddedStore over(
      StoreIdentity identity, PartitionProvider provider, StoreOptions options) {
    Partitions partitions = Partitions.of(identity, provider, options);
    return StoreContext.begin(
        partitions,
        options,
        () ->
            new StoreContext(
                identity,
                provider.epoch(),
                Lineage.UNKNOWN,
                List.of(),
                provider.replication().map(setup -> EmbeddedReplication.start(setup, partitions)),
                provider::group,
                () -> {}));
  }

  /** The replication with other data centres; empty if the store does not replicate. */
  public Optional<EmbeddedReplication> replication() {
    return replication;
  }

  /** Creates the registry of active snapshots that the partitions of a process share. */
  public static ActiveSnapshots activeSnapshots(StoreOptions options) {
    return PartitionSettings.activeSnapshots(options);
  }

  /** Creates the clock that the partitions of a process share. */
  public static HybridClock clock(StoreOptions options) {
    return PartitionSettings.clock(options);
  }

  /** Passes a partition's answer to the driver of a transaction of this store. */
  public void tell(long driver, Message.ToDriver answer) {
    partitions.commits().tell(driver, answer);
  }

  @Override
  public <V> V read(Query<V> query) {
    Key<?> key = query.target();
    while (true) {
      checkOpen();
      VectorClock snapshot = newest(key);
      Version hit = partitions.of(key.id()).hit(key.id(), snapshot);
      if (hit != null) {
        return query.view(hit.stateAs(key.type(), key.id()), snapshot);
      }
      try {
        return new SnapshotSource(this, snapshot).read(query);
      } catch (SnapshotTruncatedException e) {
        // The snapshot was not registered and was truncated during the read: retry with a newer
        // one.
      }
    }
  }

  /**
   * Returns reads of objects in memory at the newest snapshot. Does not wait.
   *
   * @param after what the snapshot must contain
   * @param areSeveral whether several objects are read
   * @return empty if that requires waiting or is impossible; a transaction reports why
   */
  public Optional<InMemoryReads> readsInMemory(Optional<CausalToken> after, boolean areSeveral) {
    checkOpen();
    VectorClock newest = partitions.newest();
    return after.isEmpty() || tokens.isReached(after.get(), newest)
        ? Optional.of(new InMemoryReads(this, newest, areSeveral))
        : Optional.empty();
  }

  /** The stable vector, advanced to the present for objects that depend on time. */
  private VectorClock newest(Key<?> key) {
    return key.dependsOnTime() ? partitions.snapshot() : partitions.newest();
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    try (Transaction transaction = begin()) {
      return transaction.read(queries);
    }
  }

  @Override
  public CausalToken update(Update... updates) {
    return update(Optional.empty(), updates);
  }

  /** Like {@link #update(Update...)}, for a session's request. */
  CausalToken update(RequestId request, Update... updates) {
    return update(Optional.of(request), updates);
  }

  private CausalToken update(Optional<RequestId> request, Update... updates) {
    boolean isSingle = SingleUpdate.isOne(hooks, updates);
    for (int attempt = 1; ; attempt++) {
      try {
        return isSingle
            ? SingleUpdate.begin(this, updates).commit(request)
            : update(updates, request, Transaction::commit);
      } catch (ConflictException e) {
        throwIfLast(attempt, e);
      }
    }
  }

  /** Rethrows a conflict after the last attempt. */
  private static void throwIfLast(int attempt, ConflictException lost) {
    if (attempt == MAX_ATTEMPTS) {
      throw lost;
    }
  }

  private <R> R update(
      Update[] updates, Optional<RequestId> request, Function<Transaction, R> commit) {
    try (Transaction transaction = beginSingle(updates, request)) {
      transaction.update(updates);
      return commit.apply(transaction);
    }
  }

  /** Begins a transaction for these updates after waiting for memory permits. */
  private Transaction beginSingle(Update[] updates, Optional<RequestId> request) {
    checkCall();
    HeapPermits.Permits permits = WriteMemoryLimit.acquire(hooks, updates);
    boolean isBegun = false;
    try {
      Transaction transaction = begin(TransactionOptions.defaults(), request).holding(permits);
      isBegun = true;
      return transaction;
    } finally {
      if (!isBegun) {
        permits.close();
      }
    }
  }

  @Override
  public CompletionStage<CausalToken> updateAsync(Update... updates) {
    boolean isSingle = SingleUpdate.isOne(hooks, updates);
    for (int attempt = 1; ; attempt++) {
      try {
        return isSingle
            ? SingleUpdate.begin(this, updates).commitAsync()
            : update(updates, Optional.empty(), Transaction::commitAsync);
      } catch (ConflictException e) {
        throwIfLast(attempt, e);
      }
    }
  }

  /**
   * Like {@link #updateAsync}, if the updates can be submitted to the journal without waiting or
   * reading, so that event-loop threads may call this.
   *
   * @param after a point that the updates must follow
   * @param certification the certification level: if the commit could conflict, this does nothing
   * @param executor completes the stage, and neither blocks nor refuses
   * @return empty if nothing was changed: the caller uses a transaction, which also reports errors
   */
  public Optional<CompletionStage<CausalToken>> updateAtOnce(
      Optional<CausalToken> after,
      Certification certification,
      Executor executor,
      Update... updates) {
    checkOpen();
    boolean mayConflict =
        certification != Certification.NONE && certification != Certification.READ_THEN_UPDATED;
    if (mayConflict
        || hooks.concern(updates)
        || !after.map(token -> tokens.isReached(token, partitions.newest())).orElse(true)
        || !partitions.commits().canCommitAtOnce(updates)) {
      return Optional.empty();
    }
    Optional<ActiveSnapshots.Registration> registration = partitions.beginAtOnce();
    if (registration.isEmpty()) {
      return Optional.empty();
    }
    if (updates.length == 1) {
      return SingleUpdate.blind(this, updates[0], registration.get()).commitAtOnce(executor);
    }
    try (EmbeddedTransaction transaction = EmbeddedTransaction.blind(this, registration.get())) {
      transaction.update(updates);
      return transaction.commitAtOnce(executor);
    } catch (WriteOnlySource.NotBlindException e) {
      return Optional.empty();
    }
  }

  @Override
  public <V> CompletionStage<V> readAsync(Query<V> query) {
    return async(() -> read(query));
  }

  @Override
  public CompletionStage<Values> readAsync(Collection<? extends Query<?>> queries) {
    return async(() -> read(queries));
  }

  @Override
  public <R> CompletionStage<R> transactAsync(Function<? super Transaction, ? extends R> body) {
    return async(() -> transact(body));
  }

  private <T> CompletionStage<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, partitions.commits()::execute);
  }

  @Override
  public Transaction begin(TransactionOptions begin) {
    return begin(begin, Optional.empty());
  }

  private EmbeddedTransaction begin(TransactionOptions begin, Optional<RequestId> request) {
    checkCall();
    if (begin.after().isPresent()) {
      tokens.checkReached(begin.after().get());
    }
    return new EmbeddedTransaction(this, partitions.begin(), begin, request);
  }

  /**
   * Begins a transaction whose snapshot contains an issued point, which may be ahead of all
   * commits.
   */
  Transaction beginAt(VectorClock issued, Certification certification) {
    return beginAt(issued, certification, Optional.empty());
  }

  /** Like {@link #beginAt(VectorClock, Certification)}, for a session's request. */
  Transaction beginAt(
      VectorClock issued, Certification certification, Optional<RequestId> request) {
    return new EmbeddedTransaction(
        this,
        partitions.begin(issued),
        TransactionOptions.defaults().certify(certification),
        request);
  }

  @Override
  public Session openSession() {
    return session(SessionId.create(partitions.now()));
  }

  @Override
  public Session session(SessionId id) {
    checkOpen();
    return new EmbeddedSession(this, id);
  }

  @Override
  public ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates) {
    return ConditionalCalls.checked(
        this, () -> ConditionalCalls.compareAndUpdate(this, queries, condition, updates));
  }

  @Override
  public ConditionalResult compareAndUpdate(Condition condition, Update... updates) {
    return ConditionalCalls.checked(
        this, () -> ConditionalCalls.compareAndUpdate(this, condition, updates));
  }

  @Override
  public <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function) {
    return ConditionalCalls.checked(this, () -> ConditionalCalls.compute(this, queries, function));
  }

  @Override
  public DeleteRangeResult deleteRange(ScanOptions range) {
    int most = Math.min(options().limits().valueBytes(), partitions.transactionBytes());
    return new RangeDeletion(this, range, most).execute();
  }

  @Override
  public int partitionOf(Key<?> key) {
    return partitions.of(key.id()).number();
  }

  @Override
  public <V> V readLatest(Query<V> query) {
    while (true) {
      checkCall();
      VectorClock now = present(query.target());
      try {
        return new SnapshotSource(this, now).read(query);
      } catch (SnapshotTruncatedException e) {
        // The snapshot was not registered and was truncated during the read: retry with a newer
        // one.
      }
    }
  }

  /** Returns a vector that includes every commit on an object that any node acknowledged before. */
  VectorClock present(Key<?> key) {
    try {
      return partitions.of(key.id()).present(key.id());
    } catch (ClosedException e) {
      throw closed();
    }
  }

  @Override
  public Snapshot at(CausalToken token) {
    checkOpen();
    tokens.checkReached(token);
    partitions.check(token.vector());
    return new EmbeddedSnapshot(this, token.vector());
  }

  @Override
  public Snapshot snapshot() {
    checkOpen();
    return new EmbeddedSnapshot(this, partitions.snapshot());
  }

  @Override
  public Snapshot snapshot(SnapshotOptions begin) {
    checkCall();
    begin.after().ifPresent(tokens::checkReached);
    VectorClock contained = begin.after().map(CausalToken::vector).orElse(VectorClock.ZERO);
    return new EmbeddedSnapshot(
        this,
        switch (begin.reads()) {
          case LEADER -> partitions.snapshot().join(contained);
          case NEAREST -> partitions.nearest(contained);
        });
  }

  @Override
  public Snapshot latest(Key<?>... keys) {
    return ConditionalCalls.checked(
        this, () -> new EmbeddedSnapshot(this, AcknowledgedPoint.of(partitions, keys)));
  }

  @Override
  public Pin pin(CausalToken token) {
    checkOpen();
    tokens.checkReached(token);
    return new EmbeddedPin(this, token.vector(), partitions.pin(token.vector()));
  }

  @Override
  public Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions begin) {
    checkOpen();
    begin.after().ifPresent(tokens::checkReached);
    CommitFilter filter =
        new CommitFilter(IdRange.prefix(Key.id(bucket, keyPrefix)), begin.hasEffects());
    WatchBuffer buffer = new WatchBuffer(filter, begin.buffer());
    // Nodes open and close partitions of a cluster at run time; those of a local store stay open.
    return new EmbeddedWatch(
        this, checkpoints.isEmpty() ? watchNodes(buffer, begin) : watchHere(buffer, begin));
  }

  private WatchSource watchHere(WatchBuffer buffer, WatchOptions begin) {
    return begin
        .after()
        .map(token -> WatchReader.after(watches, buffer, token.vector(), partitions.newest()))
        .orElseGet(() -> WatchReader.fromNow(watches, buffer, partitions.newest()));
  }

  private WatchSource watchNodes(WatchBuffer buffer, WatchOptions begin) {
    List<NodesWatchReader.Source> sources =
        partitions.all().stream().<NodesWatchReader.Source>map(one -> one::commits).toList();
    NodesWatchReader.Partitions all =
        new NodesWatchReader.Partitions(identity.dataCentre(), sources, partitions::newest);
    return begin
        .after()
        .map(token -> NodesWatchReader.after(watches, buffer, all, token.vector()))
        .orElseGet(
            () -> NodesWatchReader.fromNow(watches, buffer, all, AcknowledgedPoint.of(partitions)));
  }

  @Override
  public void checkpoint() {
    checkCall();
    try {
      partitions.checkpoint();
    } catch (ClosedException e) {
      throw closed();
    }
  }

  @Override
  public CausalToken backup(Path target, BackupProgress progress) {
    checkCall();
    return Threads.callApart(
        "stablecut-backup",
        () ->
            checkpoints.isEmpty() ? writeOfNodes(target, progress) : writeBackup(target, progress));
  }

  private CausalToken writeOfNodes(Path target, BackupProgress progress) {
    BackupWriter.requireEmpty(target, "a backup is written");
    if (group.get().isPresent()) {
      throw new BackupRefusedException(
          "the cluster is data centre %d of a group, and no backup was made: the other data centres hold the same data (stablecut dc status); otherwise export it (stablecut cluster export)"
              .formatted(identity.dataCentre().number()));
    }
    try (NodesBackup backup = new NodesBackup(partitions)) {
      backup.write(identity, target, progress, options.clock().instant());
      return token(backup.at());
    }
  }

  private CausalToken writeBackup(Path target, BackupProgress progress) {
    BackupWriter.requireEmpty(target, "a backup is written");
    try (StoreBackup backup = StoreBackup.cut(partitions, checkpoints)) {
      checkOpen();
      backup.write(identity, Optional.empty(), target, progress, options.clock().instant());
      return token(backup.at());
    }
  }

  @Override
  public StoreStatus status() {
    checkOpen();
    try {
      return StatusConversion.of(
          partitions,
          epoch,
          hooks,
          watches,
          commits.latencies(),
          replication.map(EmbeddedReplication::problems).orElse(List.of()),
          this::token);
    } catch (ClosedException e) {
      throw closed();
    }
  }

  @Override
  public DataCentres dataCentres() {
    checkOpen();
    return replication
        .<DataCentres>map(found -> found)
        .orElseGet(
            () ->
                new StandaloneDataCentre(
                    identity,
                    partitions.isNew(),
                    partitions.now(),
                    group.get(),
                    checkpoints.isEmpty()));
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      // Hooks may still read the store while they end.
      hooks.close();
      closed.set(true);
      try {
        watches.close();
        closeReplicationAndPartitions();
      } finally {
        release.run();
      }
    }
  }

  private void closeReplicationAndPartitions() {
    try {
      replication.ifPresent(EmbeddedReplication::close);
    } finally {
      partitions.close();
    }
  }

  /** Called before every write or wait. */
  void checkCall() {
    checkOpen();
    Evaluation.checkNotEvaluating(this);
  }

  void checkOpen() {
    if (closed.get()) {
      throw closed();
    }
  }

  /** The exception for calls on a closed store. */
  public static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: open it again");
  }

  /**
   * Returns the exception for a refused decrement, after requesting rights from other data centres
   * if there are any.
   */
  UsageException refused(Key<?> key, VectorClock snapshot, MissingRightsException refusal) {
    if (replication.isEmpty() || key.type().typeId() != BoundedCounter.TYPE.typeId()) {
      return refusal;
    }
    return replication.get().askForRights(key.id(), snapshot, refusal);
  }

  StoreOptions options() {
    return options;
  }

  StoreHooks hooks() {
    return hooks;
  }

  public Partitions partitions() {
    return partitions;
  }

  /** The data centre of this store. */
  public LocalDataCentre local() {
    return identity.dataCentre();
  }

  /** Returns the frontier up to which states read at a snapshot may have been pruned. */
  VectorClock pruneFrontier(PartitionAccess partition, VectorClock snapshot) {
    try {
      return partition.pruneFrontier(snapshot);
    } catch (ClosedException e) {
      throw closed();
    }
  }

  CausalToken token(VectorClock vector) {
    return tokens.at(vector);
  }

  CausalToken commit(Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request) {
    long begin = System.nanoTime();
    CommitEvent event = CommitMeter.begin(parts.size());
    try {
      VectorClock seen = partitions.commits().commit(parts, request);
      commits.end(event, begin);
      return token(seen);
    } catch (ClosedException e) {
      throw closed();
    }
  }

  /** Like {@link #commit(Map, Optional)}, for a request that writes to one partition only. */
  CausalToken commit(PartitionAccess partition, CommitRequest request) {
    long begin = System.nanoTime();
    CommitEvent event = CommitMeter.begin(1);
    try {
      VectorClock seen = partition.commit(request);
      commits.end(event, begin);
      return token(seen);
    } catch (ClosedException e) {
      throw closed();
    }
  }

  CompletionStage<CausalToken> commitAsync(
      Map<Integer, CommitRequest.Part> parts, Optional<RequestId> request, Runnable settled) {
    return stage(parts.size(), () -> partitions.commits().commitAsync(parts, request, settled));
  }

  /**
   * Like {@link #commitAsync(Map, Optional, Runnable)}, for a request that writes to one partition
   * only.
   */
  CompletionStage<CausalToken> commitAsync(
      PartitionAccess partition, CommitRequest request, Runnable settled) {
    return stage(1, () -> partitions.commits().commitAsync(partition, request, settled));
  }

  private CompletionStage<CausalToken> stage(
      int parts, Supplier<CompletionStage<VectorClock>> commit) {
    long begin = System.nanoTime();
    CommitEvent event = CommitMeter.begin(parts);
    try {
      return issued(commit.get(), event, begin);
    } catch (ClosedException e) {
      throw closed();
    }
  }

  Optional<CompletionStage<CausalToken>> commitAtOnce(
      Map<Integer, CommitRequest.Part> parts, Runnable settled, Executor executor) {
    long begin = System.nanoTime();
    CommitEvent event = CommitMeter.begin(parts.size());
    return partitions
        .commits()
        .commitAtOnce(parts, settled, executor)
        .map(stage -> issued(stage, event, begin));
  }

  /**
   * Like {@link #commitAtOnce(Map, Runnable, Executor)}, for a request that writes to one partition
   * only.
   */
  Optional<CompletionStage<CausalToken>> commitAtOnce(
      PartitionAccess partition, CommitRequest request, Runnable settled, Executor executor) {
    long begin = System.nanoTime();
    CommitEvent event = CommitMeter.begin(1);
    return partitions
        .commits()
        .commitAtOnce(partition, request, settled, executor)
        .map(stage -> issued(stage, event, begin));
  }

  private CompletionStage<CausalToken> issued(
      CompletionStage<VectorClock> stage, @Nullable CommitEvent event, long begin) {
    return stage
        .thenApply(
            seen -> {
              commits.end(event, begin);
              return token(seen);
            })
        .exceptionally(EmbeddedStore::uncommitted);
  }

  private static CausalToken uncommitted(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    throw new CompletionException(cause instanceof ClosedException ? closed() : cause);
  }

  /**
   * Returns the answers to several queries.
   *
   * @param reader answers a query at the snapshot
   */
  Values values(
      Collection<? extends Query<?>> queries,
      VectorClock snapshot,
      Function<Query<?>, Object> reader) {
    Map<Query<?>, Object> answers = new LinkedHashMap<>();
    queries.forEach(query -> answers.put(query, reader.apply(query)));
    return new Values(answers, token(snapshot));
  }
}
