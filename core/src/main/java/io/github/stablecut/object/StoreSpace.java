package io.github.stablecut.object;

import io.github.stablecut.Computation;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.SnapshotTruncatedException;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamSlice;
import io.github.stablecut.key.Update;
import io.github.stablecut.log.Log;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.DataCentres;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;

/** A space for objects of a store. Thread-safe. */
public final class StoreSpace implements ObjectSpace {
  private static final Logger LOG = Log.of(StoreSpace.class);

  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  /** The maximum number of attempts of a read whose snapshot is truncated meanwhile. */
  private static final int MAX_SNAPSHOTS = 1_000;

  private final Store store;

  private final HomeDataCentre home;

  /** Whether each call is a request to a server. */
  private final boolean isRemote;

  /** Whether processes other than this one may have acknowledged a call. */
  private final boolean isOnSeveralNodes;

  StoreSpace(Store store, HomeDataCentre home) {
    this.store = store;
    this.home = home;
    DataCentres dataCentres = store.dataCentres();
    this.isRemote = dataCentres.isRemote();
    this.isOnSeveralNodes = isRemote || dataCentres.isCluster();
  }

  Store store() {
    return store;
  }

  /** Returns the home of the objects that are opened in this space. */
  HomeDataCentre home() {
    return home;
  }

  /** Returns the space of the store that another space belongs to; empty if unknown. */
  public static Optional<StoreSpace> originOf(ObjectSpace space) {
    if (space instanceof StoreSpace store) {
      return Optional.of(store);
    }
    return space instanceof TransactionSpace transaction
        ? transaction.origin()
        : ((SnapshotSpace) space).origin();
  }

  /** Returns whether facts cached about an object in one space hold in another. */
  public static boolean areOfOneStore(ObjectSpace one, ObjectSpace other) {
    Optional<StoreSpace> store = originOf(other);
    return one.equals(other)
        || areOfOneTransaction(one, other)
        || originOf(one).filter(known -> store.filter(known::isOf).isPresent()).isPresent();
  }

  private static boolean areOfOneTransaction(ObjectSpace one, ObjectSpace other) {
    return one instanceof TransactionSpace first
        && other instanceof TransactionSpace second
        && first.transaction().equals(second.transaction());
  }

  /**
   * Returns whether no call can still be ordered before those that are here. A call of another data
   * centre could, and a state that summarizes all calls before it would miss that call.
   */
  boolean isAlone() {
    return store.dataCentres().all().size() == 1;
  }

  boolean isOf(StoreSpace other) {
    return store == other.store;
  }

  @Override
  public <V> V read(Query<V> query) {
    return store.read(query);
  }

  @Override
  public Values read(Collection<? extends Query<?>> queries) {
    return store.read(queries);
  }

  @Override
  public void update(Update... updates) {
    store.update(updates);
  }

  /** Reads an object's log with all calls that any node acknowledged before. */
  <V> V readLatest(StreamKey<Bytes> log, Query<V> query) {
    if (isRemote) {
      return readRemote(query).get(query);
    }
    if (!isOnSeveralNodes) {
      return store.read(query);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return store.latest(log).read(query);
      } catch (SnapshotTruncatedException e) {
        // The snapshot is not registered as active, and was truncated meanwhile: take a newer one.
        if (attempt == MAX_SNAPSHOTS) {
          throw e;
        }
      }
    }
  }

  /** Reads in one request. */
  private Values readRemote(Query<?> query) {
    return store.compute(List.of(query), Computation::of);
  }

  /**
   * The current answer of a log.
   *
   * @param isFinal whether no call can still be ordered before those in the log
   */
  record Latest<V>(V value, boolean isFinal) {
    <W> Latest<W> map(Function<? super V, ? extends W> function) {
      return new Latest<>(function.apply(value), isFinal);
    }
  }

  /** Reads like {@link #readLatest}, and returns whether the answer is final. */
  <V> Latest<V> latest(StreamKey<Bytes> log, Query<V> query) {
    return isRemote
        ? latest(query, readRemote(query), true)
        : new Latest<>(readLatest(log, query), isAlone());
  }

  /**
   * Returns the answer found in a log.
   *
   * @param isAlone whether there is no other data centre, if the store is in this process or a
   *     cluster
   */
  private <V> Latest<V> latest(Query<V> query, Values found, boolean isAlone) {
    // Once the snapshot includes a commit of another data centre, its vector has an entry for it.
    boolean isOfOne = found.token().vector().size() <= 1;
    return new Latest<>(found.get(query), isRemote ? isOfOne : isAlone);
  }

  <S> void mutate(StreamKey<Bytes> log, Bytes entry, Compaction<S> compaction, ObjectType<S> type) {
    store.updateOnce(log.append(entry));
    if (Compaction.isWorthALook(entry)) {
      sumUpIfDue(log, compaction, type);
    }
  }

  /** Summarizes a log if that is due and possible. Earlier calls are already committed. */
  <S> void sumUpIfDue(StreamKey<Bytes> log, Compaction<S> compaction, ObjectType<S> type) {
    try {
      if (compaction.isDue(store.read(ObjectQuery.of(log, BoundOperation.askSizes(type))).result())
          && isAlone()) {
        sumUp(log, compaction, type);
      }
    } catch (RuntimeException e) {
      // The calls are logged, and a later call will try again.
      LOG.debug("the calls of {} can't be summarized", log, e);
    }
  }

  private <S> void sumUp(StreamKey<Bytes> log, Compaction<S> compaction, ObjectType<S> type) {
    AtomicReference<StreamValue> seen = new AtomicReference<>();
    try {
      store.compute(
          List.of(log),
          found -> {
            StreamValue value = found.get(log).value();
            seen.set(value);
            return Computation.of(
                true,
                compaction.summary(value, type.state(value), this::isAlone).stream()
                    .toArray(Update[]::new));
          });
    } catch (LimitExceededException e) {
      Optional.ofNullable(seen.get()).ifPresent(compaction::postpone); // the state is too large
    }
  }

  /**
   * A call whose result depends on the state.
   *
   * @param entry the log entry of the call
   * @param sent the call as the process with the object receives it; empty if it can't be sent
   */
  record Exchange<S, R>(
      StreamKey<Bytes> log,
      Bytes entry,
      Compaction<S> compaction,
      ObjectType<S> type,
      Optional<NamedQuestion<CallOutcome<R>>> sent) {}

  /**
   * Logs a call whose result depends on the state, unless it leaves a collection unchanged.
   *
   * @param call computes the result and the state
   * @param check throws if the caller can't use the result; then nothing is changed
   */
  <S, R> R exchange(
      Exchange<S, R> exchange,
      Function<? super S, ? extends Outcome<S, R>> call,
      Consumer<? super R> check) {
    Optional<R> result = exchange.sent.flatMap(sent -> execute(exchange, sent, check));
    if (result.isPresent()) {
      return result.get();
    }
    StreamKey<Bytes> log = exchange.log;
    AtomicReference<StreamValue> seen = new AtomicReference<>();
    Function<Values, Computation<R>> function =
        found -> {
          StreamValue value = found.get(log).value();
          seen.set(value);
          S state = exchange.type.state(value);
          Outcome<S, ? extends R> outcome = call.apply(state);
          R made = outcome.result();
          check.accept(made);
          if (!outcome.changes(state)) {
            return Computation.of(made);
          }
          return Computation.of(
              made,
              exchange.compaction.updates(value, state, log.append(exchange.entry), this::isAlone));
        };
    try {
      return store.compute(List.of(log), function);
    } catch (LimitExceededException e) {
      StreamValue value = seen.get();
      if (value == null || !exchange.compaction.isDue(value)) {
        throw e;
      }
      exchange.compaction.postpone(value); // nothing changed; the state may be too large
      return store.compute(List.of(log), function);
    }
  }

  /**
   * Logs a call as {@link #exchange(Exchange, Function, Consumer)} does, but on the state cached in
   * a handle, which also receives the new calls.
   */
  <S, R> R exchange(
      Exchange<S, R> exchange,
      LocalState<S> local,
      Function<? super S, ? extends Outcome<S, R>> call,
      Consumer<? super R> check) {
    while (true) {
      LocalState.CachedState<S> from = local.knownOrLoaded(this);
      if (!from.isFinal()) {
        return exchange(exchange, call, check);
      }
      Query<StreamSlice<Bytes>> newCalls = local.newCalls(from);
      boolean isAlone = !isRemote && isAlone();
      Optional<R> result =
          store.compute(
              List.of(newCalls),
              found -> {
                Latest<StreamSlice<Bytes>> calls = latest(newCalls, found, isAlone);
                Optional<LocalState.CachedState<S>> next =
                    local
                        .advanced(from, calls)
                        .filter(known -> known.position() == calls.value().tail());
                next.ifPresentOrElse(local::keep, local::forget);
                return next.map(known -> computed(exchange, call, check, known.state()))
                    .orElseGet(() -> Computation.of(Optional.empty()));
              });
      if (result.isPresent()) {
        if (Compaction.isWorthALook(exchange.entry)) {
          sumUpIfDue(exchange.log, exchange.compaction, exchange.type);
        }
        return result.get();
      }
    }
  }

  private static <S, R> Computation<Optional<R>> computed(
      Exchange<S, R> exchange,
      Function<? super S, ? extends Outcome<S, R>> call,
      Consumer<? super R> check,
      S state) {
    Outcome<S, ? extends R> outcome = call.apply(state);
    R made = outcome.result();
    check.accept(made);
    return outcome.changes(state)
        ? Computation.of(Optional.of(made), exchange.log.append(exchange.entry))
        : Computation.of(Optional.of(made));
  }

  /**
   * Executes a call in the process that has the object; empty if the log must be summarized with
   * it.
   */
  private <S, R> Optional<R> execute(
      Exchange<S, R> exchange, NamedQuestion<CallOutcome<R>> sent, Consumer<? super R> check) {
    ObjectQuery<NamedQuestion.Answer<CallOutcome<R>>, NamedQuestion.Answer<CallOutcome<R>>> query =
        ObjectQuery.of(exchange.log, sent);
    return store.compute(
        List.of(query),
        found -> {
          CallOutcome<R> answered = found.get(query).result();
          R result = answered.get();
          check.accept(result);
          if (!answered.isChange()) {
            return Computation.of(Optional.of(result));
          }
          return exchange.compaction.isDue(answered) && isAlone()
              ? Computation.of(Optional.empty())
              : Computation.of(Optional.of(result), exchange.log.append(exchange.entry));
        });
  }

  @Override
  public <R> R transact(Function<? super ObjectSpace, ? extends R> body) {
    TransactOutcome<R> done =
        store.transact(
            SERIALISABLE,
            transaction -> {
              AfterCommit after = new AfterCommit();
              return new TransactOutcome<>(
                  body.apply(new TransactionSpace(transaction, Optional.of(this), after, false)),
                  after);
            });
    done.after.run();
    return done.result;
  }

  /** The result of a transaction, and the tasks to run after its commit. */
  private record TransactOutcome<R>(R result, AfterCommit after) {}

  @Override
  public <R> R snapshot(Function<? super ObjectSpace, ? extends R> body) {
    if (isOnSeveralNodes) {
      return body.apply(new SnapshotSpace(store.snapshot(), Optional.of(this))); // no requests
    }
    try (Pin pin = pinned()) {
      // A handle that outlives the function may still read the snapshot, which is then unprotected.
      return body.apply(new SnapshotSpace(store.at(pin.token()), Optional.of(this)));
    }
  }

  private Pin pinned() {
    while (true) {
      try {
        return store.pin(store.snapshot().token());
      } catch (SnapshotTruncatedException e) {
        // The snapshot was truncated before it was pinned: take a newer one.
      }
    }
  }
}
