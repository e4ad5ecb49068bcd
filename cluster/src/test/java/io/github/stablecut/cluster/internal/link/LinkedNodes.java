package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.network.EventLoops;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes that reach each other; the second knows where the first accepts links. */
abstract class LinkedNodes {
  static final Bytes REQUEST = RequestCodec.encode(new Request.Present());

  @TempDir Path directory;
  final EventLoops loops = new EventLoops("links", 2);
  TestTls tls;
  LinkedNode one;
  LinkedNode two;

  @BeforeEach
  void start() throws Exception {
    tls = new TestTls(directory.resolve("secret"));
    one = new LinkedNode("n1", loops, tls);
    two = new LinkedNode("n2", loops, tls);
    one.tick("n1", "n2");
    two.tick("n1", "n2");
    two.links.learn("n1", "127.0.0.1:1", one.said());
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    loops.close();
  }

  final ClientEnd link() throws Exception {
    Eventually.holds("there is a link", () -> one.links.to("n2") != null);
    return Objects.requireNonNull(one.links.to("n2"));
  }

  /** Returns the first node's link, after it learned the second one's port. */
  final ClientEnd linkAt(int port) throws Exception {
    one.links.learn("n2", "127.0.0.1:2", two.saidAt(port));
    return link();
  }

  /** Returns the first node's link for large messages. */
  final ClientEnd bulkAt(int port) throws Exception {
    one.links.learn("n2", "127.0.0.1:2", two.saidAt(port));
    Eventually.holds("there is one for large messages", () -> one.links.bulkTo("n2") != null);
    return Objects.requireNonNull(one.links.bulkTo("n2"));
  }

  static LinkFrame.Request request(long number) {
    return new LinkFrame.Request(3, 4, number, 7, REQUEST);
  }
}
