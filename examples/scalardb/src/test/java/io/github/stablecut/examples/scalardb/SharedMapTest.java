package io.github.stablecut.examples.scalardb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.scalar.db.api.DistributedStorage;
import com.scalar.db.api.DistributedStorageAdmin;
import com.scalar.db.api.Get;
import com.scalar.db.api.Put;
import com.scalar.db.api.Scan;
import com.scalar.db.api.Scanner;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.config.DatabaseConfig;
import com.scalar.db.exception.storage.ExecutionException;
import com.scalar.db.io.DataType;
import com.scalar.db.io.Key;
import com.scalar.db.service.StorageFactory;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.map.TableMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests contact points, and sharing them. */
final class SharedMapTest {
  private static final TableMetadata TABLE =
      TableMetadata.newBuilder()
          .addColumn("p", DataType.INT)
          .addColumn("v", DataType.INT)
          .addColumn("blob", DataType.BLOB)
          .addPartitionKey("p")
          .build();

  @TempDir Path directory;

  private static StorageFactory factory(String contactPoints) {
    Properties properties = new Properties();
    properties.setProperty(DatabaseConfig.STORAGE, StablecutProvider.NAME);
    properties.setProperty(DatabaseConfig.CONTACT_POINTS, contactPoints);
    return StorageFactory.create(properties);
  }

  private static void createTable(DistributedStorageAdmin admin) throws ExecutionException {
    admin.createNamespace("n", Map.of());
    admin.createTable("n", "t", TABLE, Map.of());
  }

  private static Put put(int value) {
    return Put.newBuilder()
        .namespace("n")
        .table("t")
        .partitionKey(Key.ofInt("p", 1))
        .intValue("v", value)
        .build();
  }

  private static Get get() {
    return Get.newBuilder().namespace("n").table("t").partitionKey(Key.ofInt("p", 1)).build();
  }

  private static Scan scan() {
    return Scan.newBuilder().namespace("n").table("t").partitionKey(Key.ofInt("p", 1)).build();
  }

  private static int value(DistributedStorage storage) throws ExecutionException {
    return storage.get(get()).orElseThrow().getInt("v");
  }

  @Test
  void storagesShareADirectoryUntilTheLastOneCloses() throws Exception {
    // Two spellings, with characters that a URI must escape.
    Path data = directory.resolve("a%20b #1");
    DistributedStorageAdmin admin = factory(data.toString()).getStorageAdmin();
    DistributedStorage first = factory(data.toString()).getStorage();
    DistributedStorage second = factory(directory.resolve("x/../a%20b #1").toString()).getStorage();
    createTable(admin);
    first.put(put(1));
    assertThat(value(second)).isEqualTo(1);

    admin.close();
    admin.close();
    first.close();
    second.put(put(2));
    assertThat(value(second)).isEqualTo(2);
    assertThatThrownBy(() -> Stablecut.open(data)).isInstanceOf(StoreInUseException.class);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> first.get(get()),
            () -> first.put(put(3)),
            () -> first.scan(scan()),
            () -> admin.createNamespace("m", Map.of()))) {
      assertThatThrownBy(use)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is closed");
    }

    second.close();
    try (Store store = Stablecut.openExisting(data);
        TableMap map = TableMap.over(store)) {
      assertThat(map.tables("n")).containsExactly("t");
    }
    DistributedStorage again = factory(data.toString()).getStorage();
    assertThat(value(again)).isEqualTo(2);
    again.close();
  }

  @Test
  void aServerIsAContactPoint() throws Exception {
    try (Server server =
        Server.start(
            SettingsLoader.defaults(directory.resolve("data"))
                .withProtocol(Endpoint.loopback(0))
                .withOperations(Optional.empty()))) {
      String one = "127.0.0.1:" + server.address().getPort();
      // A cluster has several servers; ScalarDB splits them at the comma.
      StorageFactory factory = factory("stablecut://" + one + "," + one);
      DistributedStorageAdmin admin = factory.getStorageAdmin();
      DistributedStorage storage = factory.getStorage();
      createTable(admin);
      storage.put(put(1));

      assertThat(value(storage)).isEqualTo(1);
      assertThat(TableMap.over(server.store()).tables("n")).containsExactly("t");
      admin.close();
      storage.close();
    }
  }

  @Test
  void aRegisteredStoreRemainsItsOwnersAndReservesItsName() throws Exception {
    try (Store store = Stablecut.open(directory.resolve("data"));
        Store other = Stablecut.open(directory.resolve("other"))) {
      TableMap map = TableMap.open("stablecut:" + directory.resolve("owned"));
      SharedMap registered = SharedMap.register("test:1", map);
      DistributedStorageAdmin admin = factory("test:1").getStorageAdmin();
      createTable(admin);

      assertThatThrownBy(() -> SharedMap.register("test:1", TableMap.over(other)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is already in use");
      registered.close();
      registered.close();
      assertThatThrownBy(() -> SharedMap.register("test:1", TableMap.over(store)))
          .hasMessageContaining("is already in use");
      assertThat(admin.namespaceExists("n")).isTrue();
      admin.close();
      // The owner's tables are still open, and the name is free.
      assertThat(map.tables("n")).containsExactly("t");
      SharedMap.register("test:1", TableMap.over(store)).close();
      map.close();
    }
  }

  @Test
  void refusesMissingAndAmbiguousContactPoints() {
    for (String bad : new String[] {"a,b", "data?partitions=4"}) {
      assertThatThrownBy(() -> factory(bad).getStorage())
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("stablecut:");
    }
  }

  @Test
  void aMutationRefusedEachTimeHasNoUnknownOutcome() throws Exception {
    StorageFactory factory =
        factory("stablecut:" + directory.resolve("data") + "?value-bytes=1000");
    DistributedStorageAdmin admin = factory.getStorageAdmin();
    DistributedStorage storage = factory.getStorage();
    createTable(admin);
    storage.put(put(1));

    Put tooLarge = Put.newBuilder(put(2)).blobValue("blob", new byte[2_000]).build();
    assertThatThrownBy(() -> storage.put(tooLarge))
        .isInstanceOf(IllegalArgumentException.class)
        .hasCauseInstanceOf(LimitExceededException.class)
        .hasMessageContaining("write less at once");
    assertThat(value(storage)).isEqualTo(1);
    admin.close();
    storage.close();
  }

  @Test
  void reportsAClosedScanner() throws Exception {
    StorageFactory factory = factory(directory.resolve("data").toString());
    DistributedStorageAdmin admin = factory.getStorageAdmin();
    DistributedStorage storage = factory.getStorage();
    createTable(admin);
    storage.put(put(1));

    Scanner scanner = storage.scan(scan());
    scanner.close();
    scanner.close();
    assertThatThrownBy(scanner::one).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(scanner::all).isInstanceOf(IllegalStateException.class);
    admin.close();
    storage.close();
  }
}
