package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store whose disk damaged the last acknowledged transaction. */
final class DamagedTailTest {
  private static final CounterKey KEY = Key.counter("b", "k");
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withLimits(LossyDisk.LIMITS).withPartitions(1);

  private LossyDisk disk = LossyDisk.empty();

  private List<String> warningsAfterAKill(boolean isDamaged) {
    LossyDisk left;
    try (EmbeddedStore store = disk.open(OPTIONS)) {
      store.update(KEY.increment());
      left = disk.afterKill();
    }
    disk = isDamaged ? damaged(left) : left;
    try (EmbeddedStore store = disk.open(OPTIONS)) {
      List<String> warnings = store.status().health().warnings();
      disk = disk.afterKill();
      return warnings;
    }
  }

  private static LossyDisk damaged(LossyDisk disk) {
    LossySegments journal = disk.journal();
    int last = journal.segments().get(journal.segments().size() - 1);
    byte[] contents = journal.contents(last);
    int end = contents.length;
    while (contents[end - 1] == 0) {
      end--;
    }
    contents[end - 1] ^= 4;
    journal.replace(last, contents);
    return disk;
  }

  @Test
  void theStatusSaysThatAnAcknowledgedTransactionMayBeGone() {
    assertThat(warningsAfterAKill(false)).isEmpty();
    assertThat(warningsAfterAKill(true))
        .singleElement()
        .asString()
        .contains("partition 0", "may have damaged the last acknowledged transactions");
    assertThat(warningsAfterAKill(false)).isEmpty();
  }
}
