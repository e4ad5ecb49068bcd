package io.github.stablecut.internal.transaction;

import io.github.stablecut.crdt.codec.Codec;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * The collaborators that users give to the engine of a {@link Simulation}, with occasional faults:
 * a clock and a codec that throw, an executor that refuses. Confined to one thread.
 */
final class SimulatedFaults {
  /** Part of the message of each fault, here and of a {@link LossyDisk}. */
  private static final String MARK = "injected fault";

  private static final int CALLS_BEFORE_A_FAULT = 20;

  private final Random random;
  private int clockCallsUntilFault;
  private int codecCallsUntilFault;

  SimulatedFaults(Random random) {
    this.random = random;
  }

  /** Makes a clock throw once, soon. */
  void failClock() {
    clockCallsUntilFault = 1 + random.nextInt(CALLS_BEFORE_A_FAULT);
  }

  /** Makes a codec throw once, soon. */
  void failCodec() {
    codecCallsUntilFault = 1 + random.nextInt(CALLS_BEFORE_A_FAULT);
  }

  /** Ends all faults. */
  void end() {
    clockCallsUntilFault = 0;
    codecCallsUntilFault = 0;
  }

  /** A wall clock. */
  InstantSource clock(LongSupplier millis) {
    return () -> {
      if (clockCallsUntilFault > 0 && --clockCallsUntilFault == 0) {
        throw new IllegalStateException(MARK + " in the clock");
      }
      return Instant.ofEpochMilli(millis.getAsLong());
    };
  }

  /** A codec. */
  <T> Codec<T> codec(Codec<T> real) {
    return real.map(this::passed, this::passed);
  }

  private <T> T passed(T value) {
    if (codecCallsUntilFault > 0 && --codecCallsUntilFault == 0) {
      throw new IllegalStateException(MARK + " in a codec");
    }
    return value;
  }

  /** An executor that may run a task, or throw, or do both. */
  Executor executor() {
    return task -> {
      int what = random.nextInt(8);
      if (what > 1) {
        task.run();
      }
      if (what == 0) {
        throw new RejectedExecutionException(MARK + " in the executor");
      } else if (what < 3) {
        throw new AssertionError(MARK + " in the executor");
      }
    };
  }

  /**
   * Checks an exception of the engine.
   *
   * @throws RuntimeException the given exception, unless a fault caused it
   */
  static void expect(RuntimeException thrown) {
    if (!isInjected(thrown)) {
      throw thrown;
    }
  }

  /** Whether a fault caused an exception. */
  static boolean isInjected(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (String.valueOf(cause.getMessage()).contains(MARK)) {
        return true;
      }
    }
    return false;
  }
}
