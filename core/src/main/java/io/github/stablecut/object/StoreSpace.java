package io.github.stablecut.object;

import io.github.stablecut.Computation;
import io.github.stablecut.Pin;
import io.github.stablecut.Store;
import io.github.stablecut.Values;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.NamedQuestion;
import io.github.stablecut.crdt.StreamValue;
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

/** Objects of a store. Thread-safe. */
final class StoreSpace implements ObjectSpace {
  private static final Logger LOG = Log.of(StoreSpace.class);

  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  /** The most attempts of a read whose snapshot is overtaken. */
  private static final int MAX_SNAPSHOTS = 1_000;

  private final Store store;

  private final HomeDataCentre home;

  /** Whether each call is a request to a server. */
  private final boolean isRemote;

  /** Whether others than this process may have acknowledged a call. */
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

  /** The home of the objects that are opened in it. */
  HomeDataCentre home() {
    return home;
  }

  /** The space of the store in which another one was begun; empty if that is not known. */
  static Optional<StoreSpace> originOf(ObjectSpace space) {
    if (space instanceof StoreSpace store) {
      return Optional.of(store);
    }
    return space instanceof TransactionSpace transaction
        ? transaction.origin()
        : ((SnapshotSpace) space).origin();
  }

  /** Whether what is known of an object in one space is so in another one. */
  static boolean areOfOneStore(ObjectSpace one, ObjectSpace other) {
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
   * Whether no call can still come that is before those that are here: from another data centre it
   * could, and a state that speaks for all calls before it would not know it.
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

  /** What an object's log says now: with all calls that were acknowledged before, by any node. */
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
        // Nobody has claimed the snapshot, and it was overtaken while it was read: take a newer
        // one.
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
   * What a log says now.
   *
   * @param isFinal whether no call can come to be before those that it has
   */
  record Latest<V>(V value, boolean isFinal) {
    <W> Latest<W> map(Function<? super V, ? extends W> function) {
      return new Latest<>(function.apply(value), isFinal);
    }
  }

  /** As {@link #readLatest}. */
  <V> Latest<V> latest(StreamKey<Bytes> log, Query<V> query) {
    return isRemote
        ? latest(query, readRemote(query), true)
        : new Latest<>(readLatest(log, query), isAlone());
  }

  /**
   * What was found of a log.
   *
   * @param isAlone whether there is no other data centre, if the store is in this process or a
   *     cluster
   */
  private <V> Latest<V> latest(Query<V> query, Values found, boolean isAlone) {
    // Once the snapshot has anything of another data centre, its vector has an entry for that.
    boolean isOfOne = found.token().vector().size() <= 1;
    return new Latest<>(found.get(query), isRemote ? isOfOne : isAlone);
  }

  <S> void mutate(StreamKey<Bytes> log, Bytes entry, Compaction<S> compaction, ObjectType<S> type) {
    store.updateOnce(log.append(entry));
    if (Compaction.isWorthALook(entry)) {
      sumUpIfDue(log, compaction, type);
    }
  }

  /** Sums up a log, if that is due and can be done. What was called before is committed already. */
  <S> void sumUpIfDue(StreamKey<Bytes> log, Compaction<S> compaction, ObjectType<S> type) {
    try {
      if (compaction.isDue(store.read(ObjectQuery.of(log, BoundOperation.askSizes(type))).made())
          && isAlone()) {
        sumUp(log, compaction, type);
      }
    } catch (RuntimeException e) {
      // The calls are logged, and another one will try again.
      LOG.debug("{} can't be summed up", log, e);
    }
  }

  private <S> void sumUp(StreamKey<Bytes> log, Compaction<S> compaction, ObjectType<S> type) {
    AtomicReference<StreamValue> seen = new AtomicReference<>();
    try {
      boolean unused =
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
   * @param entry of the call in the log
   * @param sent the call as it is sent to where the object is; empty if it can't be
   */
  record Exchange<S, R>(
      StreamKey<Bytes> log,
      Bytes entry,
      Compaction<S> compaction,
      ObjectType<S> type,
      Optional<NamedQuestion<CallOutcome<R>>> sent) {}

  /**
   * Logs a call whose result depends on the state, unless it leaves a collection as it is.
   *
   * @param call makes the result and the state
   * @param check throws if the result is of no use; then nothing is changed
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
      exchange.compaction.postpone(value); // nothing was changed; the state may be too large
      return store.compute(List.of(log), function);
    }
  }

  /**
   * As {@link #exchange(Exchange, Function, Consumer)}, on the state in a handle, which gets the
   * calls that are new.
   */
  <S, R> R exchange(
      Exchange<S, R> exchange,
      LocalState<S> local,
      Function<? super S, ? extends Outcome<S, R>> call,
      Consumer<? super R> check) {
    while (true) {
      LocalState.Known<S> from = local.knownOrLoaded(this);
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
                Optional<LocalState.Known<S>> next =
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

  /** Executes a call where the object is; empty if the log is to be summed up with it. */
  private <S, R> Optional<R> execute(
      Exchange<S, R> exchange, NamedQuestion<CallOutcome<R>> sent, Consumer<? super R> check) {
    ObjectQuery<NamedQuestion.Answer<CallOutcome<R>>, NamedQuestion.Answer<CallOutcome<R>>> query =
        ObjectQuery.of(exchange.log, sent);
    return store.compute(
        List.of(query),
        found -> {
          CallOutcome<R> answered = found.get(query).made();
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
    Transacted<R> done =
        store.transact(
            SERIALISABLE,
            transaction -> {
              AfterCommit after = new AfterCommit();
              return new Transacted<>(
                  body.apply(new TransactionSpace(transaction, Optional.of(this), after, false)),
                  after);
            });
    done.after.run();
    return done.result;
  }

  /** What a transaction has returned, and what is to be done once it is committed. */
  private record Transacted<R>(R result, AfterCommit after) {}

  @Override
  public <R> R snapshot(Function<? super ObjectSpace, ? extends R> body) {
    if (isOnSeveralNodes) {
      return body.apply(new SnapshotSpace(store.snapshot(), Optional.of(this))); // no requests
    }
    try (Pin pin = pinned()) {
      // What is kept of the space may go on to read the snapshot, though nobody claims it then.
      return body.apply(new SnapshotSpace(store.at(pin.token()), Optional.of(this)));
    }
  }

  private Pin pinned() {
    while (true) {
      try {
        return store.pin(store.snapshot().token());
      } catch (SnapshotTruncatedException e) {
        // It was overtaken before it was claimed: take a newer one.
      }
    }
  }
}
