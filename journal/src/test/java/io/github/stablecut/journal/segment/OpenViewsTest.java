package io.github.stablecut.journal.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

final class OpenViewsTest {
  private static final int MANY = 1024;
  private static final int THREADS = 8;
  private static final int TIMES = 20_000;

  @Test
  void theOldestIsThatOfTheOpenViews() {
    OpenViews views = new OpenViews();
    TreeMap<Integer, List<Integer>> slots = new TreeMap<>();
    Random random = new Random(1);
    for (int i = 0; i < MANY; i++) {
      int oldest = random.nextInt(1, 100);
      slots.computeIfAbsent(oldest, key -> new ArrayList<>()).add(views.open(oldest));
      assertThat(views.oldest()).isEqualTo(slots.firstKey());
    }
    while (!slots.isEmpty()) {
      assertThat(views.oldest()).isEqualTo(slots.firstKey());
      slots.pollFirstEntry().getValue().forEach(views::close);
    }
    assertThat(views.oldest()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void anOpenWithoutAFreeSlotWaitsForOne() throws Exception {
    OpenViews views = new OpenViews();
    List<Integer> slots = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      slots.add(views.open(7));
    }
    FutureTask<Integer> late = new FutureTask<>(() -> views.open(5));
    new Thread(late).start();
    assertThat(views.oldest()).isEqualTo(7);
    views.close(slots.get(MANY / 2));
    assertThat(late.get()).isEqualTo(slots.get(MANY / 2));
    assertThat(views.oldest()).isEqualTo(5);
  }

  /**
   * Each thread retains its own segment: its view is always visible, and no other thread takes its
   * slot.
   */
  @Test
  void threadsDoNotTakeEachOthersSlots() throws Exception {
    OpenViews views = new OpenViews();
    List<FutureTask<Integer>> tasks = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int mine = thread + 1;
      FutureTask<Integer> task =
          new FutureTask<>(
              () -> {
                int missed = 0;
                for (int time = 0; time < TIMES; time++) {
                  int slot = views.open(mine);
                  missed += views.oldest() > mine ? 1 : 0;
                  views.close(slot);
                }
                return missed;
              });
      tasks.add(task);
      new Thread(task).start();
    }
    for (FutureTask<Integer> task : tasks) {
      assertThat(task.get()).isZero();
    }
    assertThat(views.oldest()).isEqualTo(Integer.MAX_VALUE);
  }
}
