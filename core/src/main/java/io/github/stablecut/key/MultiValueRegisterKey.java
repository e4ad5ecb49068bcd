package io.github.stablecut.key;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.register.MvRegister;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The key of a register that keeps all concurrently assigned values ({@link MvRegister}). A reader
 * sees all values that no later assignment has replaced, ordered by their bytes; a value that was
 * assigned twice concurrently appears twice. The register is empty until a value is assigned.
 *
 * @param <T> the values
 */
public final class MultiValueRegisterKey<T> extends Key<List<T>> {
  private final Codec<T> values;

  MultiValueRegisterKey(ObjectPath path, Codec<T> values) {
    super(path, MvRegister.TYPE, siblings -> siblings.stream().map(values::decode).toList());
    this.values = Objects.requireNonNull(values, "codec");
  }

  /** Replaces the values that the transaction sees with one value. */
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
