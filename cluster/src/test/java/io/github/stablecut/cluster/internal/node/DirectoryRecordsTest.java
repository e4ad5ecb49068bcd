package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Coalesces the records that the node's actor requests repeatedly while the disk is slow. */
class DirectoryRecordsTest {
  private final Queue<Runnable> queue = new ArrayDeque<>();
  private final List<String> written = new ArrayList<>();
  private boolean isClosed;
  private final DirectoryRecords records =
      new DirectoryRecords(
          this::execute,
          () -> written.add("formed"),
          members -> written.add(members.toString()),
          plan -> written.add("plan of " + plan.nodes()));

  private void execute(Runnable task) {
    if (isClosed) {
      throw new RejectedExecutionException();
    }
    queue.add(task);
  }

  private void executeAll() {
    while (!queue.isEmpty()) {
      queue.remove().run();
    }
  }

  @Test
  void queuesOneWriteOfEachKindWithTheLatestContent() {
    for (int i = 0; i < 100; i++) {
      records.remember(Set.of("n" + i));
      records.markFormed();
    }
    assertThat(queue).hasSize(2);
    executeAll();
    assertThat(written).containsExactly("[n99]", "formed");

    records.remember(Set.of("n100"));
    executeAll();
    assertThat(written).hasSize(3).contains("[n100]");
  }

  @Test
  void aRejectedWriteCanBeRequestedAgain() {
    isClosed = true;
    records.markFormed();
    isClosed = false;
    records.markFormed();
    executeAll();
    assertThat(written).containsExactly("formed");
  }
}
