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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients hold at a server. */
class HeldThingsTest {
  private final AtomicInteger closed = new AtomicInteger();

  /** Can't be closed, but says that it was tried. */
  private final class Failing implements HeldThings.Held {
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
    HeldThings held =
        new HeldThings(
            new TransactionLimits(9, 9, 1 << 20, Duration.ofHours(1), Certification.NONE),
            2,
            System::nanoTime);
    for (int i = 0; i < 3; i++) {
      var unused = held.hold(new Failing());
    }

    held.endAll();

    assertThat(closed).hasValue(3);
    assertThat(held.count()).isZero();
  }

  @Test
  void thereAreAsManyScansAsTheHeapHasRoomFor(@TempDir Path directory) {
    HeldThings held =
        new HeldThings(
            new TransactionLimits(9, 9, 1 << 20, Duration.ofHours(1), Certification.NONE),
            2,
            () -> 0);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Bytes first = held.hold(scan(store));
      var unused = held.hold(scan(store));
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> held.hold(scan(store)))
            .isInstanceOf(BusyException.class)
            .hasMessageStartingWith("2 scans are open");
      }
      held.letGo(first);
      unused = held.hold(scan(store));
      assertThat(held.count()).isEqualTo(2);
      held.endAll();
    }
  }

  @Test
  void scansHoldAsMuchOfLargeObjectsAsTheHeapHasRoomFor(@TempDir Path directory)
      throws InterruptedException {
    int most = 1 << 20;
    HeldThings held =
        new HeldThings(
            new TransactionLimits(9, 9, most, Duration.ofHours(1), Certification.NONE), 9, () -> 0);
    StoreOptions options = StoreOptions.defaults().withPartitions(2);
    try (Store store = Stablecut.open(directory.resolve("data"), options)) {
      // Each is the first one of its partition, so that a scan begins with both.
      for (int i = 0; i < 4; i++) {
        var unused =
            store.update(
                Key.register("b", "k" + i, Codec.bytes()).assign(Bytes.wrap(new byte[most])));
      }
      Bytes first = held.hold(scan(store));
      assertThatThrownBy(() -> held.hold(scan(store)))
          .isInstanceOf(BusyException.class)
          .hasMessageStartingWith("1 scans are open, which hold ");

      assertThat(held.take(first, 1, 0, new AnswerBytes(4L * most, Optional.empty())))
          .isInstanceOf(Answer.EncodedPage.class);
      held.letGo(first);
      var unused = held.hold(scan(store));
      held.endAll();
    }
  }

  private static HeldScan scan(Store store) {
    return new HeldScan((StateScan) store.snapshot().scan("b"), Optional.empty());
  }
}
