package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TrimmedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.StreamKey;
import io.github.stablecut.key.StreamView;
import io.github.stablecut.key.Update;
import io.github.stablecut.object.ObjectType.Entry;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Logged;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.Operation.RemoteCodecs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A handle of an object in a store, a transaction or a snapshot. A stream holds the object's calls
 * in one order; applying them in turn produces its state. As thread-safe as its {@link
 * ObjectSpace}.
 *
 * @param <S> the states
 */
public final class SharedObject<S> {
  private final ObjectSpace space;
  private final StreamKey<Bytes> log;
  private final ObjectType<S> type;
  private final View view;
  private final Compaction<S> compaction;
  private final LocalState<S> local;
  private final HomeDataCentre home;

  /** Whether the object is known to have this type; an object's type never changes. */
  private final AtomicBoolean isTyped;

  SharedObject(
      ObjectSpace space, StreamKey<Bytes> log, ObjectType<S> type, View view, HomeDataCentre home) {
    this(
        space,
        log,
        type,
        view,
        home,
        new Compaction<>(log, type),
        new LocalState<>(log, type),
        new AtomicBoolean());
  }

  private SharedObject(
      ObjectSpace space,
      StreamKey<Bytes> log,
      ObjectType<S> type,
      View view,
      HomeDataCentre home,
      Compaction<S> compaction,
      LocalState<S> local,
      AtomicBoolean isTyped) {
    this.space = space;
    this.log = log;
    this.type = type;
    this.view = view;
    this.home = home;
    this.compaction = compaction;
    this.local = local;
    this.isTyped = isTyped;
  }

  static StreamKey<Bytes> log(String bucket, String key) {
    return Key.stream(bucket, key, Codec.bytes());
  }

  /** Returns the same object in another space, such as a transaction. Costs nothing. */
  public SharedObject<S> in(ObjectSpace other) {
    return StoreSpace.areOfOneStore(space, other)
        ? new SharedObject<>(other, log, type, view, home, compaction, local, isTyped)
        : new SharedObject<>(other, log, type, view, home.in(other));
  }

  /** The space in which the object is used. */
  public ObjectSpace space() {
    return space;
  }

  public HomeDataCentre home() {
    return home;
  }

  /** Returns the stream of its calls. */
  public StreamKey<Bytes> log() {
    return log;
  }

  /** Returns its type. */
  public ObjectType<S> type() {
    return type;
  }

  /** Applies a function to the current state in the space, and returns its result. */
  public <R> R get(Function<? super S, ? extends R> accessor) {
    return accessor.apply(state());
  }

  /** Applies an accessor to the state, and returns its result. */
  public <A, R> R get(Accessor<S, A, R> accessor, A argument) {
    if (accessor.sent().isEmpty() || isLocal()) {
      return accessor.function().apply(state(), argument);
    }
    RemoteCodecs<A, R> sent = accessor.sent().get();
    BoundOperation<S, R> code = BoundOperation.of(type, sent, accessor.function());
    return ask(code.call(accessor.name(), sent.argument().encode(argument))).get();
  }

  private boolean isLocal() {
    return view == View.LOCAL && space instanceof StoreSpace;
  }

  private <R> CallOutcome<R> ask(NamedQuestion<CallOutcome<R>> call) {
    return answer(ObjectQuery.of(log, call)).result();
  }

  /** Applies an accessor without an argument, as {@link #get(Accessor, Object)} does. */
  public <R> R get(Accessor<S, None, R> accessor) {
    return get(accessor, None.NONE);
  }

  /** Returns the current state in the space. */
  public S state() {
    PureExecution.checkNone(log);
    return view == View.LOCAL && space instanceof StoreSpace store
        ? local.state(store)
        : type.state(read().value());
  }

  /**
   * Returns the state after the first calls.
   *
   * @param position how many calls
   * @throws TrimmedException if the individual calls from that time are trimmed; a snapshot of the
   *     store from then may still show the state
   * @throws IllegalArgumentException if there were fewer calls
   */
  public S stateAt(long position) {
    StreamValue value = read().value();
    if (position >= 0 && position < value.first()) {
      throw new TrimmedException(
          "the calls of %s before position %,d were summarized, and position %,d can no longer be read: read a snapshot of the store from that time"
              .formatted(log, value.first(), position));
    }
    if (position < 0 || position > value.tail()) {
      throw new IllegalArgumentException(
          "%s has had %,d calls: a position is between 0 and this number, not %,d"
              .formatted(log, value.tail(), position));
    }
    return value.foldBefore(type.fold(), position).state();
  }

  /** Returns how many calls of mutators the object has had. */
  public long position() {
    return answer(log.tail());
  }

  StreamView<Bytes> read() {
    return answer(log);
  }

  /** Answers a query of the log in the space. */
  private <V> V answer(Query<V> query) {
    PureExecution.checkNone(log);
    return space instanceof StoreSpace store ? store.readLatest(log, query) : space.read(query);
  }

  /**
   * Calls a mutator. In a store, the method returns when the call is durable and visible.
   *
   * <p>The first call determines the type of an object. If calls of two types race on an object
   * without calls, the later one has no effect.
   *
   * @throws TypeMismatchException if the object is of another type
   * @throws WrongDataCentreException if its home is another data centre
   */
  public <A> void call(Mutator<S, A> mutator, A argument) {
    Bytes entry = entry(mutator, argument).bytes();
    checkType();
    if (space instanceof StoreSpace store) {
      store.mutate(log, entry, compaction, type);
    } else {
      space.update(log.append(entry));
      if (space instanceof TransactionSpace inside && Compaction.isWorthALook(entry)) {
        inside
            .origin()
            .ifPresent(
                store ->
                    inside.afterCommit().add(log, () -> store.sumUpIfDue(log, compaction, type)));
      }
    }
  }

  /** Returns the log entry of a call. */
  private <A> Entry<A> entry(Logged<S, A> operation, A argument) {
    PureExecution.checkNone(log);
    home.check(log);
    return type.entry(operation, argument);
  }

  /**
   * Checks the object's type until permanent calls confirm it. The check adds no dependency to a
   * transaction.
   */
  private void checkType() {
    if (isTyped.get()) {
      return;
    }
    Optional<ObjectSpace> committed = StoreSpace.originOf(space).map(store -> store);
    if (committed.isPresent() && in(committed.get()).checkReadType()) {
      isTyped.set(true);
    } else if (space instanceof TransactionSpace) {
      checkReadType(); // from the transaction's own calls, which may be rolled back
    }
  }

  /**
   * Reads the object's type and checks that it is this one.
   *
   * @return whether it has a type
   */
  @CanIgnoreReturnValue
  private boolean checkReadType() {
    Optional<Bytes> found = ask(BoundOperation.askType(type)).get();
    found.ifPresent(name -> type.check(name.toUtf8()));
    return found.isPresent();
  }

  /** Calls a mutator without an argument, as {@link #call(Mutator, Object)} does. */
  public void call(Mutator<S, None> mutator) {
    call(mutator, None.NONE);
  }

  /**
   * Calls a mutator with a result. In a store, it is executed on the state at that moment
   * (linearizable), and returns when the call is durable and visible. In a transaction, a
   * concurrent call that commits first makes the commit throw {@link ConflictException}, regardless
   * of how the transaction is certified. If the function throws, nothing changes, and this method
   * throws the same exception.
   *
   * @throws WrongDataCentreException if the object's home is another data centre
   */
  @CanIgnoreReturnValue
  public <A, R> R call(MutatorAccessor<S, A, R> operation, A argument) {
    return call(operation, argument, result -> {});
  }

  /**
   * Like {@link #call(MutatorAccessor, Object)}.
   *
   * @param check throws if the caller can't use the result; then nothing is changed
   */
  <A, R> R call(MutatorAccessor<S, A, R> operation, A argument, Consumer<? super R> check) {
    Entry<A> logged = entry(operation, argument);
    Bytes entry = logged.bytes();
    A loggedArgument = logged.argument();
    Optional<NamedQuestion<CallOutcome<R>>> sent =
        operation.result().map(results -> called(operation, results, loggedArgument));
    if (space instanceof StoreSpace store) {
      StoreSpace.Exchange<S, R> exchange =
          new StoreSpace.Exchange<>(log, entry, compaction, type, sent);
      Function<S, Outcome<S, R>> execution =
          state -> PureExecution.of(operation, state, loggedArgument);
      return view == View.LOCAL
          ? store.exchange(exchange, local, execution, check)
          : store.exchange(exchange, execution, check);
    }
    if (sent.isPresent()) {
      CallOutcome<R> answered = ask(sent.get());
      R result = answered.get();
      check.accept(result);
      if (!compaction.isDue(answered) || !mayTrim()) {
        space.update(log.appendIfUnchanged(List.of(entry)));
        return result;
      }
    }
    StreamView<Bytes> found = read();
    S state = type.state(found.value());
    Outcome<S, R> outcome = PureExecution.of(operation, state, loggedArgument);
    check.accept(outcome.result());
    Update call = log.appendIfUnchanged(List.of(entry));
    try {
      space.update(compaction.updates(found.value(), state, call, this::mayTrim));
    } catch (LimitExceededException e) {
      compaction.postpone(found.value()); // nothing changed; the state may be too large
      space.update(call);
    }
    return outcome.result();
  }

  private <A, R> NamedQuestion<CallOutcome<R>> called(
      MutatorAccessor<S, A, R> operation, Codec<R> results, A argument) {
    return BoundOperation.of(type, operation, results)
        .call(operation.name(), operation.argument().encode(argument));
  }

  private boolean mayTrim() {
    return space instanceof TransactionSpace inside && inside.mayTrim();
  }

  /**
   * Calls a mutator with a result and without an argument, as {@link #call(MutatorAccessor,
   * Object)} does.
   */
  @CanIgnoreReturnValue
  public <R> R call(MutatorAccessor<S, None, R> operation) {
    return call(operation, None.NONE);
  }

  /**
   * Returns this object as an implementation of an interface. Each of its methods has an annotation
   * ({@link io.github.stablecut.object.annotation}) and stands for the operation of the same name.
   * Default methods without an annotation call the others. If the class of an argument or result
   * differs from the operation's, the call throws {@link IllegalArgumentException} and changes
   * nothing.
   *
   * @throws IllegalArgumentException if {@code calls} is not an interface, or a method matches no
   *     operation of the type, or its argument or result differs as far as the codecs tell
   */
  public <I> I as(Class<I> calls) {
    return ObjectProxy.of(this, calls);
  }

  /**
   * Executes all retained calls again, twice, and compares the bytes of the states with each other
   * and with those of the state in memory.
   *
   * @throws NotDeterministicException if they differ; names the call if it is known
   */
  public void verify() {
    StreamValue value = read().value();
    S head = local.stateAt(value.tail()).orElseGet(() -> type.state(value));
    DeterminismCheck.run(log, type, value, head);
  }

  @Override
  public String toString() {
    return type + " at " + log;
  }
}
