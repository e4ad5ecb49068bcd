package io.github.stablecut.cluster.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.membership.GossipedNodeState;
import io.github.stablecut.cluster.internal.wire.Request;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.replica.LogRecord;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLSocket;

/** Sends arbitrary frames to a node. */
final class RawLink {
  private RawLink() {}

  /** Returns the incarnation of a node. */
  static long run(LinkedNode node) {
    String said = node.said();
    return Long.parseUnsignedLong(said.substring(said.indexOf('/') + 1), 16);
  }

  static LinkFrame hello(int protocol, long receiver, String name, long sender) {
    return new LinkFrame.Hello(protocol, receiver, name, sender, false);
  }

  /** Returns the first frame of node {@code n1}. */
  static LinkFrame hello(LinkedNode from, LinkedNode to) {
    return hello(GossipedNodeState.PROTOCOL, run(to), "n1", run(from));
  }

  /** Returns a message to a replica. */
  static Bytes message(int number, int length) {
    List<LogRecord> records = List.of(new LogRecord((byte) 1, new byte[length]));
    return RequestCodec.encode(
        new Request.ToReplica(
            "a@n1", "b@n2", new ReplicaMessage.Group(1, number, 0, 1, records, 1)));
  }

  static SSLSocket connect(TestTls with, LinkedNode to) throws IOException {
    return (SSLSocket) with.context().getSocketFactory().createSocket("127.0.0.1", to.port());
  }

  /** Opens a link, as node {@code n1} does. */
  static SSLSocket welcomed(TestTls with, LinkedNode from, LinkedNode to) throws IOException {
    return welcomed(with, from, to, false);
  }

  /** As {@link #welcomed(TestTls, LinkedNode, LinkedNode)}, perhaps for large messages. */
  static SSLSocket welcomed(TestTls with, LinkedNode from, LinkedNode to, boolean isBulk)
      throws IOException {
    SSLSocket socket = connect(with, to);
    write(
        socket, new LinkFrame.Hello(GossipedNodeState.PROTOCOL, run(to), "n1", run(from), isBulk));
    assertThat(read(socket)).isEqualTo(new LinkFrame.Welcome(""));
    return socket;
  }

  static byte[] bytes(LinkFrame frame) {
    ByteBuf encoded = LinkFrame.encode(ByteBufAllocator.DEFAULT, frame);
    byte[] bytes = ByteBufUtil.getBytes(encoded);
    encoded.release();
    return bytes;
  }

  static void write(SSLSocket socket, LinkFrame frame) throws IOException {
    socket.getOutputStream().write(bytes(frame));
  }

  static LinkFrame read(SSLSocket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] frame = new byte[in.readInt()];
    in.readFully(frame);
    return LinkFrame.decode(Unpooled.wrappedBuffer(frame));
  }
}
