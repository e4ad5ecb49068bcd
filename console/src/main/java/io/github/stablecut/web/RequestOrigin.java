package io.github.stablecut.web;

import java.util.List;
import java.util.function.Function;

/**
 * Refuses requests that a browser sends on behalf of another origin's page, whatever the method:
 * such a page may not even cause load. Programs other than browsers send neither of the checked
 * headers.
 */
public final class RequestOrigin {
  private RequestOrigin() {}

  /**
   * Checks a request.
   *
   * @param headers returns the values of a header by its name, in any case; empty or null without
   *     it
   * @throws WebException with status 400 if the request has several hosts, 403 if another origin's
   *     page caused it
   */
  public static void check(Function<String, List<String>> headers) {
    List<String> hosts = values(headers, "Host");
    if (hosts.size() > 1) {
      throw WebException.badRequest(
          "a request must have one Host header, not %d".formatted(hosts.size()));
    }
    boolean isCrossSite =
        values(headers, "Sec-Fetch-Site").stream().anyMatch("cross-site"::equalsIgnoreCase);
    String own = hosts.isEmpty() ? "" : hosts.get(0);
    if (isCrossSite
        || values(headers, "Origin").stream().anyMatch(origin -> !isOrigin(origin, own))) {
      throw new WebException(
          403, "requests of another origin's page are refused: open this address itself");
    }
  }

  private static List<String> values(Function<String, List<String>> headers, String name) {
    List<String> values = headers.apply(name);
    return values == null ? List.of() : values;
  }

  private static boolean isOrigin(String origin, String host) {
    return !host.isEmpty()
        && (origin.equalsIgnoreCase("http://" + host)
            || origin.equalsIgnoreCase("https://" + host));
  }
}
