package io.github.stablecut.examples.scalardb;

import com.scalar.db.api.DistributedStorage;
import com.scalar.db.api.DistributedStorageAdmin;
import com.scalar.db.api.DistributedStorageProvider;
import com.scalar.db.common.CommonDistributedStorageAdmin;
import com.scalar.db.config.DatabaseConfig;

/** The ScalarDB storage named {@code stablecut}, found by the service loader. Thread-safe. */
public final class StablecutProvider implements DistributedStorageProvider {
  /** The value of {@code scalar.db.storage}. */
  public static final String NAME = "stablecut";

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public DistributedStorage createDistributedStorage(DatabaseConfig config) {
    return new StablecutStorage(config);
  }

  @Override
  public DistributedStorageAdmin createDistributedStorageAdmin(DatabaseConfig config) {
    return new CommonDistributedStorageAdmin(new StablecutAdmin(SharedMap.open(config)));
  }
}
