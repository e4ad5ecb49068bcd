package io.github.stablecut.cluster.internal.link;

import static io.github.stablecut.cluster.internal.link.RawLink.bytes;
import static io.github.stablecut.cluster.internal.link.RawLink.connect;
import static io.github.stablecut.cluster.internal.link.RawLink.hello;
import static io.github.stablecut.cluster.internal.link.RawLink.message;
import static io.github.stablecut.cluster.internal.link.RawLink.read;
import static io.github.stablecut.cluster.internal.link.RawLink.run;
import static io.github.stablecut.cluster.internal.link.RawLink.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.remote.Links;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** Frames on links, including invalid ones, and the limits of unsent bytes. */
class LinkFramesTest extends LinkedNodes {

  private SSLSocket welcomed() throws IOException {
    return RawLink.welcomed(tls, one, two);
  }

  @Test
  void fragmentedFramesAreReadAsOthers() throws Exception {
    try (SSLSocket socket = welcomed()) {
      OutputStream out = socket.getOutputStream();
      for (byte each : bytes(request(8))) {
        out.write(each);
      }

      assertThat(read(socket)).isEqualTo(new LinkFrame.Reply(8, 9, REQUEST));
    }
  }

  @Test
  void aProtocolViolationClosesTheLink() throws Exception {
    List<byte[]> all =
        List.of(
            bytes(request(8).with(Bytes.wrap(new byte[Links.MAX_BYTES + 1]))),
            bytes(new LinkFrame.Next(1, REQUEST)),
            bytes(new LinkFrame.Abort(1)),
            bytes(new LinkFrame.Welcome("")),
            bytes(hello(GossipedNodeState.PROTOCOL, run(two), "n1", run(one))),
            bytes(new LinkFrame.Request(-1, 4, 8, 5, REQUEST)),
            bytes(new LinkFrame.Request(3, -1, 8, 5, REQUEST)),
            bytes(new LinkFrame.Message(3, 5, REQUEST)),
            bytes(new LinkFrame.Message(-1, 5, message(1, 1))),
            bytes(new LinkFrame.Message(3, 5, message(1, Links.MAX_MESSAGE_BYTES))),
            new byte[] {0, 0, 0, 10, LinkFrame.FIRST, 0, 0, 0, 1, 0, 0, 0, 9, LinkFrame.PING},
            bytes(new LinkFrame.Request(3, 4, 8, -5, REQUEST)),
            new byte[] {0, 0, 0, 1, 9},
            new byte[] {0, 0, 0, 2, LinkFrame.PING, 1},
            new byte[] {0, 0, 0, 5, LinkFrame.REQUEST, 0, 0, 0, 0},
            new byte[] {0, 0, 0, 0},
            new byte[] {0x7f, 0, 0, 0},
            new byte[] {-1, -1, -1, -1});
    byte[] next = bytes(request(9));
    for (byte[] each : all) {
      byte[] both = Arrays.copyOf(each, each.length + next.length);
      System.arraycopy(next, 0, both, each.length, next.length);
      try (SSLSocket socket = welcomed()) {
        assertThat(answer(socket, both)).isEqualTo(-1);
      }
    }
    assertThat(two.requests).isEmpty();
    assertThat(two.messages).isEmpty();
    assertThat(linkAt(two.port()).send(request(5))).isTrue();
  }

  /**
   * Returns the first byte of the answer; -1 if the connection is closed, possibly before the
   * request.
   */
  private static int answer(SSLSocket socket, byte[] asked) {
    try {
      socket.getOutputStream().write(asked);
      return socket.getInputStream().read();
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  void nothingIsHandledBeforeTheHandshake() throws Exception {
    for (LinkFrame each :
        List.of(request(8), new LinkFrame.Message(3, 5, message(1, 1)), new LinkFrame.Ping())) {
      try (SSLSocket socket = connect(tls, two)) {
        write(socket, each);

        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }
    assertThat(two.requests).isEmpty();
    assertThat(two.messages).isEmpty();
  }

  @Test
  void anErrorClosesTheLink() throws Exception {
    two.answer =
        request -> {
          throw new IllegalStateException("a test");
        };
    try (SSLSocket socket = welcomed()) {
      assertThat(answer(socket, bytes(request(8)))).isEqualTo(-1);
    }
    assertThat(two.requests).hasSize(1);
  }

  @Test
  void randomBytesHarmOnlyTheirLink() throws Exception {
    Random random = new Random(25);
    for (int i = 0; i < 60; i++) {
      byte[] frame = bytes(request(i));
      for (int j = 1 + random.nextInt(4); j > 0; j--) {
        frame[random.nextInt(frame.length)] = (byte) random.nextInt();
      }
      try (SSLSocket socket = i % 2 == 0 ? welcomed() : connect(tls, two)) {
        socket.getOutputStream().write(frame);
        socket.shutdownOutput();
        boolean hasEnded = false;
        while (!hasEnded) {
          try {
            hasEnded = socket.getInputStream().read() < 0;
          } catch (IOException e) {
            hasEnded = true;
          }
        }
      }
    }

    assertThat(linkAt(two.port()).send(request(5_000))).isTrue();
    Eventually.holds("it is answered", () -> one.replies.containsKey(5_000L));
  }

  @Test
  void aNodeThatReadsNothingGetsNoMoreThanTheLinkHolds() throws Exception {
    try (SSLServerSocket listening =
        (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket(0)) {
      listening.setNeedClientAuth(true);
      CompletableFuture<List<SSLSocket>> accepted =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  List<SSLSocket> sockets = new ArrayList<>();
                  while (sockets.size() < 3) {
                    sockets.add((SSLSocket) listening.accept());
                    assertThat(read(sockets.get(sockets.size() - 1)))
                        .isInstanceOf(LinkFrame.Hello.class);
                    write(sockets.get(sockets.size() - 1), new LinkFrame.Welcome(""));
                  }
                  return sockets;
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      ClientEnd link = linkAt(listening.getLocalPort());
      Bytes large =
          RequestCodec.encode(
              new Request.Latest(VectorClock.ZERO, List.of(Bytes.wrap(new byte[4_000]))));

      AtomicInteger asked = new AtomicInteger();
      Eventually.holds(
          "it is full",
          () -> {
            while (asked.get() < 100_000 && link.send(request(asked.get()).with(large))) {
              asked.incrementAndGet();
            }
            return !link.hasRoom();
          });

      assertThat(asked).hasValueBetween(1, 99_999);
      assertThat(one.broken).isEmpty();
      for (SSLSocket socket : accepted.get()) {
        socket.close();
      }
    }
  }

  @Test
  void repliesToTheRequestsOfOneReadMayExceedWhatTheLinkHolds() throws Exception {
    int most = 64;
    two.answer = request -> Optional.of(Bytes.wrap(new byte[Links.MAX_BYTES]));
    try (SSLSocket socket = welcomed()) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int i = 0; i < most; i++) {
        all.writeBytes(bytes(request(i)));
      }
      socket.getOutputStream().write(all.toByteArray());

      for (int i = 0; i < most / 2; i++) {
        assertThat(read(socket)).isInstanceOf(LinkFrame.Reply.class);
      }
    }
  }

  @Test
  void readingPausesWhileTheOtherEndTakesNoReplies() throws Exception {
    two.answer = request -> Optional.of(Bytes.wrap(new byte[Links.MAX_BYTES]));
    int most = 3_000;
    try (SSLSocket socket = welcomed()) {
      byte[] frame = bytes(request(8));
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < most; i++) {
                    socket.getOutputStream().write(frame);
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      Eventually.holds("requests are there", () -> !two.requests.isEmpty());
      ServerEnd end = (ServerEnd) two.requests.element().from();
      Eventually.holds("reading is paused", () -> !end.channel.config().isAutoRead());

      AtomicInteger read = new AtomicInteger();
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(
              () -> {
                while (true) {
                  try {
                    assertThat(read(socket)).isInstanceOf(LinkFrame.Reply.class);
                  } catch (IOException e) {
                    return;
                  }
                  read.incrementAndGet();
                }
              });

      Eventually.holds("all is answered", () -> read.get() == most);
      written.get();
      assertThat(reading).isNotCompletedExceptionally();
    }
  }
}
