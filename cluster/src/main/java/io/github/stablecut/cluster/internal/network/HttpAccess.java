package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Access control of the admin port. Immutable.
 *
 * <p>Web pages must not reach a port that is bound to loopback. So such a port must be addressed by
 * an IP address or as {@code localhost}, since other names may resolve anywhere (DNS rebinding),
 * and requests of pages never change anything. Pages of other origins get no answers at all ({@link
 * io.github.stablecut.web.RequestOrigin}). Changes need the admin token, too.
 */
public final class HttpAccess {
  /** The header with the admin token, which requests for changes need. */
  public static final String OPERATOR = "Stablecut-Operator";

  /** A name or an IP address, and an optional port. */
  private static final Pattern HOST =
      Pattern.compile("(?:\\[(?<number>[^\\]]*)\\]|(?<name>[^:]*))(?::\\d*)?");

  private final boolean isLocal;
  private final String bind;
  private final Optional<byte[]> token;

  /**
   * Creates the access control of a port.
   *
   * @param address the address on which the port listens
   * @param bind the address as the settings name it
   * @param token the admin token, which requests for changes need; empty to refuse all changes
   */
  public HttpAccess(InetAddress address, String bind, Optional<String> token) {
    this.isLocal = address.isLoopbackAddress();
    this.bind = bind;
    this.token = token.map(text -> text.getBytes(UTF_8));
  }

  /** Returns why a request is refused; empty if it is permitted. */
  Optional<String> refusal(boolean isPost, HttpHeaders headers) {
    if (isLocal && !isNumber(host(headers))) {
      return Optional.of(
          "address this port by an IP address such as 127.0.0.1, as localhost, or as %s"
              .formatted(bind));
    }
    if (!isPost) {
      return Optional.empty();
    }
    if (headers.contains(HttpHeaderNames.ORIGIN)) {
      return Optional.of("requests of web pages can't change anything");
    }
    if (token.isEmpty()) {
      return Optional.of("this server accepts no changes, as it has no admin token; see its log");
    }
    return hasToken(headers)
        ? Optional.empty()
        : Optional.of(
            "a POST needs the header %s with the admin token in the file that cluster.secret names, by default ~/.stablecut/cluster.secret of the server's user: run the command as that user, or name the file with --secret"
                .formatted(OPERATOR));
  }

  private boolean hasToken(HttpHeaders headers) {
    String presented = headers.get(OPERATOR, "");
    return token.isPresent() && MessageDigest.isEqual(token.get(), presented.getBytes(UTF_8));
  }

  /** Returns whether a request may read data: it comes from this machine or has the token. */
  boolean isTrusted(HttpHeaders headers) {
    return isLocal || hasToken(headers);
  }

  private boolean isNumber(String host) {
    return host.isEmpty()
        || host.equalsIgnoreCase("localhost")
        || host.equalsIgnoreCase(bind)
        || NetUtil.isValidIpV4Address(host)
        || NetUtil.isValidIpV6Address(host);
  }

  /** Returns the requested host without its port; empty if missing, as before HTTP 1.1. */
  private static String host(HttpHeaders headers) {
    String host = headers.get(HttpHeaderNames.HOST, "");
    Matcher parts = HOST.matcher(host);
    if (!parts.matches()) {
      return host;
    }
    return parts.group("number") == null ? parts.group("name") : parts.group("number");
  }
}
