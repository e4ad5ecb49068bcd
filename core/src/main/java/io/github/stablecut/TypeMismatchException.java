package io.github.stablecut;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.UsageException;

/** An object was used with another type than its first update gave it. Nothing was changed. */
public final class TypeMismatchException extends UsageException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message what happened, with the facts, and what to do
   */
  public TypeMismatchException(String message) {
    super(message);
  }

  /**
   * Checks that an object is used with its type.
   *
   * @param id the object
   * @param used the type of the key
   * @param actual the type of the object
   */
  public static void check(Bytes id, CrdtType<?, ?, ?, ?> used, CrdtType<?, ?, ?, ?> actual) {
    if (used != actual && used.typeId() != actual.typeId()) {
      throw mismatch(id, used, actual);
    }
  }

  private static TypeMismatchException mismatch(
      Bytes id, CrdtType<?, ?, ?, ?> used, CrdtType<?, ?, ?, ?> actual) {
    return new TypeMismatchException(
        "object %s is %s, not %s: use the right kind of key"
            .formatted(Key.nameOf(id), withArticle(actual), withArticle(used)));
  }

  private static String withArticle(CrdtType<?, ?, ?, ?> type) {
    String name = type.name();
    return ("aeiou".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }
}
