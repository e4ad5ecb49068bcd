package io.github.stablecut.cluster.internal.network;

/** Answers requests of operators. Thread-safe. */
public interface HttpHandler {
  /** Whether the answer takes no time, and waits for nothing. */
  boolean isQuick(HttpRequest call);

  /** Whether the answer may wait for the store, such as for a commit or a partition. */
  default boolean isOfStore(HttpRequest call) {
    return false;
  }

  /** The answer to a request. */
  HttpResponse answer(HttpRequest call);

  /** Whether a request is for a stream of events. */
  default boolean isStream(HttpRequest call) {
    return false;
  }

  /**
   * The stream of events that a request is for.
   *
   * @throws RefusedException with the answer if there is none
   */
  default HttpEvents events(HttpRequest call) throws RefusedException {
    throw new RefusedException(answer(call));
  }

  /** There is no stream of events, but another answer. */
  final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient HttpResponse answer;

    /** With the answer. */
    public RefusedException(HttpResponse answer) {
      super("there is no stream of events");
      this.answer = answer;
    }

    HttpResponse answer() {
      return answer;
    }
  }
}
