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
 * Passes what arrives on links to the handlers of Akka's messages. Reads from memory are answered
 * at once; everything else executes on the same threads as messages from Akka. Thread-safe.
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
