package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Durability;
import io.github.stablecut.Key;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoreClosedException;
import io.github.stablecut.StoreIoException;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.Transaction;
import io.github.stablecut.TransactionOptions;
import io.github.stablecut.TypeMismatchException;
import io.github.stablecut.UnknownSnapshotException;
import io.github.stablecut.Update;
import io.github.stablecut.Values;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.ActiveSnapshots;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionOptions;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.JournalOptions;
import io.github.stablecut.journal.JournalStatus;
import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.journal.SyncPolicy;
import io.github.stablecut.journal.internal.ChronicleSegments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store of one partition in this process. Thread-safe. */
public final class EmbeddedStore implements Store {
  private static final int DATA_CENTRE = 0;
  private static final int PARTITION = 0;

  /**
   * What a queue of commits may hold before it makes committers wait: a quarter of the default
   * reserve on the disk.
   */
  private static final int MIN_QUEUE_BYTES = 64 << 20;

  private final long storeId;
  private final StoreOptions options;
  private final Partition partition;
  private final ActiveSnapshots active;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What is let go of once the partition is closed. */
  private final Runnable release;

  private EmbeddedStore(long storeId, StoreOptions options, Partition partition, Runnable release) {
    this.storeId = storeId;
    this.release = release;
    this.options = options;
    this.partition = partition;
    this.active = new ActiveSnapshots(System::nanoTime, options.maxTransactionAge().toNanos());
  }

  /** Opens or makes the store in a directory. */
  public static Store open(Path path, StoreOptions options) {
    StoreDirectory directory = StoreDirectory.open(path);
    try {
      SegmentStore segments = openJournal(directory, options);
      Partition partition = Partition.open(partitionOptions(options), segments);
      directory.complete();
      return new EmbeddedStore(directory.storeId(), options, partition, directory::close);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  /** Opens a store whose journal lies in given segments, which are closed with it. */
  static EmbeddedStore open(SegmentStore segments, StoreOptions options) {
    Partition partition = Partition.open(partitionOptions(options), segments);
    return new EmbeddedStore(0, options, partition, () -> {});
  }

  private static SegmentStore openJournal(StoreDirectory directory, StoreOptions options) {
    try {
      SegmentStore segments =
          ChronicleSegments.open(directory.journal(), options.limits().segmentBytes());
      directory.checkJournal(segments.segments().size());
      return segments;
    } catch (IOException e) {
      throw new StoreIoException(
          "the journal in " + directory.journal() + " can't be opened: " + e, e);
    }
  }

  private static PartitionOptions partitionOptions(StoreOptions options) {
    StoreOptions.Limits limits = options.limits();
    JournalOptions journal =
        JournalOptions.named("journal of partition " + PARTITION)
            .withSegmentBytes(limits.segmentBytes())
            .withReserveBytes(limits.reserveBytes())
            .withQueueBytes(Math.max(MIN_QUEUE_BYTES, limits.transactionBytes()));
    return new PartitionOptions(
        PARTITION,
        DATA_CENTRE,
        options.clock(),
        policy(options.durability()),
        journal,
        limits.effectBytes());
  }

  private static SyncPolicy policy(Durability durability) {
    if (durability instanceof Durability.Group group) {
      return new SyncPolicy.Group(group.window());
    }
    if (durability instanceof Durability.Periodic periodic) {
      return new SyncPolicy.Periodic(periodic.interval());
    }
    return new SyncPolicy.Batch();
  }

  @Override
  public <V> V read(Key<V> key) {
    checkOpen();
    VectorClock snapshot = partition.stable();
    return key.view(state(key, snapshot), snapshot);
  }

  @Override
  public Values read(Collection<? extends Key<?>> keys) {
    return snapshot().read(keys);
  }

  @Override
  public CausalToken update(Update... updates) {
    try (Transaction transaction = begin()) {
      transaction.update(updates);
      return transaction.commit();
    }
  }

  @Override
  public CompletionStage<CausalToken> updateAsync(Update... updates) {
    try (Transaction transaction = begin()) {
      transaction.update(updates);
      return transaction.commitAsync();
    }
  }

  @Override
  public <V> CompletionStage<V> readAsync(Key<V> key) {
    return async(() -> read(key));
  }

  @Override
  public CompletionStage<Values> readAsync(Collection<? extends Key<?>> keys) {
    return async(() -> read(keys));
  }

  @Override
  public <R> CompletionStage<R> transactAsync(Function<? super Transaction, ? extends R> body) {
    return async(() -> transact(body));
  }

  private <T> CompletionStage<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, options.executor());
  }

  @Override
  public Transaction begin(TransactionOptions begin) {
    checkOpen();
    VectorClock snapshot = begin.after().map(this::reached).orElseGet(partition::snapshot);
    return new EmbeddedTransaction(this, snapshot, active.register(snapshot));
  }

  @Override
  public Snapshot at(CausalToken token) {
    checkOpen();
    VectorClock unused = reached(token);
    return new EmbeddedSnapshot(token.vector());
  }

  @Override
  public Snapshot snapshot() {
    checkOpen();
    return new EmbeddedSnapshot(partition.snapshot());
  }

  /** The newest snapshot, which contains the token. */
  private VectorClock reached(CausalToken token) {
    if (token.storeId() != storeId) {
      throw new UnknownSnapshotException(
          "%s is one of store %016x, this is store %016x: use it there"
              .formatted(token, token.storeId(), storeId));
    }
    VectorClock newest = partition.snapshotAfter(token.vector());
    if (!token.vector().isAtOrBefore(newest)) {
      throw new UnknownSnapshotException(
          "%s is ahead of the store, whose newest commit is at %s: it comes from a lost or restored state"
              .formatted(token, token(newest)));
    }
    return newest;
  }

  @Override
  public StoreStatus status() {
    checkOpen();
    VectorClock stable = partition.stable();
    JournalStatus journal = partition.journalStatus();
    return new StoreStatus(
        storeId,
        journal.epoch(),
        partition.objects(),
        active.count(),
        token(stable),
        token(active.minDependency(stable)),
        new StoreStatus.Journal(
            journal.segments().size(),
            journal.segments().stream().mapToLong(JournalStatus.Segment::allocatedBytes).sum(),
            journal.records(),
            journal.syncs(),
            journal.largestGroup()));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        partition.close();
      } finally {
        release.run();
      }
    }
  }

  void checkOpen() {
    if (closed.get()) {
      throw closed();
    }
  }

  private static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: open it again");
  }

  StoreOptions options() {
    return options;
  }

  Partition partition() {
    return partition;
  }

  CausalToken token(VectorClock vector) {
    return new CausalToken(storeId, vector);
  }

  CausalToken commit(CommitRequest request) {
    try {
      return token(partition.commit(request));
    } catch (JournalClosedException e) {
      throw closed();
    }
  }

  CompletionStage<CausalToken> commitAsync(CommitRequest request) {
    try {
      return partition.commitAsync(request, options.executor()).thenApply(this::token);
    } catch (JournalClosedException e) {
      throw closed();
    }
  }

  WriteBuffer newBuffer(VectorClock snapshot) {
    return new WriteBuffer(DATA_CENTRE, snapshot, options.limits(), key -> state(key, snapshot));
  }

  /** The state of a key's object at a snapshot. */
  private Object state(Key<?> key, VectorClock snapshot) {
    Optional<Version> version = partition.versionAt(key.id(), snapshot);
    if (version.isEmpty()) {
      return key.type().initial();
    }
    TypeMismatchException.check(key.id(), key.type(), version.get().type());
    return version.get().state();
  }

  /** The values of several keys at a snapshot. */
  Values values(
      Collection<? extends Key<?>> keys, VectorClock snapshot, Function<Key<?>, Object> states) {
    Map<Key<?>, Object> values = new LinkedHashMap<>();
    for (Key<?> key : keys) {
      values.put(key, key.view(states.apply(key), snapshot));
    }
    return new Values(values, token(snapshot));
  }

  /** The store at one point. */
  private final class EmbeddedSnapshot implements Snapshot {
    private final VectorClock vector;

    EmbeddedSnapshot(VectorClock vector) {
      this.vector = vector;
    }

    @Override
    public CausalToken token() {
      return EmbeddedStore.this.token(vector);
    }

    @Override
    public <V> V read(Key<V> key) {
      checkOpen();
      return key.view(state(key, vector), vector);
    }

    @Override
    public Values read(Collection<? extends Key<?>> keys) {
      checkOpen();
      return values(keys, vector, key -> state(key, vector));
    }
  }
}
