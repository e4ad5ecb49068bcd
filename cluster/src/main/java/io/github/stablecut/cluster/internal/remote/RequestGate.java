package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.membership.ClockDrift;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.cluster.internal.wire.NodeRef;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.TransactionMessageCodec;
import io.github.stablecut.internal.partition.commit.Message;
import java.util.Optional;

/**
 * Admits requests of other nodes unless their clock is too far ahead. Thread-safe.
 *
 * @param server executes the requests
 * @param clock this node's clock
 * @param view the view that knows which nodes are lost
 */
public record RequestGate(
    RequestServer server, NodeClock clock, ReplySender replies, MembershipView view) {
  /**
   * Answers a complete request.
   *
   * @param done called once its bytes are no longer needed
   */
  public void answer(NodeMessage.RequestEnvelope request, Runnable done) {
    if (!clock.admits(request.clock())) {
      done.run();
      refuse(request);
      return;
    }
    clock.observe(request.clock());
    NodeRef from = request.from();
    long number = request.number();
    // These callbacks don't capture the request: a wait for the outcome of a large commit must not
    // retain its bytes.
    server.answer(
        new RequestServer.EncodedRequest(
            request.partition(), request.epoch(), request.clock(), request.request().bytes()),
        driver -> new RemoteDriver(driver, from, clock, view),
        reply -> replies.send(from, number, reply),
        done);
  }

  /**
   * Answers a complete request at once if that neither waits nor takes long, or if it is refused.
   *
   * @return whether the request is answered
   */
  public boolean answerAtOnce(NodeMessage.RequestEnvelope request) {
    if (!clock.admits(request.clock())) {
      refuse(request);
      return true;
    }
    clock.observe(request.clock());
    Optional<Reply> reply =
        CacheHitReads.answer(
            server,
            new RequestServer.EncodedRequest(
                request.partition(), request.epoch(), request.clock(), request.request().bytes()));
    reply.ifPresent(known -> replies.send(request, known));
    return reply.isPresent();
  }

  private void refuse(NodeMessage.RequestEnvelope request) {
    replies.send(request, new Reply.Failed(ClockDrift.of(request.clock(), clock)));
  }

  /** The driver of a transaction on another node. */
  private record RemoteDriver(long number, NodeRef node, NodeClock clock, MembershipView view)
      implements Message.Driver {
    @Override
    public boolean isLost() {
      return node.address().filter(view::isLost).isPresent();
    }

    @Override
    public void tell(Message.ToDriver answer) {
      node.tell(
          new NodeMessage.DriverReply(number, clock.now(), TransactionMessageCodec.encode(answer)));
    }
  }
}
