package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import org.junit.jupiter.api.Test;

/** The remembered counters for which data centres have requested rights. */
final class RecentIdsTest {
  private final RecentIds ids = new RecentIds();

  private static Bytes id(int number) {
    return Bytes.utf8("counter " + number);
  }

  private static Bytes longId(int number) {
    return Bytes.utf8("k".repeat(30_000) + number);
  }

  @Test
  void eachDataCentreHasItsOwnNumbers() {
    ids.put(0, id(1), 5);
    ids.put(1, id(1), 6);
    ids.put(0, id(1), 7);

    assertThat(ids.get(0, id(1))).hasValue(7);
    assertThat(ids.get(1, id(1))).hasValue(6);
    assertThat(ids.get(0, id(2))).isEmpty();
    assertThat(ids.bytes()).isEqualTo(2L * id(1).length());
  }

  @Test
  void evictsTheOldestIfThereAreMany() {
    for (int i = 0; i <= RecentIds.MOST; i++) {
      ids.put(0, id(i), i);
    }

    assertThat(ids.get(0, id(0))).isEmpty();
    assertThat(ids.get(0, id(1))).hasValue(1);
    assertThat(ids.get(0, id(RecentIds.MOST))).hasValue(RecentIds.MOST);
  }

  @Test
  void takesABoundedShareOfTheHeapHoweverLongTheIds() {
    for (int i = 0; i < 500; i++) {
      ids.put(0, longId(i), i);
      assertThat(ids.bytes()).isLessThanOrEqualTo(RecentIds.MAX_BYTES);
    }

    assertThat(ids.get(0, longId(499))).hasValue(499);
    assertThat(ids.get(0, longId(0))).isEmpty();
  }
}
