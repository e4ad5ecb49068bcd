package io.github.stablecut.key;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.register.LwwRegister;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a register in which the last writer wins ({@link LwwRegister}). The register is empty
 * until a value is assigned.
 *
 * @param <T> the values
 */
public final class RegisterKey<T> extends Key<Optional<T>> {
  private final Codec<T> values;

  RegisterKey(ObjectPath path, Codec<T> values) {
    super(path, LwwRegister.TYPE, value -> value.map(values::decode));
    this.values = Objects.requireNonNull(values, "codec");
  }

  /** Assigns a value. */
  public Update assign(T value) {
    return updateBy(new LwwRegister.Assign(values.encode(value)));
  }

  /** Removes the value: the register is empty, as before the first assignment. */
  public Update clear() {
    return updateBy(new LwwRegister.Clear());
  }

  @Override
  Optional<ObjectQuery<?, Optional<T>>> valueQuery() {
    return Optional.of(assigned());
  }

  ObjectQuery<Optional<Bytes>, Optional<T>> assigned() {
    return ask(
        new Question.Assigned(),
        value -> value.map(values::decode),
        value -> value.map(values::encode));
  }

  Bytes encode(T value) {
    return values.encode(value);
  }

  @Override
  RegisterKey<T> at(ObjectPath other) {
    return new RegisterKey<>(other, other.codec(values));
  }
}
