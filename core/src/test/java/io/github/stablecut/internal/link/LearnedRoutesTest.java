package io.github.stablecut.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A partition of another data centre is found at the link where it was last heard. */
final class LearnedRoutesTest {
  private static final int OTHER = 1;
  private static final int PARTITION = 3;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final LearnedRoutes routes = new LearnedRoutes();
  private final Link one = link();
  private final Link two = link();

  /** A connection that is not started. */
  private static Link link() {
    SocketStreams wire =
        new SocketStreams(
            new Socket(),
            new DataInputStream(InputStream.nullInputStream()),
            new DataOutputStream(OutputStream.nullOutputStream()));
    return new Link("test", wire, (from, partition, message) -> {}, ended -> {});
  }

  @Test
  void findsAPartitionAtItsLastLink() {
    assertThat(routes.find(OTHER, PARTITION, 0)).isEmpty();
    routes.learn(OTHER, PARTITION, one, 0);
    assertThat(routes.find(OTHER, PARTITION, 0)).containsSame(one);

    routes.learn(OTHER, PARTITION, two, 1);

    assertThat(routes.find(OTHER, PARTITION, 1)).containsSame(two);
    assertThat(routes.find(OTHER, PARTITION + 1, 1)).isEmpty();
    assertThat(routes.find(OTHER + 1, PARTITION, 1)).isEmpty();
  }

  @Test
  void aSilentPartitionMayHaveMoved() {
    routes.learn(OTHER, PARTITION, one, 0);

    assertThat(routes.find(OTHER, PARTITION, 2 * SECOND)).isPresent();
    assertThat(routes.find(OTHER, PARTITION, 2 * SECOND + 1)).isEmpty();
  }

  @Test
  void messagesAboutNoPartitionTeachNothing() {
    routes.learn(OTHER, Link.NO_PARTITION, one, 0);

    assertThat(routes.find(OTHER, Link.NO_PARTITION, 0)).isEmpty();
  }

  @Test
  void anEndedConnectionLeadsNowhere() {
    routes.learn(OTHER, PARTITION, one, 0);
    routes.learn(OTHER, PARTITION + 1, two, 0);

    routes.forget(one);

    assertThat(routes.find(OTHER, PARTITION, 0)).isEmpty();
    assertThat(routes.find(OTHER, PARTITION + 1, 0)).containsSame(two);
  }
}
