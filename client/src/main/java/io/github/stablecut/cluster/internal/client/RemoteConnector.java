package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.Store;
import io.github.stablecut.StoreConnector;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFrame;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Connects to {@code stablecut://HOST:PORT}, or to the nodes of a cluster at {@code
 * stablecut://HOST:PORT,HOST:PORT}. {@code stablecut+tls://HOST:PORT} uses TLS with the key and
 * trust stores of the JVM's properties ({@code javax.net.ssl.trustStore} and so on); the server's
 * certificate must be valid for the host. A server that is silent for a minute counts as
 * unavailable; {@code ?timeout=SECONDS} sets another timeout.
 */
public final class RemoteConnector implements StoreConnector {
  private static final String PLAIN = "stablecut";
  private static final String TLS = "stablecut+tls";

  /** Longer than a server's own timeouts by default. */
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
    checkNothingElse(uri);
    Duration timeout = timeout(uri);
    SocketFactory sockets =
        TLS.equals(uri.getScheme()) ? SSLSocketFactory.getDefault() : SocketFactory.getDefault();
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (String server : authority(uri).split(",", -1)) {
      addresses.add(address(server, uri));
    }
    Servers servers =
        new Servers(addresses, address -> new ServerPool(address, sockets, timeout), timeout);
    try {
      RemoteValues.as(Answer.Welcome.class, servers.call(new Call.Hello(CallFrame.VERSION)));
    } catch (RuntimeException | Error e) {
      servers.close();
      throw e;
    }
    servers.start();
    return new RemoteStore(servers, ForkJoinPool.commonPool());
  }

  private static String authority(URI uri) {
    String authority = uri.getRawAuthority();
    if (authority == null || authority.isEmpty()) {
      throw new RequestRefusedException(
          "no host in " + uri + ": use an address such as stablecut://127.0.0.1:8087", null);
    }
    return authority;
  }

  private static void checkNothingElse(URI uri) {
    boolean hasMore =
        uri.getRawFragment() != null
            || (uri.getRawPath() != null && !uri.getRawPath().matches("/?"));
    if (hasMore && uri.getRawAuthority() != null) {
      throw somethingElse(uri);
    }
  }

  private static RequestRefusedException somethingElse(URI uri) {
    return new RequestRefusedException(
        uri
            + " is not the address of a store: that is a host and a port (1 to 65535), or several separated"
            + " by commas, such as stablecut://127.0.0.1:8087",
        null);
  }

  private static Duration timeout(URI uri) {
    String query = uri.getRawQuery();
    if (query == null) {
      return DEFAULT_TIMEOUT;
    }
    Matcher seconds = TIMEOUT.matcher(query);
    if (!seconds.matches()) {
      throw new RequestRefusedException(
          "the only parameter of a store's address is timeout, in seconds from 1 to 9999, such as"
              + " stablecut://127.0.0.1:8087?timeout=30: correct "
              + uri,
          null);
    }
    return Duration.ofSeconds(Integer.parseInt(seconds.group(1)));
  }

  private static InetSocketAddress address(String server, URI uri) {
    try {
      return ServerAddresses.resolve(server).orElseThrow(() -> somethingElse(uri));
    } catch (UnknownHostException e) {
      throw new ServerUnavailableException(
          "unknown host " + e.getMessage() + ": correct the address", e);
    }
  }
}
