package io.github.stablecut.cluster.internal.network;

import java.util.Map;
import java.util.Optional;

/**
 * An HTTP request. Immutable.
 *
 * @param isPost whether it is to change something; only those come that have the header {@link
 *     HttpAccess#OPERATOR} with the token
 * @param isTrusted whether it comes from this machine, or has the token of operators
 * @param path such as {@code /alive}
 * @param parameters behind the question mark, and of a POST also those of a form in its body; of
 *     several with one name the first
 */
public record HttpRequest(
    boolean isPost, boolean isTrusted, String path, Map<String, String> parameters) {
  /** Copies the map. */
  public HttpRequest {
    parameters = Map.copyOf(parameters);
  }

  /** A parameter by its name. */
  public Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }
}
