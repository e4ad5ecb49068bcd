package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.transaction.StateScan;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients hold at a server. */
class ClientHandlesTest {
  private final AtomicInteger closed = new AtomicInteger();

  /** Can't be closed, but says that it was tried. */
  private final class Failing implements ClientHandles.Held {
    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
      return new Answer.Done();
    }

    @Override
    public void close() {
      int unused = closed.incrementAndGet();
      throw new IllegalStateException("injected");
    }
  }

  @Test
  void whatCantBeLetGoOfKeepsNothingElse() {
    ClientHandles held =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Most(2, 9),
            System::nanoTime);
    for (int i = 0; i < 3; i++) {
      var unused = held.hold(TestService.client(), ClientHandles.Kind.PIN, Failing::new);
    }

    held.endAll();

    assertThat(closed).hasValue(3);
    assertThat(held.count()).isZero();
  }

  @Test
  void thereAreAsManyScansAsTheHeapHasRoomFor(@TempDir Path directory) {
    ClientHandles held =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Most(2, 9),
            () -> 0);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Bytes first = scan(held, store);
      var unused = scan(held, store);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> scan(held, store))
            .isInstanceOf(BusyException.class)
            .hasMessageStartingWith("2 scans are open");
      }
      held.letGo(first);
      unused = scan(held, store);
      assertThat(held.count()).isEqualTo(2);
      held.endAll();
    }
  }

  @Test
  void scansHoldAsMuchOfLargeObjectsAsTheHeapHasRoomFor(@TempDir Path directory)
      throws InterruptedException {
    int most = 1 << 20;
    ClientHandles held =
        new ClientHandles(
            new TransactionLimits(
                9, 9, most, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Most(9, 9),
            () -> 0);
    StoreOptions options = StoreOptions.defaults().withPartitions(2);
    try (Store store = Stablecut.open(directory.resolve("data"), options)) {
      // Each is the first one of its partition, so that a scan begins with both.
      for (int i = 0; i < 4; i++) {
        var unused =
            store.update(
                Key.register("b", "k" + i, Codec.bytes()).assign(Bytes.wrap(new byte[most])));
      }
      Bytes first = scan(held, store);
      assertThatThrownBy(() -> scan(held, store))
          .isInstanceOf(BusyException.class)
          .hasMessageStartingWith("1 scans are open, which hold ");

      assertThat(
              held.take(
                  TestService.client(), first, 1, 0, new AnswerBytes(4L * most, Optional.empty())))
          .isInstanceOf(Answer.EncodedPage.class);
      held.letGo(first);
      var unused = scan(held, store);
      held.endAll();
    }
  }

  private static Bytes scan(ClientHandles held, Store store) {
    return held.hold(
            TestService.client(),
            ClientHandles.Kind.SCAN,
            () -> new ScanHandle((StateScan) store.snapshot().scan("b"), Optional.empty()))
        .descriptor();
  }

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final AtomicLong now = new AtomicLong(1);

  /** Closed by the server. */
  private final class Counting implements ClientHandles.Held {
    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
      return new Answer.Done();
    }

    @Override
    public void close() {
      int unused = closed.incrementAndGet();
    }
  }

  private ClientHandles pins(int most) {
    HandleShares shares = new HandleShares(100, 100, 100, Duration.ofSeconds(20));
    return new ClientHandles(
        new TransactionLimits(9, most, 9, Duration.ofHours(1), shares, Certification.NONE),
        new ClientHandles.Most(9, 9),
        now::get);
  }

  private Bytes pin(ClientHandles held, Client client) {
    return held.hold(client, ClientHandles.Kind.PIN, Counting::new).descriptor();
  }

  @Test
  void whatTheClientOfAClosedConnectionDoesNotComeBackForIsReleased() {
    ClientHandles held = pins(9);
    Client gone = TestService.client();
    Client back = TestService.client();
    Bytes abandoned = pin(held, gone);
    Bytes renewed = pin(held, gone);
    gone.gone(now.get());

    now.addAndGet(19 * SECOND);
    held.endIdle();
    assertThat(held.count()).isEqualTo(2);
    assertThat(held.renew(back, renewed)).isTrue();
    now.addAndGet(2 * SECOND);
    held.endIdle();

    assertThat(closed).hasValue(1);
    assertThat(held.renew(back, abandoned)).isFalse();
    assertThat(held.renew(back, renewed)).isTrue();
    now.addAndGet(60 * SECOND);
    held.endIdle();
    assertThat(held.renew(back, renewed)).as("its connection is open").isTrue();
  }

  @Test
  void theHandleOfTheLongestClosedConnectionGivesWayOnceItsClientWouldHaveRenewedIt() {
    ClientHandles held = pins(3);
    Client gone = TestService.client();
    Client goneFirst = TestService.client();
    Client live = TestService.client();
    List<Bytes> pins = List.of(pin(held, gone), pin(held, goneFirst), pin(held, live));
    goneFirst.gone(now.get());
    gone.gone(now.addAndGet(SECOND));
    now.addAndGet(16 * SECOND - 1);
    assertThatThrownBy(() -> pin(held, live)).isInstanceOf(BusyException.class);

    now.addAndGet(2 * SECOND);
    Client elsewhere = new Client(() -> new Origin("10.0.0.1", Optional.empty()));
    assertThatThrownBy(() -> pin(held, elsewhere)).isInstanceOf(BusyException.class);
    var unused = pin(held, live);

    assertThat(closed).hasValue(1);
    assertThat(held.renew(live, pins.get(0))).isTrue();
    assertThat(held.renew(live, pins.get(1))).isFalse();
    assertThat(held.renew(live, pins.get(2))).isTrue();
    assertThatThrownBy(() -> pin(held, live)).as("all are live").isInstanceOf(BusyException.class);
  }

  /** Lets a call wait until the test has it end. */
  private final class Waiting implements ClientHandles.Held {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ends = new CountDownLatch(1);

    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) throws InterruptedException {
      begun.countDown();
      assertThat(ends.await(30, TimeUnit.SECONDS)).isTrue();
      return new Answer.Done();
    }

    @Override
    public void close() {
      int unused = closed.incrementAndGet();
    }
  }

  @Test
  void aLateCallOfAClosedConnectionTakesNoHandleBack() throws Exception {
    ClientHandles held = pins(9);
    Client dead = TestService.client();
    Client live = TestService.client();
    Waiting waiting = new Waiting();
    Bytes watch = held.hold(dead, ClientHandles.Kind.WATCH, () -> waiting).descriptor();
    CompletableFuture<Answer> late =
        CompletableFuture.supplyAsync(() -> takeFrom(held, dead, watch));
    assertThat(waiting.begun.await(30, TimeUnit.SECONDS)).isTrue();
    dead.gone(now.get());
    assertThat(held.renew(live, watch)).isTrue();

    waiting.ends.countDown();
    assertThat(late.get(30, TimeUnit.SECONDS)).isInstanceOf(Answer.Done.class);
    assertThat(takeFrom(held, dead, watch)).isInstanceOf(Answer.Done.class);
    boolean unused = held.renew(dead, watch);
    now.addAndGet(60 * SECOND);
    held.endIdle();

    assertThat(closed).hasValue(0);
    assertThat(held.renew(live, watch)).isTrue();
  }

  private static Answer takeFrom(ClientHandles held, Client client, Bytes descriptor) {
    try {
      return held.take(client, descriptor, 1, 0, new AnswerBytes(1, Optional.empty()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aHandleThatIsNotKeptIsClosed() {
    ClientHandles held =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Most(2, 9),
            () -> {
              throw new IllegalStateException("injected");
            });

    assertThatThrownBy(() -> pin(held, TestService.client())).hasMessage("injected");

    assertThat(closed).hasValue(1);
    assertThat(held.count()).isZero();
  }

  @Test
  void whatCantBeBegunTakesNoPlace() {
    ClientHandles held = pins(1);
    assertThatThrownBy(
            () ->
                held.hold(
                    TestService.client(),
                    ClientHandles.Kind.PIN,
                    () -> {
                      throw new IllegalStateException("injected");
                    }))
        .hasMessage("injected");

    var unused = pin(held, TestService.client());
    assertThat(held.count()).isEqualTo(1);
  }

  @Test
  void theOldestScanGoesOnWhateverOthersHold(@TempDir Path directory) throws InterruptedException {
    int most = 1 << 20;
    ClientHandles held =
        new ClientHandles(
            new TransactionLimits(
                9, 9, most, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Most(9, 9),
            () -> 0);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      int[] sizes = {1, 1, 5 * most};
      for (int i = 0; i < sizes.length; i++) {
        var unused =
            store.update(
                Key.register("b", "k" + i, Codec.bytes()).assign(Bytes.wrap(new byte[sizes[i]])));
      }
      Bytes oldest = scan(held, store);
      Bytes large = scan(held, store);
      Bytes youngest = scan(held, store);
      for (int i = 0; i < 2; i++) {
        assertPage(held, large);
      }

      assertThatThrownBy(() -> assertPage(held, youngest)).isInstanceOf(BusyException.class);
      assertPage(held, oldest);
      held.endAll();
    }
  }

  private static void assertPage(ClientHandles held, Bytes scan) throws InterruptedException {
    assertThat(
            held.take(TestService.client(), scan, 1, 0, new AnswerBytes(1 << 30, Optional.empty())))
        .isInstanceOf(Answer.EncodedPage.class);
  }
}
