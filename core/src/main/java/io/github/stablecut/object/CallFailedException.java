package io.github.stablecut.object;

import io.github.stablecut.error.UsageException;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Thrown if an operation of an object threw an exception on the node or server that has the object;
 * nothing changed. JDK exceptions that describe a faulty call, such as {@link
 * IllegalStateException}, are thrown unchanged instead.
 */
public final class CallFailedException extends UsageException {
  private static final long serialVersionUID = 1L;

  private static final Map<String, Function<String, RuntimeException>> OF_THE_JDK =
      Map.of(
          IllegalArgumentException.class.getName(),
          IllegalArgumentException::new,
          IllegalStateException.class.getName(),
          IllegalStateException::new,
          IndexOutOfBoundsException.class.getName(),
          IndexOutOfBoundsException::new,
          NoSuchElementException.class.getName(),
          NoSuchElementException::new,
          UnsupportedOperationException.class.getName(),
          UnsupportedOperationException::new,
          ArithmeticException.class.getName(),
          ArithmeticException::new,
          NullPointerException.class.getName(),
          NullPointerException::new);

  private final String thrown;

  private CallFailedException(String thrown, String message) {
    super(
        "the operation threw %s: %s; see the log of the node or server that has the object"
            .formatted(thrown, message));
    this.thrown = thrown;
  }

  /** Returns the name of the exception's class. */
  public String thrown() {
    return thrown;
  }

  /** Returns the name under which an exception is sent. */
  static String nameOf(Throwable thrown) {
    return thrown instanceof CallFailedException known ? known.thrown : thrown.getClass().getName();
  }

  /** Returns the local exception for one that another node threw. */
  static RuntimeException of(String thrown, String message) {
    Function<String, RuntimeException> known = OF_THE_JDK.get(thrown);
    return known == null ? new CallFailedException(thrown, message) : known.apply(message);
  }
}
