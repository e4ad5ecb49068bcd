package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Reader;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ValueCodec;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.objects.TypeMappings;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.cluster.internal.service.handle.Clocks;
import io.github.stablecut.cluster.internal.service.handle.Failures;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.internal.transaction.InMemoryReads;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Executes requests of AntidoteDB's protocol on a store. Reads may block; commits don't, and are
 * answered later. Thread-safe.
 */
public final class RequestHandler {
  /** Maximum number of objects in a request that the reading thread executes. */
  static final int MAX_AT_ONCE = 8;

  private final ServedStore store;
  private final OpenTransactions transactions;
  private final RequestMeter meter;
  private final DataCentreRequests dataCentre;
  private final long maxResponseBytes;
  private final Replies<Response> replies;

  /**
   * Creates a handler for a store.
   *
   * @param dataCentre executes the requests that manage data centres
   * @param maxResponseBytes maximum size of an answer
   */
  public RequestHandler(
      ServedStore store,
      OpenTransactions transactions,
      RequestMeter meter,
      DataCentreRequests dataCentre,
      long maxResponseBytes) {
    this.maxResponseBytes = maxResponseBytes;
    this.replies = new RequestReplies(maxResponseBytes);
    this.store = store;
    this.transactions = transactions;
    this.meter = meter;
    this.dataCentre = dataCentre;
  }

  /**
   * Executes a request.
   *
   * @param client the connection that sent the request
   * @return the answer; the future never fails
   */
  public CompletableFuture<Response> handle(Request request, Client client) {
    try {
      return execute(request, client).exceptionally(failure -> refusal(request, failure));
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(refusal(request, e));
    }
  }

  /**
   * Answers a request from memory. Neither waits nor takes long.
   *
   * @return empty if memory does not suffice: then {@link #handle} executes the request
   */
  Optional<Response> answerAtOnce(Request request) {
    if (!(request instanceof Request.StaticRead read) || read.objects().size() > MAX_AT_ONCE) {
      return Optional.empty();
    }
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? embedded
              .readsInMemory(read.clock().map(Clocks::parse), read.objects().size() > 1)
              .flatMap(reads -> values(reads, read))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Executing the request reports the failure.
      return Optional.empty();
    }
  }

  /**
   * Starts the execution of a request if that needs no wait: requests a read of another node, or
   * begins a commit. The answer completes later.
   *
   * @return empty if nothing was started: then {@link #handle} executes the request
   */
  Optional<Work.StartedRequest<Response>> begin(Request request, Work.Starter starter) {
    return request instanceof Request.StaticUpdate update
        ? commitAtOnce(update, starter)
        : starter.read(() -> readRemotely(request));
  }

  private Optional<Work.StartedRequest<Response>> commitAtOnce(
      Request.StaticUpdate request, Work.Starter starter) {
    int count = request.updates().size();
    if (count == 0 || count > MAX_AT_ONCE) {
      return Optional.empty();
    }
    long startNanos = transactions.clock().nanos();
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? starter.commit(
              embedded,
              request.clock().map(Clocks::parse),
              transactions.certification(),
              updates(request.updates()),
              stage ->
                  stage
                      .thenApply(token -> committed(token, startNanos))
                      .exceptionally(failure -> refusal(request, failure)))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Nothing was changed: executing the request reports the failure.
      return Optional.empty();
    }
  }

  /**
   * Requests a read from another node, if that needs no wait.
   *
   * @return empty if this is impossible; the future fails if the other node can't answer
   */
  private Optional<CompletableFuture<Response>> readRemotely(Request request) {
    if (!(request instanceof Request.StaticRead read) || read.objects().size() != 1) {
      return Optional.empty();
    }
    BoundObject object = read.objects().get(0);
    try {
      return store.find().orElse(null) instanceof EmbeddedStore embedded
          ? embedded
              .readsInMemory(read.clock().map(Clocks::parse), false)
              .flatMap(
                  reads ->
                      TypeMappings.of(object.type())
                          .ask(reads, object)
                          .map(
                              answer ->
                                  answer.thenApply(
                                      value ->
                                          new Response.StaticValues(
                                              List.of(value), Clocks.of(reads.token())))))
          : Optional.empty();
    } catch (RuntimeException e) {
      // Executing the request reports the failure.
      return Optional.empty();
    }
  }

  private static Optional<Response> values(InMemoryReads reads, Request.StaticRead read) {
    List<WireValue> values = new ArrayList<>(read.objects().size());
    for (BoundObject object : read.objects()) {
      Optional<WireValue> value = TypeMappings.of(object.type()).find(reads, object);
      if (value.isEmpty()) {
        return Optional.empty();
      }
      values.add(value.get());
    }
    return Optional.of(new Response.StaticValues(values, Clocks.of(reads.token())));
  }

  /** Returns how answers to requests are sent. */
  Replies<Response> replies() {
    return replies;
  }

  /** Converts a failure to the answer that the protocol has for it. */
  private Response refusal(Request request, Throwable failure) {
    Throwable cause = Failures.cause(failure);
    if (request instanceof Request.Update && cause instanceof OperationRefusedException) {
      return new Response.Refused(ErrorCode.NO_PERMISSIONS);
    }
    if (request instanceof Request.StaticUpdate && cause instanceof OperationRefusedException) {
      return new Response.NotCommitted(ErrorCode.NO_PERMISSIONS);
    }
    if (request instanceof Request.CreateDataCentre) {
      Response.Failed failed = Failures.answer(cause);
      return new Response.DataCentreNotCreated(failed.code(), failed.message());
    }
    if (request instanceof Request.ConnectDataCentres) {
      Response.Failed failed = Failures.answer(cause);
      return new Response.DataCentresNotConnected(failed.code(), failed.message());
    }
    boolean commits = request instanceof Request.StaticUpdate || request instanceof Request.Commit;
    return commits && Failures.code(cause) == ErrorCode.ABORTED
        ? new Response.NotCommitted(ErrorCode.ABORTED)
        : Failures.answer(cause);
  }

  private CompletableFuture<Response> execute(Request request, Client client) {
    return request.accept(new Execution(client));
  }

  private static CompletableFuture<Response> done(Response response) {
    return CompletableFuture.completedFuture(response);
  }

  /** Executes the requests of one client. */
  private final class Execution implements Request.Visitor<CompletableFuture<Response>> {
    private final Client client;

    Execution(Client client) {
      this.client = client;
    }

    @Override
    public CompletableFuture<Response> start(Request.Start request) {
      return done(
          new Response.Started(
              transactions.begin(
                  client, () -> beginTransaction(request.clock(), transactions.certification()))));
    }

    @Override
    public CompletableFuture<Response> abort(Request.Abort request) {
      transactions.remove(request.descriptor()).close();
      return done(new Response.Done());
    }

    @Override
    public CompletableFuture<Response> commit(Request.Commit request) {
      return RequestHandler.this.commit(request);
    }

    @Override
    public CompletableFuture<Response> read(Request.Read request) {
      return done(
          in(
              client,
              request.descriptor(),
              tx -> new Response.Values(values(tx, request.objects()))));
    }

    @Override
    public CompletableFuture<Response> update(Request.Update request) {
      return done(RequestHandler.this.update(request, client));
    }

    @Override
    public CompletableFuture<Response> staticUpdate(Request.StaticUpdate request) {
      return RequestHandler.this.staticUpdate(request);
    }

    @Override
    public CompletableFuture<Response> staticRead(Request.StaticRead request) {
      return done(RequestHandler.this.staticRead(request));
    }

    @Override
    public CompletableFuture<Response> validate(Request.Validate request) {
      return done(
          in(
              client,
              request.descriptor(),
              tx -> Validation.of(request, object -> value(tx, object), maxResponseBytes)));
    }

    @Override
    public CompletableFuture<Response> createDataCentre(Request.CreateDataCentre request) {
      return done(dataCentre.answer(request));
    }

    @Override
    public CompletableFuture<Response> connectDataCentres(Request.ConnectDataCentres request) {
      return dataCentre.answer(request);
    }

    @Override
    public CompletableFuture<Response> describeConnection(Request.DescribeConnection request) {
      return done(dataCentre.answer(request));
    }
  }

  private Transaction beginTransaction(Optional<Bytes> clock, Certification certification) {
    TransactionOptions options = TransactionOptions.defaults().certify(certification);
    return store
        .get()
        .begin(clock.map(bytes -> options.after(Clocks.parse(bytes))).orElse(options));
  }

  private <T> T in(Client client, Bytes descriptor, Function<Transaction, T> action) {
    return transactions.get(client, descriptor).use(transactions.clock(), action);
  }

  private Response staticRead(Request.StaticRead read) {
    try (Transaction transaction = beginTransaction(read.clock(), Certification.NONE)) {
      return new Response.StaticValues(
          values(transaction, read.objects()), Clocks.of(transaction.snapshot()));
    }
  }

  /**
   * Reads objects, and checks that they fit into one answer. A repeated object is in memory once,
   * so that a small request can't exhaust the heap.
   */
  private List<WireValue> values(Reader reader, List<BoundObject> objects) {
    List<WireValue> values = new ArrayList<>(objects.size());
    Map<BoundObject, WireValue> cache = new HashMap<>();
    long bytes = 0;
    for (BoundObject object : objects) {
      WireValue value = cache.computeIfAbsent(object, missing -> value(reader, missing));
      bytes = ValueCodec.count(value, bytes, maxResponseBytes);
      values.add(value);
    }
    return values;
  }

  private static WireValue value(Reader reader, BoundObject object) {
    return TypeMappings.of(object.type()).read(reader, object);
  }

  private Response update(Request.Update request, Client client) {
    Update[] updates = updates(request.updates());
    return in(
        client,
        request.descriptor(),
        transaction -> {
          transaction.update(updates);
          return new Response.Done();
        });
  }

  /** Maps updates; type errors are found before the transaction changes. */
  private static Update[] updates(List<ObjectUpdate> requested) {
    Update[] updates = new Update[requested.size()];
    for (int i = 0; i < updates.length; i++) {
      ObjectUpdate update = requested.get(i);
      updates[i] =
          TypeMappings.of(update.object().type()).update(update.object(), update.operation());
    }
    return updates;
  }

  private CompletableFuture<Response> staticUpdate(Request.StaticUpdate request) {
    Update[] updates = updates(request.updates());
    try (Transaction transaction =
        beginTransaction(request.clock(), transactions.certification())) {
      transaction.update(updates);
      return commit(transaction);
    }
  }

  private CompletableFuture<Response> commit(Request.Commit request) {
    return transactions.remove(request.descriptor()).use(transactions.clock(), this::commit);
  }

  private CompletableFuture<Response> commit(Transaction transaction) {
    long startNanos = transactions.clock().nanos();
    return transaction
        .commitAsync()
        .thenApply(token -> committed(token, startNanos))
        .toCompletableFuture();
  }

  private Response committed(CausalToken token, long startNanos) {
    meter.committed(transactions.clock().nanos() - startNanos);
    return new Response.Committed(Clocks.of(token));
  }
}
