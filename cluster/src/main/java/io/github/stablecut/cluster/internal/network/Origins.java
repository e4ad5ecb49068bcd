package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.service.Origin;
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

/** Finds out where connections come from. */
final class Origins {
  /** A client with IPv6 has a network of its own, of whose addresses it takes any. */
  private static final int NETWORK_BYTES = 8;

  private Origins() {}

  /**
   * Where a connection comes from.
   *
   * @param remote its address
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
