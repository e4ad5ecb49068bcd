package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.PrintableText;
import java.util.Map;

/**
 * The answer to an HTTP request. Immutable.
 *
 * @param status such as 200
 * @param contentType such as {@code text/plain}
 * @param headers further headers
 */
public record HttpResponse(
    int status, String contentType, Bytes body, Map<String, String> headers) {
  /** Copies the map. */
  public HttpResponse {
    headers = Map.copyOf(headers);
  }

  /**
   * Creates an answer with text.
   *
   * @param body sent as UTF-8
   */
  public HttpResponse(int status, String contentType, String body) {
    this(status, contentType, Bytes.utf8(body), Map.of());
  }

  /** Creates an answer with plain text, in which control characters are escaped. */
  public static HttpResponse text(int status, String body) {
    return new HttpResponse(status, "text/plain; charset=utf-8", PrintableText.of(body) + "\n");
  }
}
