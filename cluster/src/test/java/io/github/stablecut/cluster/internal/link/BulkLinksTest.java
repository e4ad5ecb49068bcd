package io.github.stablecut.cluster.internal.link;

import static io.github.stablecut.cluster.internal.link.RawLink.read;
import static io.github.stablecut.cluster.internal.link.RawLink.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.CutProxy;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/**
 * Large messages between two nodes: complete or not at all, and no other message waits for them.
 */
class BulkLinksTest extends LinkedNodes {
  private static final int CHUNK = LinkFrame.CHUNK_BYTES;
  private static final Bytes SOME = Bytes.wrap(new byte[CHUNK]);
  private final List<Boolean> outcomes = new CopyOnWriteArrayList<>();

  /** The bytes of a request that is not for a replica. */
  private static Bytes large(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    bytes[0] = 99;
    return Bytes.wrap(bytes);
  }

  private static LinkFrame.Request chunk(long number, int length) {
    return request(number).with(large(length, (int) number));
  }

  private void send(long number, Bytes request) {
    one.links.send("n2", 3, 4, number, request, outcomes::add);
  }

  @Test
  void arriveAsTheyWereSentInAnyNumberOfChunks() throws Exception {
    assertThat(bulkAt(two.port())).isNotNull();
    two.answer = request -> Optional.empty();
    List<Integer> lengths =
        List.of(4_097, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 7, 2_000_000);
    for (int length : lengths) {
      send(length, large(length, length));
    }

    Eventually.holds("all are there", () -> two.requests.size() == lengths.size());
    assertThat(two.requests)
        .allSatisfy(
            request -> {
              int length = (int) request.number();
              assertThat(request.request()).isEqualTo(large(length, length));
              assertThat(request.partition()).isEqualTo(3);
              assertThat(request.epoch()).isEqualTo(4);
            });
    assertThat(outcomes).hasSize(lengths.size()).doesNotContain(false);
    assertThat(two.traffic.requestsIn().taken()).isZero();
  }

  @Test
  void haveAnEventLoopOfTheirOwnAtBothEnds() throws Exception {
    ClientEnd end = bulkAt(two.port());
    List<Thread> threads = new CopyOnWriteArrayList<>();
    two.answer =
        request -> {
          threads.add(Thread.currentThread());
          return Optional.empty();
        };

    send(1, large(100_000, 1));
    assertThat(linkAt(two.port()).send(request(2))).isTrue();

    Eventually.holds("both are there", () -> threads.size() == 2);
    assertThat(threads).filteredOn(each -> each.getName().startsWith("bulk")).hasSize(1);
    for (var loop : loops.group()) {
      assertThat(end.channel.eventLoop()).isNotSameAs(loop);
    }
  }

  @Test
  void aLargeReplyUsesTheOwnLinkOfItsSender() throws Exception {
    Bytes reply = large(300_000, 5);
    one.view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 4, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
    assertThat(linkAt(two.port())).isNotNull();
    Eventually.holds("there is one back", () -> two.links.bulkTo("n1") != null);
    two.answer = request -> Optional.of(reply);
    one.pending.connect(one.links);

    CompletableFuture<Reply> asked =
        CompletableFuture.supplyAsync(
            () -> one.pending.callNode("n2", 0, new Request.Present(), Duration.ofMinutes(1)));

    Eventually.holds("it is there", () -> one.replies.size() == 1);
    assertThat(one.replies).containsValue(reply);
    one.pending.close();
    assertThat(asked).failsWithin(Duration.ofMinutes(1));
  }

  @Test
  void aReplyThatNobodyAwaitsTakesNoMemory() throws Exception {
    assertThat(linkAt(two.port())).isNotNull();
    Eventually.holds("there is one back", () -> two.links.bulkTo("n1") != null);
    two.answer = request -> Optional.of(large(300_000, 5));

    assertThat(linkAt(two.port()).send(request(5))).isTrue();
    Eventually.holds("it is asked", () -> two.requests.size() == 1);
    two.answer = request -> Optional.of(REQUEST);
    assertThat(linkAt(two.port()).send(request(6))).isTrue();

    Eventually.holds("a small one is there", () -> one.replies.containsKey(6L));
    assertThat(one.replies).hasSize(1);
    assertThat(one.traffic.answersIn().taken()).isZero();
  }

  /** Accepts the links of the first node, and returns the one for large messages. */
  private static CompletableFuture<SSLSocket> accept(SSLServerSocket listening) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            SSLSocket bulk = null;
            for (int i = 0; i < 3; i++) {
              SSLSocket socket = (SSLSocket) listening.accept();
              boolean isBulk = ((LinkFrame.Hello) read(socket)).isBulk();
              write(socket, new LinkFrame.Welcome(""));
              bulk = isBulk ? socket : bulk;
            }
            return Objects.requireNonNull(bulk);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private SSLServerSocket listen() throws IOException {
    SSLServerSocket listening =
        (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket(0);
    listening.setNeedClientAuth(true);
    return listening;
  }

  @Test
  void takeTurnsChunkByChunkAndAForgottenOneEnds() throws Exception {
    try (SSLServerSocket listening = listen()) {
      CompletableFuture<SSLSocket> accepted = accept(listening);
      assertThat(bulkAt(listening.getLocalPort())).isNotNull();
      SSLSocket socket = accepted.get();

      send(1, large(400 * CHUNK, 1));
      send(2, large(300 * CHUNK, 2));
      send(3, large(4_097, 3));
      List<Integer> turns = new ArrayList<>();
      while (!turns.contains(3)) {
        turns.add(id(read(socket)));
      }
      List<Integer> next = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        next.add(id(read(socket)));
      }
      one.links.forget(1);
      int aborted = 0;
      LinkFrame last = read(socket);
      while (!(last instanceof LinkFrame.Next chunk && chunk.id() == 2 && outcomes.size() == 3)) {
        aborted += last instanceof LinkFrame.Abort ? 1 : 0;
        last = read(socket);
      }

      assertThat(next).as("one after the other").containsOnly(1, 2);
      assertThat(next.subList(0, 4)).isIn(List.of(1, 2, 1, 2), List.of(2, 1, 2, 1));
      assertThat(aborted).isEqualTo(1);
      assertThat(outcomes).containsExactly(true, false, true);
    }
  }

  private static int id(LinkFrame frame) {
    return frame instanceof LinkFrame.First first ? first.id() : ((LinkFrame.Next) frame).id();
  }

  @Test
  void aNodeThatReadsNothingGetsNoMoreThanTheLinkHoldsAndDelaysNoOther() throws Exception {
    try (CutProxy proxy = new CutProxy(0, List.of(two.port()));
        LinkedNode three = new LinkedNode("n3", loops, tls)) {
      three.tick("n1", "n3");
      three.links.learn("n1", "127.0.0.1:1", one.said());
      one.tick("n1", "n2", "n3");
      ClientEnd end = bulkAt(proxy.port());
      one.links.learn("n3", "127.0.0.1:3", three.said());
      Eventually.holds("there is another", () -> one.links.bulkTo("n3") != null);
      proxy.cut();

      for (int i = 0; i < 20; i++) {
        send(i, large(5_000_000, i));
      }
      Bytes other = large(5_000_000, 7);
      one.links.send("n3", 3, 4, 100, other, outcomes::add);

      Eventually.holds("the other node has its message", () -> three.requests.size() == 1);
      assertThat(outcomes).as("the sockets hold a few megabytes").hasSizeLessThan(5);
      // What the channel holds, on its way through TLS.
      assertThat(end.channel.unsafe().outboundBuffer().totalPendingWriteBytes())
          .isLessThan(2_000_000);
    }
    Eventually.holds("the others were dropped", () -> outcomes.size() == 21);
    assertThat(outcomes).contains(false);
    assertThat(two.requests).hasSizeLessThan(5);
  }

  @Test
  void aSmallMessageDoesNotWaitForLargeOnes() throws Exception {
    ClientEnd link = linkAt(two.port());
    assertThat(bulkAt(two.port())).isNotNull();
    two.answer = request -> Optional.empty();
    for (int i = 0; i < 8; i++) {
      send(i, large(50_000_000, 1));
    }

    assertThat(link.send(request(1_000))).isTrue();

    Eventually.holds("it is there", () -> !two.requests.isEmpty());
    assertThat(two.requests.element().number()).isEqualTo(1_000);
  }

  @Test
  void aBrokenConnectionDropsUnfinishedMessages() throws Exception {
    for (LinkFrame.Content content :
        List.<LinkFrame.Content>of(
            chunk(8, CHUNK),
            new LinkFrame.Request(3, 0, 8, 5, RawLink.message(1, 300_000).slice(0, CHUNK)),
            new LinkFrame.DriverReply(8, 5, SOME))) {
      try (SSLSocket socket = RawLink.welcomed(tls, one, two, true)) {
        write(socket, new LinkFrame.First(1, 4 * CHUNK, content.with(content.bytes())));
        write(socket, new LinkFrame.Next(1, SOME));
        Eventually.holds("they have memory", () -> taken() >= 2 * CHUNK);
      }
      Eventually.holds("it is free again", () -> taken() == 0);
    }
    assertThat(two.requests).isEmpty();
    assertThat(two.messages).isEmpty();
    assertThat(two.driverReplies).isEmpty();
  }

  private long taken() {
    return two.traffic.requestsIn().taken()
        + two.traffic.replicaMessagesIn().taken()
        + two.traffic.answersIn().taken();
  }

  @Test
  void anAbortedMessageIsDroppedAndTheOthersArrive() throws Exception {
    two.answer = request -> Optional.empty();
    try (SSLSocket socket = RawLink.welcomed(tls, one, two, true)) {
      write(socket, new LinkFrame.First(1, 4 * CHUNK, chunk(8, CHUNK)));
      write(socket, new LinkFrame.First(2, 2 * CHUNK, chunk(9, CHUNK)));
      write(socket, new LinkFrame.Abort(1));
      write(socket, new LinkFrame.Next(2, SOME));

      Eventually.holds("it is there", () -> two.requests.size() == 1);
      assertThat(two.requests.element().number()).isEqualTo(9);
      assertThat(taken()).isZero();
    }
  }

  @Test
  void aMessageWithoutMemoryIsRefusedAndItsRestSkipped() throws Exception {
    two.answer = request -> Optional.empty();
    var all = two.traffic.requestsIn();
    try (SSLSocket socket = RawLink.welcomed(tls, one, two, true)) {
      // More than the memory, while another message holds some.
      write(socket, new LinkFrame.First(1, 80 * CHUNK, chunk(7, CHUNK)));
      write(socket, new LinkFrame.First(2, 80 * CHUNK, chunk(8, CHUNK)));
      for (int i = 1; i < 80; i++) {
        write(socket, new LinkFrame.Next(2, SOME));
      }
      LinkFrame.Reply busy = (LinkFrame.Reply) read(socket);
      assertThat(busy.number()).isEqualTo(8);

      for (int i = 1; i < 80; i++) {
        write(socket, new LinkFrame.Next(1, SOME));
      }
      Eventually.holds("the first is there", () -> two.requests.size() == 1);
      assertThat(two.requests.element().number()).isEqualTo(7);
      assertThat(all.taken()).isZero();
    }
  }

  @Test
  void aViolationOfTheProtocolClosesTheLinkAndIsCounted() throws Exception {
    LinkFrame begun = new LinkFrame.First(1, 2 * CHUNK, chunk(8, CHUNK));
    List<List<LinkFrame>> all =
        List.of(
            List.of(new LinkFrame.Next(1, SOME)),
            List.of(new LinkFrame.Abort(1)),
            List.of(begun, begun),
            List.of(begun, new LinkFrame.Next(1, SOME.slice(0, CHUNK - 1))),
            List.of(begun, new LinkFrame.Next(1, SOME), new LinkFrame.Next(1, SOME)),
            List.of(begun, new LinkFrame.Abort(1), new LinkFrame.Next(1, SOME)),
            List.of(new LinkFrame.First(1, 9, chunk(8, 9))),
            List.of(new LinkFrame.First(1, -1, chunk(8, CHUNK))),
            List.of(new LinkFrame.First(1, Integer.MAX_VALUE, chunk(8, CHUNK))),
            List.of(new LinkFrame.First(1, 2 * CHUNK, chunk(8, CHUNK - 1))),
            List.of(new LinkFrame.First(1, 5_000, chunk(8, 5_001))));
    for (List<LinkFrame> frames : all) {
      assertViolation(frames);
    }
    List<LinkFrame> tooMany = new ArrayList<>();
    for (int id = 0; id <= BulkSender.MAX_BEGUN; id++) {
      tooMany.add(new LinkFrame.First(id, 2 * CHUNK, chunk(8, CHUNK)));
    }
    assertViolation(tooMany);
    assertThat(taken()).isZero();
  }

  private void assertViolation(List<LinkFrame> frames) throws Exception {
    long before = NodeLinks.violations();
    try (SSLSocket socket = RawLink.welcomed(tls, one, two, true)) {
      boolean isOpen = true;
      try {
        for (LinkFrame frame : frames) {
          write(socket, frame);
        }
        isOpen = socket.getInputStream().read() >= 0;
      } catch (IOException e) {
        isOpen = false;
      }
      assertThat(isOpen).as("%s", frames).isFalse();
    }
    Eventually.holds("it is counted", () -> NodeLinks.violations() > before);
    Eventually.holds("its memory is free", () -> taken() == 0);
  }

  @Test
  void noMoreMessagesTakeTurnsThanTheReceiverAccepts() throws Exception {
    assertThat(bulkAt(two.port())).isNotNull();
    CountDownLatch sent = new CountDownLatch(1);
    two.answer =
        request -> {
          try {
            sent.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Optional.empty();
        };
    long before = NodeLinks.violations();
    int most = 5 * BulkSender.MAX_BEGUN;
    // The first one blocks the receiver, until all others wait.
    send(0, large(CHUNK, 0));
    Eventually.holds("it is received", () -> two.requests.size() == 1);
    for (int i = 1; i < most; i++) {
      send(i, large(3 * CHUNK, i));
    }
    sent.countDown();

    Eventually.holds("all are sent", () -> outcomes.size() == most);
    assertThat(outcomes).doesNotContain(false);
    assertThat(NodeLinks.violations()).isEqualTo(before);
  }
}
