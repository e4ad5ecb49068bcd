package io.github.stablecut.examples.scalardb;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * A store per suite, which stays open until the JVM exits, because a suite reopens its storage for
 * each test. The system property {@code scalardb.partitions} sets the number of partitions. With
 * {@code scalardb.nodes} above 0 the store is on a cluster of that many nodes, which the calls use
 * in turn and which stops when the next suite starts.
 */
final class SuiteStores {
  private static final int BLOB_BYTES = 128 << 20;
  private static final Map<String, List<Store>> OPEN = new HashMap<>();

  private SuiteStores() {}

  /** The ScalarDB settings that select a suite's store. */
  static Properties properties(String suite) {
    stores(suite);
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

  @CanIgnoreReturnValue
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
      SharedMap.register("suite:" + suite, TablesInTurn.over(stores));
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
