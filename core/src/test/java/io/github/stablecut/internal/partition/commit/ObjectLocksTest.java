package io.github.stablecut.internal.partition.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.TransactionTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Threads that wait for an object's lock. */
class ObjectLocksTest {
  private static final List<Bytes> HOT = List.of(Bytes.utf8("hot"));

  @Test
  void aWaitingTaskLetsAnotherTaskOfThePoolRun() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      ObjectLocks turns = new ObjectLocks(Duration.ofMinutes(1));
      ObjectLocks.Turn first = turns.take(HOT);
      Future<?> second = pool.submit(() -> turns.take(HOT).end());
      CountDownLatch other = new CountDownLatch(1);
      pool.execute(other::countDown);

      assertThat(other.await(50, TimeUnit.SECONDS)).isTrue();
      first.end();
      assertThat(second.get()).isNull();
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aLongWaitEndsWithARefusalThatChangedNothing() throws Exception {
    ObjectLocks turns = new ObjectLocks(Duration.ofMillis(1));
    ObjectLocks.Turn first = turns.take(HOT);
    Thread other =
        new Thread(
            () ->
                assertThatThrownBy(() -> turns.take(HOT))
                    .isInstanceOf(TransactionTimeoutException.class)
                    .hasMessageContaining("nothing was changed"));
    Throwable[] failure = {null};
    other.setUncaughtExceptionHandler((thread, thrown) -> failure[0] = thrown);
    other.start();
    other.join();

    assertThat(failure[0]).isNull();
    first.end();
    turns.take(HOT).end();
  }
}
