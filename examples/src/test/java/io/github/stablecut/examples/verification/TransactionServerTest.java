package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.option.Certification;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server executes one line after the other, and controls faults. */
final class TransactionServerTest {
  @TempDir private Path directory;

  private static String ask(TransactionServer server, String... lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      StringBuilder answers = new StringBuilder();
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      for (String line : lines) {
        socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
        answers.append(in.readLine()).append('\n');
      }
      return answers.toString();
    }
  }

  @Test
  void clientsShareTheStore() throws IOException {
    try (TargetStores stores = new EmbeddedTarget(directory.resolve("store"), 2);
        TransactionServer server =
            TransactionServer.start(
                stores,
                new TransactionDriver(
                    Workload.LIST_APPEND, Certification.WRITES, new Outcomes()))) {
      assertThat(ask(server, "{\"value\":[[\"append\",1,5]]}", "inject", "heal"))
          .isEqualTo("{\"type\":\"ok\",\"value\":[[\"append\",1,5]]}\nnone\nhealed\n");
      assertThat(ask(server, "{\"value\":[[\"r\",1,null]]}"))
          .isEqualTo("{\"type\":\"ok\",\"value\":[[\"r\",1,[5]]]}\n");
    }
  }
}
