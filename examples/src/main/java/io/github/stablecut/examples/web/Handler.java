package io.github.stablecut.examples.web;

/** Answers a request. Thread-safe. */
@FunctionalInterface
public interface Handler {
  /**
   * The answer: a record, map or list that becomes JSON.
   *
   * @throws WebException if the request can't be answered
   */
  Object answer(Arguments arguments);
}
