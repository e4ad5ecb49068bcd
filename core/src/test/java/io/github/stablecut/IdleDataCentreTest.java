package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.LinkFaults;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data centre that commits nothing itself. */
final class IdleDataCentreTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir Path directory;
  private DataCentreStores stores;

  @BeforeEach
  void setUp() {
    stores = new DataCentreStores(directory);
  }

  /** Commits with snapshots at later and later times of an idle data centre. */
  private static CausalToken commit(Store busy, Store idle, int times) {
    CausalToken last = busy.update(LIKES.increment(1));
    for (int i = 1; i < times; i++) {
      assertThat(readAfter(idle, last, LIKES)).isEqualTo(i);
      CausalToken heard = idle.snapshot().token();
      try (Transaction transaction = busy.begin(TransactionOptions.defaults().after(heard))) {
        transaction.update(LIKES.increment(1));
        last = transaction.commit();
      }
    }
    return last;
  }

  @Test
  void checkpointsAndBackupsContainReceivedTransactions() {
    try (Store busy = stores.first("busy")) {
      try (Store idle = stores.joined("idle", busy)) {
        CausalToken last = commit(busy, idle, 20);
        assertThat(readAfter(idle, last, LIKES)).isEqualTo(20);
        idle.checkpoint();
        assertThat(idle.status().checkpoints().entries()).containsExactly(1L);
        CausalToken token = idle.backup(directory.resolve("backup"));
        assertThat(idle.at(token).read(LIKES)).isEqualTo(20);
        Stablecut.restore(directory.resolve("backup"), directory.resolve("restored"));
        try (Store restored = Stablecut.open(directory.resolve("restored"))) {
          assertThat(restored.read(LIKES)).isEqualTo(20);
        }
      }
      try (Store idle = stores.joined("idle", busy)) {
        // The others lack none of its transactions, although its checkpoint is at a later time than
        // they know.
        idle.dataCentres().leave(Duration.ofMinutes(2));
        assertThat(idle.read(LIKES)).isEqualTo(20);
      }
    }
  }

  @Test
  void commitsOfOthersDependOnlyOnItsLastTransaction() {
    LinkFaults cable = new LinkFaults(1);
    try (Store busy = stores.first("busy");
        Store idle = stores.joined("idle", busy, it -> it.through(cable::around));
        Store third = stores.joined("third", busy)) {
      CausalToken only = idle.update(LIKES.increment(1));
      assertThat(readAfter(third, only, LIKES)).isEqualTo(1);
      CausalToken before = busy.update(LIKES.increment(1));
      assertThat(readAfter(idle, before, LIKES)).isEqualTo(2);
      Instant told = busy.dataCentres().all().get(1).received();
      // The busy one has heard of times at which the idle one committed nothing.
      Instant later =
          Arrival.await(() -> busy.dataCentres().all().get(1).received(), told::isBefore);
      assertThat(later).isAfter(told);
      cable.cut(2);
      CausalToken token = busy.update(LIKES.increment(1));
      assertThat(token.vector().get(1)).isEqualTo(only.vector().get(1));
      assertThat(readAfter(third, token, LIKES)).isEqualTo(3);
      assertThat(busy.snapshot().token().vector().get(1)).isEqualTo(only.vector().get(1));
    }
  }

  @Test
  void doesNotKeepOthersFromTruncating() {
    try (Store busy = stores.first("busy");
        Store idle = stores.joined("idle", busy)) {
      CausalToken last = commit(busy, idle, 20);
      assertThat(readAfter(idle, last, LIKES)).isEqualTo(20);
      for (Store one : List.of(busy, idle)) {
        CausalToken low =
            Arrival.await(
                () -> {
                  one.checkpoint();
                  return one.status().times().lowWatermark();
                },
                now -> last.vector().isAtOrBefore(now.vector()));
        assertThat(one.at(low).read(LIKES)).isEqualTo(20);
      }
    }
  }
}
