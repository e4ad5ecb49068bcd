package io.github.stablecut.cluster;

import io.github.stablecut.CausalToken;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Optional;

/** A connection for calls of {@code Stablecut.connect}, without the client. */
final class RawCalls implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final DataInputStream in;

  /**
   * @param from the local address of the connection
   */
  RawCalls(InetSocketAddress server, String from) throws IOException {
    this.socket = new Socket(server.getAddress(), server.getPort(), InetAddress.getByName(from), 0);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  void send(Call call) throws IOException {
    for (ByteBuffer part : CallFrame.write(CallFrame.CALL, CallCodec.encode(call))) {
      socket.getOutputStream().write(part.array(), part.arrayOffset(), part.limit());
    }
  }

  Answer receive() throws IOException {
    while (true) {
      byte[] frame = in.readNBytes(in.readInt());
      if ((frame[0] & 0xff) == CallFrame.ANSWER) {
        return AnswerCodec.decodeFrame(Bytes.wrap(frame));
      }
    }
  }

  Answer call(Call call) throws IOException {
    send(call);
    return receive();
  }

  /** The point up to which the server has committed. */
  CausalToken point() throws IOException {
    return ((Answer.Point) call(new Call.Point(Optional.empty()))).point();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
