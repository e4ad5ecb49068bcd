package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.ConflictException;
import io.github.stablecut.Key;
import io.github.stablecut.Pin;
import io.github.stablecut.Scan;
import io.github.stablecut.Snapshot;
import io.github.stablecut.SnapshotTruncatedException;
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
import io.github.stablecut.Watch;
import io.github.stablecut.WatchOptions;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.internal.watch.WatchBuffer;
import io.github.stablecut.internal.watch.WatchDispatcher;
import io.github.stablecut.internal.watch.WatchReader;
import io.github.stablecut.journal.JournalClosedException;
import io.github.stablecut.journal.SegmentStore;
import io.github.stablecut.journal.internal.ChronicleSegments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store of one partition in this process. Thread-safe. */
public final class EmbeddedStore implements Store {
  /** How often updates are executed that others are faster than. */
  private static final int MAX_ATTEMPTS = 50;

  private final long storeId;
  private final StoreOptions options;
  private final Partition partition;
  private final WatchDispatcher watches;
  private final StoreHooks hooks;

  /** What is let go of once the partition is closed. */
  private final Runnable release;

  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedStore(long storeId, StoreOptions options, Partition partition, Runnable release) {
    this.storeId = storeId;
    this.options = options;
    this.partition = partition;
    this.watches =
        new WatchDispatcher(List.of(partition.commits()), options.limits().openWatches());
    this.hooks = new StoreHooks(options.hooks());
    this.release = release;
  }

  /** Opens or makes the store in a directory. */
  public static Store open(Path path, StoreOptions options) {
    StoreDirectory directory = StoreDirectory.open(path);
    try {
      SegmentStore journal =
          ChronicleSegments.open(directory.journal(), options.limits().segmentBytes());
      directory.checkJournal(journal.segments().size());
      Directory checkpoints = DiskDirectory.open(directory.checkpoints());
      Partition partition = Partition.open(Settings.of(options), journal, checkpoints);
      directory.complete();
      return new EmbeddedStore(directory.storeId(), options, partition, directory::close);
    } catch (IOException e) {
      directory.close();
      throw new StoreIoException("the store in " + path + " can't be opened: " + e, e);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  /** Opens a store whose files lie in given places. */
  static EmbeddedStore open(SegmentStore journal, Directory checkpoints, StoreOptions options) {
    Partition partition = Partition.open(Settings.of(options), journal, checkpoints);
    return new EmbeddedStore(0, options, partition, () -> {});
  }

  @Override
  public <V> V read(Key<V> key) {
    while (true) {
      checkOpen();
      VectorClock snapshot = newest(key);
      Version hit = partition.hit(key.id(), snapshot);
      if (hit != null) {
        TypeMismatchException.check(key.id(), key.type(), hit.type());
        return key.view(hit.state(), snapshot);
      }
      try {
        return key.view(state(key, snapshot), snapshot);
      } catch (SnapshotTruncatedException e) {
        // Nobody has claimed the snapshot, and it was overtaken while it was read: take a newer
        // one.
      }
    }
  }

  /** The stable vector, moved on to the present for objects that change as time passes. */
  private VectorClock newest(Key<?> key) {
    return key.dependsOnTime() ? partition.snapshot() : partition.stable();
  }

  @Override
  public Values read(Collection<? extends Key<?>> keys) {
    try (Transaction transaction = begin()) {
      return transaction.read(keys);
    }
  }

  @Override
  public CausalToken update(Update... updates) {
    return update(updates, Transaction::commit);
  }

  private <R> R update(Update[] updates, Function<Transaction, R> commit) {
    for (int attempt = 1; ; attempt++) {
      try (Transaction transaction = begin()) {
        transaction.update(updates);
        return commit.apply(transaction);
      } catch (ConflictException e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  @Override
  public CompletionStage<CausalToken> updateAsync(Update... updates) {
    return update(updates, Transaction::commitAsync);
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
    begin.after().ifPresent(this::checkReached);
    return new EmbeddedTransaction(this, partition.begin(), begin.certification());
  }

  @Override
  public Snapshot at(CausalToken token) {
    checkOpen();
    checkReached(token);
    partition.check(token.vector());
    return new EmbeddedSnapshot(this, token.vector());
  }

  @Override
  public Snapshot snapshot() {
    checkOpen();
    return new EmbeddedSnapshot(this, partition.snapshot());
  }

  @Override
  public Pin pin(CausalToken token) {
    checkOpen();
    checkReached(token);
    return new EmbeddedPin(this, token.vector(), partition.pin(token.vector()));
  }

  /** Refuses a token of another store, or ahead of the newest snapshot. */
  private void checkReached(CausalToken token) {
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
  }

  @Override
  public Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions begin) {
    checkOpen();
    begin.after().ifPresent(this::checkReached);
    WatchBuffer buffer = new WatchBuffer(IdRange.prefix(Key.id(bucket, keyPrefix)), begin.buffer());
    return new EmbeddedWatch(
        this,
        begin
            .after()
            .map(token -> WatchReader.after(watches, buffer, token.vector()))
            .orElseGet(() -> WatchReader.fromNow(watches, buffer, partition.stable())));
  }

  @Override
  public void checkpoint() {
    checkOpen();
    partition.checkpoint();
  }

  @Override
  public StoreStatus status() {
    checkOpen();
    return Statuses.of(partition, hooks, this::token);
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      // They still read.
      hooks.close();
      closed.set(true);
      try {
        watches.close();
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

  static StoreClosedException closed() {
    return new StoreClosedException("the store is closed: open it again");
  }

  StoreOptions options() {
    return options;
  }

  StoreHooks hooks() {
    return hooks;
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

  /** The state of a key's object at a snapshot. */
  Object state(Key<?> key, VectorClock snapshot) {
    Optional<Version> version = partition.versionAt(key.id(), snapshot);
    if (version.isEmpty()) {
      return key.type().initial();
    }
    TypeMismatchException.check(key.id(), key.type(), version.get().type());
    return version.get().state();
  }

  Scan scan(IdRange range, VectorClock snapshot) {
    checkOpen();
    ActiveSnapshots.Registration claim = partition.pin(snapshot);
    try {
      return new EmbeddedScan(this, snapshot, claim, partition.scan(range, snapshot));
    } catch (RuntimeException e) {
      claim.end();
      throw e;
    }
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
}
