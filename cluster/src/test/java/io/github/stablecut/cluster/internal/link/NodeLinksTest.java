package io.github.stablecut.cluster.internal.link;

import static io.github.stablecut.cluster.internal.link.RawLink.connect;
import static io.github.stablecut.cluster.internal.link.RawLink.hello;
import static io.github.stablecut.cluster.internal.link.RawLink.message;
import static io.github.stablecut.cluster.internal.link.RawLink.read;
import static io.github.stablecut.cluster.internal.link.RawLink.run;
import static io.github.stablecut.cluster.internal.link.RawLink.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.CutProxy;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Links between two nodes. */
class NodeLinksTest extends LinkedNodes {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @Test
  void aRequestIsAnswered() throws Exception {
    assertThat(linkAt(two.port()).send(request(5))).isTrue();

    Eventually.holds("it is answered", () -> one.replies.containsKey(5L));
    assertThat(one.replies.get(5L)).isEqualTo(REQUEST);
    assertThat(two.requests)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.partition()).isEqualTo(3);
              assertThat(request.epoch()).isEqualTo(4);
              assertThat(request.clock()).isEqualTo(7);
              assertThat(request.request()).isEqualTo(REQUEST);
              assertThat(request.from().address()).isEqualTo("127.0.0.1:1");
            });
  }

  @Test
  void anEventLoopHasALinkOfItsOwn() throws Exception {
    ClientEnd first = linkAt(two.port());
    ClientEnd[] own = new ClientEnd[2];
    int[] number = {0};
    for (var loop : loops.group()) {
      int i = number[0]++;
      Eventually.holds(
          "it has one",
          () -> {
            own[i] = loop.submit(() -> one.links.to("n2")).get();
            return own[i] != null;
          });
      assertThat(own[i].channel.eventLoop()).isSameAs(loop);
    }

    assertThat(own[0]).isNotSameAs(own[1]);
    assertThat(own).contains(first);
  }

  @Test
  void messagesToReplicasOfAPartitionKeepTheirOrder() throws Exception {
    one.links.learn("n2", "127.0.0.1:2", two.said());
    List<Bytes> sent =
        IntStream.rangeClosed(1, 50).mapToObj(number -> message(number, 20 * number)).toList();
    Eventually.holds("there are all links", () -> one.ready.size() == 3);
    for (Bytes next : sent) {
      // Sent by threads of different loops.
      CompletableFuture.runAsync(() -> one.links.tell("n2", 3, next), loops.group().next()).get();
    }

    Eventually.holds("all are there", () -> two.messages.size() == sent.size());
    assertThat(two.messages).extracting(LinkFrame.Message::bytes).isEqualTo(sent);
    assertThat(two.messages).allMatch(message -> message.partition() == 3 && message.clock() == 7);
    assertThat(two.requests).isEmpty();
  }

  @Test
  void aFullConnectionTakesNoMoreMessages() throws Exception {
    LinkFrame large = new LinkFrame.Message(0, 7, message(1, Links.MAX_MESSAGE_BYTES - 100));
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      ClientEnd link = linkAt(proxy.port());
      proxy.cut();

      // The sockets' buffers take some megabytes.
      assertThat(IntStream.range(0, 10_000).filter(i -> !link.send(large))).isNotEmpty();
      assertThat(link.isReady).isTrue();
    }
  }

  @Test
  void aBrokenLinkIsReported() throws Exception {
    ClientEnd link;
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      link = linkAt(proxy.port());
      two.answer = request -> Optional.empty();
      assertThat(link.send(request(5))).isTrue();
      Eventually.holds("it is there", () -> two.requests.size() == 1);
    }

    Eventually.holds("the loss is reported", () -> !link.isReady);
    assertThat(link.send(request(6))).isFalse();
    assertThat(one.broken).contains("n2");
    one.links.learn("n2", "127.0.0.1:2", two.said());
    assertThat(link()).isNotSameAs(link);
  }

  @Test
  void aLinkWhoseOtherEndIsSilentIsClosed() throws Exception {
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      ClientEnd link = linkAt(proxy.port());
      proxy.cut();
      assertThat(link.send(request(5))).isTrue();

      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      assertThat(link.isReady).isTrue();
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");

      Eventually.holds("it is closed", () -> !link.isReady);
    }
  }

  /** Its FIN may have been lost, with a firewall's state. */
  @Test
  void anAcceptedLinkWhoseOtherEndIsSilentIsClosed() throws Exception {
    ClientEnd link = linkAt(two.port());
    Eventually.holds(
        "both ends are ready", () -> two.links.accepted() == 3 && one.ready.size() == 3);
    two.ahead.addAndGet(3600 * SECOND);
    two.tick("n1", "n2");
    assertThat(two.links.accepted()).as("after a pause of this process").isEqualTo(3);

    for (int i = 0; i < 25; i++) {
      two.ahead.addAndGet(SECOND);
      two.tick("n1", "n2");
    }

    Eventually.holds("they are closed", () -> !link.isReady);
    assertThat(one.broken).contains("n2");
  }

  @Test
  void aLinkWhoseOtherEndIsBusyStaysOpen() throws Exception {
    ClientEnd link = linkAt(two.port());
    two.answer = request -> Optional.empty();
    assertThat(link.send(request(5))).isTrue();
    Eventually.holds("it is there", () -> two.requests.size() == 1);

    for (int i = 0; i < 20; i++) {
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      // Its answer to the ping comes later.
      long asked = 100L + i;
      two.answer = request -> Optional.of(REQUEST);
      assertThat(link.send(request(asked))).isTrue();
      Eventually.holds("it is alive", () -> one.replies.containsKey(asked));
    }

    assertThat(link.isReady).isTrue();
  }

  @Test
  void aNodeAnnouncesTheOldestWriteThatItAwaits() throws Exception {
    assertThat(linkAt(two.port()).isReady).isTrue();
    Eventually.holds("there are all links", () -> one.ready.size() == 3);
    one.pending.tick();

    one.tick("n1", "n2");

    Eventually.holds("it is there", () -> two.answered.containsKey(run(one)));
    assertThat(two.answered).containsEntry(run(one), one.pending.oldestWrite());
  }

  @Test
  void linksToANodeThatAkkaDoesNotReachAreClosed() throws Exception {
    ClientEnd link = linkAt(two.port());

    one.tick("n1");

    Eventually.holds("it is closed", () -> !link.isReady);
    Eventually.holds("there is no other", () -> one.links.to("n2") == null);
    one.ahead.addAndGet(60 * SECOND);
    assertThat(one.links.to("n2")).isNull();
    one.tick("n1", "n2");
    assertThat(linkAt(two.port())).isNotSameAs(link);

    two.tick("n2");
    Eventually.holds("the other end has closed it", () -> two.links.accepted() == 0);
  }

  @Test
  void theAnnouncementOfAnUnreachableNodeIsForgotten() {
    one.tick("n1", "n3");
    one.links.learn("n3", "127.0.0.1:3", "3/3");
    assertThat(one.links.known("n3")).isNotNull();

    one.tick("n1");
    one.tick("n1", "n3");

    assertThat(one.links.known("n3")).isNull();
  }

  @Test
  void aNodeHasNoLinkToItself() {
    one.links.learn("n1", "127.0.0.1:1", one.said());

    assertThat(one.links.known("n1")).isNull();
  }

  @Test
  void aClosedNodeClosesItsLinks() throws Exception {
    ClientEnd link = linkAt(two.port());

    one.close();

    Eventually.holds("it is closed", () -> !link.isReady);
    Eventually.holds("at the other end, too", () -> two.links.accepted() == 0);
  }

  @Test
  void aClosedNodeClosesTheLinksOfOthersToIt() throws Exception {
    ClientEnd link = linkAt(two.port());

    two.close();

    Eventually.holds("it is closed", () -> !link.isReady);
  }

  @Test
  void aLinkEndsWithTheRunOfItsNodes() throws Exception {
    ClientEnd link = linkAt(two.port());
    try (LinkedNode next = new LinkedNode("n2", loops, tls)) {
      next.tick("n1", "n2");
      next.links.learn("n1", "127.0.0.1:1", one.said());

      one.links.learn("n2", "127.0.0.1:2", next.said());

      Eventually.holds("it is closed", () -> !link.isReady);
      assertThat(link().send(request(8))).isTrue();
      Eventually.holds("the next run has it", () -> next.requests.size() == 1);
      assertThat(two.requests).isEmpty();

      next.links.learn("n1", "127.0.0.1:1", one.port() + "/1");
      Eventually.holds("the other end has closed it", () -> two.links.accepted() == 0);
    }
  }

  @Test
  void aLinkMeantForAnotherNodeIsRefused() throws Exception {
    assertRefused(
        hello(GossipedNodeState.PROTOCOL, 12, "n1", run(one)), "it is meant for another node");
  }

  @Test
  void anotherVersionIsRefused() throws Exception {
    assertRefused(
        hello(GossipedNodeState.PROTOCOL - 1, run(two), "n1", run(one)),
        "its messages have version " + (GossipedNodeState.PROTOCOL - 1));
  }

  @Test
  void anUnknownRunIsRefused() throws Exception {
    assertRefused(
        hello(GossipedNodeState.PROTOCOL, run(two), "n1", run(one) + 1), "does not know this run");
    assertRefused(
        hello(GossipedNodeState.PROTOCOL, run(two), "n3", run(one)), "does not know this run");

    two.tick("n2");
    two.links.learn("n1", "127.0.0.1:1", one.said());
    assertRefused(hello(one, two), "does not know this run");
  }

  @Test
  void aNodeWithAnotherSecretIsIgnored() throws Exception {
    TestTls foreign = new TestTls(directory.resolve("other"));
    try (SSLSocket socket = connect(foreign, two)) {
      Optional<LinkFrame> read = Optional.empty();
      try {
        write(socket, hello(GossipedNodeState.PROTOCOL, run(two), "n1", run(one)));
        read = Optional.of(read(socket));
      } catch (IOException e) {
        // The handshake fails at either end.
      }
      assertThat(read).isEmpty();
    }
  }

  private void assertRefused(LinkFrame hello, String why) throws IOException {
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello);

      assertThat(read(socket))
          .isInstanceOfSatisfying(
              LinkFrame.Welcome.class, welcome -> assertThat(welcome.refusal()).contains(why));
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }
}
