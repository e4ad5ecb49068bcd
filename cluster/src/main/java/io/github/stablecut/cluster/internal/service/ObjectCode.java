package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.Reader;
import io.github.stablecut.cluster.internal.service.handle.AnswerBytes;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.question.NamedQuestion;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.object.ObjectTypes;
import java.util.Optional;

/**
 * Answers queries of clients. Executes the operations of user-defined types that the server was
 * started with; for others, the client gets the log and executes them itself. Thread-safe.
 */
record ObjectCode(ObjectTypes types) {
  /**
   * Returns the bytes of an answer.
   *
   * @throws TypeMismatchException if the operation differs between server and client
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
        // The log may contain operations that only the client knows; if not, the client reports it.
      }
    }
    return answer(question, call.whole(), reader, bytes);
  }

  private static Bytes answer(
      ObjectQuery<?, ?> query, NamedQuestion<?> call, Reader reader, AnswerBytes bytes) {
    ObjectQuery<?, ?> whole = ObjectQuery.of(query.target(), call);
    return bytes.read(whole, () -> reader.read(whole));
  }
}
