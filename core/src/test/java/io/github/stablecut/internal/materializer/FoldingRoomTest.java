package io.github.stablecut.internal.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much is folded at once. */
@Timeout(60)
class FoldingRoomTest {
  private static final long MEBIBYTE = 1 << 20;

  private final FoldingRoom room = new FoldingRoom(10 * MEBIBYTE);
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  private void fold(long bytes) {
    for (int i = 0; i < 200; i++) {
      FoldingRoom.Held held = room.take(bytes);
      try {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        for (int spin = 0; spin < 100; spin++) {
          Thread.onSpinWait();
        }
        inside.decrementAndGet();
      } finally {
        held.close();
      }
    }
  }

  private void foldInThreads(long bytes) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Thread thread = new Thread(() -> fold(bytes));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void noMoreAreInsideThanThereIsRoomFor() throws InterruptedException {
    foldInThreads(3 * MEBIBYTE);

    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void oneThatIsLargerThanTheRoomIsAlone() throws InterruptedException {
    foldInThreads(100 * MEBIBYTE);

    assertThat(most.get()).isEqualTo(1);
  }

  @Test
  void smallOnesNeedNoRoom() {
    FoldingRoom.Held all = room.take(100 * MEBIBYTE);

    room.take(1_000).close();

    all.close();
  }

  @Test
  void anInterruptDoesNotEndTheWait() throws InterruptedException {
    FoldingRoom.Held all = room.take(10 * MEBIBYTE);
    boolean[] wasInterrupted = {false};
    Thread waiting =
        new Thread(
            () -> {
              FoldingRoom.Held held = room.take(MEBIBYTE);
              wasInterrupted[0] = Thread.interrupted();
              held.close();
            });
    waiting.start();
    waiting.interrupt();
    assertThat(waiting.isAlive()).isTrue();

    all.close();
    waiting.join();

    assertThat(wasInterrupted[0]).isTrue();
    room.take(10 * MEBIBYTE).close();
  }
}
