package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StoreClosedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of a server during an exchange. */
final class ServedStoreTest {
  @TempDir private Path directory;
  private Store before;
  private Store after;

  @BeforeEach
  void open() {
    before = Stablecut.open(directory.resolve("before"));
    after = Stablecut.open(directory.resolve("after"));
  }

  @AfterEach
  void close() {
    before.close();
    after.close();
  }

  @Test
  void callersDuringAnExchangeWaitForTheNextStore() throws Exception {
    ServedStore served = new ServedStore(before);
    CountDownLatch isExchanging = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    CompletableFuture<Void> exchange =
        CompletableFuture.runAsync(
            () ->
                served.exchange(
                    old -> {
                      assertThat(old).isSameAs(before);
                      isExchanging.countDown();
                      await(goesOn);
                      return after;
                    }));
    isExchanging.await();
    assertThat(served.find()).isEmpty();
    CompletableFuture<Store> asking = CompletableFuture.supplyAsync(served);
    assertThat(asking).isNotDone();

    goesOn.countDown();

    assertThat(asking.get()).isSameAs(after);
    exchange.get();
    assertThat(served.find()).containsSame(after);
  }

  @Test
  void workAfterAnExchangeSeesTheNextStore() {
    ServedStore served = new ServedStore(before);
    List<Store> seen = new ArrayList<>();
    served.andAfterExchanges(() -> seen.add(served.get()));

    served.exchange(old -> after);

    assertThat(seen).containsExactly(before, after);
  }

  @Test
  void failedWorkAfterAnExchangePreventsNoOtherWork() {
    ServedStore served = new ServedStore(before);
    List<Store> seen = new ArrayList<>();
    served.andAfterExchanges(
        () -> {
          if (served.get() == after) {
            throw new IllegalStateException("injected");
          }
        });
    served.andAfterExchanges(() -> seen.add(served.get()));

    assertThatThrownBy(() -> served.exchange(old -> after)).hasMessage("injected");

    assertThat(seen).containsExactly(before, after);
    assertThat(served.get()).isSameAs(after);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void afterAFailedExchangeAllCallersGetTheReason() {
    ServedStore served = new ServedStore(before);

    assertThatThrownBy(
            () ->
                served.exchange(
                    old -> {
                      throw new ReplicationRefusedException("no");
                    }))
        .isInstanceOf(ReplicationRefusedException.class);

    assertThat(served.find()).isEmpty();
    assertThatThrownBy(served::get)
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessage("no");
  }

  @Test
  void itIsClosedWithTheServer() {
    ServedStore served = new ServedStore(before);

    served.close();

    assertThatThrownBy(before::status).isInstanceOf(StoreClosedException.class);
  }
}
