package io.github.stablecut.cluster.internal.network;

/**
 * What an HTTP request is answered.
 *
 * @param status such as 200
 * @param contentType such as {@code text/plain}
 * @param body text, sent as UTF-8
 */
public record HttpAnswer(int status, String contentType, String body) {
  /** Plain text, in which what a terminal would obey is replaced. */
  public static HttpAnswer text(int status, String body) {
    return new HttpAnswer(
        status, "text/plain; charset=utf-8", body.replaceAll("\\p{Cc}", "\ufffd") + "\n");
  }
}
