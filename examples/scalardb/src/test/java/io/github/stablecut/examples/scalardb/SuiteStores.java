package io.github.stablecut.examples.scalardb;

import com.scalar.db.config.DatabaseConfig;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.map.testing.TablesInTurn;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A store per suite, which stays open as long as the JVM: a suite closes and opens its storage for
 * each of its tests. The system property {@code scalardb.partitions} says how many partitions a
 * store has. If {@code scalardb.nodes} is above 0, it is on a cluster of so many nodes, of which
 * each call uses the next one, and which ends when the next suite begins.
 */
final class SuiteStores {
  private static final int BLOB_BYTES = 128 << 20;
  private static final Map<String, List<Store>> OPEN = new HashMap<>();

  private SuiteStores() {}

  /** Settings of ScalarDB with which it uses the store of a suite. */
  static Properties properties(String suite) {
    var unused = stores(suite);
    Properties properties = new Properties();
    properties.setProperty(DatabaseConfig.STORAGE, StablecutProvider.NAME);
    properties.setProperty(DatabaseConfig.CONTACT_POINTS, "suite:" + suite);
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN, "true");
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN_FILTERING, "true");
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN_ORDERING, "true");
    return properties;
  }

  static Store store(String suite) {
    return stores(suite).get(0);
  }

  private static synchronized List<Store> stores(String suite) {
    return OPEN.computeIfAbsent(suite, SuiteStores::open);
  }

  private static List<Store> open(String suite) {
    int partitions = Integer.getInteger("scalardb.partitions", 1);
    int nodes = Integer.getInteger("scalardb.nodes", 0);
    try {
      Path directory = Files.createTempDirectory(Path.of("target"), suite);
      List<Store> stores =
          nodes == 0
              ? List.of(Stablecut.open(directory, options(partitions)))
              : SuiteCluster.start(directory, nodes, options(partitions));
      var unused = SharedMap.register("suite:" + suite, TablesInTurn.over(stores));
      return stores;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StoreOptions options(int partitions) {
    StoreOptions options = StoreOptions.defaults().withPartitions(partitions);
    return options.withLimits(
        options.limits().withTransactionBytes(2 * BLOB_BYTES).withValueBytes(BLOB_BYTES));
  }
}
