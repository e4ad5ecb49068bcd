package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.Store;
import io.github.stablecut.StoreConnector;
import io.github.stablecut.cluster.RequestRefusedException;
import io.github.stablecut.cluster.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Connects to {@code stablecut://HOST:PORT}, and through TLS to {@code stablecut+tls://HOST:PORT},
 * with the keys and the trust of the JVM's properties ({@code javax.net.ssl.trustStore} and so on);
 * the server's certificate has to be for the host. A server that does not answer for a minute is
 * given up; {@code ?timeout=SECONDS} says another time.
 */
public final class RemoteConnector implements StoreConnector {
  private static final String PLAIN = "stablecut";
  private static final String TLS = "stablecut+tls";
  private static final int DEFAULT_PORT = 8087;
  private static final int MAX_PORT = 65_535;

  /** Longer than a server waits for anything by default. */
  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

  private static final Pattern TIMEOUT = Pattern.compile("timeout=([1-9][0-9]{0,3})");

  /** For the service loader. */
  public RemoteConnector() {}

  @Override
  public boolean accepts(URI uri) {
    return PLAIN.equals(uri.getScheme()) || TLS.equals(uri.getScheme());
  }

  @Override
  public Store connect(URI uri) {
    String host = uri.getHost();
    if (host == null) {
      throw new RequestRefusedException(
          "there is no host in " + uri + ": such as stablecut://127.0.0.1:8087", null);
    }
    checkNothingElse(uri);
    Duration timeout = timeout(uri);
    SocketFactory sockets =
        TLS.equals(uri.getScheme()) ? SSLSocketFactory.getDefault() : SocketFactory.getDefault();
    ConnectionPool pool = new ConnectionPool(address(host, uri.getPort()), sockets, timeout);
    Response first = pool.call(new Request.StaticRead(Optional.empty(), List.of()));
    if (!(first instanceof Response.StaticValues)) {
      pool.close();
      throw RemoteErrors.of(first);
    }
    return new RemoteStore(pool, ForkJoinPool.commonPool());
  }

  private static void checkNothingElse(URI uri) {
    List<Optional<String>> others =
        List.of(
            Optional.ofNullable(uri.getRawUserInfo()),
            Optional.ofNullable(uri.getRawPath()).filter(path -> !path.matches("/?")),
            Optional.ofNullable(uri.getRawFragment()));
    if (others.stream().anyMatch(Optional::isPresent) || uri.getPort() > MAX_PORT) {
      throw new RequestRefusedException(
          "a store is at a host and a port of 1 to 65535, and "
              + uri
              + " says something else: such as stablecut://127.0.0.1:8087",
          null);
    }
  }

  private static Duration timeout(URI uri) {
    String query = uri.getRawQuery();
    if (query == null) {
      return DEFAULT_TIMEOUT;
    }
    Matcher seconds = TIMEOUT.matcher(query);
    if (!seconds.matches()) {
      throw new RequestRefusedException(
          "behind the question mark of "
              + uri
              + " is nothing but timeout, in seconds from 1 to 9999: such as stablecut://127.0.0.1:8087?timeout=30",
          null);
    }
    return Duration.ofSeconds(Integer.parseInt(seconds.group(1)));
  }

  private static InetSocketAddress address(String host, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port < 0 ? DEFAULT_PORT : port);
    } catch (UnknownHostException e) {
      throw new ServerUnavailableException("there is no host " + host + ": name another", e);
    }
  }
}
