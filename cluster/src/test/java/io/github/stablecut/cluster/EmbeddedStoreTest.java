package io.github.stablecut.cluster;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a store in this process. */
final class EmbeddedStoreTest extends OwnStoreContract {
  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    StoreOptions options = StoreOptions.defaults();
    store =
        Stablecut.open(
            directory.resolve("data"),
            options.withLimits(options.limits().withValueBytes(1 << 20)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  Store store() {
    return store;
  }
}
