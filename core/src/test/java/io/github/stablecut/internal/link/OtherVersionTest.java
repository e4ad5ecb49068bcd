package io.github.stablecut.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a data centre says to, and about, another side that it can't talk to. */
final class OtherVersionTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir private Path directory;

  @Test
  void tellsAProgramOfAnotherVersionWhyItIsRefused() throws Exception {
    StoreOptions options = StoreOptions.defaults().withReplication(Replication.tcp("127.0.0.1:0"));
    try (Store store = Stablecut.open(directory, options);
        Socket socket = new Socket(HERE, store.dataCentres().port().orElseThrow())) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeLong(Handshake.MAGIC);
      Frames.write(Bytes.wrap(new byte[] {Handshake.VERSION + 1, 5}), out);
      out.flush();

      Handshake answer = Handshake.read(new DataInputStream(socket.getInputStream()));

      assertThat(((Handshake.Refused) answer).why())
          .contains("it has version 3, this program has version 2: use the same version");
    }
  }

  @Test
  void saysThatTheOtherSideHasClosedTheConnection() throws Exception {
    assertThatThrownBy(() -> askOneThatCloses(new Sockets(Optional.empty())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed the connection without an answer")
        .hasMessageContaining("perhaps only one side uses TLS");
    assertThatThrownBy(() -> askOneThatCloses(new Sockets(Optional.of(SSLContext.getDefault()))))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("TLS fails (")
        .hasMessageContaining("perhaps only one side uses TLS");
  }

  private static void askOneThatCloses(Sockets sockets) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, HERE)) {
      Thread server =
          new Thread(
              () -> {
                try (Socket connection = listening.accept()) {
                  assertThat(connection.getInputStream().read()).isPositive();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      server.start();
      try {
        assertThat(JoinCall.ask(sockets, "127.0.0.1:" + listening.getLocalPort())).isNotNull();
      } finally {
        server.join();
      }
    }
  }
}
