package io.github.stablecut.cluster.internal.service;

/** Counts what the server does. Thread-safe. */
public interface RequestMeter {
  /** A meter that forgets. */
  RequestMeter NONE =
      new RequestMeter() {
        @Override
        public void answered(RequestKind kind, long nanos, boolean failed) {}

        @Override
        public void committed(long nanos) {}
      };

  /**
   * A request was answered.
   *
   * @param nanos from when it was read to its answer
   * @param failed whether the answer is an error
   */
  void answered(RequestKind kind, long nanos, boolean failed);

  /**
   * Updates were made durable.
   *
   * @param nanos from the commit to its end
   */
  void committed(long nanos);
}
