package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.collection.Tree;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * An operation of an {@link ObjectType}: a function over immutable states, with a name that never
 * changes. Immutable.
 *
 * <p>The journal holds the names and arguments of calls, and every reader executes them again.
 * Therefore, the function of a mutator must be <em>deterministic</em>: it depends only on its
 * arguments. The caller chooses times, random numbers and ids, and passes them as arguments. {@link
 * SharedObject#verify} finds operations that violate this.
 *
 * <p>A call has no effect on any node if its function throws an exception, checked or not, an
 * {@link AssertionError} or another error of its own. The same holds if it returns null or recurses
 * without end. A {@link VirtualMachineError} such as {@link OutOfMemoryError}, or a {@link
 * LinkageError}, says nothing about the call, only about the process: the reader gets the error,
 * and the next reader executes the call again. If the reader's thread was interrupted, another
 * thread executes the call.
 *
 * <p>In a cluster or on a server, the process that has the object executes an accessor or a mutator
 * with a result on two conditions: the operation has a codec for its result, and the process was
 * started with its type ({@link ObjectTypes}). Otherwise the caller receives the log and executes
 * the calls.
 *
 * @param <S> the states
 */
public sealed interface Operation<S> {
  /** The name, 1 to 255 bytes of UTF-8; unique in the type. */
  String name();

  /**
   * Reads the state.
   *
   * @param sent how the call is sent to another node; empty if the caller executes it
   * @param <A> the argument
   * @param <R> the result
   */
  record Accessor<S, A, R>(
      String name,
      Optional<RemoteCodecs<A, R>> sent,
      BiFunction<? super S, ? super A, ? extends R> function)
      implements Operation<S> {
    /** Checks the name, and for nulls. */
    public Accessor {
      OperationNames.checked("an operation", name);
      Objects.requireNonNull(sent, "sent");
      Objects.requireNonNull(function, "function");
    }
  }

  /**
   * The codecs for sending a call of an accessor to the node that has the object.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  record RemoteCodecs<A, R>(Codec<A> argument, Codec<R> result) {
    /** Checks for nulls. */
    public RemoteCodecs {
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(result, "result");
    }
  }

  /** An operation whose calls are logged. */
  sealed interface Logged<S, A> extends Operation<S> {
    /** Encodes arguments. */
    Codec<A> argument();

    /** Returns the state after a call. */
    S apply(S state, A argument);
  }

  /**
   * Changes the state and returns nothing. A call is blind: it costs no read and conflicts with
   * nothing.
   *
   * @param <A> the argument
   */
  record Mutator<S, A>(
      String name, Codec<A> argument, BiFunction<? super S, ? super A, ? extends S> function)
      implements Logged<S, A> {
    /** Checks the name, and for nulls. */
    public Mutator {
      OperationNames.checked("an operation", name);
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(function, "function");
    }

    @Override
    public S apply(S state, A argument) {
      return function.apply(state, argument);
    }
  }

  /**
   * Changes the state and returns a result computed from the previous state.
   *
   * @param result encodes the result, if another node may execute the operation; otherwise empty
   * @param <A> the argument
   * @param <R> the result
   */
  record MutatorAccessor<S, A, R>(
      String name,
      Codec<A> argument,
      Optional<Codec<R>> result,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function)
      implements Logged<S, A> {
    /** Checks the name, and for nulls. */
    public MutatorAccessor {
      OperationNames.checked("an operation", name);
      Objects.requireNonNull(argument, "argument");
      Objects.requireNonNull(result, "result");
      Objects.requireNonNull(function, "function");
    }

    @Override
    public S apply(S state, A argument) {
      return function.apply(state, argument).state();
    }
  }

  /** The outcome of a {@link MutatorAccessor}. */
  record Outcome<S, R>(S state, R result) {
    /** Checks for nulls. */
    public Outcome {
      Objects.requireNonNull(
          state, "an operation returned null instead of a state: throw an exception instead");
      Objects.requireNonNull(
          result, "an operation returned null: return an Optional instead, or have no result");
    }

    /**
     * Returns whether the call must be logged. A call that leaves a collection unchanged is not.
     * Calls of users' types always are, because an operation may break the rules and change a state
     * in place.
     */
    boolean changes(S before) {
      return state != before || !(before instanceof Tree);
    }
  }

  /** The argument of operations without one. */
  enum None {
    /** The only value. */
    NONE;

    static final Codec<None> CODEC = Codec.bytes().map(none -> Bytes.EMPTY, bytes -> NONE);
  }

  /** Creates an accessor without an argument. */
  static <S, R> Accessor<S, None, R> accessor(
      String name, Function<? super S, ? extends R> function) {
    return new Accessor<>(name, Optional.empty(), (state, none) -> function.apply(state));
  }

  /**
   * Creates an accessor without an argument that the process with the object executes.
   *
   * @param result encodes the result
   */
  static <S, R> Accessor<S, None, R> accessor(
      String name, Codec<R> result, Function<? super S, ? extends R> function) {
    return new Accessor<>(
        name,
        Optional.of(new RemoteCodecs<>(None.CODEC, result)),
        (state, none) -> function.apply(state));
  }

  /** Creates an accessor. */
  static <S, A, R> Accessor<S, A, R> accessor(
      String name, BiFunction<? super S, ? super A, ? extends R> function) {
    return new Accessor<>(name, Optional.empty(), function);
  }

  /**
   * Creates an accessor that the process with the object executes.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  static <S, A, R> Accessor<S, A, R> accessor(
      String name,
      Codec<A> argument,
      Codec<R> result,
      BiFunction<? super S, ? super A, ? extends R> function) {
    return new Accessor<>(name, Optional.of(new RemoteCodecs<>(argument, result)), function);
  }

  /** Creates a mutator without an argument. */
  static <S> Mutator<S, None> mutator(String name, UnaryOperator<S> function) {
    return new Mutator<>(name, None.CODEC, (state, none) -> function.apply(state));
  }

  /** Creates a mutator. */
  static <S, A> Mutator<S, A> mutator(
      String name, Codec<A> argument, BiFunction<? super S, ? super A, ? extends S> function) {
    return new Mutator<>(name, argument, function);
  }

  /** Creates a mutator with a result and without an argument. */
  static <S, R> MutatorAccessor<S, None, R> mutatorAccessor(
      String name, Function<? super S, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(
        name, None.CODEC, Optional.empty(), (state, none) -> function.apply(state));
  }

  /**
   * Creates a mutator with a result and without an argument that the process with the object
   * executes.
   *
   * @param result encodes the result
   */
  static <S, R> MutatorAccessor<S, None, R> mutatorAccessor(
      String name, Codec<R> result, Function<? super S, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(
        name, None.CODEC, Optional.of(result), (state, none) -> function.apply(state));
  }

  /** Creates a mutator with a result. */
  static <S, A, R> MutatorAccessor<S, A, R> mutatorAccessor(
      String name,
      Codec<A> argument,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(name, argument, Optional.empty(), function);
  }

  /**
   * Creates a mutator with a result that the process with the object executes.
   *
   * @param argument encodes the argument
   * @param result encodes the result
   */
  static <S, A, R> MutatorAccessor<S, A, R> mutatorAccessor(
      String name,
      Codec<A> argument,
      Codec<R> result,
      BiFunction<? super S, ? super A, ? extends Outcome<S, R>> function) {
    return new MutatorAccessor<>(name, argument, Optional.of(result), function);
  }
}
