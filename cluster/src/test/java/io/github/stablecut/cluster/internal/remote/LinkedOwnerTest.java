package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.membership.MembershipView;
import io.github.stablecut.cluster.internal.membership.NodeClock;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.transaction.EmbeddedStore;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which objects of an owner to which there is a link are asked for while nobody waits. */
class LinkedOwnerTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final Bytes ID = Key.counter("b", "k").id();
  private static final Bytes OTHER = Key.counter("b", "other").id();

  /** Replies at once, if at all. */
  private static final class Owner implements PendingRequests.Sender {
    private final PendingRequests requests;
    private Optional<Reply> reply = Optional.empty();
    private long number;

    Owner(MembershipView view) {
      this.requests =
          new PendingRequests(
              view,
              this,
              TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
              Runnable::run,
              Duration.ofSeconds(5));
    }

    @Override
    public Links.Link link(String node) {
      return (partition, epoch, asked, request) -> {
        number = asked;
        reply.ifPresent(known -> requests.complete(asked, known));
        return true;
      };
    }

    @Override
    public void send(int partition, long epoch, long asked, Bytes request) {
      // All is asked on the link.
    }

    @Override
    public void sendTo(
        String address,
        int partition,
        long epoch,
        long asked,
        Bytes request,
        Consumer<Boolean> done) {
      done.accept(true);
    }

    @Override
    public void forget(long asked) {
      // Nothing is kept.
    }
  }

  private final MembershipView view = new MembershipView();
  private final Owner owner = new Owner(view);
  private final NodeClock clock =
      new NodeClock(EmbeddedStore.clock(OPTIONS), NodeSettings.DEFAULT_CLOCK_DRIFT);
  private final RemotePartition remote =
      new RemotePartition(
          0,
          Nowhere.node(
              Served.server(OPTIONS, EmbeddedStore.claims(OPTIONS)),
              owner.requests,
              view,
              clock,
              OPTIONS));

  @BeforeEach
  void publish() {
    view.publish(
        List.of(new MembershipView.Owner(0, "n2", "127.0.0.1:2", 1, true, 0)),
        Map.of("n2", "127.0.0.1:2"),
        List.of());
  }

  private static Optional<Reply> found(int bytes) {
    Version version =
        new Version(
            Key.counter("b", "k").type(),
            VectorClock.ZERO,
            VectorClock.ZERO,
            Key.counter("b", "k").type().initial(),
            bytes);
    return Optional.of(new Reply.Found(Optional.of(version), VectorClock.ZERO));
  }

  private Optional<CompletionStage<Optional<Version>>> asked(Bytes id) {
    return remote.asked(id, VectorClock.ZERO);
  }

  private void read(Footprint part) {
    var unused = remote.versionAt(ID, part, VectorClock.ZERO, Optional::empty);
  }

  @Test
  void whatIsLargeIsAskedForOnce() {
    owner.reply = found(Links.MAX_BYTES + 1);

    assertThat(asked(ID).orElseThrow().toCompletableFuture()).isCompletedExceptionally();

    assertThat(asked(ID)).isEmpty();
    owner.reply = found(Links.MAX_BYTES);
    assertThat(asked(OTHER).orElseThrow().toCompletableFuture()).isCompleted();
    assertThat(asked(OTHER)).isPresent();
  }

  @Test
  void whoWaitsFindsOutWhatIsLargeAndWhatIsSmallAgain() {
    owner.reply = found(Links.MAX_BYTES + 1);
    read(Footprint.whole());
    assertThat(asked(ID)).isEmpty();

    owner.reply = found(9);
    read(Footprint.element(Bytes.utf8("e")));
    assertThat(asked(ID)).as("a part of it is small").isEmpty();
    read(Footprint.whole());
    assertThat(asked(ID)).isPresent();
  }

  @Test
  void anOwnerThatDoesNotAnswerInTimeIsNotAskedTwiceForTheNext() {
    CompletionStage<Optional<Version>> asked = asked(ID).orElseThrow();
    owner.requests.reject(owner.number, "has not answered in time");
    assertThat(asked.toCompletableFuture()).isCompletedExceptionally();

    assertThat(asked(ID)).isEmpty();
    assertThat(asked(OTHER)).isEmpty();
  }

  @Test
  void anOwnerThatHasTooMuchToDoLikewise() {
    owner.reply = Optional.of(new Reply.Failed(new PartitionUnavailableException("overloaded")));

    assertThat(asked(ID).orElseThrow().toCompletableFuture()).isCompletedExceptionally();

    assertThat(asked(OTHER)).isEmpty();
  }
}
