package io.github.stablecut.web;

/** Answers a request. Thread-safe. */
@FunctionalInterface
public interface Handler {
  /**
   * Returns the answer: a record, map or list that becomes JSON.
   *
   * @throws WebException if the request can't be answered
   * @throws InterruptedException if the server stops
   */
  Object answer(Arguments arguments) throws InterruptedException;
}
