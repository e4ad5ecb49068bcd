package io.github.stablecut;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.key.Key;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The committed effect of an operation on an object. Effects are equal if their objects and encoded
 * effects are. Thread-safe.
 */
public final class CommittedEffect {
  private final Key<?> object;

  /** Shared by all watches that receive the effect. */
  private final Bytes encoded;

  /** Decoded on first use, else null. Races are harmless: two decoded effects are equal. */
  private @Nullable Object effect;

  private CommittedEffect(Key<?> object, Bytes encoded) {
    this.object = object;
    this.encoded = encoded;
  }

  /**
   * Creates an effect. For implementations of {@link Store}.
   *
   * @param encoded an effect of the object's type; decoded on first use
   */
  public static CommittedEffect of(Key<?> object, Bytes encoded) {
    return new CommittedEffect(object, encoded);
  }

  /** The object's key, equal to keys of the same object and type. */
  public Key<?> object() {
    return object;
  }

  /**
   * The effect that every replica applies, of the {@link Key#type()}, such as {@code
   * PnCounter.Add}; its self dots are those of the transaction.
   *
   * @throws io.github.stablecut.crdt.FormatException if the bytes are not an effect of the type
   */
  @CanIgnoreReturnValue
  public Object effect() {
    Object decoded = effect;
    if (decoded == null) {
      decoded = CrdtCodec.decodeEffect(object.type(), encoded.unwrap());
      effect = decoded;
    }
    return decoded;
  }

  /**
   * Reconstructs the operation as far as the effect determines it: an operation of the {@link
   * Key#type()} that changes the transaction's snapshot in the same way (see {@link
   * CrdtType#operation}). Clearing a set becomes the removal of the elements that it had.
   *
   * <p>Empty for insertions into lists and texts and deletions from them, whose effects have no
   * positions; for trims of streams; and for map operations that contain one of these.
   */
  public Optional<Object> operation() {
    return operation(object.type(), effect());
  }

  @SuppressWarnings("unchecked") // the effect is one of the type
  private static <E> Optional<Object> operation(CrdtType<?, ?, E, ?> type, Object effect) {
    return type.operation((E) effect).map(operation -> operation);
  }

  /** The encoded effect. For implementations of {@link Store}. */
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
