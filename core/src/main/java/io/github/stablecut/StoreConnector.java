package io.github.stablecut;

import java.net.URI;

/**
 * Connects to stores of other processes: found by {@link java.util.ServiceLoader}, so that programs
 * that only embed a store need no network libraries. Thread-safe.
 */
public interface StoreConnector {
  /** Whether it knows the scheme of a URI. */
  boolean accepts(URI uri);

  /**
   * Connects to the store at a URI that it accepts.
   *
   * @throws io.github.stablecut.error.StablecutException if that fails
   */
  Store connect(URI uri);
}
