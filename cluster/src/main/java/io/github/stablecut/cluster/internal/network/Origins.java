package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.service.handle.Origin;
import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Determines the origins of connections. */
final class Origins {
  /** An IPv6 client has a whole network (/64), of which it may use any address. */
  private static final int NETWORK_BYTES = 8;

  private Origins() {}

  /**
   * Returns the origin of a connection.
   *
   * @param remote the client's address
   */
  static Origin of(Channel channel, SocketAddress remote) {
    return new Origin(address(remote), user(channel));
  }

  private static String address(SocketAddress remote) {
    if (!(remote instanceof InetSocketAddress internet)) {
      return String.valueOf(remote);
    }
    InetAddress address = internet.getAddress();
    return address instanceof Inet6Address
        ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), NETWORK_BYTES))
        : address.getHostAddress();
  }

  private static Optional<String> user(Channel channel) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(tls.engine().getSession().getPeerPrincipal().getName());
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }
}
