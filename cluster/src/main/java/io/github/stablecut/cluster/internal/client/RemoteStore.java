package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.BackupProgress;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.DeletedRange;
import io.github.stablecut.Pin;
import io.github.stablecut.Session;
import io.github.stablecut.SessionId;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A store that lies on a server. Thread-safe. What the protocol can't carry throws {@link
 * NotInProtocolException}: the past, pins, watches, nested transactions, sessions, conditional
 * writes, scans, deletions of ranges, checkpoints, backups, data centres, the status, and types
 * that it hasn't. A register that was given an empty value reads as one that was never given any.
 */
final class RemoteStore implements Store {
  private final ConnectionPool pool;
  private final Executor executor;

  RemoteStore(ConnectionPool pool, Executor executor) {
    this.pool = pool;
    this.executor = executor;
  }

  @Override
  public <V> V read(Query<V> query) {
    return read(List.of(query)).get(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    List<Query<?>> ordered = List.copyOf(queries);
    Response response =
        pool.call(new Request.StaticRead(Optional.empty(), RemoteObjects.objects(ordered)));
    if (response instanceof Response.StaticValues values) {
      return RemoteObjects.values(ordered, values.values(), RemoteObjects.token(values.clock()));
    }
    throw RemoteErrors.of(response);
  }

  @Override
  public CausalToken update(Update... updates) {
    return committed(
        pool.call(new Request.StaticUpdate(Optional.empty(), RemoteObjects.updates(updates))));
  }

  static CausalToken committed(Response response) {
    if (response instanceof Response.Committed committed) {
      return RemoteObjects.token(committed.clock());
    }
    throw RemoteErrors.of(response);
  }

  @Override
  public CompletionStage<CausalToken> updateAsync(Update... updates) {
    return async(() -> update(updates));
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

  <T> CompletionStage<T> async(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, executor);
  }

  @Override
  public Transaction begin(TransactionOptions options) {
    if (options.certification() != Certification.NONE) {
      throw absent("transactions that are certified");
    }
    if (options.isOfAnyType()) {
      throw absent("transactions that write objects as types that they don't have");
    }
    Response response =
        pool.call(new Request.Start(options.after().map(RemoteObjects::clock), true));
    if (response instanceof Response.Started started) {
      return new RemoteTransaction(this, pool, started.descriptor());
    }
    throw RemoteErrors.of(response);
  }

  @Override
  public ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates) {
    throw absent("conditional writes");
  }

  @Override
  public ConditionalResult compareAndUpdate(Condition condition, Update... updates) {
    throw absent("conditional writes");
  }

  @Override
  public <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function) {
    throw absent("conditional writes");
  }

  @Override
  public int partitionOf(Key<?> key) {
    throw absent("partitions of objects");
  }

  @Override
  public <V> V readLatest(Query<V> query) {
    throw absent("reads at this very moment");
  }

  @Override
  public Session openSession() {
    throw absent("sessions");
  }

  @Override
  public Session session(SessionId id) {
    throw absent("sessions");
  }

  @Override
  public Snapshot at(CausalToken token) {
    throw absent("reading at a token");
  }

  @Override
  public Snapshot snapshot() {
    throw absent("a snapshot");
  }

  @Override
  public Snapshot latest(Key<?>... keys) {
    throw absent("a snapshot");
  }

  @Override
  public Pin pin(CausalToken token) {
    throw absent("a pin");
  }

  @Override
  public Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions options) {
    throw absent("watches");
  }

  @Override
  public void checkpoint() {
    throw absent("a checkpoint by call");
  }

  @Override
  public DeletedRange deleteRange(ScanOptions range) {
    throw absent("scans");
  }

  @Override
  public CausalToken backup(Path target, BackupProgress progress) {
    throw absent("backups");
  }

  @Override
  public DataCentres dataCentres() {
    throw absent("data centres");
  }

  @Override
  public StoreStatus status() {
    throw absent("the status");
  }

  private NotInProtocolException absent(String what) {
    pool.checkOpen();
    return new NotInProtocolException(
        "the protocol can't carry "
            + what
            + ": use a transaction, the server's port for operators, or the store in its own process");
  }

  @Override
  public void close() {
    pool.close();
  }
}
