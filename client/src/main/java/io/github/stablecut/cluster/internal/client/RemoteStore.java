package io.github.stablecut.cluster.internal.client;

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
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.internal.transaction.Evaluation;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import io.github.stablecut.replication.DataCentres;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A store on a server or a cluster. Thread-safe. Operations that need the server's machine throw
 * {@link NotInProtocolException}: backups, and changes of the group of data centres.
 */
final class RemoteStore implements Store {
  private final Servers servers;
  private final Executor executor;
  private final OwnSessions sessions;
  private final KeepAlive keepAlive;

  /** Actions that end waits on connections of scans and watches when the store closes. */
  private final Set<Runnable> ends = ConcurrentHashMap.newKeySet();

  private volatile boolean isClosed;

  RemoteStore(Servers servers, Executor executor) {
    this.servers = servers;
    this.executor = executor;
    this.sessions = new OwnSessions(servers);
    this.keepAlive = new KeepAlive(Call.Renew.INTERVAL, servers::renew);
  }

  Servers servers() {
    return servers;
  }

  KeepAlive keepAlive() {
    return keepAlive;
  }

  Answer call(Call call) {
    return servers.call(call);
  }

  void checkOpen() {
    if (isClosed) {
      throw new StoreClosedException("the store is closed: connect again");
    }
  }

  boolean isClosed() {
    return isClosed;
  }

  /**
   * Runs an action when the store closes, or at once if it is closed. The action must not block.
   */
  void onClose(Runnable end) {
    ends.add(end);
    if (isClosed) {
      end.run();
    }
  }

  void removeOnClose(Runnable end) {
    ends.remove(end);
  }

  /** Checks that a write or a wait is allowed now. */
  void checkCall() {
    checkOpen();
    Evaluation.checkNotEvaluating(this);
  }

  /** Releases a handle. If the server can't be reached, the unrenewed handle expires there. */
  void letGo(ServerPool server, Bytes descriptor) {
    keepAlive.remove(server, descriptor);
    Call ending = new Call.Close(descriptor);
    if (servers.isAway(server)) {
      keepAlive.end(server, ending);
      return;
    }
    try {
      RemoteValues.done(servers.callOf(server, ending));
    } catch (StablecutException e) {
      // The unrenewed handle expires.
    }
  }

  @Override
  public <V> V read(Query<V> query) {
    return read(List.of(query)).get(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    return read(Call.Freshness.NEWEST, List.copyOf(queries));
  }

  private Values read(Call.Freshness freshness, List<Query<?>> queries) {
    return RemoteValues.of(queries, call(new Call.Read(freshness, Optional.empty(), queries)));
  }

  @Override
  public <V> V readLatest(Query<V> query) {
    return readLatest(List.of(query)).get(query);
  }

  Values readLatest(List<Query<?>> queries) {
    checkCall();
    return read(Call.Freshness.LATEST, queries);
  }

  @Override
  public CausalToken update(Update... updates) {
    checkCall();
    return RemoteValues.point(call(new Call.Write(List.of(updates))));
  }

  @Override
  public CausalToken updateOnce(Update... updates) {
    return RemoteValues.point(writeOnce(Optional.empty(), List.of(updates)));
  }

  /** Makes a request of one of the store's own sessions. */
  Answer writeOnce(Optional<Condition> condition, List<Update> updates) {
    checkCall();
    return sessions.write(condition, updates);
  }

  @Override
  public CompletionStage<CausalToken> updateAsync(Update... updates) {
    checkCall();
    List<Update> all = List.of(updates);
    return async(() -> RemoteValues.point(call(new Call.Write(all))));
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
    return CompletableFuture.supplyAsync(() -> BlockingCall.make(call), executor);
  }

  @Override
  public Transaction begin(TransactionOptions options) {
    checkCall();
    Servers.ServerAnswer<Answer> beginAnswer = servers.callAt(new Call.Begin(options));
    Answer.OpenedHandle answer = RemoteValues.as(Answer.OpenedHandle.class, beginAnswer.answer());
    // Later calls must see what this transaction reads.
    servers.saw(beginAnswer.server(), answer.at());
    return RemoteTransaction.begun(this, beginAnswer.server(), answer);
  }

  @Override
  public ConditionalResult compareAndUpdate(
      Collection<? extends Query<?>> queries,
      Predicate<? super Values> condition,
      Update... updates) {
    checkCall();
    checkUpdates(updates);
    return new RemoteConditional<Boolean>(
            this,
            List.copyOf(queries),
            found -> condition.test(found) ? Computation.of(true, updates) : Computation.of(false))
        .execute()
        .result();
  }

  private static void checkUpdates(Update... updates) {
    if (updates.length == 0) {
      throw new IllegalArgumentException("a conditional write without updates: use readLatest");
    }
  }

  @Override
  public ConditionalResult compareAndUpdate(Condition condition, Update... updates) {
    checkCall();
    checkUpdates(updates);
    Answer.ConditionalResult tried =
        RemoteValues.as(
            Answer.ConditionalResult.class, call(new Call.WriteIf(condition, List.of(updates))));
    return new ConditionalResult(
        tried.isWritten(), RemoteValues.found(condition, tried), tried.point());
  }

  @Override
  public <R> R compute(
      Collection<? extends Query<?>> queries, Function<? super Values, Computation<R>> function) {
    checkCall();
    Function<Values, Computation<R>> checked = Evaluation.restrictedToQueried(queries, function);
    Optional<Query<?>> stream = RemoteStreamWrite.only(queries);
    return stream.isPresent()
        ? new RemoteStreamWrite<>(this, stream.get(), checked).execute()
        : new RemoteConditional<>(this, List.copyOf(queries), checked).execute().made();
  }

  @Override
  public Session openSession() {
    Answer.OpenedSession opened =
        RemoteValues.as(Answer.OpenedSession.class, call(Call.Plain.OPEN_SESSION));
    return session(opened.session());
  }

  @Override
  public Session session(SessionId id) {
    checkOpen();
    return new RemoteSession(this, id);
  }

  @Override
  public Snapshot at(CausalToken token) {
    RemoteValues.as(Answer.OpenedHandle.class, call(new Call.OpenPoint(token, false)));
    return new RemoteSnapshot(this, token);
  }

  @Override
  public Snapshot snapshot() {
    return new RemoteSnapshot(this, RemoteValues.point(call(new Call.Point(Optional.empty()))));
  }

  @Override
  public Snapshot snapshot(SnapshotOptions options) {
    checkCall();
    return new RemoteSnapshot(this, RemoteValues.point(call(new Call.NearSnapshot(options))));
  }

  @Override
  public Snapshot latest(Key<?>... keys) {
    checkCall();
    return new RemoteSnapshot(
        this, RemoteValues.point(call(new Call.Point(Optional.of(List.of(keys))))));
  }

  @Override
  public Pin pin(CausalToken token) {
    return RemotePin.of(this, token);
  }

  @Override
  public Watch watch(Bytes bucket, Bytes keyPrefix, WatchOptions options) {
    return new RemoteWatch(this, bucket, keyPrefix, options);
  }

  @Override
  public void checkpoint() {
    checkCall();
    RemoteValues.done(call(Call.Plain.CHECKPOINT));
  }

  @Override
  public DeleteRangeResult deleteRange(ScanOptions range) {
    checkCall();
    Answer.Deleted deleted = RemoteValues.as(Answer.Deleted.class, call(new Call.Delete(range)));
    return new DeleteRangeResult(deleted.deleted(), deleted.kept(), deleted.point());
  }

  @Override
  public StoreStatus status() {
    return RemoteValues.as(Answer.Status.class, call(Call.Plain.STATUS)).status();
  }

  @Override
  public int partitionOf(Key<?> key) {
    return RemoteValues.as(Answer.Partition.class, call(new Call.FindPartition(key))).number();
  }

  @Override
  public CausalToken backup(Path target, BackupProgress progress) {
    checkOpen();
    throw new NotInProtocolException(
        "a backup is written on the store's machine: run it there, or open the store in its own"
            + " process");
  }

  @Override
  public DataCentres dataCentres() {
    checkOpen();
    return new RemoteDataCentres(this);
  }

  @Override
  public void close() {
    isClosed = true;
    ends.forEach(Runnable::run);
    keepAlive.close();
    servers.close();
  }
}
