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
 * Who may ask the port for operators. Immutable.
 *
 * <p>The page of a browser is not to reach a port that only this machine reaches: so such a port is
 * to be asked by a number or as {@code localhost}, as a name may lead anywhere (DNS rebinding), and
 * nothing is changed for a page. To pages of other origins nothing is answered at all ({@link
 * io.github.stablecut.web.RequestOrigin}). Whatever changes something needs the token, too.
 */
public final class HttpAccess {
  /** The header of requests that change something; it has the token. */
  public static final String OPERATOR = "Stablecut-Operator";

  /** A name or a number, and a port. */
  private static final Pattern HOST =
      Pattern.compile("(?:\\[(?<number>[^\\]]*)\\]|(?<name>[^:]*))(?::\\d*)?");

  private final boolean isLocal;
  private final String bind;
  private final Optional<byte[]> token;

  /**
   * The gate of a port.
   *
   * @param address where the port listens
   * @param bind the address as the settings name it
   * @param token what requests have to have that change something; empty if nothing can be changed
   */
  public HttpAccess(InetAddress address, String bind, Optional<String> token) {
    this.isLocal = address.isLoopbackAddress();
    this.bind = bind;
    this.token = token.map(text -> text.getBytes(UTF_8));
  }

  /** Why a request is refused; empty if it is not. */
  Optional<String> refusal(boolean isPost, HttpHeaders headers) {
    if (isLocal && !isNumber(host(headers))) {
      return Optional.of(
          "this port is asked by a number such as 127.0.0.1, as localhost, or as %s"
              .formatted(bind));
    }
    if (!isPost) {
      return Optional.empty();
    }
    if (headers.contains(HttpHeaderNames.ORIGIN)) {
      return Optional.of("nothing is changed for the page of a browser");
    }
    if (token.isEmpty()) {
      return Optional.of("nothing is changed here: the server has no token, and its log says why");
    }
    return hasToken(headers)
        ? Optional.empty()
        : Optional.of(
            "a POST needs the header %s with the token in the file that cluster.secret names, or else in ~/.stablecut/cluster.secret of the user that the server runs as: run a command as that user, or give it the file by --secret"
                .formatted(OPERATOR));
  }

  private boolean hasToken(HttpHeaders headers) {
    String said = headers.get(OPERATOR, "");
    return token.isPresent() && MessageDigest.isEqual(token.get(), said.getBytes(UTF_8));
  }

  /** Whether a request may see what the store holds: it comes from here, or has the token. */
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

  /** The host that was asked for, without a port. Empty if it is not said, as before HTTP 1.1. */
  private static String host(HttpHeaders headers) {
    String host = headers.get(HttpHeaderNames.HOST, "");
    Matcher parts = HOST.matcher(host);
    if (!parts.matches()) {
      return host;
    }
    return parts.group("number") == null ? parts.group("name") : parts.group("number");
  }
}
