package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.key.Key;
import java.util.Optional;

/**
 * What an operation of a transaction has done to an object. Immutable.
 *
 * @param object equal to keys of the same object and type
 * @param effect what every replica applies, an effect of the {@link Key#type()}, such as {@code
 *     PnCounter.Add}; its self dots are those of the transaction
 */
public record CommittedEffect(Key<?> object, Object effect) {
  /**
   * The operation, as far as the effect says it: one of the {@link Key#type()} that does the same
   * to what the transaction saw, as {@link CrdtType#operation} describes it. Removing all elements
   * of a set is the removal of those that it had. Empty for insertions into lists and texts and
   * deletions from them, whose effects have no positions, for trimmings of streams, and for what
   * has such a part in a map.
   */
  public Optional<Object> operation() {
    return operation(object.type(), effect);
  }

  @SuppressWarnings("unchecked") // the effect is one of the type
  private static <E> Optional<Object> operation(CrdtType<?, ?, E, ?> type, Object effect) {
    return type.operation((E) effect).map(operation -> operation);
  }

  /**
   * For implementations of {@link Store}.
   *
   * @param encoded the effect, one of the object's type
   * @throws io.github.stablecut.crdt.FormatException if it is not
   */
  public static CommittedEffect of(Key<?> object, Bytes encoded) {
    return new CommittedEffect(object, CrdtCodec.decodeEffect(object.type(), encoded.unwrap()));
  }

  /** The effect's bytes. For implementations of {@link Store}. */
  public Bytes encoded() {
    return encoded(object.type(), effect);
  }

  @SuppressWarnings("unchecked") // the effect is one of the type
  private static <E> Bytes encoded(CrdtType<?, ?, E, ?> type, Object effect) {
    return Bytes.wrap(CrdtCodec.encodeEffect(type, (E) effect));
  }
}
