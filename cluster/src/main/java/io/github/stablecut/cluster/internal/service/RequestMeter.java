package io.github.stablecut.cluster.internal.service;

/** Counts requests and commits. Thread-safe. */
public interface RequestMeter {
  /** A meter that counts nothing. */
  RequestMeter NONE =
      new RequestMeter() {
        @Override
        public void answered(RequestKind kind, long nanos, boolean failed) {}

        @Override
        public void committed(long nanos) {}
      };

  /**
   * Counts an answered request.
   *
   * @param nanos the time from its arrival to its answer
   * @param failed whether the answer is an error
   */
  void answered(RequestKind kind, long nanos, boolean failed);

  /**
   * Counts a durable commit.
   *
   * @param nanos the duration of the commit
   */
  void committed(long nanos);
}
