package io.github.stablecut.examples.scalardb;

import com.scalar.db.config.DatabaseConfig;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * A store per suite, which stays open as long as the JVM: a suite closes and opens its storage for
 * each of its tests. The system property {@code scalardb.partitions} says how many partitions a
 * store has.
 */
final class SuiteStores {
  private static final int BLOB_BYTES = 128 << 20;
  private static final Map<String, Store> OPEN = new HashMap<>();

  private SuiteStores() {}

  /** Settings of ScalarDB with which it uses the store of a suite. */
  static Properties properties(String suite) {
    var unused = store(suite);
    Properties properties = new Properties();
    properties.setProperty(DatabaseConfig.STORAGE, StablecutProvider.NAME);
    properties.setProperty(DatabaseConfig.CONTACT_POINTS, "suite:" + suite);
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN, "true");
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN_FILTERING, "true");
    properties.setProperty(DatabaseConfig.CROSS_PARTITION_SCAN_ORDERING, "true");
    return properties;
  }

  static synchronized Store store(String suite) {
    return OPEN.computeIfAbsent(suite, SuiteStores::open);
  }

  private static Store open(String suite) {
    StoreOptions options =
        StoreOptions.defaults().withPartitions(Integer.getInteger("scalardb.partitions", 1));
    options =
        options.withLimits(
            options.limits().withTransactionBytes(2 * BLOB_BYTES).withValueBytes(BLOB_BYTES));
    try {
      Path directory = Files.createTempDirectory(Path.of("target"), suite);
      Store store = Stablecut.open(directory, options);
      var unused = SharedMap.register("suite:" + suite, TableMap.over(store));
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
