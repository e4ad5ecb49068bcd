package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.error.RetryException;

/** Thrown if a port can't be bound. */
public final class BindFailedException extends RetryException {
  private static final long serialVersionUID = 1L;

  BindFailedException(java.net.InetSocketAddress address, Throwable cause) {
    super(
        "can't listen on %s port %d: %s; free the port or choose another"
            .formatted(address.getHostString(), address.getPort(), cause.getMessage()),
        cause);
  }
}
