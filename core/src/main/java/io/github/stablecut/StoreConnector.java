package io.github.stablecut;

import io.github.stablecut.option.ConnectOptions;
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
   * @param options apply unless the URI has parameters of the same meaning
   * @throws io.github.stablecut.error.StablecutException if the connection fails
   */
  Store connect(URI uri, ConnectOptions options);
}
