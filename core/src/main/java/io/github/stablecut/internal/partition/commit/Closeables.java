package io.github.stablecut.internal.partition.commit;

import java.util.function.Consumer;

/** Closes resources even if other steps fail. */
public final class Closeables {
  private Closeables() {}

  /**
   * Closes a resource after a failure, which the caller then throws.
   *
   * @param cause receives exceptions from closing as suppressed ones
   */
  public static void after(Throwable cause, AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception | Error e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * Closes each resource, even if closing another one fails.
   *
   * @throws RuntimeException the first failure, or an Error; has the others suppressed
   */
  public static <T> void each(Iterable<T> opened, Consumer<T> closing) {
    Throwable first = null;
    for (T one : opened) {
      try {
        closing.accept(one);
      } catch (RuntimeException | Error e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first != null) {
      throw (RuntimeException) first;
    }
  }
}
