package io.github.stablecut.cluster.internal.node;

import io.github.stablecut.cluster.internal.link.LinkHandler;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.remote.PendingRequests;
import io.github.stablecut.cluster.internal.remote.RequestGate;
import io.github.stablecut.cluster.internal.remote.Transport;
import io.github.stablecut.cluster.internal.wire.NodeMessage;
import io.github.stablecut.crdt.Bytes;

/**
 * Hands what links bring to those to whom Akka's messages go: reads of what is in memory are
 * answered at once, everything else where it is when Akka brings it. Thread-safe.
 */
record LinkEvents(
    InboundHandler inbound,
    RequestGate gate,
    Transport akka,
    PendingRequests requests,
    NodeClock clock)
    implements LinkHandler {
  @Override
  public void onRequest(NodeMessage.RequestEnvelope request) {
    if (!gate.answerAtOnce(request)) {
      gate.answer(request, () -> {});
    }
  }

  @Override
  public void onMessage(int partition, long sender, Bytes message) {
    inbound.onLinkMessage(partition, sender, message);
  }

  @Override
  public void onReply(long number, long sender, Bytes reply) {
    inbound.onLinkReply(number, sender, reply);
  }

  @Override
  public void onBroken(Links.Link link) {
    requests.broken(link);
  }

  @Override
  public void send(String address, NodeMessage message) {
    akka.send(address, message);
  }

  @Override
  public long now() {
    return clock.now();
  }
}
