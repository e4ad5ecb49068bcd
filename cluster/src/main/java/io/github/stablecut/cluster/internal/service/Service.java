package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.service.handle.NanoClock;
import java.util.concurrent.Executor;

/**
 * The state that all connections share. Thread-safe.
 *
 * @param handler executes requests
 * @param calls executes calls of {@code Stablecut.connect}
 * @param large limits the memory of large requests
 * @param executor executes requests, which may block
 * @param meter counts requests and commits
 * @param clock measures latencies
 */
public record Service(
    RequestHandler handler,
    CallHandler calls,
    LargeRequests large,
    Executor executor,
    RequestMeter meter,
    NanoClock clock) {
  /** Creates the session of a new connection. */
  public Session connect(Peer peer) {
    return new Session(this, peer);
  }
}
