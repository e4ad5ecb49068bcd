package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients and servers with different protocol versions, and ports without a server, are reported as
 * such.
 */
final class OtherVersionsTest {
  @TempDir private Path directory;

  private static byte[] bytes(List<ByteBuffer> frame) {
    ByteBuffer whole = ByteBuffer.allocate(frame.stream().mapToInt(ByteBuffer::remaining).sum());
    frame.forEach(whole::put);
    return whole.array();
  }

  private static byte[] frame(DataInputStream in) throws IOException {
    return in.readNBytes(in.readInt());
  }

  /** Connects to a port that answers each call with these bytes and then closes the connection. */
  private static void connect(byte[] answer) throws Exception {
    ServerSocket port = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
    Thread server =
        new Thread(
            () -> {
              while (true) {
                try (Socket client = port.accept()) {
                  frame(new DataInputStream(client.getInputStream()));
                  client.getOutputStream().write(answer);
                } catch (IOException e) {
                  return;
                }
              }
            });
    server.start();
    try {
      Stablecut.connect("stablecut://127.0.0.1:" + port.getLocalPort() + "?timeout=20").close();
    } finally {
      port.close();
      server.join();
    }
  }

  @Test
  void reportsAServerThatKnowsOnlyAntidotesProtocol() {
    byte[] answer =
        bytes(
            ResponseCodec.write(
                new Response.Failed(ErrorCode.BAD_REQUEST, "no request has code 200"), 1 << 20));

    assertThatThrownBy(() -> connect(answer))
        .isInstanceOf(NotInProtocolException.class)
        .hasMessageContaining("so its version is too old");
  }

  @Test
  void reportsAServerOfALaterVersionWithBothVersions() {
    byte[] answer =
        bytes(
            CallFrame.write(
                CallFrame.ANSWER, AnswerCodec.encode(new Answer.Welcome(2, "of the future"))));
    answer[5] = 2;

    assertThatThrownBy(() -> connect(answer))
        .isInstanceOf(NotInProtocolException.class)
        .hasMessageContaining("speaks version 2 of the protocol and this client version 1");
  }

  @Test
  void reportsAPortWithoutAServer() {
    byte[] answer = Bytes.utf8("HTTP/1.1 400 Bad Request\r\n\r\n").toArray();

    assertThatThrownBy(() -> connect(answer))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("is it a Stablecut server?");
  }

  @Test
  void tellsAClientOfALaterVersionTheServersVersion() throws Exception {
    byte[] call = bytes(CallFrame.write(CallFrame.CALL, CallCodec.encode(new Call.Hello(9))));
    call[5] = 9;
    try (Server server = Server.start(Settings.of(directory.resolve("data")));
        Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      DataInputStream in = new DataInputStream(socket.getInputStream());
      out.write(call);
      Answer refused = AnswerCodec.decodeFrame(Bytes.wrap(frame(in)));
      out.write(bytes(CallFrame.write(CallFrame.CALL, CallCodec.encode(new Call.Hello(9)))));
      Answer welcome = AnswerCodec.decodeFrame(Bytes.wrap(frame(in)));

      assertThat(((Answer.Failed) refused).message())
          .contains("version 9, and this server supports version 1");
      assertThat(((Answer.Welcome) welcome).version()).isEqualTo(CallFrame.VERSION);
    }
  }
}
