package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.internal.transaction.PeekableWatch;
import io.github.stablecut.internal.transaction.routing.StateScan;
import io.github.stablecut.option.WatchOptions;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Of two concurrent calls on a scan or watch, the second is refused rather than blocked. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ConcurrentTakesTest {
  private final AtomicReference<ClientHandles.Handle> held = new AtomicReference<>();
  private final AtomicReference<Object> second = new AtomicReference<>();

  private static Answer take(ClientHandles.Handle held) {
    try {
      return held.take(1, 0, new AnswerBytes(1 << 20, Optional.empty()));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Creates a mock that, when its method is called, lets another thread take from the handle. */
  private <T> T mock(Class<T> type, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              if (called.getName().equals("position")) {
                return new CausalToken(1, VectorClock.ZERO);
              } else if (called.getName().equals("heldBytes")) {
                return 0L;
              } else if (called.getName().equals(method) && second.get() == null) {
                CompletableFuture<Object> other =
                    CompletableFuture.supplyAsync(() -> take(Objects.requireNonNull(held.get())));
                second.set(other.exceptionally(Throwable::getCause).get());
              }
              return answer;
            }));
  }

  @Test
  void theSecondCallOnAWatchIsRefused() {
    held.set(
        new WatchHandle(
            options -> mock(PeekableWatch.class, "peek", Optional.empty()),
            WatchOptions.fromNow()));

    assertThat(take(Objects.requireNonNull(held.get()))).isInstanceOf(Answer.Changes.class);

    assertThat(second.get()).isInstanceOf(BusyException.class);
  }

  @Test
  void theSecondCallOnAScanIsRefused() {
    held.set(new ScanHandle(mock(StateScan.class, "hasNext", false), Optional.empty()));

    assertThat(take(Objects.requireNonNull(held.get()))).isInstanceOf(Answer.EncodedPage.class);

    assertThat(second.get()).isInstanceOf(BusyException.class);
  }
}
