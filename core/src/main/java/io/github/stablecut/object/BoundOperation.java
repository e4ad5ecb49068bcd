package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.AnswerForm;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.crdt.question.StreamCode;
import io.github.stablecut.crdt.stream.StreamValue;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.Operation.RemoteCodecs;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * An operation of a type in the form in which the process with the object executes it. Immutable.
 *
 * @param type the type
 * @param form the bytes of answers
 * @param executed computes the answer from the log and the argument
 * @param isMutator whether its calls are logged
 * @param isCertified whether a transaction that asked depends on the object's calls
 */
record BoundOperation<S, R>(
    ObjectType<S> type,
    AnswerForm<CallOutcome<R>> form,
    BiFunction<StreamValue, Bytes, OperationOutcome<R>> executed,
    boolean isMutator,
    boolean isCertified)
    implements StreamCode<CallOutcome<R>> {
  /**
   * The outcome of an operation.
   *
   * @param isChange whether it changes the state
   */
  record OperationOutcome<R>(R result, boolean isChange) {
    OperationOutcome {
      Objects.requireNonNull(result, "an operation returned null: return an Optional instead");
    }
  }

  /** The name of the query for a log's size and type; it executes no operation. */
  private static final String LOG = "";

  /** The argument that also requests the type. */
  private static final Bytes WITH_TYPE = Bytes.utf8("type");

  /** Returns the code of an accessor. */
  static <S, A, R> BoundOperation<S, R> of(
      ObjectType<S> type,
      RemoteCodecs<A, R> sent,
      BiFunction<? super S, ? super A, ? extends R> function) {
    return new BoundOperation<>(
        type,
        CallOutcome.form(sent.result()),
        (stream, argument) ->
            new OperationOutcome<>(
                function.apply(state(type, stream), argument(type, sent.argument(), argument)),
                false),
        false,
        true);
  }

  /** Returns the code of a mutator with a result. */
  static <S, A, R> BoundOperation<S, R> of(
      ObjectType<S> type, MutatorAccessor<S, A, R> operation, Codec<R> results) {
    return new BoundOperation<>(
        type,
        CallOutcome.form(results),
        (stream, argument) -> {
          S state = state(type, stream);
          Outcome<S, R> outcome =
              PureExecution.of(operation, state, argument(type, operation.argument(), argument));
          return new OperationOutcome<>(outcome.result(), outcome.changes(state));
        },
        true,
        true);
  }

  /**
   * Returns the code of a type's operation; empty if there is none that another process can
   * execute.
   */
  static <S> Optional<BoundOperation<S, ?>> of(ObjectType<S> type, String operation) {
    return type.operation(operation).flatMap(known -> of(type, known));
  }

  private static <S> Optional<BoundOperation<S, ?>> of(ObjectType<S> type, Operation<S> operation) {
    if (operation instanceof Operation.Accessor<S, ?, ?> accessor) {
      return ofAccessor(type, accessor);
    }
    return operation instanceof Operation.MutatorAccessor<S, ?, ?> mutator
        ? ofMutator(type, mutator)
        : Optional.empty();
  }

  private static <S, A, R> Optional<BoundOperation<S, ?>> ofAccessor(
      ObjectType<S> type, Operation.Accessor<S, A, R> accessor) {
    return accessor.sent().map(sent -> of(type, sent, accessor.function()));
  }

  private static <S, A, R> Optional<BoundOperation<S, ?>> ofMutator(
      ObjectType<S> type, Operation.MutatorAccessor<S, A, R> mutator) {
    return mutator.result().map(results -> of(type, mutator, results));
  }

  private static <S> S state(ObjectType<S> type, StreamValue stream) {
    try {
      return type.state(stream);
    } catch (StablecutException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "an object of type %s can't be read at its node or server (%s): use the same classes on both sides, with codecs that read what they write"
              .formatted(type.name(), UserCodeFailures.nameAndMessageOf(e)),
          e);
    }
  }

  /** Decodes the argument of a call, which the caller has encoded. */
  private static <A> A argument(ObjectType<?> type, Codec<A> codec, Bytes encoded) {
    try {
      return codec.decode(encoded);
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      throw new IllegalArgumentException(
          "the node or server of the object can't read the argument of an operation of type %s (%s): use the same classes on both sides"
              .formatted(type.name(), UserCodeFailures.nameAndMessageOf(e)),
          e);
    }
  }

  static <S> BoundOperation<S, Optional<Bytes>> log(ObjectType<S> type) {
    return new BoundOperation<>(
        type,
        CallOutcome.LOG,
        (stream, argument) ->
            new OperationOutcome<>(
                argument.equals(WITH_TYPE) ? ObjectType.typeOf(stream) : Optional.empty(), false),
        false,
        false);
  }

  /** Returns whether a call queries only the log, which needs no code of a type. */
  static boolean isAboutLog(NamedQuestion<?> call) {
    return call.operation().equals(LOG);
  }

  /** Returns the query for the size of a log. */
  static <S> NamedQuestion<CallOutcome<Optional<Bytes>>> askSizes(ObjectType<S> type) {
    return log(type).call(LOG, Bytes.EMPTY);
  }

  /** Returns the query for the type of a log, which is known from its first call on. */
  static <S> NamedQuestion<CallOutcome<Optional<Bytes>>> askType(ObjectType<S> type) {
    return log(type).call(LOG, WITH_TYPE);
  }

  /** Returns the call of the operation with an argument. */
  NamedQuestion<CallOutcome<R>> call(String operation, Bytes argument) {
    return new NamedQuestion<>(
        type.name(), type.version(), operation, isMutator, argument, Optional.of(this));
  }

  @Override
  public CallOutcome<R> answer(StreamValue stream, Bytes argument) {
    try {
      OperationOutcome<R> made = executed.apply(stream, argument);
      return answered(stream, made.isChange, Optional.of(made.result), Optional.empty());
    } catch (StablecutException e) {
      throw e;
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      return answered(stream, false, Optional.empty(), Optional.of(e));
    }
  }

  private static <R> CallOutcome<R> answered(
      StreamValue stream, boolean isChange, Optional<R> result, Optional<Throwable> failure) {
    long summaryBytes = stream.summary().map(Bytes::length).orElse(0);
    return new CallOutcome<>(stream.bytes(), summaryBytes, isChange, result, failure);
  }
}
