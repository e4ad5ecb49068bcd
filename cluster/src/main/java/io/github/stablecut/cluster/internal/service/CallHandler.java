package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.CausalToken;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.DeleteRangeResult;
import io.github.stablecut.Reader;
import io.github.stablecut.Scan;
import io.github.stablecut.Session;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.service.handle.AnswerBytes;
import io.github.stablecut.cluster.internal.service.handle.BusyException;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.cluster.internal.service.handle.ClientHandles;
import io.github.stablecut.cluster.internal.service.handle.LargeAnswers;
import io.github.stablecut.cluster.internal.service.handle.OpenTransaction;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.cluster.internal.service.handle.PinHandle;
import io.github.stablecut.cluster.internal.service.handle.ScanHandle;
import io.github.stablecut.cluster.internal.service.handle.WatchHandle;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Limits;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.error.UnknownSnapshotException;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.InMemoryReads;
import io.github.stablecut.internal.transaction.PeekableWatch;
import io.github.stablecut.internal.transaction.routing.StateScan;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Executes calls of {@code Stablecut.connect} on a store. Calls may block, except commits, which
 * are answered later. Thread-safe.
 */
public final class CallHandler {
  /** Sends the answers to calls. */
  static final Replies<Answer> REPLIES = new CallReplies();

  /** Maximum attempts at a read whose snapshot is truncated meanwhile. */
  private static final int MAX_ATTEMPTS = 100;

  private static final Duration LARGE_ANSWER_TIMEOUT = Duration.ofSeconds(10);

  private final ServedStore store;
  private final ObjectCode code;
  private final Supplier<Answer.PartitionOwners> layout;
  private final OpenTransactions transactions;
  private final ClientHandles handles;
  private final SessionIds sessions;
  private final RequestMeter meter;
  private final long maxAnswerBytes;
  private final LargeAnswers largeAnswers = new LargeAnswers(LARGE_ANSWER_TIMEOUT);

  /**
   * Creates a handler for a store.
   *
   * @param store the store on which calls are executed
   * @param types the types of objects whose operations this server executes
   * @param layout supplies the owners of the partitions
   * @param sessions issues and recognizes sessions
   * @param maxAnswerBytes maximum size of an answer
   */
  public CallHandler(
      ServedStore store,
      ObjectTypes types,
      Supplier<Answer.PartitionOwners> layout,
      OpenTransactions transactions,
      ClientHandles handles,
      SessionIds sessions,
      RequestMeter meter,
      long maxAnswerBytes) {
    this.store = store;
    this.code = new ObjectCode(types);
    this.layout = layout;
    this.transactions = transactions;
    this.handles = handles;
    this.sessions = sessions;
    this.meter = meter;
    this.maxAnswerBytes = maxAnswerBytes;
  }

  /**
   * Executes a call.
   *
   * @param client the connection that sent the call
   * @return the answer; the future never fails
   */
  public CompletableFuture<Answer> handle(Call call, Client client) {
    try {
      return call.accept(new Execution(client))
          .exceptionally(failure -> CallErrors.answer(call, failure))
          .toCompletableFuture();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(CallErrors.answer(call, e));
    }
  }

  /**
   * Answers a call from memory: a read of a few small objects at the newest snapshot, possibly
   * after a point that has been reached. Neither waits nor takes long.
   *
   * @return empty if memory does not suffice: then {@link #handle} executes the call
   */
  Optional<Answer> answerAtOnce(Call call) {
    Optional<CausalToken> after = after(call);
    Call inner = call instanceof Call.AfterPoint reached ? reached.call() : call;
    if (!(inner instanceof Call.Read read)
        || read.at().isPresent()
        || read.freshness() != Call.Freshness.NEWEST
        || read.queries().size() > RequestHandler.MAX_AT_ONCE) {
      return Optional.empty();
    }
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? embedded
              .readsInMemory(after, read.queries().size() > 1)
              .flatMap(
                  reads ->
                      values(
                          reads, read.queries(), new AnswerBytes(maxAnswerBytes, Optional.empty())))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Executing the call reports the failure.
      return Optional.empty();
    }
  }

  /**
   * Starts the execution of a call if that needs no wait: requests a read of another node, or
   * begins a commit. The answer completes later.
   *
   * @return empty if nothing was started: then {@link #handle} executes the call
   */
  Optional<Work.StartedRequest<Answer>> begin(Call call, Work.Starter starter) {
    Optional<CausalToken> after = after(call);
    Call inner = call instanceof Call.AfterPoint reached ? reached.call() : call;
    return inner instanceof Call.Write write
        ? commitAtOnce(call, after, write, starter)
        : starter.read(() -> readRemotely(call));
  }

  private Optional<Work.StartedRequest<Answer>> commitAtOnce(
      Call call, Optional<CausalToken> after, Call.Write write, Work.Starter starter) {
    int count = write.updates().size();
    if (count == 0 || count > RequestHandler.MAX_AT_ONCE) {
      return Optional.empty();
    }
    long startNanos = transactions.clock().nanos();
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? starter.commit(
              embedded,
              after,
              Certification.NONE,
              array(write.updates()),
              stage ->
                  committed(stage, startNanos)
                      .exceptionally(failure -> CallErrors.answer(call, failure)))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Nothing was changed: executing the call reports the failure.
      return Optional.empty();
    }
  }

  /**
   * Requests a read from another node, if that needs no wait.
   *
   * @return empty if this is impossible; the future fails if the other node can't answer
   */
  private Optional<CompletableFuture<Answer>> readRemotely(Call call) {
    Optional<CausalToken> after = after(call);
    Call inner = call instanceof Call.AfterPoint reached ? reached.call() : call;
    if (!(inner instanceof Call.Read read)
        || read.at().isPresent()
        || read.freshness() != Call.Freshness.NEWEST
        || read.queries().size() != 1) {
      return Optional.empty();
    }
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? embedded
              .readsInMemory(after, false)
              .flatMap(reads -> readRemotely(reads, read.queries().get(0)))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Executing the call reports the failure.
      return Optional.empty();
    }
  }

  private <V> Optional<CompletableFuture<Answer>> readRemotely(
      InMemoryReads reads, Query<V> query) {
    AnswerBytes bytes = new AnswerBytes(maxAnswerBytes, Optional.empty());
    return reads
        .ask(query)
        .map(
            answer ->
                answer.thenApply(
                    value ->
                        new Answer.Values(reads.token(), List.of(bytes.read(query, () -> value)))));
  }

  private static Optional<CausalToken> after(Call call) {
    return call instanceof Call.AfterPoint reached
        ? Optional.of(reached.point())
        : Optional.empty();
  }

  private static Optional<Answer> values(
      InMemoryReads reads, List<Query<?>> queries, AnswerBytes bytes) {
    List<Bytes> answers = new ArrayList<>(queries.size());
    for (Query<?> query : queries) {
      Optional<?> answer = reads.find(query);
      if (answer.isEmpty()) {
        return Optional.empty();
      }
      answers.add(bytes.read(query, answer::get));
    }
    return Optional.of(new Answer.Values(reads.token(), answers));
  }

  private static CompletionStage<Answer> done(Answer answer) {
    return CompletableFuture.completedStage(answer);
  }

  private static CompletionStage<Answer> done() {
    return done(new Answer.Done());
  }

  private static CompletionStage<Answer> at(CausalToken point) {
    return done(new Answer.Point(point));
  }

  private static Update[] array(List<Update> updates) {
    return updates.toArray(Update[]::new);
  }

  /** Executes the calls of one client. */
  private final class Execution implements Call.Visitor<CompletionStage<Answer>> {
    private final Client client;

    Execution(Client client) {
      this.client = client;
    }

    @Override
    public CompletionStage<Answer> hello(Call.Hello call) {
      String program = CallHandler.class.getPackage().getImplementationVersion();
      return done(
          new Answer.Welcome(CallFrame.VERSION, program == null ? "in development" : program));
    }

    @Override
    public CompletionStage<Answer> read(Call.Read call) {
      return done(CallHandler.this.read(call, answerBytes(client)));
    }

    @Override
    public CompletionStage<Answer> write(Call.Write call) {
      return committed(() -> store.get().updateAsync(array(call.updates())));
    }

    @Override
    public CompletionStage<Answer> writeIf(Call.WriteIf call) {
      return done(CallHandler.this.writeIf(call));
    }

    @Override
    public CompletionStage<Answer> writeOnce(Call.WriteOnce call) {
      Store served = store.get();
      sessions.check(call.session(), dataCentre(served));
      Session session = served.session(call.session());
      return call.condition().isEmpty()
          ? at(session.update(call.number(), array(call.updates())))
          : done(updateIf(session, call, call.condition().get()));
    }

    @Override
    public CompletionStage<Answer> begin(Call.Begin call) {
      Bytes descriptor = transactions.begin(client, () -> store.get().begin(call.options()));
      CausalToken snapshot =
          transactions.get(client, descriptor).use(transactions.clock(), Transaction::snapshot);
      return done(new Answer.OpenedHandle(descriptor, snapshot));
    }

    @Override
    public CompletionStage<Answer> readIn(Call.ReadIn call) {
      return done(
          transaction(client, call.transaction())
              .use(
                  transactions.clock(),
                  call.transaction().depth(),
                  tx -> values(tx, call.queries(), tx.snapshot(), answerBytes(client))));
    }

    @Override
    public CompletionStage<Answer> writeIn(Call.WriteIn call) {
      return done(
          transaction(client, call.transaction())
              .use(
                  transactions.clock(),
                  call.transaction().depth(),
                  tx -> {
                    tx.update(array(call.updates()));
                    return new Answer.Done();
                  }));
    }

    @Override
    public CompletionStage<Answer> beginNested(Call.BeginNested call) {
      transaction(client, call.transaction())
          .nest(transactions.clock(), call.transaction().depth());
      return done();
    }

    @Override
    public CompletionStage<Answer> end(Call.End call) {
      return CallHandler.this.end(call, client);
    }

    @Override
    public CompletionStage<Answer> point(Call.Point call) {
      Snapshot snapshot =
          call.latest()
              .map(keys -> store.get().latest(keys.toArray(Key<?>[]::new)))
              .orElseGet(() -> store.get().snapshot());
      return at(snapshot.token());
    }

    @Override
    public CompletionStage<Answer> nearSnapshot(Call.NearSnapshot call) {
      return at(store.get().snapshot(call.options()).token());
    }

    @Override
    public CompletionStage<Answer> openPoint(Call.OpenPoint call) {
      if (!call.isPinned()) {
        CausalToken point = store.get().at(call.point()).token();
        return done(new Answer.OpenedHandle(Bytes.EMPTY, point));
      }
      return done(
          new Answer.OpenedHandle(
              handles
                  .open(
                      client,
                      ClientHandles.Kind.PIN,
                      () -> new PinHandle(store.get().pin(call.point())))
                  .descriptor(),
              call.point()));
    }

    @Override
    public CompletionStage<Answer> openScan(Call.OpenScan call) {
      return done(CallHandler.this.openScan(call, client));
    }

    @Override
    public CompletionStage<Answer> openWatch(Call.OpenWatch call) {
      ClientHandles.OpenedHandle<WatchHandle> watch =
          handles.open(
              client,
              ClientHandles.Kind.WATCH,
              () ->
                  new WatchHandle(
                      options ->
                          (PeekableWatch)
                              store.get().watch(call.bucket(), call.keyPrefix(), options),
                      call.options()));
      return done(new Answer.OpenedHandle(watch.descriptor(), watch.handle().begun()));
    }

    @Override
    public CompletionStage<Answer> take(Call.Take call) {
      try {
        int waitMillis = Math.min(call.waitMillis(), Call.Take.MAX_WAIT_MILLIS);
        return done(
            handles.take(
                client,
                call.descriptor(),
                pageBytes(call.bytes()),
                waitMillis,
                answerBytes(client)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BusyException("the server is stopping: try again at another server");
      }
    }

    @Override
    public CompletionStage<Answer> renew(Call.Renew call) {
      return done(
          new Answer.Renewed(
              call.descriptors().stream()
                  .filter(
                      descriptor ->
                          !transactions.renew(client, descriptor)
                              && !handles.renew(client, descriptor))
                  .toList()));
    }

    @Override
    public CompletionStage<Answer> close(Call.Close call) {
      transactions.close(call.descriptor());
      handles.close(call.descriptor());
      return done();
    }

    @Override
    public CompletionStage<Answer> delete(Call.Delete call) {
      DeleteRangeResult deleted = store.get().deleteRange(call.range());
      return done(new Answer.Deleted(deleted.deleted(), deleted.kept(), deleted.token()));
    }

    @Override
    public CompletionStage<Answer> findPartition(Call.FindPartition call) {
      return done(new Answer.Partition(store.get().partitionOf(call.object())));
    }

    @Override
    public CompletionStage<Answer> after(Call.AfterPoint call) {
      try (Transaction reached =
          store.get().begin(TransactionOptions.defaults().after(call.point()))) {
        reached.abort();
      } catch (UnknownSnapshotException e) {
        // The point is lost, or belongs to a store that was replaced: the client reads this one.
      }
      return call.call().accept(this);
    }

    @Override
    public CompletionStage<Answer> plain(Call.Plain call) {
      return switch (call) {
        case CHECKPOINT -> {
          store.get().checkpoint();
          yield done();
        }
        case STATUS -> done(new Answer.Status(store.get().status()));
        case LAYOUT -> done(layout.get());
        case DATA_CENTRES -> done(Answer.DataCentreList.of(store.get().dataCentres()));
        case OPEN_SESSION -> {
          Store served = store.get();
          yield done(
              new Answer.OpenedSession(
                  sessions.issue(
                      served.openSession().id(), client.origin().address(), dataCentre(served))));
        }
      };
    }
  }

  private static int dataCentre(Store served) {
    return served instanceof EmbeddedStore embedded ? embedded.local().number() : 0;
  }

  private static Answer updateIf(Session session, Call.WriteOnce call, Condition condition) {
    Optional<CausalToken> written =
        session.updateIf(call.number(), condition, array(call.updates()));
    CausalToken point = written.orElseGet(session::token);
    return new Answer.ConditionalResult(written.isPresent(), point, point, List.of());
  }

  private OpenTransaction transaction(Client client, Call.TransactionRef inside) {
    return transactions.get(client, inside.descriptor());
  }

  private int pageBytes(int requested) {
    return (int) Math.min(requested, maxAnswerBytes / 2);
  }

  private Answer read(Call.Read call, AnswerBytes bytes) {
    if (call.at().isPresent()) {
      return values(store.get().at(call.at().get()), call.queries(), call.at().get(), bytes);
    }
    if (call.freshness() == Call.Freshness.LATEST) {
      return readLatest(call, bytes);
    }
    try (Transaction transaction = store.get().begin()) {
      return values(transaction, call.queries(), transaction.snapshot(), bytes);
    }
  }

  private Answer readLatest(Call.Read call, AnswerBytes bytes) {
    Key<?>[] keys = call.queries().stream().map(Query::target).toArray(Key<?>[]::new);
    for (int attempt = 1; ; attempt++) {
      Snapshot latest = store.get().latest(keys);
      try {
        return values(latest, call.queries(), latest.token(), bytes);
      } catch (SnapshotTruncatedException e) {
        // The snapshot was not registered, and was truncated during the read.
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Answer values(Reader reader, List<Query<?>> queries, CausalToken at, AnswerBytes bytes) {
    return new Answer.Values(
        at, queries.stream().map(query -> code.read(query, reader, bytes)).toList());
  }

  /** Creates the encoder of an answer to a client. */
  private AnswerBytes answerBytes(Client client) {
    return new AnswerBytes(maxAnswerBytes, Optional.of(client.largeAnswerPermit(largeAnswers)));
  }

  private Answer writeIf(Call.WriteIf call) {
    ConditionalResult result =
        store.get().compareAndUpdate(call.condition(), array(call.updates()));
    List<Bytes> answers;
    try {
      answers = answers(call.condition(), result.found());
    } catch (RuntimeException e) {
      if (!result.isWritten()) {
        throw e;
      }
      throw CallReplies.unreported(e);
    }
    return new Answer.ConditionalResult(
        result.isWritten(), result.token(), result.found().token(), answers);
  }

  private static List<Bytes> answers(Condition condition, Values found) {
    AnswerBytes bytes = new AnswerBytes(Limits.MAX_BYTES, Optional.empty());
    return condition
        .tests()
        .<ObjectQuery<?, ?>>map(Condition.Test::query)
        .distinct()
        .map(query -> bytes.read(query, () -> found.get(query)))
        .toList();
  }

  private CompletionStage<Answer> end(Call.End call, Client client) {
    Call.TransactionRef inside = call.transaction();
    if (inside.depth() > 0) {
      transaction(client, inside)
          .end(transactions.clock(), inside.depth(), tx -> end(tx, call.ending()));
      return done();
    }
    OpenTransaction ended = transactions.remove(inside.descriptor());
    try {
      return switch (call.ending()) {
        case COMMIT -> committed(() -> ended.use(transactions.clock(), Transaction::commitAsync));
        case ABORT, CLOSE -> {
          ended.end(transactions.clock(), 0, tx -> end(tx, call.ending()));
          yield done();
        }
      };
    } catch (RuntimeException | Error e) {
      // Its descriptor is no longer known, so nothing could end it later.
      ended.close();
      throw e;
    }
  }

  private CompletionStage<Answer> committed(Supplier<CompletionStage<CausalToken>> commit) {
    long startNanos = transactions.clock().nanos();
    return committed(commit.get(), startNanos);
  }

  private CompletionStage<Answer> committed(CompletionStage<CausalToken> stage, long startNanos) {
    return stage.thenApply(
        token -> {
          meter.committed(transactions.clock().nanos() - startNanos);
          return new Answer.Point(token);
        });
  }

  private static void end(Transaction transaction, Call.Ending ending) {
    switch (ending) {
      case COMMIT -> transaction.commit();
      case ABORT -> transaction.abort();
      case CLOSE -> transaction.close();
    }
  }

  private Answer openScan(Call.OpenScan call, Client client) {
    if (call.transaction().isPresent()) {
      Call.TransactionRef inside = call.transaction().get();
      OpenTransaction transaction = transaction(client, inside);
      ScanOptions range = call.range().orElseThrow();
      ScanHandle.Lock lock = new ScanHandle.Lock(transaction, inside.depth(), transactions.clock());
      // Under the transaction's lock: a scan opened after its end would never be closed.
      return transaction.use(
          transactions.clock(),
          inside.depth(),
          tx ->
              new Answer.OpenedHandle(
                  hold(client, () -> tx.scan(range), Optional.of(lock)), tx.snapshot()));
    }
    Snapshot snapshot = store.get().at(call.at().orElseThrow());
    return new Answer.OpenedHandle(
        hold(
            client,
            () -> call.range().map(snapshot::scan).orElseGet(snapshot::scan),
            Optional.empty()),
        snapshot.token());
  }

  private Bytes hold(Client client, Supplier<Scan> scan, Optional<ScanHandle.Lock> transaction) {
    return handles
        .open(
            client,
            ClientHandles.Kind.SCAN,
            () -> new ScanHandle((StateScan) scan.get(), transaction))
        .descriptor();
  }
}
