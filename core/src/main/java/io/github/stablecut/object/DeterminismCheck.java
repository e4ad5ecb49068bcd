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
            "call %,d of %s, %s, yields a different state each time it is executed: make it depend on its arguments only, and pass times and random numbers as arguments"
                .formatted(value.first() + i, log, ObjectType.nameOf(calls.get(i))));
      }
    }
    if (!bytes(log, type, one.state()).equals(bytes(log, type, head))) {
      throw new NotDeterministicException(
          "the %,d calls of %s yield a state other than the one in memory: one of its operations depends on more than its arguments, or modifies a shared state"
              .formatted(calls.size(), log));
    }
    if (type.summary(head).isEmpty()) {
      throw new NotDeterministicException(
          "the codec of %s does not read back the state of %s as it writes it, so that the calls can't be summarized: correct the codec"
              .formatted(type, log));
    }
  }

  private static <S> Bytes bytes(Object log, ObjectType<S> type, S state) {
    try {
      return type.encode(state);
    } catch (Throwable e) {
      UserCodeFailures.rethrowIfFatal(e);
      throw new NotDeterministicException(
          "the codec of %s can't write the state of %s, so that its calls can't be summarized: it threw %s: %s"
              .formatted(type, log, e.getClass().getName(), UserCodeFailures.messageOf(e)));
    }
  }
}
