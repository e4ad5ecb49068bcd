package io.github.stablecut.cluster.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.network.EventLoops;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a node connects to another. */
class LinkBeginningsTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** How the executor treats tasks. */
  private enum Tasks {
    EXECUTED,
    HELD,
    REJECTED
  }

  @TempDir private Path directory;
  private final EventLoops loops = new EventLoops("links", 1);
  private final AtomicInteger count = new AtomicInteger();
  private final List<Runnable> held = new ArrayList<>();
  private volatile Tasks tasks = Tasks.EXECUTED;
  private LinkedNode one;
  private LinkedNode two;

  @BeforeEach
  void start() throws Exception {
    TestTls tls = new TestTls(directory.resolve("secret"));
    one = new LinkedNode("n1", loops, tls, this::execute);
    two = new LinkedNode("n2", loops, tls);
    one.tick("n1", "n2");
    two.tick("n1", "n2");
    // It accepts the other node and can't connect to it.
    two.links.learn("n1", "127.0.0.1:1", one.saidAt(1));
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
    loops.close();
  }

  private void execute(Runnable task) {
    count.incrementAndGet();
    switch (tasks) {
      case EXECUTED -> task.run();
      case HELD -> held.add(task);
      case REJECTED -> throw new RejectedExecutionException("closed");
    }
  }

  private void learn(String said) {
    one.links.learn("n2", "127.0.0.1:2", said);
  }

  private ClientEnd link() throws Exception {
    Eventually.holds("there is a link", () -> one.links.to("n2") != null);
    return Objects.requireNonNull(one.links.to("n2"));
  }

  @Test
  void noConnectionToANodeThatAkkaDoesNotReach() {
    one.tick("n1");
    learn(two.said());

    assertThat(one.links.to("n2")).isNull();
    assertThat(count).hasValue(0);

    one.tick("n1", "n2");
    learn(two.said());
    assertThat(count).hasPositiveValue();
  }

  /** Requests then need not wait for a connection. */
  @Test
  void allConnectionsAreMadeAsSoonAsTheNodeIsKnown() throws Exception {
    learn(two.said());

    Eventually.holds("there are two", () -> one.ready.equals(List.of("n2", "n2")));
    assertThat(one.links.to("n2")).isNotNull();
    assertThat(one.links.bulkTo("n2")).isNotNull();
  }

  @Test
  void aLostConnectionIsMadeAgain() throws Exception {
    learn(two.said());
    ClientEnd first = link();

    first.close("a test");

    Eventually.holds(
        "there is another one",
        () -> {
          one.tick("n1", "n2");
          return one.ready.size() == 3;
        });
    assertThat(link()).isNotSameAs(first);
  }

  @Test
  void aDataPortThatCantBeReachedIsReported() throws Exception {
    learn(two.saidAt(1));
    Eventually.holds("it has failed", () -> one.links.missing("n2").contains("refused"));
    one.tick("n1", "n2");
    assertThat(one.links.problems()).isEmpty();

    one.ahead.addAndGet(Peer.REPORT_NANOS + SECOND);

    assertThat(one.links.problems())
        .singleElement()
        .asString()
        .contains("node n2 can't be reached at its data port, 127.0.0.1:1, although it is a member")
        .contains("cluster.data-port");
    learn(two.said());
    assertThat(one.links.problems()).isEmpty();
  }

  @Test
  void aClosedNodeDoesNotConnect() {
    one.close();

    learn(two.said());

    assertThat(one.links.to("n2")).isNull();
    assertThat(count).hasValue(0);
  }

  @Test
  void aFailedStartIsRetried() throws Exception {
    tasks = Tasks.REJECTED;
    learn(two.said());
    assertThat(one.links.to("n2")).isNull();

    tasks = Tasks.EXECUTED;
    one.ahead.addAndGet(60 * SECOND);

    assertThat(link()).isNotNull();
  }

  @Test
  void aConnectionToAnEndedRunIsNoLink() throws Exception {
    tasks = Tasks.HELD;
    learn(two.said());
    learn(two.port() + "/1");

    tasks = Tasks.EXECUTED;
    held.forEach(Runnable::run);

    learn(two.said());
    assertThat(link()).isNotNull();
    Eventually.holds("there is one for large messages", () -> one.links.bulkTo("n2") != null);
    assertThat(one.links.size()).isEqualTo(2);
  }

  @Test
  void aWorkingLinkResetsTheBackOff() throws Exception {
    learn(two.said());
    for (int i = 1; i < 5; i++) {
      ClientEnd link = link();
      one.tick("n1", "n2");
      link.close("a test");
      int broken = i;
      Eventually.holds("the link is closed", () -> one.broken.size() == broken);
      int before = count.get();

      one.ahead.addAndGet(Peer.FIRST_PAUSE_NANOS);
      one.tick("n1", "n2");

      assertThat(count).hasValueGreaterThan(before);
    }
  }
}
