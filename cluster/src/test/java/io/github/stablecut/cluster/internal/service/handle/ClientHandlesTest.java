package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.service.TestService;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.internal.transaction.routing.StateScan;
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

/** The handles of clients at a server. */
class ClientHandlesTest {
  private final AtomicInteger closed = new AtomicInteger();

  /** Counts attempts to close it, which fail. */
  private final class FailingHandle implements ClientHandles.Handle {
    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
      return new Answer.Done();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
      throw new IllegalStateException("injected");
    }
  }

  @Test
  void aHandleThatCantBeClosedKeepsNoOtherOpen() {
    ClientHandles handles =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Limits(2, 9),
            System::nanoTime);
    for (int i = 0; i < 3; i++) {
      assertThat(handles.open(TestService.client(), ClientHandles.Kind.PIN, FailingHandle::new))
          .isNotNull();
    }

    handles.closeAll();

    assertThat(closed).hasValue(3);
    assertThat(handles.count()).isZero();
  }

  @Test
  void theHeapLimitsTheNumberOfScans(@TempDir Path directory) {
    ClientHandles handles =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Limits(2, 9),
            () -> 0);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Bytes first = scan(handles, store);
      scan(handles, store);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> scan(handles, store))
            .isInstanceOf(BusyException.class)
            .hasMessageStartingWith("2 scans are open");
      }
      handles.close(first);
      scan(handles, store);
      assertThat(handles.count()).isEqualTo(2);
      handles.closeAll();
    }
  }

  @Test
  void theHeapLimitsWhatScansHold(@TempDir Path directory) throws InterruptedException {
    int maxBytes = 1 << 20;
    ClientHandles handles =
        new ClientHandles(
            new TransactionLimits(
                9, 9, maxBytes, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Limits(9, 9),
            () -> 0);
    StoreOptions options = StoreOptions.defaults().withPartitions(2);
    try (Store store = Stablecut.open(directory.resolve("data"), options)) {
      // Some are the first of their partition, so that a new scan holds one of each.
      for (int i = 0; i < 4; i++) {
        store.update(
            Key.register("b", "k" + i, Codec.bytes()).assign(Bytes.wrap(new byte[maxBytes])));
      }
      Bytes first = scan(handles, store);
      assertThatThrownBy(() -> scan(handles, store))
          .isInstanceOf(BusyException.class)
          .hasMessageStartingWith("1 open scans hold ");

      assertThat(
              handles.take(
                  TestService.client(),
                  first,
                  1,
                  0,
                  new AnswerBytes(4L * maxBytes, Optional.empty())))
          .isInstanceOf(Answer.EncodedPage.class);
      handles.close(first);
      scan(handles, store);
      handles.closeAll();
    }
  }

  @CanIgnoreReturnValue
  private static Bytes scan(ClientHandles handles, Store store) {
    return handles
        .open(
            TestService.client(),
            ClientHandles.Kind.SCAN,
            () -> new ScanHandle((StateScan) store.snapshot().scan("b"), Optional.empty()))
        .descriptor();
  }

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final AtomicLong now = new AtomicLong(1);

  /** Counts how often the server closes it. */
  private final class CountingHandle implements ClientHandles.Handle {
    @Override
    public Answer take(int bytes, int waitMillis, AnswerBytes answer) {
      return new Answer.Done();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private ClientHandles pins(int maxBytes) {
    HandleShares shares = new HandleShares(100, 100, 100, Duration.ofSeconds(20));
    return new ClientHandles(
        new TransactionLimits(9, maxBytes, 9, Duration.ofHours(1), shares, Certification.NONE),
        new ClientHandles.Limits(9, 9),
        now::get);
  }

  @CanIgnoreReturnValue
  private Bytes pin(ClientHandles handles, Client client) {
    return handles.open(client, ClientHandles.Kind.PIN, CountingHandle::new).descriptor();
  }

  @Test
  void handlesOfADisconnectedClientAreClosedUnlessRenewed() {
    ClientHandles handles = pins(9);
    Client gone = TestService.client();
    Client back = TestService.client();
    Bytes abandoned = pin(handles, gone);
    Bytes renewed = pin(handles, gone);
    gone.gone(now.get());

    now.addAndGet(19 * SECOND);
    handles.endIdle();
    assertThat(handles.count()).isEqualTo(2);
    assertThat(handles.renew(back, renewed)).isTrue();
    now.addAndGet(2 * SECOND);
    handles.endIdle();

    assertThat(closed).hasValue(1);
    assertThat(handles.renew(back, abandoned)).isFalse();
    assertThat(handles.renew(back, renewed)).isTrue();
    now.addAndGet(60 * SECOND);
    handles.endIdle();
    assertThat(handles.renew(back, renewed)).as("its connection is open").isTrue();
  }

  @Test
  void theHandleOfTheLongestDisconnectedClientIsReclaimedAfterTheRenewalInterval() {
    ClientHandles handles = pins(3);
    Client gone = TestService.client();
    Client goneFirst = TestService.client();
    Client live = TestService.client();
    List<Bytes> pins = List.of(pin(handles, gone), pin(handles, goneFirst), pin(handles, live));
    goneFirst.gone(now.get());
    gone.gone(now.addAndGet(SECOND));
    now.addAndGet(16 * SECOND - 1);
    assertThatThrownBy(() -> pin(handles, live)).isInstanceOf(BusyException.class);

    now.addAndGet(2 * SECOND);
    Client elsewhere = new Client(() -> new Origin("10.0.0.1", Optional.empty()));
    assertThatThrownBy(() -> pin(handles, elsewhere)).isInstanceOf(BusyException.class);
    pin(handles, live);

    assertThat(closed).hasValue(1);
    assertThat(handles.renew(live, pins.get(0))).isTrue();
    assertThat(handles.renew(live, pins.get(1))).isFalse();
    assertThat(handles.renew(live, pins.get(2))).isTrue();
    assertThatThrownBy(() -> pin(handles, live))
        .as("all are live")
        .isInstanceOf(BusyException.class);
  }

  /** Blocks a call until the test releases it. */
  private final class BlockingHandle implements ClientHandles.Handle {
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
      closed.incrementAndGet();
    }
  }

  @Test
  void aLateCallOfAClosedConnectionDoesNotReclaimTheHandle() throws Exception {
    ClientHandles handles = pins(9);
    Client dead = TestService.client();
    Client live = TestService.client();
    BlockingHandle waiting = new BlockingHandle();
    Bytes watch = handles.open(dead, ClientHandles.Kind.WATCH, () -> waiting).descriptor();
    CompletableFuture<Answer> late =
        CompletableFuture.supplyAsync(() -> takeFrom(handles, dead, watch));
    assertThat(waiting.begun.await(30, TimeUnit.SECONDS)).isTrue();
    dead.gone(now.get());
    assertThat(handles.renew(live, watch)).isTrue();

    waiting.ends.countDown();
    assertThat(late.get(30, TimeUnit.SECONDS)).isInstanceOf(Answer.Done.class);
    assertThat(takeFrom(handles, dead, watch)).isInstanceOf(Answer.Done.class);
    assertThat(handles.renew(dead, watch)).isTrue();
    now.addAndGet(60 * SECOND);
    handles.endIdle();

    assertThat(closed).hasValue(0);
    assertThat(handles.renew(live, watch)).isTrue();
  }

  private static Answer takeFrom(ClientHandles handles, Client client, Bytes descriptor) {
    try {
      return handles.take(client, descriptor, 1, 0, new AnswerBytes(1, Optional.empty()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aHandleThatCantBeRegisteredIsClosed() {
    ClientHandles handles =
        new ClientHandles(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Limits(2, 9),
            () -> {
              throw new IllegalStateException("injected");
            });

    assertThatThrownBy(() -> pin(handles, TestService.client())).hasMessage("injected");

    assertThat(closed).hasValue(1);
    assertThat(handles.count()).isZero();
  }

  @Test
  void aHandleThatCantBeOpenedTakesNoPlace() {
    ClientHandles handles = pins(1);
    assertThatThrownBy(
            () ->
                handles.open(
                    TestService.client(),
                    ClientHandles.Kind.PIN,
                    () -> {
                      throw new IllegalStateException("injected");
                    }))
        .hasMessage("injected");

    pin(handles, TestService.client());
    assertThat(handles.count()).isEqualTo(1);
  }

  @Test
  void theOldestScanProceedsWhateverOthersHold(@TempDir Path directory)
      throws InterruptedException {
    int maxBytes = 1 << 20;
    ClientHandles handles =
        new ClientHandles(
            new TransactionLimits(
                9, 9, maxBytes, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            new ClientHandles.Limits(9, 9),
            () -> 0);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      int[] sizes = {1, 1, 5 * maxBytes};
      for (int i = 0; i < sizes.length; i++) {
        store.update(
            Key.register("b", "k" + i, Codec.bytes()).assign(Bytes.wrap(new byte[sizes[i]])));
      }
      Bytes oldest = scan(handles, store);
      Bytes large = scan(handles, store);
      Bytes youngest = scan(handles, store);
      for (int i = 0; i < 2; i++) {
        assertPage(handles, large);
      }

      assertThatThrownBy(() -> assertPage(handles, youngest)).isInstanceOf(BusyException.class);
      assertPage(handles, oldest);
      handles.closeAll();
    }
  }

  private static void assertPage(ClientHandles handles, Bytes scan) throws InterruptedException {
    assertThat(
            handles.take(
                TestService.client(), scan, 1, 0, new AnswerBytes(1 << 30, Optional.empty())))
        .isInstanceOf(Answer.EncodedPage.class);
  }
}
