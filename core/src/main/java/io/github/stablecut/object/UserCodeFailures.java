package io.github.stablecut.object;

import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/** Classifies what functions and codecs of users throw. */
final class UserCodeFailures {
  /** The maximum number of causes to inspect; a chain of causes may be cyclic. */
  private static final int MAX_CAUSES = 100;

  private UserCodeFailures() {}

  /** Rethrows what says nothing about the function: the process is out of memory, or terminates. */
  static void rethrowIfFatal(Throwable thrown) {
    if (thrown instanceof VirtualMachineError error && !(error instanceof StackOverflowError)) {
      throw error;
    }
  }

  /** Returns whether an interruption of a thread caused it. */
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

  /** Returns its message. */
  static String messageOf(Throwable thrown) {
    try {
      return String.valueOf(thrown.getMessage());
    } catch (Throwable e) {
      rethrowIfFatal(e);
      return "(its message can't be read)";
    }
  }

  /** Returns its class name and message. */
  static String nameAndMessageOf(Throwable thrown) {
    return "%s: %s".formatted(thrown.getClass().getName(), messageOf(thrown));
  }

  /** Throws it unchanged, even a checked exception. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the cast is never executed
  static <T extends Throwable> RuntimeException rethrow(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
