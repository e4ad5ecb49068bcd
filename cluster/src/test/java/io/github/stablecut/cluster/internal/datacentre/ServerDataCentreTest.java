package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.cluster.internal.datacentre.DataCentreCommands.Operation;
import io.github.stablecut.error.ReplicationRefusedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands to a server that listens for other data centres. */
final class ServerDataCentreTest {
  private static final Replication ANY_PORT = Replication.tcp("127.0.0.1:0");
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir private Path directory;
  private final List<String> joined = new ArrayList<>();
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private ServedStore served;
  private Store other;
  private ServerDataCentre server;

  @BeforeEach
  void open() {
    served = new ServedStore(open("own"));
    other = open("other");
    server =
        new ServerDataCentre(
            served,
            ANY_PORT,
            (addresses, group) -> {
              joined.addAll(addresses);
              assertThat(group.group()).isEqualTo(other.dataCentres().group());
              await(goesOn);
              throw new ReplicationRefusedException("not today");
            });
  }

  private Store open(String name) {
    return Stablecut.open(
        directory.resolve(name),
        StoreOptions.defaults().withPartitions(1).withReplication(ANY_PORT));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    goesOn.countDown();
    served.close();
    other.close();
  }

  private static String address(Store store) {
    return "127.0.0.1:" + store.dataCentres().port().orElseThrow();
  }

  private Operation end() throws Exception {
    Eventually.holds("the operation is over", () -> server.last().orElseThrow().isOver());
    return server.last().orElseThrow();
  }

  @Test
  void itsDescriptorLeadsToIt() {
    Descriptor descriptor = Descriptor.parse(server.descriptor());

    assertThat(descriptor.address()).isEqualTo(address(served.get()));
    assertThat(descriptor.store()).isEqualTo(served.get().status().storeId());
    assertThat(server.own()).contains(0);
    assertThat(server.all()).hasSize(1);
  }

  @Test
  void oneOperationRunsAtATimeAndItsProblemIsReported() throws Exception {
    other.update(LIKES.increment(1));
    server.beginToJoin(address(other));
    assertThat(server.last().orElseThrow().isOver()).isFalse();
    assertThatThrownBy(() -> server.beginToLeave())
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("connect " + address(other))
        .hasMessageContaining("wait for its end");

    goesOn.countDown();

    assertThat(end().problem()).contains("not today");
    assertThat(joined).containsExactly(address(other));
    server.beginToLeave();
    assertThat(end().problem().orElseThrow()).contains("has no group to leave");
  }

  @Test
  void anAddressWithoutADataCentreIsReportedWithWhatToCheck() throws Exception {
    String address = address(other);
    other.close();
    server.beginToJoin(address);

    assertThat(end().problem().orElseThrow())
        .contains("no data centre answers at " + address, "check that it runs");
    server.beginToJoin("nonsense");
    assertThat(end().problem()).isPresent();
    assertThat(joined).isEmpty();
  }

  @Test
  void aDataCentreWithDataJoinsNone() throws Exception {
    served.get().update(LIKES.increment(1));
    server.beginToJoin(address(other));
    assertThat(end().problem().orElseThrow()).contains("connect the new one to this one instead");

    other.update(LIKES.increment(1));
    server.beginToJoin(address(other));
    assertThat(end().problem().orElseThrow()).contains("two groups can't be merged", "export");
    assertThatThrownBy(() -> server.detach(7))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("there is no data centre 7");
    assertThat(joined).isEmpty();
  }
}
