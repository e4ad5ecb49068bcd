package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.Store;
import io.github.stablecut.StoreConnector;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.option.ConnectOptions;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import javax.net.SocketFactory;

/**
 * Connects to {@code stablecut://HOST:PORT}, or to the nodes of a cluster at {@code
 * stablecut://HOST:PORT,HOST:PORT}. {@code stablecut+tls://HOST:PORT} uses TLS; the server's
 * certificate must be valid for the host. {@link ConnectOptions} has the timeout and certificates,
 * and {@link AddressParameters} in the address replace them.
 */
public final class RemoteConnector implements StoreConnector {
  private static final String PLAIN = "stablecut";
  private static final String TLS = "stablecut+tls";

  /** For the service loader. */
  public RemoteConnector() {}

  @Override
  public boolean accepts(URI uri) {
    return PLAIN.equals(uri.getScheme()) || TLS.equals(uri.getScheme());
  }

  @Override
  public Store connect(URI uri, ConnectOptions options) {
    checkNothingElse(uri);
    ConnectOptions complete = AddressParameters.of(uri, options);
    Duration timeout = complete.timeout();
    SocketFactory sockets = sockets(uri, complete);
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

  private static SocketFactory sockets(URI uri, ConnectOptions options) {
    if (TLS.equals(uri.getScheme())) {
      return ClientTls.sockets(options);
    }
    if (options.hasTls()) {
      throw new RequestRefusedException(
          "the options have certificates, which %s does not use: connect with stablecut+tls://"
              .formatted(uri),
          null);
    }
    return SocketFactory.getDefault();
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

  private static InetSocketAddress address(String server, URI uri) {
    try {
      return ServerAddresses.resolve(server).orElseThrow(() -> somethingElse(uri));
    } catch (UnknownHostException e) {
      throw new ServerUnavailableException(
          "unknown host " + e.getMessage() + ": correct the address", e);
    }
  }
}
