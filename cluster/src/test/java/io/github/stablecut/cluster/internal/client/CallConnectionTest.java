package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.cluster.PemKeys;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Handles the frames between a call and its answer. */
class CallConnectionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final List<ByteBuffer> ALIVE = CallFrame.write(CallFrame.ALIVE, Bytes.EMPTY);
  private static final List<ByteBuffer> DONE =
      CallFrame.write(CallFrame.ANSWER, AnswerCodec.encode(new Answer.Done()));

  private static final List<ByteBuffer> BUSY =
      ResponseCodec.write(new Response.Failed(ErrorCode.BUSY, "injected: busy"), 1 << 20);

  /** Larger than the kernel's socket buffers. */
  private static final Call LARGE =
      new Call.Write(
          Collections.nCopies(
              32, Key.register("b", "k", Codec.string()).assign("x".repeat(1 << 20))));

  @TempDir private Path directory;

  private static byte[] bytes(List<ByteBuffer> frame) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    frame.forEach(
        part -> all.write(part.array(), part.arrayOffset() + part.position(), part.remaining()));
    return all.toByteArray();
  }

  /** Makes a call to a server that sends these frames and closes the connection. */
  @SafeVarargs
  private static Answer callAnsweredBy(List<ByteBuffer>... frames) throws IOException {
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(port.getInetAddress(), port.getLocalPort());
        Socket server = port.accept()) {
      for (List<ByteBuffer> frame : frames) {
        server.getOutputStream().write(bytes(frame));
      }
      server.shutdownOutput();
      return new CallConnection(client, PATIENCE).call(Call.Plain.LAYOUT);
    }
  }

  @Test
  void signsOfLifeAreNoAnswer() throws IOException {
    assertThat(callAnsweredBy(ALIVE, ALIVE, DONE)).isEqualTo(new Answer.Done());
  }

  @Test
  void aServerThatDiesAfterASignOfLifeHasNotAnswered() {
    assertThatThrownBy(() -> callAnsweredBy(ALIVE)).isInstanceOf(EOFException.class);
  }

  @Test
  void distrustsAConnectionThatTheServerRefused() throws IOException {
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(port.getInetAddress(), port.getLocalPort());
        Socket server = port.accept()) {
      CallConnection connection = new CallConnection(client, PATIENCE);
      server.getOutputStream().write(bytes(BUSY));

      assertThatThrownBy(() -> connection.call(Call.Plain.LAYOUT))
          .isInstanceOf(ServerBusyException.class);

      assertThat(connection.isOpen()).isFalse();
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aServerThatStopsReadingACallIsSilent() throws IOException {
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(port.getInetAddress(), port.getLocalPort());
        Socket server = port.accept()) {
      assertReportsSilence(client);
      assertThat(server.isClosed()).isFalse();
    }
  }

  private static void assertReportsSilence(Socket client) throws IOException {
    CallConnection connection = new CallConnection(client, PATIENCE);

    assertThatThrownBy(() -> connection.call(LARGE, Duration.ofMillis(300)))
        .isInstanceOf(SocketTimeoutException.class);
  }

  /** A TLS connection sends its close notification behind its unsent data. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aServerThatStopsReadingThroughTlsIsSilentToo() throws Exception {
    SSLContext tls = tls(PemKeys.make(directory, "server", "EC"));
    try (ServerSocket port =
            tls.getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client =
            tls.getSocketFactory().createSocket(port.getInetAddress(), port.getLocalPort());
        SSLSocket server = (SSLSocket) port.accept()) {
      CompletableFuture<Void> shaken =
          CompletableFuture.runAsync(
              () -> {
                try {
                  server.startHandshake();
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      ((SSLSocket) client).startHandshake();
      shaken.join();

      assertReportsSilence(client);
    }
  }

  private static SSLContext tls(KeyStore key) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(key, PemKeys.PASSWORD.toCharArray());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", key.getCertificate("key"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return tls;
  }
}
