package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.internal.service.handle.BusyException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Large requests share memory. */
class LargeRequestsTest {
  private static final long MIB = 1 << 20;

  @Test
  void theSecondLargeRequestWaitsForTheFirst() {
    LargeRequests requests = new LargeRequests(MIB, Duration.ofMinutes(1));
    LargeRequests.Admission first = requests.of(MIB);
    LargeRequests.Admission second = requests.of(MIB);
    first.acquire();
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(second::acquire);
    assertThat(waiting).isNotDone();

    first.release();

    waiting.join();
    second.release();
  }

  @Test
  void aRequestThatTimesOutIsRefusedAndHoldsNothing() {
    LargeRequests requests = new LargeRequests(MIB, Duration.ofMillis(10));
    LargeRequests.Admission first = requests.of(MIB);
    LargeRequests.Admission second = requests.of(MIB);
    first.acquire();

    assertThatThrownBy(second::acquire)
        .isInstanceOf(BusyException.class)
        .hasMessageContaining("other large requests")
        .hasMessageContaining("-Xmx");

    second.release();
    assertThatThrownBy(second::acquire).isInstanceOf(BusyException.class);
    first.release();
    first.release();
    second.acquire();
    assertThatThrownBy(first::acquire).isInstanceOf(BusyException.class);
  }

  @Test
  void smallRequestsAreNotCounted() {
    LargeRequests requests = new LargeRequests(1, Duration.ofMillis(10));
    requests.of(MIB).acquire();

    assertThatCode(() -> requests.of(LargeRequests.LARGE_BYTES).acquire())
        .doesNotThrowAnyException();
  }
}
