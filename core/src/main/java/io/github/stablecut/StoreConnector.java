package io.github.stablecut;

import java.net.URI;

/**
 * Connects to stores of other processes. {@link java.util.ServiceLoader} finds the implementations,
 * so that programs that only embed a store need no network libraries. Thread-safe.
 */
public interface StoreConnector {
  /** Whether this connector supports a URI's scheme. */
  boolean accepts(URI uri);

  /**
   * Connects to the store at a URI that it accepts.
   *
   * @throws io.github.stablecut.error.StablecutException if the connection fails
   */
  Store connect(URI uri);
}
