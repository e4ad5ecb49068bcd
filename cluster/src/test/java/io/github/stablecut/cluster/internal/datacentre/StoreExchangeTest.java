package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.link.DataCentreInfo;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store of a server that joins other data centres while it runs. */
final class StoreExchangeTest {
  private static final int PARTITIONS = 2;
  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withPartitions(PARTITIONS)
          .withReplication(Replication.tcp("127.0.0.1:0"));
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir private Path directory;
  private Store before;
  private ServedStore served;
  private Store other;
  private String address;
  private int ended;

  /** What a client does just before the exchange. */
  private Runnable lastMoment = () -> {};

  private StoreExchange exchange;

  @BeforeEach
  void open() {
    before = Stablecut.open(directory.resolve("own"), OPTIONS);
    served = new ServedStore(before);
    other = Stablecut.open(directory.resolve("other"), OPTIONS);
    other.update(LIKES.increment(1));
    address = "127.0.0.1:" + port(other);
    exchange = new StoreExchange(directory.resolve("own"), OPTIONS, served, this::end);
  }

  /** Runs before the exchange, while the store is open. */
  private void end() {
    assertThat(served.get().read(LIKES)).isZero();
    ended++;
    lastMoment.run();
  }

  @AfterEach
  void close() {
    served.close();
    other.close();
  }

  private static int port(Store store) {
    return store.dataCentres().port().orElseThrow();
  }

  private DataCentreInfo about(int partitions) {
    DataCentres all = other.dataCentres();
    return new DataCentreInfo(
        all.group(), other.status().storeId(), all.own(), partitions, all.isNew());
  }

  @Test
  void itIsRecreatedFromTheOthersAndListensOnTheSamePort() {
    int port = port(before);

    exchange.join(List.of(address), about(PARTITIONS));

    Store now = served.get();
    assertThat(now).isNotSameAs(before);
    assertThat(ended).isEqualTo(1);
    assertThat(now.read(LIKES)).isEqualTo(1);
    assertThat(now.dataCentres().group()).isEqualTo(other.dataCentres().group());
    assertThat(now.dataCentres().own()).isEqualTo(1);
    assertThat(now.dataCentres().all())
        .extracting(DataCentre::address)
        .containsExactly(Optional.of(address), Optional.of("127.0.0.1:" + port));
  }

  @Test
  void anotherNumberOfPartitionsIsRefused() {
    DataCentreInfo about = about(PARTITIONS + 1);

    assertThatThrownBy(() -> exchange.join(List.of(address), about))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining(address + " has 3 partitions, and this one is set to 2")
        .hasMessageContaining("--partitions");

    assertThat(ended).isZero();
    assertThat(served.get()).isSameAs(before);
    assertThat(before.read(LIKES)).isZero();
  }

  @Test
  void itRemainsAsItWasIfTheOthersAreGone() {
    DataCentreInfo about = about(PARTITIONS);
    int port = port(before);
    other.close();

    assertThatThrownBy(() -> exchange.join(List.of(address), about))
        .isInstanceOf(StablecutException.class)
        .hasMessageContaining(address);

    Store now = served.get();
    assertThat(now.dataCentres().all()).hasSize(1);
    assertThat(port(now)).isEqualTo(port);
    now.update(LIKES.increment(5));
    assertThat(now.read(LIKES)).isEqualTo(5);
  }

  @Test
  void aWriteAtTheLastMomentIsKept() {
    lastMoment = () -> served.get().update(LIKES.increment(5));
    DataCentreInfo about = about(PARTITIONS);

    assertThatThrownBy(() -> exchange.join(List.of(address), about))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("this store was written to meanwhile")
        .hasMessageContaining(address);

    assertThat(served.get().read(LIKES)).isEqualTo(5);
    assertThat(other.dataCentres().all()).hasSize(1);
  }
}
