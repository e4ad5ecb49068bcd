package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.log.Log;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundInvoker;
import org.slf4j.Logger;

/** Operations on {@link Channel channels} whose results nobody awaits. */
final class Channels {
  private static final Logger LOG = Log.of(Channels.class);

  private static final ChannelFutureListener LOGGED =
      future -> {
        if (future.cause() != null) {
          LOG.debug("{} could not be closed", future.channel(), future.cause());
        }
      };

  private Channels() {}

  /** Closes a channel. */
  static void close(ChannelOutboundInvoker open) {
    open.close().addListener(LOGGED);
  }

  /**
   * Writes a message; its failure reaches the handler as an exception, which closes the channel.
   */
  static void write(ChannelHandlerContext context, Object message) {
    context.write(message).addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
  }
}
