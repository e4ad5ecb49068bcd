package io.github.stablecut.cluster.internal.service;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.Optional;

/** Sends the answers of a connection. Thread-safe. */
final class Answers {
  private final Service service;
  private final Peer peer;

  Answers(Service service, Peer peer) {
    this.service = service;
    this.peer = peer;
  }

  /** Sends an answer, or the reason why it can't be sent. */
  <A> void tell(ReceivedRequest request, RequestKind kind, Replies<A> replies, A answer) {
    boolean isFailure = replies.isFailure(answer);
    try {
      if (!send(replies, answer)) {
        isFailure = true;
        send(replies, replies.untaken(answer));
      }
    } catch (RuntimeException e) {
      Optional<A> refusal = replies.refused(answer, e);
      if (refusal.isEmpty()) {
        throw e;
      }
      isFailure = true;
      send(replies, refusal.get());
    }
    service.meter().answered(kind, service.clock().nanos() - request.atNanos(), isFailure);
  }

  @CanIgnoreReturnValue
  private <A> boolean send(Replies<A> replies, A answer) {
    return peer.send(replies.minBytes(answer), () -> replies.frame(answer));
  }
}
