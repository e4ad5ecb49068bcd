package io.github.stablecut.object;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.NamedQuestion;
import io.github.stablecut.crdt.StreamValue;
import io.github.stablecut.crdt.codec.Codec;
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
import io.github.stablecut.object.Operation.Sent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An object as somebody uses it: in a store, a transaction or a snapshot. Its calls are in a
 * stream, in one order; its state is what they make, one after the other. As thread-safe as its
 * {@link ObjectSpace}.
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

  /** Whether the object is known to be of the type, which it then stays. */
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

  /** The same object in another space, such as a transaction. Costs nothing. */
  public SharedObject<S> in(ObjectSpace other) {
    return StoreSpace.areOfOneStore(space, other)
        ? new SharedObject<>(other, log, type, view, home, compaction, local, isTyped)
        : new SharedObject<>(other, log, type, view, home.in(other));
  }

  /** The space that it is used in. */
  public ObjectSpace space() {
    return space;
  }

  HomeDataCentre home() {
    return home;
  }

  /** The stream of its calls. */
  public StreamKey<Bytes> log() {
    return log;
  }

  /** Its type. */
  public ObjectType<S> type() {
    return type;
  }

  /** What a function makes of the state as it is now in the space. */
  public <R> R get(Function<? super S, ? extends R> accessor) {
    return accessor.apply(state());
  }

  /** What an accessor makes of the state. */
  public <A, R> R get(Accessor<S, A, R> accessor, A argument) {
    if (accessor.sent().isEmpty() || isLocal()) {
      return accessor.function().apply(state(), argument);
    }
    Sent<A, R> sent = accessor.sent().get();
    BoundOperation<S, R> code = BoundOperation.of(type, sent, accessor.function());
    return ask(code.call(accessor.name(), sent.argument().encode(argument))).get();
  }

  private boolean isLocal() {
    return view == View.LOCAL && space instanceof StoreSpace;
  }

  private <R> CallOutcome<R> ask(NamedQuestion<CallOutcome<R>> call) {
    return answer(ObjectQuery.of(log, call)).made();
  }

  /** As {@link #get(Accessor, Object)}, without an argument. */
  public <R> R get(Accessor<S, None, R> accessor) {
    return get(accessor, None.NONE);
  }

  /** The state as it is now in the space. */
  public S state() {
    PureExecution.checkNone(log);
    return view == View.LOCAL && space instanceof StoreSpace store
        ? local.state(store)
        : type.state(read().value());
  }

  /**
   * The state after its first calls.
   *
   * @param position how many
   * @throws TrimmedException if it is before those whose calls are kept one by one; a snapshot of
   *     the store from that time may still show it
   * @throws IllegalArgumentException if there were not as many
   */
  public S stateAt(long position) {
    StreamValue value = read().value();
    if (position >= 0 && position < value.first()) {
      throw new TrimmedException(
          "the calls of %s before position %,d are summed up, position %,d can't be seen any more: read a snapshot of the store from that time"
              .formatted(log, value.first(), position));
    }
    if (position < 0 || position > value.tail()) {
      throw new IllegalArgumentException(
          "%s has had %,d calls: a position is from 0 to that, not %,d"
              .formatted(log, value.tail(), position));
    }
    return value.foldBefore(type.fold(), position).state();
  }

  /** How many calls of mutators it has had. */
  public long position() {
    return answer(log.tail());
  }

  StreamView<Bytes> read() {
    return answer(log);
  }

  /** What the log says in the space. */
  private <V> V answer(Query<V> query) {
    PureExecution.checkNone(log);
    return space instanceof StoreSpace store ? store.readLatest(log, query) : space.read(query);
  }

  /**
   * Calls a mutator. In a store, returns when the call is durable and visible.
   *
   * <p>The type of an object is that of its first call. If two types are called at the same time on
   * an object that had no call yet, the later call has no effect.
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

  /** The entry of a call in the log. */
  private <A> Entry<A> entry(Logged<S, A> operation, A argument) {
    PureExecution.checkNone(log);
    home.check(log);
    return type.entry(operation, argument);
  }

  /**
   * Checks the object's type, until it is known from calls that stay. Nothing comes to depend on
   * that.
   */
  private void checkType() {
    if (isTyped.get()) {
      return;
    }
    Optional<ObjectSpace> committed = StoreSpace.originOf(space).map(store -> store);
    if (committed.isPresent() && in(committed.get()).hasType()) {
      isTyped.set(true);
    } else if (space instanceof TransactionSpace) {
      boolean unused = hasType(); // that of its own calls, which may be taken back
    }
  }

  /** Whether it has a type, which is this one. */
  private boolean hasType() {
    Optional<Bytes> found = ask(BoundOperation.askType(type)).get();
    found.ifPresent(name -> type.check(name.toUtf8()));
    return found.isPresent();
  }

  /** As {@link #call(Mutator, Object)}, without an argument. */
  public void call(Mutator<S, None> mutator) {
    call(mutator, None.NONE);
  }

  /**
   * Calls a mutator with a result. In a store, it is executed on the state at that very moment
   * (linearisable), and returns when the call is durable and visible. In a transaction, it makes
   * the commit throw {@link ConflictException} if another call was faster, however the transaction
   * is certified. If the function throws, nothing is changed, and this throws the same.
   *
   * @throws WrongDataCentreException if the object's home is another data centre
   */
  @CanIgnoreReturnValue
  public <A, R> R call(MutatorAccessor<S, A, R> operation, A argument) {
    return call(operation, argument, result -> {});
  }

  /**
   * As {@link #call(MutatorAccessor, Object)}.
   *
   * @param check throws if the result is of no use; then nothing is changed
   */
  <A, R> R call(MutatorAccessor<S, A, R> operation, A argument, Consumer<? super R> check) {
    Entry<A> logged = entry(operation, argument);
    Bytes entry = logged.bytes();
    A given = logged.argument();
    Optional<NamedQuestion<CallOutcome<R>>> sent =
        operation.result().map(results -> called(operation, results, given));
    if (space instanceof StoreSpace store) {
      StoreSpace.Exchange<S, R> exchange =
          new StoreSpace.Exchange<>(log, entry, compaction, type, sent);
      Function<S, Outcome<S, R>> execution = state -> PureExecution.of(operation, state, given);
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
    Outcome<S, R> outcome = PureExecution.of(operation, state, given);
    check.accept(outcome.result());
    Update call = log.appendIfUnchanged(List.of(entry));
    try {
      space.update(compaction.updates(found.value(), state, call, this::mayTrim));
    } catch (LimitExceededException e) {
      compaction.postpone(found.value()); // nothing was changed; the state may be too large
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

  /** As {@link #call(MutatorAccessor, Object)}, without an argument. */
  @CanIgnoreReturnValue
  public <R> R call(MutatorAccessor<S, None, R> operation) {
    return call(operation, None.NONE);
  }

  /**
   * This object behind an interface of its users, each of whose methods has an annotation ({@link
   * io.github.stablecut.object.annotation}) and is the operation of the same name. Default methods
   * without an annotation call the others. A call whose argument or result is of another class than
   * the operation's throws {@link IllegalArgumentException} and changes nothing.
   *
   * @throws IllegalArgumentException if it is no interface, or a method is no operation of the
   *     type, or has another argument or result as far as their codecs tell
   */
  public <I> I as(Class<I> calls) {
    return ObjectProxy.of(this, calls);
  }

  /**
   * Executes all calls that are kept again, twice, and compares the bytes of the states with each
   * other and with that of the state in memory.
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
