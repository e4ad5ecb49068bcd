package io.github.stablecut.cluster.internal.network;

import java.util.Map;
import java.util.Optional;

/**
 * An HTTP request. Immutable.
 *
 * @param isPost whether it requests a change; such requests have presented the admin token in the
 *     header {@link HttpAccess#OPERATOR}
 * @param isTrusted whether it comes from this machine, or has presented the admin token
 * @param path such as {@code /alive}
 * @param parameters those of the query, and of a POST also those of a form in its body
 */
public record HttpRequest(
    boolean isPost, boolean isTrusted, String path, Map<String, String> parameters) {
  /** Copies the map. */
  public HttpRequest {
    parameters = Map.copyOf(parameters);
  }

  /** Returns a parameter by its name. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }
}
