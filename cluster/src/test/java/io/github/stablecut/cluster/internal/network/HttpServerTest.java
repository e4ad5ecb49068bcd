package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The port for operators answers whatever else is asked, and whatever is thrown. */
class HttpServerTest {
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final HttpServer server =
      new HttpServer(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          new HttpGate(InetAddress.getLoopbackAddress(), "", Optional.empty()),
          new HttpAnswers() {
            @Override
            public boolean isQuick(HttpCall call) {
              return call.path().equals("/quick") || call.path().equals("/quick-error");
            }

            @Override
            public HttpAnswer answer(HttpCall call) {
              if (call.path().equals("/slow")) {
                await(blocked);
              } else if (call.path().endsWith("error")) {
                throw new OutOfMemoryError("injected");
              }
              return HttpAnswer.text(200, "answered");
            }
          });

  @AfterEach
  void close() {
    blocked.countDown();
    server.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Socket send(String path) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\n\r\n").getBytes(UTF_8));
    return socket;
  }

  private static String receive(Socket from) throws IOException {
    try (from) {
      return new String(from.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void whatIsQuickIsAnsweredWhileAllElseWaits() throws Exception {
    List<Socket> slow = new ArrayList<>();
    for (int i = 0; i < HttpServer.MAX_CONNECTIONS / 2; i++) {
      slow.add(send("/slow"));
    }

    assertThat(receive(send("/quick"))).contains("200 OK").contains("answered");

    blocked.countDown();
    for (Socket socket : slow) {
      assertThat(receive(socket)).contains("answered");
    }
  }

  @Test
  void anErrorIsAnsweredAndTheThreadsGoOn() throws Exception {
    for (int i = 0; i < 20; i++) {
      assertThat(receive(send("/error"))).contains(" 500 ").contains("log says why");
      assertThat(receive(send("/quick-error"))).contains(" 500 ");
    }

    assertThat(receive(send("/fast"))).contains("answered");
  }

  @Test
  void headIsAnsweredAsGetWithoutTheBody() throws Exception {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write("HEAD /any HTTP/1.1\r\n\r\n".getBytes(UTF_8));

    assertThat(receive(socket))
        .startsWith("HTTP/1.1 200 OK")
        .contains("content-length: 9\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void thereAreOnlySoManyConnections() throws Exception {
    List<Socket> open = new ArrayList<>();
    int closed = 0;
    for (int i = 0; i < 3 * HttpServer.MAX_CONNECTIONS; i++) {
      open.add(new Socket(server.address().getAddress(), server.address().getPort()));
    }
    for (Socket socket : open.subList(HttpServer.MAX_CONNECTIONS, open.size())) {
      closed += socket.getInputStream().read() < 0 ? 1 : 0;
    }

    assertThat(closed).isEqualTo(2 * HttpServer.MAX_CONNECTIONS);
    for (Socket socket : open) {
      socket.close();
    }
  }
}
