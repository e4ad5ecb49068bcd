package io.github.stablecut.object;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.stream.StreamValue;
import java.util.List;

/** Finds operations that are not deterministic. */
final class DeterminismCheck {
  private DeterminismCheck() {}

  /**
   * Executes calls again.
   *
   * @param head the state that they produced before
   */
  static <S> void run(Object log, ObjectType<S> type, StreamValue value, S head) {
    LoadedState<S> one = type.fold().begin(value.summary());
    LoadedState<S> other = type.fold().begin(value.summary());
    List<Bytes> calls = value.entries(value.first(), value.tail());
    for (int i = 0; i < calls.size(); i++) {
      one = type.fold().next(one, calls.get(i));
      other = type.fold().next(other, calls.get(i));
      if (!bytes(log, type, one.state()).equals(bytes(log, type, other.state()))) {
        throw new NotDeterministicException(
            "call %,d of %s, %s, makes another state each time it is executed: let it depend on its arguments only, and pass times and random numbers as such"
                .formatted(value.first() + i, log, ObjectType.nameOf(calls.get(i))));
      }
    }
    if (!bytes(log, type, one.state()).equals(bytes(log, type, head))) {
      throw new NotDeterministicException(
          "the %,d calls of %s make another state than the one in memory: one of its operations depends on something else than its arguments, or changes a state that others hold"
              .formatted(calls.size(), log));
    }
    if (type.summary(head).isEmpty()) {
      throw new NotDeterministicException(
          "the codec of %s does not read back what it writes of the state of %s, which can't be summed up: correct it"
              .formatted(type, log));
    }
  }

  private static <S> Bytes bytes(Object log, ObjectType<S> type, S state) {
    try {
      return type.encode(state);
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      throw new NotDeterministicException(
          "the codec of %s can't write a state of %s, which can't be summed up: it has thrown %s: %s"
              .formatted(type, log, e.getClass().getName(), UserCodeFailures.messageOf(e)));
    }
  }
}
