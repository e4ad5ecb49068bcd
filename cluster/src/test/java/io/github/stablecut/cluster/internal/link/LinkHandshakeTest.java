package io.github.stablecut.cluster.internal.link;

import static io.github.stablecut.cluster.internal.link.RawLink.connect;
import static io.github.stablecut.cluster.internal.link.RawLink.hello;
import static io.github.stablecut.cluster.internal.link.RawLink.read;
import static io.github.stablecut.cluster.internal.link.RawLink.welcomed;
import static io.github.stablecut.cluster.internal.link.RawLink.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.network.EventLoops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which nodes are accepted, and what happens during the handshake. */
class LinkHandshakeTest {
  @TempDir private Path directory;
  private final EventLoops loops = new EventLoops("links", 2);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** How many further tasks are executed. */
  private final Semaphore tasks = new Semaphore(1_000_000);

  private TestTls tls;
  private LinkedNode one;
  private LinkedNode two;

  @BeforeEach
  void start() throws Exception {
    tls = new TestTls(directory.resolve("secret"));
    one = new LinkedNode("n1", loops, tls);
    two = new LinkedNode("n2", loops, tls, this::execute);
    two.tick("n1", "n2");
    // It accepts the other node and can't connect to it.
    two.links.learn("n1", "127.0.0.1:1", one.saidAt(1));
  }

  private void execute(Runnable task) {
    if (!tasks.tryAcquire()) {
      throw new RejectedExecutionException("closed");
    }
    threads.execute(task);
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    loops.close();
    threads.shutdown();
  }

  private static int end(Socket socket) throws IOException {
    return socket.getInputStream().read();
  }

  @Test
  void idleConnectionsLockNoNodeOut() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * NodeLinks.MAX_UNKNOWN; i++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), two.port()));
      }
      Eventually.holds("all are accepted", () -> two.links.unknown() >= NodeLinks.MAX_UNKNOWN);

      try (SSLSocket socket = welcomed(tls, one, two)) {
        write(socket, new LinkFrame.Ping());
        assertThat(read(socket)).isEqualTo(new LinkFrame.Pong());
      }

      assertThat(two.links.unknown()).isBetween(1, NodeLinks.MAX_UNKNOWN + 1);
      assertThat(end(idle.get(0))).isEqualTo(-1);
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
    Eventually.holds("they are forgotten", () -> two.links.accepted() == 0);
  }

  @Tag("long")
  @Test
  void anEndThatDoesNotIdentifyItselfIsDisconnected() throws Exception {
    try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), two.port());
        SSLSocket secured = connect(tls, two)) {
      secured.startHandshake();

      assertThat(end(silent)).isEqualTo(-1);
      assertThat(end(secured)).isEqualTo(-1);
    }
  }

  @Test
  void acceptedLinksDoNotCountAsHandshakes() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try (SSLSocket socket = welcomed(tls, one, two)) {
      for (int i = 0; i < 2 * NodeLinks.MAX_UNKNOWN; i++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), two.port()));
      }
      assertThat(end(idle.get(0))).isEqualTo(-1);

      write(socket, new LinkFrame.Ping());
      assertThat(read(socket)).isEqualTo(new LinkFrame.Pong());
    } finally {
      for (Socket each : idle) {
        each.close();
      }
    }
  }

  /** The check may read files, so it runs outside the event loop. */
  @Test
  void framesWaitForTheCheckOfTheirEndAndNoOtherLinkWaits() throws Exception {
    CountDownLatch checking = new CountDownLatch(1);
    CountDownLatch checked = new CountDownLatch(1);
    tls.check =
        isServer -> {
          checking.countDown();
          try {
            checked.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello(one, two));
      checking.await();

      for (var loop : loops.group()) {
        assertThat(loop.submit(() -> 5).get(3, TimeUnit.MINUTES)).isEqualTo(5);
      }
      assertThat(two.links.size()).isZero();

      checked.countDown();
      assertThat(read(socket)).isEqualTo(new LinkFrame.Welcome(""));
    } finally {
      checked.countDown();
    }
  }

  @Test
  void anEndThatDoesNotWaitForTheWelcomeIsRefused() throws Exception {
    CountDownLatch checked = new CountDownLatch(1);
    tls.check =
        isServer -> {
          try {
            checked.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello(one, two));
      write(socket, new LinkFrame.Ping());

      assertThat(end(socket)).isEqualTo(-1);
      assertThat(two.links.unknown()).isZero();
      assertThat(two.links.size()).isZero();
    } finally {
      checked.countDown();
    }
  }

  @Test
  void anEndThatFailsTheCheckIsIgnored() throws Exception {
    tls.check =
        isServer -> {
          throw new IllegalStateException("there are no keys");
        };
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello(one, two));

      assertThat(end(socket)).isEqualTo(-1);
    }
    tls.check =
        isServer -> {
          throw new SSLException("it is no node of the cluster");
        };
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello(one, two));

      assertThat(end(socket)).isEqualTo(-1);
    }
    assertThat(two.links.size()).isZero();
  }

  @Test
  void withoutAThreadForTheCheckTheConnectionIsClosed() throws Exception {
    // One task creates the engine.
    tasks.drainPermits();
    tasks.release();
    try (SSLSocket socket = connect(tls, two)) {
      write(socket, hello(one, two));

      assertThat(end(socket)).isEqualTo(-1);
    }
    assertThat(tasks.availablePermits()).isZero();
  }
}
