package io.github.stablecut.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections without a handshake give way to new ones. */
final class UnidentifiedConnectionsTest {
  private final UnidentifiedConnections strangers = new UnidentifiedConnections(3);
  private final List<Socket> open = new ArrayList<>();
  private ServerSocket listening;

  @BeforeEach
  void setUp() throws IOException {
    listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void tearDown() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    listening.close();
  }

  private Socket accepted(String from) throws IOException {
    Socket caller =
        new Socket(
            listening.getInetAddress(), listening.getLocalPort(), InetAddress.getByName(from), 0);
    open.add(caller);
    Socket accepted = listening.accept();
    open.add(accepted);
    return accepted;
  }

  @Test
  void closesTheOldestConnectionOfTheAddressWithTheMost() throws IOException {
    Socket alone = accepted("127.0.0.2");
    Socket first = accepted("127.0.0.1");
    Socket second = accepted("127.0.0.1");
    assertThat(strangers.add(alone)).isEmpty();
    assertThat(strangers.add(first)).isEmpty();
    assertThat(strangers.add(second)).isEmpty();

    assertThat(strangers.add(accepted("127.0.0.1"))).containsSame(first);
    assertThat(strangers.add(accepted("127.0.0.1"))).containsSame(second);
  }

  @Test
  void anIdentifiedConnectionDoesNotCount() throws IOException {
    Socket known = accepted("127.0.0.1");
    assertThat(strangers.add(known)).isEmpty();
    strangers.remove(known);

    for (int i = 0; i < 3; i++) {
      assertThat(strangers.add(accepted("127.0.0.1"))).isEmpty();
    }
  }
}
