package io.github.stablecut.spring;

import io.github.stablecut.option.StoreOptions;

/**
 * A bean that changes the options of the application's store, for options without a property, such
 * as hooks or replication. Several customizers are applied one after the other.
 */
@FunctionalInterface
public interface StoreOptionsCustomizer {
  /** Returns the changed options. */
  StoreOptions customize(StoreOptions options);
}
