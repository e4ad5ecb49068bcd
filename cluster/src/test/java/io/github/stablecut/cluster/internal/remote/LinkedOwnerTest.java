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

/**
 * Non-blocking reads over a link request only objects that are small and whose owner is responsive.
 */
class LinkedOwnerTest {
  private static final StoreOptions OPTIONS = StoreOptions.defaults();
  private static final Bytes ID = Key.counter("b", "k").id();
  private static final Bytes OTHER = Key.counter("b", "other").id();

  /** Replies at once, if at all. */
  private static final class Owner extends Nowhere {
    private final PendingRequests requests;
    private Optional<Reply> reply = Optional.empty();
    private long number;

    Owner(MembershipView view) {
      this.requests =
          Nowhere.requests(
              view,
              this,
              TrafficBudgets.shared("n1", 1 << 20).requestsOut(),
              Runnable::run,
              Duration.ofSeconds(5));
    }

    @Override
    public void send(
        String node,
        int partition,
        long epoch,
        long readWithoutBlocking,
        Bytes request,
        Consumer<Boolean> done) {
      number = readWithoutBlocking;
      done.accept(true);
      reply.ifPresent(known -> requests.complete(readWithoutBlocking, known));
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
              TestOwner.server(OPTIONS, EmbeddedStore.activeSnapshots(OPTIONS)),
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

  private static Optional<Reply> versionOf(int bytes) {
    Version version =
        new Version(
            Key.counter("b", "k").type(),
            VectorClock.ZERO,
            VectorClock.ZERO,
            Key.counter("b", "k").type().initial(),
            bytes);
    return Optional.of(new Reply.ObjectVersion(Optional.of(version), VectorClock.ZERO));
  }

  private Optional<CompletionStage<Optional<Version>>> readWithoutBlocking(Bytes id) {
    return remote.asked(id, VectorClock.ZERO);
  }

  private void read(Footprint part) {
    remote.versionAt(ID, part, VectorClock.ZERO, Optional::empty);
  }

  @Test
  void requestsALargeObjectOnlyOnce() {
    owner.reply = versionOf(Links.MAX_BYTES + 1);

    assertThat(readWithoutBlocking(ID).orElseThrow().toCompletableFuture())
        .isCompletedExceptionally();

    assertThat(readWithoutBlocking(ID)).isEmpty();
    owner.reply = versionOf(Links.MAX_BYTES);
    assertThat(readWithoutBlocking(OTHER).orElseThrow().toCompletableFuture()).isCompleted();
    assertThat(readWithoutBlocking(OTHER)).isPresent();
  }

  @Test
  void blockingReadsLearnWhichObjectsAreLarge() {
    owner.reply = versionOf(Links.MAX_BYTES + 1);
    read(Footprint.whole());
    assertThat(readWithoutBlocking(ID)).isEmpty();

    owner.reply = versionOf(9);
    read(Footprint.element(Bytes.utf8("e")));
    assertThat(readWithoutBlocking(ID)).as("a part of it is small").isEmpty();
    read(Footprint.whole());
    assertThat(readWithoutBlocking(ID)).isPresent();
  }

  @Test
  void skipsAnOwnerThatTimedOut() {
    CompletionStage<Optional<Version>> readWithoutBlocking = readWithoutBlocking(ID).orElseThrow();
    owner.requests.reject(owner.number, "has not answered in time");
    assertThat(readWithoutBlocking.toCompletableFuture()).isCompletedExceptionally();

    assertThat(readWithoutBlocking(ID)).isEmpty();
    assertThat(readWithoutBlocking(OTHER)).isEmpty();
  }

  @Test
  void skipsABusyOwner() {
    owner.reply = Optional.of(new Reply.Failed(new PartitionUnavailableException("overloaded")));

    assertThat(readWithoutBlocking(ID).orElseThrow().toCompletableFuture())
        .isCompletedExceptionally();

    assertThat(readWithoutBlocking(OTHER)).isEmpty();
  }
}
