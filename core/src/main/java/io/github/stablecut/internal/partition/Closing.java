package io.github.stablecut.internal.partition;

/** Closing what was opened before a failure. */
public final class Closing {
  private Closing() {}

  /**
   * Closes something because of a failure, which the caller then throws.
   *
   * @param cause gets what is thrown by closing as a suppressed exception
   */
  public static void after(Throwable cause, AutoCloseable opened) {
    try {
      opened.close();
    } catch (Exception | Error e) {
      cause.addSuppressed(e);
    }
  }
}
