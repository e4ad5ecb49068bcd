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
    assertThat(linkAt(two.port()).ask(3, 4, 5, REQUEST)).isTrue();

    Eventually.holds("it is answered", () -> one.replies.containsKey(5L));
    assertThat(one.replies.get(5L)).isEqualTo(REQUEST);
    assertThat(two.requests)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.partition()).isEqualTo(3);
              assertThat(request.epoch()).isEqualTo(4);
              assertThat(request.clock()).isEqualTo(7);
              assertThat(request.request().bytes()).isEqualTo(REQUEST);
              assertThat(request.from().address()).contains("127.0.0.1:1");
            });
  }

  @Test
  void aLargeReplyGoesThroughAkka() throws Exception {
    two.answer = request -> Optional.of(Bytes.wrap(new byte[Links.MAX_BYTES + 1]));

    assertThat(linkAt(two.port()).ask(3, 4, 5, REQUEST)).isTrue();

    Eventually.holds("it is sent", () -> !two.sent.isEmpty());
    assertThat(two.sent).containsExactly("127.0.0.1:1");
    assertThat(one.replies).isEmpty();
  }

  @Test
  void anEventLoopHasALinkOfItsOwn() throws Exception {
    Links.Link first = linkAt(two.port());
    Links.Link[] own = new Links.Link[2];
    int[] number = {0};
    for (var loop : loops.group()) {
      int i = number[0]++;
      Eventually.holds(
          "it has one",
          () -> {
            own[i] = loop.submit(() -> one.links.to("n2")).get();
            return own[i] != null;
          });
      assertThat(((ClientEnd) own[i]).channel.eventLoop()).isSameAs(loop);
    }

    assertThat(own[0]).isNotSameAs(own[1]);
    assertThat(own).contains(first);
  }

  @Test
  void messagesToReplicasOfAPartitionKeepTheirOrder() throws Exception {
    one.links.learn("n2", "127.0.0.1:2", two.links.said());
    List<Bytes> sent =
        IntStream.rangeClosed(1, 50).mapToObj(number -> message(number, 20 * number)).toList();
    Eventually.holds("there is a link", () -> one.links.tell("n2", 3, sent.get(0)));
    for (Bytes next : sent.subList(1, sent.size())) {
      // Sent by threads of different loops.
      CompletableFuture.runAsync(
              () -> assertThat(one.links.tell("n2", 3, next)).isTrue(), loops.group().next())
          .get();
    }

    Eventually.holds("all are there", () -> two.messages.size() == sent.size());
    assertThat(two.messages).extracting(LinkFrame.Message::message).isEqualTo(sent);
    assertThat(two.messages).allMatch(message -> message.partition() == 3 && message.clock() == 7);
    assertThat(two.requests).isEmpty();
  }

  @Test
  void aFullConnectionTakesNoMoreMessages() throws Exception {
    Bytes large = message(1, Links.MAX_MESSAGE_BYTES - 100);
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      one.links.learn("n2", "127.0.0.1:2", two.saidAt(proxy.port()));
      Eventually.holds("there is a link", () -> one.links.tell("n2", 0, large));
      proxy.cut();

      // The sockets' buffers take some megabytes.
      assertThat(IntStream.range(0, 10_000).filter(i -> !one.links.tell("n2", 0, large)))
          .isNotEmpty();
    }
  }

  @Test
  void aConnectionWithAnUnansweredPingTakesNoMessages() throws Exception {
    Bytes message = message(1, 1);
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      one.links.learn("n2", "127.0.0.1:2", two.saidAt(proxy.port()));
      Eventually.holds("there is a link", () -> one.links.tell("n2", 0, message));
      proxy.cut();
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      assertThat(one.links.tell("n2", 0, message)).isTrue();

      one.ahead.addAndGet(SECOND);

      assertThat(one.links.tell("n2", 0, message)).isFalse();
    }
  }

  @Test
  void aBrokenLinkIsReported() throws Exception {
    Links.Link link;
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      link = linkAt(proxy.port());
      two.answer = request -> Optional.empty();
      assertThat(link.ask(3, 4, 5, REQUEST)).isTrue();
      Eventually.holds("it is there", () -> two.requests.size() == 1);
    }

    Eventually.holds("the loss is reported", () -> one.broken.contains(link));
    assertThat(link.ask(3, 4, 6, REQUEST)).isFalse();
    assertThat(one.links.to("n2")).isNull();
    one.links.learn("n2", "127.0.0.1:2", two.links.said());
    assertThat(link()).isNotSameAs(link);
  }

  @Test
  void aLinkWhoseOtherEndIsSilentIsClosed() throws Exception {
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()))) {
      Links.Link link = linkAt(proxy.port());
      proxy.cut();
      assertThat(link.ask(3, 4, 5, REQUEST)).isTrue();

      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      assertThat(one.broken).isEmpty();
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");

      Eventually.holds("it is closed", () -> one.broken.contains(link));
    }
  }

  @Test
  void aLinkWhoseOtherEndIsBusyStaysOpen() throws Exception {
    Links.Link link = linkAt(two.port());
    two.answer = request -> Optional.empty();
    assertThat(link.ask(3, 4, 5, REQUEST)).isTrue();
    Eventually.holds("it is there", () -> two.requests.size() == 1);

    for (int i = 0; i < 20; i++) {
      one.ahead.addAndGet(2 * SECOND);
      one.tick("n1", "n2");
      // Its answer to the ping comes later.
      long asked = 100L + i;
      two.answer = request -> Optional.of(REQUEST);
      assertThat(link.ask(3, 4, asked, REQUEST)).isTrue();
      Eventually.holds("it is alive", () -> one.replies.containsKey(asked));
    }

    assertThat(one.broken).isEmpty();
  }

  @Test
  void linksToANodeThatAkkaDoesNotReachAreClosed() throws Exception {
    Links.Link link = linkAt(two.port());

    one.tick("n1");

    Eventually.holds("it is closed", () -> one.broken.contains(link));
    Eventually.holds("there is no other", () -> one.links.to("n2") == null);
    one.ahead.addAndGet(60 * SECOND);
    assertThat(one.links.to("n2")).isNull();
    one.tick("n1", "n2");
    assertThat(linkAt(two.port())).isNotSameAs(link);

    two.tick("n2");
    Eventually.holds("the other end has closed it", () -> one.broken.size() == 2);
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
    one.links.learn("n1", "127.0.0.1:1", one.links.said());

    assertThat(one.links.known("n1")).isNull();
  }

  @Test
  void aClosedNodeClosesItsLinks() throws Exception {
    Links.Link link = linkAt(two.port());

    one.close();

    Eventually.holds("it is closed", () -> one.broken.contains(link));
    Eventually.holds("at the other end, too", () -> two.links.accepted() == 0);
  }

  @Test
  void aClosedNodeClosesTheLinksOfOthersToIt() throws Exception {
    Links.Link link = linkAt(two.port());

    two.close();

    Eventually.holds("it is closed", () -> one.broken.contains(link));
  }

  @Test
  void aLinkEndsWithTheRunOfItsNodes() throws Exception {
    Links.Link link = linkAt(two.port());
    try (LinkedNode next = new LinkedNode("n2", loops, tls)) {
      next.tick("n1", "n2");
      next.links.learn("n1", "127.0.0.1:1", one.links.said());

      one.links.learn("n2", "127.0.0.1:2", next.links.said());

      Eventually.holds("it is closed", () -> one.broken.contains(link));
      assertThat(link().ask(0, 1, 8, REQUEST)).isTrue();
      Eventually.holds("the next run has it", () -> next.requests.size() == 1);
      assertThat(two.requests).isEmpty();

      next.links.learn("n1", "127.0.0.1:1", one.port() + "/1");
      Eventually.holds("the other end has closed it", () -> one.broken.size() == 2);
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
    two.links.learn("n1", "127.0.0.1:1", one.links.said());
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
