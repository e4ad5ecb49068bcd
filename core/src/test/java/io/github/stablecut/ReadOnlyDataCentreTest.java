package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data centre that refuses writes. */
final class ReadOnlyDataCentreTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final BoundedCounterKey SEATS = Key.boundedCounter("hall", "seats");

  @TempDir private Path directory;
  private final LinkFaults cable = new LinkFaults(1);
  private DataCentreStores stores;
  private Store writer;
  private Store replica;

  @BeforeEach
  void open() {
    stores = new DataCentreStores(directory);
    writer = stores.first("writer", one -> one.through(cable::around));
    writer.update(LIKES.increment(1));
    replica = stores.joined("replica", writer, Replication::readOnly);
  }

  @AfterEach
  void close() {
    replica.close();
    writer.close();
  }

  private static void assertRefused(Store store, Update update) {
    assertThatThrownBy(() -> store.update(update))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("is a read-only replica: write at another one");
  }

  @Test
  void readsCommitsOfOthersAndRefusesToWrite() {
    assertThat(replica.read(LIKES)).isEqualTo(1);
    assertThat(readAfter(replica, writer.update(LIKES.increment(1)), LIKES)).isEqualTo(2);

    assertRefused(replica, LIKES.increment(1));
    try (Transaction transaction = replica.begin()) {
      assertThat(transaction.read(LIKES)).isEqualTo(2);
      transaction.update(LIKES.increment(1));
      assertThatThrownBy(transaction::commit).isInstanceOf(ReplicationRefusedException.class);
    }
    assertThatThrownBy(
            () -> replica.compareAndUpdate(List.of(LIKES), all -> true, LIKES.increment(1)))
        .isInstanceOf(ReplicationRefusedException.class);
    try (Transaction reader = replica.begin()) {
      assertThat(reader.read(LIKES)).isEqualTo(2);
      reader.commit();
    }
    assertThat(replica.read(LIKES)).isEqualTo(2);
  }

  @Test
  void requestsNoRightsButRefusesTheDecrement() {
    CausalToken made = writer.update(SEATS.increment(4));
    assertThat(readAfter(replica, made, SEATS)).isEqualTo(4);

    assertRefused(replica, SEATS.decrement(1));
  }

  @Test
  void forwardsTransactionsAndAdmitsOthers() {
    try (Store third = stores.joined("third", replica)) {
      assertThat(third.read(LIKES)).isEqualTo(1);
      cable.cut(third.dataCentres().own());
      CausalToken relayed = writer.update(LIKES.increment(1));
      assertThat(readAfter(third, relayed, LIKES)).isEqualTo(2);
      assertThat(readAfter(replica, third.update(LIKES.increment(1)), LIKES)).isEqualTo(3);
    }
  }

  @Test
  void isASettingOfEachOpeningAndBlocksLeavingIfItCannot() {
    CausalToken token = writer.update(LIKES.increment(1));
    assertThat(readAfter(replica, token, LIKES)).isEqualTo(2);
    replica.close();
    replica = stores.joined("replica", writer);
    CausalToken written = replica.update(LIKES.increment(1));
    assertThat(readAfter(writer, written, LIKES)).isEqualTo(3);
    cable.cutAll();
    replica.update(LIKES.increment(1));
    replica.close();
    replica = stores.joined("replica", writer, Replication::readOnly);

    assertThatThrownBy(() -> replica.dataCentres().leave(Duration.ofMillis(50)))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("still lacks transactions");
    assertRefused(replica, LIKES.increment(1));
  }
}
