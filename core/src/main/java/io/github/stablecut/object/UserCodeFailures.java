package io.github.stablecut.object;

import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/** What functions and codecs of users throw, and what of it is theirs. */
final class UserCodeFailures {
  /** Causes further down are not looked at; a chain of them may have no end. */
  private static final int MAX_CAUSES = 100;

  private UserCodeFailures() {}

  /** Throws what says nothing of the function: the process is out of memory, or ends. */
  static void rethrowIfFatal(Throwable thrown) {
    if (thrown instanceof VirtualMachineError error && !(error instanceof StackOverflowError)) {
      throw error;
    }
  }

  /** Whether it was thrown since a thread was interrupted. */
  static boolean isInterruption(Throwable thrown) {
    Throwable e = thrown;
    for (int depth = 0; e != null && depth < MAX_CAUSES; depth++) {
      if (e instanceof InterruptedException || e instanceof ClosedByInterruptException) {
        return true;
      }
      e = causeOf(e);
    }
    return false;
  }

  private static @Nullable Throwable causeOf(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable e) {
      rethrowIfFatal(e);
      return null;
    }
  }

  /** What it says of itself. */
  static String messageOf(Throwable thrown) {
    try {
      return String.valueOf(thrown.getMessage());
    } catch (Throwable e) {
      rethrowIfFatal(e);
      return "(its message can't be read)";
    }
  }

  /** What it is, and what it says of itself. */
  static String nameAndMessageOf(Throwable thrown) {
    return "%s: %s".formatted(thrown.getClass().getName(), messageOf(thrown));
  }

  /** Throws it as it is, a checked exception, too. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the cast is never executed
  static <T extends Throwable> RuntimeException rethrow(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
