package io.github.stablecut.spring;

import io.github.stablecut.option.StoreOptions;

/**
 * Changes the options with which the application's store is opened: a bean for what has no
 * property, such as hooks or replication. Of several, each gets what the one before it has made.
 */
@FunctionalInterface
public interface StoreOptionsCustomizer {
  /** The changed options. */
  StoreOptions customize(StoreOptions options);
}
