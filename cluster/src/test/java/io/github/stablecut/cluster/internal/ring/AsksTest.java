package io.github.stablecut.cluster.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.PartitionUnavailableException;
import io.github.stablecut.crdt.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Every question ends. */
class AsksTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final Asks asks = new Asks(view(), new Nowhere());

  /** Loses all. */
  private static final class Nowhere implements Asks.Post {
    @Override
    public void send(int partition, long epoch, long number, Bytes question) {
      // Nobody is there.
    }

    @Override
    public void sendTo(String address, int partition, long epoch, long number, Bytes question) {
      // Nobody is there.
    }
  }

  private static RingView view() {
    RingView view = new RingView();
    view.publish(
        List.of(new RingView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
    return view;
  }

  @Test
  void whatIsNotAnsweredFailsWhenTheNodeIsClosed() {
    CompletableFuture<Reply> answer = asks.ask(0, new Question.Present(), LONG);
    assertThat(answer).isNotDone();

    asks.close();

    assertThat(answer).isCompletedExceptionally();
  }

  @Test
  void whatIsAskedOfAClosedNodeFailsAtOnce() {
    asks.close();

    assertThat(asks.ask(0, new Question.Present(), LONG)).isCompletedExceptionally();
    assertThatThrownBy(() -> asks.joinNode("n2", 0, new Question.Keep(1), LONG))
        .isInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("this node is closed");
  }
}
