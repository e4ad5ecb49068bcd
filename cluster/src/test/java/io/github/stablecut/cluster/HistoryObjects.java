package io.github.stablecut.cluster;

import io.github.stablecut.Values;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.testing.history.RecordedOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The objects that clients use in a round: registers, sets and counters, spread over the
 * partitions. Immutable.
 *
 * @param round the number of the round; each round has objects of its own
 */
record HistoryObjects(int round) {
  /** The number of objects of each kind. */
  static final int EACH = 4;

  private static final String REGISTERS = "register";
  private static final String SETS = "set";
  private static final String COUNTERS = "counter";

  RegisterKey<String> register(int i) {
    return Key.register(REGISTERS, round + "-" + i, Codec.string());
  }

  AddWinsSetKey<String> set(int i) {
    return Key.addWinsSet(SETS, round + "-" + i, Codec.string());
  }

  CounterKey counter(int i) {
    return Key.counter(COUNTERS, round + "-" + i);
  }

  /** All objects, kind by kind. */
  List<Key<?>> all() {
    List<Key<?>> keys = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      keys.addAll(List.of(register(i), set(i), counter(i)));
    }
    return keys;
  }

  /** The name of an object in a history. */
  static String name(Key<?> key) {
    return key.bucket().toUtf8() + "/" + key.key().toUtf8();
  }

  /** The recorded read of an object. */
  static RecordedOperation read(Key<?> key, Values values) {
    if (key instanceof CounterKey counter) {
      return new RecordedOperation.CounterRead(name(key), values.get(counter));
    } else if (key instanceof AddWinsSetKey<?> set) {
      return new RecordedOperation.SetRead(name(key), texts(values.get(set)));
    }
    return new RecordedOperation.RegisterRead(
        name(key), values.get((RegisterKey<?>) key).map(Object::toString));
  }

  private static Set<String> texts(Set<?> elements) {
    return elements.stream().map(Object::toString).collect(Collectors.toUnmodifiableSet());
  }
}
