package io.github.stablecut.cluster.internal.service;

import java.util.Optional;

/** Sends the answers of a connection. Thread-safe. */
final class Answers {
  private final Service service;
  private final Peer peer;

  Answers(Service service, Peer peer) {
    this.service = service;
    this.peer = peer;
  }

  /** Sends an answer, or says why it can't be sent. */
  <A> void tell(ReceivedRequest arrived, RequestKind kind, Replies<A> replies, A answer) {
    boolean failed = replies.isFailure(answer);
    try {
      if (!send(replies, answer)) {
        failed = true;
        boolean unused = send(replies, replies.untaken(answer));
      }
    } catch (RuntimeException e) {
      Optional<A> refusal = replies.refused(answer, e);
      if (refusal.isEmpty()) {
        throw e;
      }
      failed = true;
      boolean unused = send(replies, refusal.get());
    }
    service.meter().answered(kind, service.clock().nanos() - arrived.atNanos(), failed);
  }

  private <A> boolean send(Replies<A> replies, A answer) {
    return peer.send(replies.minBytes(answer), () -> replies.frame(answer));
  }
}
