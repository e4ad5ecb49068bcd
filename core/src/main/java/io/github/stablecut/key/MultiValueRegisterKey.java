package io.github.stablecut.key;

import io.github.stablecut.crdt.MvRegister;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.codec.Codec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of a register that keeps what was assigned concurrently ({@link MvRegister}). A reader
 * sees all values that no later assignment has replaced, in the order of their bytes; one that was
 * assigned twice concurrently is there twice. It is empty until a value is assigned.
 *
 * @param <T> the values
 */
public final class MultiValueRegisterKey<T> extends Key<List<T>> {
  private final Codec<T> values;

  MultiValueRegisterKey(ObjectPath place, Codec<T> values) {
    super(place, MvRegister.TYPE, siblings -> siblings.stream().map(values::decode).toList());
    this.values = Objects.requireNonNull(values, "codec");
  }

  /** Replaces the values that the transaction sees by one. */
  public Update assign(T value) {
    return updateBy(new MvRegister.Assign(values.encode(value)));
  }

  /** Removes the values that the transaction sees. */
  public Update clear() {
    return updateBy(new MvRegister.Reset());
  }

  @Override
  Optional<ObjectQuery<?, List<T>>> valueQuery() {
    return Optional.of(
        ask(
            new Question.Siblings(),
            siblings -> siblings.stream().map(values::decode).toList(),
            siblings -> siblings.stream().map(values::encode).sorted().toList()));
  }

  @Override
  MultiValueRegisterKey<T> at(ObjectPath other) {
    return new MultiValueRegisterKey<>(other, other.codec(values));
  }
}
