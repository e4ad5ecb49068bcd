package io.github.stablecut.web;

import io.github.stablecut.crdt.Bytes;
import java.util.Map;

/**
 * The answer to a request. Immutable.
 *
 * @param status the HTTP status
 * @param type the media type of the body
 */
public record WebResponse(int status, String type, Bytes body) {
  /** Headers of every answer: pages load, send to and are framed by nothing but this origin. */
  public static final Map<String, String> SECURITY =
      Map.of(
          "Content-Security-Policy",
          "default-src 'self'; img-src 'self' data:; frame-ancestors 'self'; base-uri 'none';"
              + " form-action 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-store");

  /** Encodes a record, map or list as JSON. */
  static WebResponse json(int status, Object content) {
    return new WebResponse(status, "application/json", Bytes.wrap(Json.write(content)));
  }
}
