package io.github.stablecut.cluster.internal.link;

import static io.github.stablecut.cluster.internal.link.RawLink.bytes;
import static io.github.stablecut.cluster.internal.link.RawLink.hello;
import static io.github.stablecut.cluster.internal.link.RawLink.read;
import static io.github.stablecut.cluster.internal.link.RawLink.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a link that sends requests; the test is the other end. */
class ClientEndTest {
  private static final Bytes REQUEST = RequestCodec.encode(new Request.Present());
  private static final Bytes CHUNK = Bytes.wrap(new byte[LinkFrame.CHUNK_BYTES]);
  private static final LinkFrame SENT = new LinkFrame.Request(3, 4, 6, 7, REQUEST);
  private static final LinkFrame WELCOME = new LinkFrame.Welcome("");
  private static final LinkFrame REPLY = new LinkFrame.Reply(1, 2, REQUEST);
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  @TempDir private Path directory;
  private final EventLoops loops = new EventLoops("links", 1);
  private TestTls tls;
  private LinkedNode node;
  private SSLServerSocket listening;

  @BeforeEach
  void start() throws Exception {
    tls = new TestTls(directory.resolve("secret"));
    node = new LinkedNode("n1", loops, tls);
    listening = (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket(0);
    listening.setNeedClientAuth(true);
    node.tick("n1", "n2");
    node.links.learn("n2", "127.0.0.1:2", listening.getLocalPort() + "/5");
  }

  @AfterEach
  void close() throws IOException {
    node.close();
    loops.close();
    listening.close();
  }

  /** Accepts the link for small messages, on which the node has identified itself. */
  private SSLSocket greeted() throws IOException {
    while (true) {
      SSLSocket socket = accepted();
      LinkFrame.Hello first = (LinkFrame.Hello) read(socket);
      assertThat(first)
          .isEqualTo(
              new LinkFrame.Hello(
                  GossipedNodeState.PROTOCOL, 5, "n1", RawLink.run(node), first.isBulk()));
      if (!first.isBulk()) {
        return socket;
      }
      socket.close();
    }
  }

  /** Accepts a connection; the node may have to be told that it is time to make one. */
  private SSLSocket accepted() throws IOException {
    listening.setSoTimeout(100);
    while (true) {
      try {
        SSLSocket socket = (SSLSocket) listening.accept();
        socket.setSoTimeout(0);
        return socket;
      } catch (SocketTimeoutException e) {
        node.tick("n1", "n2");
      }
    }
  }

  private ClientEnd link(SSLSocket socket) throws Exception {
    write(socket, WELCOME);
    Eventually.holds("there is a link", () -> node.links.to("n2") != null);
    return Objects.requireNonNull(node.links.to("n2"));
  }

  private static byte[] frames(LinkFrame... frames) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (LinkFrame frame : frames) {
      all.writeBytes(bytes(frame));
    }
    return all.toByteArray();
  }

  @Test
  void aProtocolViolationClosesTheLinkAndLaterFramesAreDropped() throws Exception {
    List<byte[]> all =
        List.of(
            frames(REPLY, WELCOME, REPLY),
            frames(new LinkFrame.Ping(), WELCOME, REPLY),
            frames(new LinkFrame.Welcome("no"), REPLY),
            frames(WELCOME, WELCOME, REPLY),
            frames(WELCOME, new LinkFrame.Request(3, 4, 8, 5, REQUEST), REPLY),
            frames(
                WELCOME, new LinkFrame.First(1, 70_000, new LinkFrame.Reply(1, 2, CHUNK)), REPLY),
            frames(WELCOME, new LinkFrame.Next(1, CHUNK), REPLY),
            frames(WELCOME, hello(GossipedNodeState.PROTOCOL, 5, "n2", 5), REPLY),
            frames(WELCOME, new LinkFrame.Reply(1, -2, REQUEST), REPLY));
    for (byte[] each : all) {
      int before = node.broken.size();
      try (SSLSocket socket = greeted()) {
        socket.getOutputStream().write(each);

        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
      Eventually.holds("the loss is reported", () -> node.broken.size() > before);
      node.ahead.addAndGet(60 * SECOND);
      node.tick("n1", "n2");
    }
    assertThat(node.replies).isEmpty();

    try (SSLSocket socket = greeted()) {
      socket.getOutputStream().write(frames(WELCOME, REPLY));
      Eventually.holds("a reply is received", () -> node.replies.containsKey(1L));
    }
  }

  @Test
  void anEndThatFailsTheCheckReceivesNothing() throws Exception {
    tls.check =
        isServer -> {
          if (isServer) {
            throw new SSLException("it is no node of the cluster");
          }
        };

    try (SSLSocket socket = (SSLSocket) listening.accept()) {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void anIdleLinkIsPingedSeldom() throws Exception {
    try (SSLSocket socket = greeted()) {
      ClientEnd link = link(socket);
      node.ahead.addAndGet(4 * SECOND);
      node.tick("n1", "n2");
      assertThat(link.send(SENT)).isTrue();
      assertThat(read(socket)).as("not a ping").isEqualTo(SENT);
      write(socket, REPLY);
      Eventually.holds("it is idle", () -> node.replies.containsKey(1L));

      node.ahead.addAndGet(6 * SECOND);
      node.tick("n1", "n2");
      assertThat(read(socket)).isEqualTo(new LinkFrame.Ping());
      node.ahead.addAndGet(4 * SECOND);
      node.tick("n1", "n2");

      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  /** An exception would reach the thread that ticks. */
  @Test
  void withoutDirectMemoryNothingIsSentOrThrown() throws Exception {
    try (SSLSocket socket = greeted()) {
      ClientEnd link = link(socket);
      link.channel
          .config()
          .setAllocator(
              new AbstractByteBufAllocator(true) {
                @Override
                protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                  throw new OutOfMemoryError("for a test");
                }

                @Override
                protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                  throw new OutOfMemoryError("for a test");
                }

                @Override
                public boolean isDirectBufferPooled() {
                  return false;
                }
              });

      assertThat(link.send(SENT)).isFalse();
      node.ahead.addAndGet(5 * SECOND);
      node.tick("n1", "n2");
    }
  }

  /** The last bytes of a closing link may have to wait for the other end. */
  @Test
  void aClosingLinkTakesNoRequests() throws Exception {
    try (SSLSocket socket = greeted()) {
      ClientEnd link = link(socket);

      link.close("it is silent");

      assertThat(link.send(SENT)).isFalse();
    }
  }
}
