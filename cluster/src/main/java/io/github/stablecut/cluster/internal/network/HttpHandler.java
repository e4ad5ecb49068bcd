package io.github.stablecut.cluster.internal.network;

/** Answers requests to the admin port. Thread-safe. */
public interface HttpHandler {
  /** Returns whether a request is answered quickly, without waiting. */
  boolean isQuick(HttpRequest call);

  /** Returns whether a request may wait for the store, such as for a commit or a partition. */
  default boolean isOfStore(HttpRequest call) {
    return false;
  }

  /** Answers a request. */
  HttpResponse answer(HttpRequest call);

  /** Returns whether a request asks for a stream of events. */
  default boolean isStream(HttpRequest call) {
    return false;
  }

  /**
   * Opens the stream of events that a request asks for.
   *
   * @throws RefusedException with another answer instead of a stream
   */
  default HttpEvents events(HttpRequest call) throws RefusedException {
    throw new RefusedException(answer(call));
  }

  /** Carries an answer that replaces a stream of events. */
  final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient HttpResponse answer;

    /** Creates an exception with the answer. */
    public RefusedException(HttpResponse answer) {
      super("there is no stream of events");
      this.answer = answer;
    }

    HttpResponse answer() {
      return answer;
    }
  }
}
