package io.github.stablecut.cluster.internal.network;

/** Answers requests of operators. Thread-safe. */
public interface HttpAnswers {
  /** Whether the answer takes no time, and waits for nothing. */
  boolean isQuick(HttpCall call);

  /** Whether the answer may wait for the store, such as for a commit or a partition. */
  default boolean isOfStore(HttpCall call) {
    return false;
  }

  /** The answer to a request. */
  HttpAnswer answer(HttpCall call);

  /** Whether a request is for a stream of events. */
  default boolean isStream(HttpCall call) {
    return false;
  }

  /**
   * The stream of events that a request is for.
   *
   * @throws RefusedException with the answer if there is none
   */
  default HttpEvents events(HttpCall call) throws RefusedException {
    throw new RefusedException(answer(call));
  }

  /** There is no stream of events, but another answer. */
  final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient HttpAnswer answer;

    /** With the answer. */
    public RefusedException(HttpAnswer answer) {
      super("there is no stream of events");
      this.answer = answer;
    }

    HttpAnswer answer() {
      return answer;
    }
  }
}
