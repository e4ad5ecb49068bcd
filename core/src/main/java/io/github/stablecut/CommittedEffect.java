package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.key.Key;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The committed effect of an operation on an object. Equal to others with equal objects and
 * effects. Thread-safe.
 */
public final class CommittedEffect {
  private final Key<?> object;

  /** Those that all watches of the effect share. */
  private final Bytes encoded;

  /** Null until it is asked for; decoded twice, it would be equal. */
  private @Nullable Object effect;

  private CommittedEffect(Key<?> object, Bytes encoded) {
    this.object = object;
    this.encoded = encoded;
  }

  /**
   * For implementations of {@link Store}.
   *
   * @param encoded the effect, one of the object's type; decoded when it is asked for
   */
  public static CommittedEffect of(Key<?> object, Bytes encoded) {
    return new CommittedEffect(object, encoded);
  }

  /** Equal to keys of the same object and type. */
  public Key<?> object() {
    return object;
  }

  /**
   * What every replica applies, an effect of the {@link Key#type()}, such as {@code PnCounter.Add};
   * its self dots are those of the transaction.
   *
   * @throws io.github.stablecut.crdt.FormatException if its bytes are not those of one
   */
  public Object effect() {
    Object decoded = effect;
    if (decoded == null) {
      decoded = CrdtCodec.decodeEffect(object.type(), encoded.unwrap());
      effect = decoded;
    }
    return decoded;
  }

  /**
   * The operation, as far as the effect says it: one of the {@link Key#type()} that does the same
   * to what the transaction saw, as {@link CrdtType#operation} describes it. Removing all elements
   * of a set is the removal of those that it had. Empty for insertions into lists and texts and
   * deletions from them, whose effects have no positions, for trimmings of streams, and for what
   * has such a part in a map.
   */
  public Optional<Object> operation() {
    return operation(object.type(), effect());
  }

  @SuppressWarnings("unchecked") // the effect is one of the type
  private static <E> Optional<Object> operation(CrdtType<?, ?, E, ?> type, Object effect) {
    return type.operation((E) effect).map(operation -> operation);
  }

  /** The effect's bytes. For implementations of {@link Store}. */
  public Bytes encoded() {
    return encoded;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CommittedEffect that
        && object.equals(that.object)
        && encoded.equals(that.encoded);
  }

  @Override
  public int hashCode() {
    return Objects.hash(object, encoded);
  }

  @Override
  public String toString() {
    return "%s of %s".formatted(effect(), object);
  }
}
