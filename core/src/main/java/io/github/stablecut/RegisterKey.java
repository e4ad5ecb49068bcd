package io.github.stablecut;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.LwwRegister;
import io.github.stablecut.crdt.codec.Codec;
import java.util.Optional;

/**
 * The name of a register in which the last writer wins ({@link LwwRegister}). It is empty until a
 * value is assigned.
 *
 * @param <T> the values
 */
public final class RegisterKey<T> extends Key<Optional<T>> {
  private final Codec<T> values;

  RegisterKey(Bytes bucket, Bytes key, Codec<T> values) {
    super(bucket, key, LwwRegister.TYPE);
    this.values = values;
  }

  /** Assigns a value. */
  public Update assign(T value) {
    return new Update(this, new LwwRegister.Assign(values.encode(value)));
  }

  @Override
  public Optional<T> view(Object state, VectorClock snapshot) {
    return LwwRegister.TYPE.value((LwwRegister.State) state, snapshot).map(values::decode);
  }
}
