package io.github.stablecut.web;

import io.github.stablecut.crdt.Bytes;
import java.util.Map;

/**
 * What a request is answered. Immutable.
 *
 * @param status of HTTP
 * @param type the media type of the body
 */
public record WebResponse(int status, String type, Bytes body) {
  /**
   * Headers of every answer: nothing comes from elsewhere, goes elsewhere, or is shown inside of
   * something else.
   */
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

  /** JSON of a record, map or list. */
  static WebResponse json(int status, Object content) {
    return new WebResponse(status, "application/json", Bytes.wrap(Json.write(content)));
  }
}
