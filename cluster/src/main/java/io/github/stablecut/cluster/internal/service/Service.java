package io.github.stablecut.cluster.internal.service;

import java.util.concurrent.Executor;

/**
 * What all connections share. Thread-safe.
 *
 * @param handler executes requests
 * @param calls executes calls of {@code Stablecut.connect}
 * @param large bounds the memory of large requests
 * @param executor where requests are executed; they may block for reading
 * @param meter counts
 * @param clock what latencies are measured with
 */
public record Service(
    RequestHandler handler,
    CallHandler calls,
    LargeRequests large,
    Executor executor,
    RequestMeter meter,
    NanoClock clock) {
  /** A session for a new connection. */
  public Session connect(Peer peer) {
    return new Session(this, peer);
  }
}
