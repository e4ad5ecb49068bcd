package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.CausalToken;
import io.github.stablecut.CommittedEffect;
import io.github.stablecut.Values;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.CallQueries;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decodes a server's answers to values of the API. */
final class RemoteValues {
  private RemoteValues() {}

  static Values of(List<Query<?>> queries, Answer answer) {
    Answer.Values values = as(Answer.Values.class, answer);
    return of(queries, values.answers(), values.at());
  }

  /** The values of no query. */
  static Values none(CausalToken at) {
    return of(List.of(), List.of(), at);
  }

  private static Values of(List<Query<?>> queries, List<Bytes> answers, CausalToken at) {
    if (answers.size() != queries.size()) {
      throw strange("%d answers to %d queries".formatted(answers.size(), queries.size()), null);
    }
    Map<Query<?>, Object> values = new HashMap<>();
    for (int i = 0; i < answers.size(); i++) {
      values.put(queries.get(i), value(queries.get(i), answers.get(i), at));
    }
    return new Values(values, at);
  }

  private static Object value(Query<?> query, Bytes answer, CausalToken at) {
    Optional<ObjectQuery<?, ?>> question = CallQueries.question(query);
    return question.isPresent()
        ? decode(question.get(), answer)
        : query.view(state(query.target().type(), answer), at.vector());
  }

  private static <A, V> Object decode(ObjectQuery<A, V> query, Bytes answer) {
    A decoded;
    try {
      decoded = QuestionCodec.decodeAnswer(query.question(), answer);
    } catch (FormatException e) {
      throw strange(String.valueOf(e.getMessage()), e);
    }
    return query.decode(decoded);
  }

  /** Decodes an object's state. */
  static Object state(CrdtType<?, ?, ?, ?> type, Bytes encoded) {
    try {
      return CrdtCodec.decodeState(type, encoded.unwrap());
    } catch (FormatException e) {
      throw strange(String.valueOf(e.getMessage()), e);
    }
  }

  /** Decodes and validates an effect on an object. */
  static CommittedEffect effect(Key<?> object, Bytes encoded) {
    CommittedEffect committed = CommittedEffect.of(object, encoded);
    try {
      committed.effect();
      return committed;
    } catch (FormatException e) {
      throw strange(String.valueOf(e.getMessage()), e);
    }
  }

  /** The values that the condition of a conditional write was evaluated on. */
  static Values found(Condition condition, Answer.ConditionalResult tried) {
    List<ObjectQuery<?, ?>> objectQueries =
        condition.tests().<ObjectQuery<?, ?>>map(Condition.Test::query).distinct().toList();
    if (objectQueries.size() != tried.answers().size()) {
      throw strange("it answers another condition", null);
    }
    Map<Query<?>, Object> found = new HashMap<>();
    condition
        .tests()
        .forEach(
            test ->
                found.put(
                    test.original(),
                    decode(
                        test.query(), tried.answers().get(objectQueries.indexOf(test.query())))));
    return new Values(found, tried.found());
  }

  /** Checks and casts an answer to the kind that the call requires. */
  @CanIgnoreReturnValue
  static <A extends Answer> A as(Class<A> kind, Answer answer) {
    if (!kind.isInstance(answer)) {
      throw strange("it is " + answer.getClass().getSimpleName(), null);
    }
    return kind.cast(answer);
  }

  static CausalToken point(Answer answer) {
    return as(Answer.Point.class, answer).point();
  }

  /** The commit point of a conditional request; empty if its condition did not hold. */
  static Optional<CausalToken> written(Answer answer) {
    Answer.ConditionalResult tried = as(Answer.ConditionalResult.class, answer);
    return tried.isWritten() ? Optional.of(tried.point()) : Optional.empty();
  }

  static void done(Answer answer) {
    as(Answer.Done.class, answer);
  }

  private static ServerUnavailableException strange(String what, @Nullable Throwable cause) {
    return new ServerUnavailableException(
        "unexpected answer from the server: " + what + "; use a client of the server's version",
        cause);
  }
}
