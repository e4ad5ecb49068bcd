package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.Reader;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.NamedQuestion;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.object.ObjectTypes;
import java.util.Optional;

/**
 * Answers queries of clients. Of operations of objects, it executes those that the server was
 * started with; of others the client gets the log, and executes them itself. Thread-safe.
 */
record ObjectCode(ObjectTypes types) {
  /**
   * The bytes of an answer.
   *
   * @throws TypeMismatchException if the server has an operation in another form than the client
   */
  Bytes read(Query<?> query, Reader reader, AnswerBytes bytes) {
    if (!(query instanceof ObjectQuery<?, ?> question)
        || !(question.question() instanceof NamedQuestion<?> call)) {
      return bytes.read(query, () -> reader.read(query));
    }
    Optional<NamedQuestion<?>> known = types.find(call);
    if (known.isPresent()) {
      try {
        return answer(question, known.get(), reader, bytes);
      } catch (TypeMismatchException e) {
        // The log may have calls of an operation that the client has; if not, it says so.
      }
    }
    return answer(question, call.whole(), reader, bytes);
  }

  private static Bytes answer(
      ObjectQuery<?, ?> query, NamedQuestion<?> call, Reader reader, AnswerBytes bytes) {
    ObjectQuery<?, ?> asked = ObjectQuery.of(query.target(), call);
    return bytes.read(asked, () -> reader.read(asked));
  }
}
