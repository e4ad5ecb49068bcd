package io.github.stablecut.checkpoint;

import java.util.concurrent.TimeUnit;

/** Time, for whoever writes at a limited rate. Thread-safe. */
public interface RateClock {
  /** The machine's clock. */
  RateClock SYSTEM =
      new RateClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(nanos);
        }
      };

  /** Nanoseconds since some moment. */
  long nanoTime();

  /** Returns after so many nanoseconds. */
  void sleep(long nanos) throws InterruptedException;
}
