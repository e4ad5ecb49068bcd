package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.network.Listener;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ConnectOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** AntidoteDB's protocol and the Java client through TLS. */
final class TlsTest {
  private static final char[] PASSWORD = PemKeys.PASSWORD.toCharArray();

  @TempDir private Path directory;
  private KeyStore server = empty();
  private KeyStore client = empty();
  private KeyStore stranger = empty();

  private static KeyStore empty() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, PASSWORD);
      return store;
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void makeKeys() throws Exception {
    server = PemKeys.make(directory, "server", "EC");
    client = PemKeys.make(directory, "client", "EC");
    stranger = PemKeys.make(directory, "stranger", "EC");
  }

  private Server start(Optional<Path> clientAuthority) {
    TlsFiles files =
        new TlsFiles(
            directory.resolve("server.crt"), directory.resolve("server.key"), clientAuthority);
    return Server.start(
        Settings.of(directory.resolve("data"))
            .withProtocol(new Endpoint("127.0.0.1", 0, Optional.of(files), false)));
  }

  private WireClient connect(Server to, KeyStore own) throws Exception {
    return new WireClient(
        context(own)
            .getSocketFactory()
            .createSocket(to.address().getAddress(), to.address().getPort()));
  }

  /** A context that trusts the server, and presents a key. */
  private SSLContext context(KeyStore own) throws GeneralSecurityException {
    KeyStore trusted = empty();
    trusted.setCertificateEntry("server", server.getCertificate("key"));
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  @Test
  void servesThroughTls() throws Exception {
    try (Server to = start(Optional.empty());
        WireClient secured = connect(to, empty())) {
      secured.update(add("a", 1));

      assertThat(secured.count("a")).isEqualTo(1);
    }
  }

  @Test
  void answersManyPipelinedRequests() throws Exception {
    int requests = 400;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < requests; i++) {
      Request request = WireClient.readOf(WireClient.counter("a" + i % 10));
      for (ByteBuffer part : RequestCodec.write(request, WireClient.MAX_BYTES)) {
        all.write(part.array(), part.arrayOffset() + part.position(), part.remaining());
      }
    }
    try (Server to = start(Optional.empty());
        WireClient secured = connect(to, empty())) {
      OutputStream out = secured.socket().getOutputStream();
      out.write(all.toByteArray());
      out.flush();

      for (int i = 0; i < requests; i++) {
        assertThat(secured.receive()).isInstanceOf(Response.StaticValues.class);
      }
    }
  }

  /** Connects in a JVM of its own, as a JVM reads its key store once. */
  private List<String> connectWith(String keyStore, Server to) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djavax.net.ssl.trustStore=" + directory.resolve("server.p12"),
                "-Djavax.net.ssl.trustStorePassword=" + PemKeys.PASSWORD,
                "-Djavax.net.ssl.keyStore=" + directory.resolve(keyStore),
                "-Djavax.net.ssl.keyStorePassword=" + PemKeys.PASSWORD,
                "-cp",
                System.getProperty("java.class.path"),
                ConnectMain.class.getName(),
                "stablecut+tls://127.0.0.1:" + to.address().getPort() + "?timeout=5")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).isZero();
    return lines;
  }

  @Test
  void reportsARefusedClientCertificateAtTheClientAndInTheServersLog() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(Listener.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
    try (Server to = start(Optional.of(directory.resolve("client.crt")))) {
      assertThat(connectWith("client.p12", to)).containsExactly("connected");
      assertThat(log.list).isEmpty();

      assertThat(connectWith("stranger.p12", to))
          .singleElement(as(STRING))
          .contains("TLS", "requires client certificates", "javax.net.ssl.keyStore");
      assertThat(log.list)
          .isNotEmpty()
          .hasSizeLessThanOrEqualTo(5)
          .allSatisfy(
              line ->
                  assertThat(line.getFormattedMessage())
                      .contains("closed the connection to /127.0.0.1:", "certif"));
    } finally {
      logger.setAdditive(true);
      logger.detachAppender(log);
    }
  }

  /** The JVM reads its trust store once, so this is a JVM of its own. */
  @Test
  void theJavaClientAcceptsOnlyACertificateOfItsHost() throws Exception {
    try (Server to = start(Optional.empty())) {
      Process client =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Djavax.net.ssl.trustStore=" + directory.resolve("server.p12"),
                  "-Djavax.net.ssl.trustStorePassword=" + PemKeys.PASSWORD,
                  "-cp",
                  System.getProperty("java.class.path"),
                  ConnectMain.class.getName(),
                  "stablecut+tls://127.0.0.1:" + to.address().getPort(),
                  "stablecut+tls://localhost:" + to.address().getPort())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();

      List<String> lines = client.inputReader().lines().toList();

      assertThat(client.waitFor()).isZero();
      assertThat(lines).hasSize(2);
      assertThat(lines.get(0)).isEqualTo("connected");
      assertThat(lines.get(1))
          .contains("is not valid for localhost")
          .contains("use a name that the certificate has");
    }
  }

  private ConnectOptions trusting(String authority) {
    return ConnectOptions.defaults().withAuthority(directory.resolve(authority + ".crt"));
  }

  private ConnectOptions presenting(String identity) {
    return trusting("server")
        .withIdentity(directory.resolve(identity + ".crt"), directory.resolve(identity + ".key"));
  }

  private static String tlsAddress(Server to) {
    return "stablecut+tls://127.0.0.1:" + to.address().getPort();
  }

  private static void assertServes(Store store) {
    CounterKey likes = Key.counter("posts", "likes");
    long before = store.read(likes);

    store.update(likes.increment(1));

    assertThat(store.read(likes)).isEqualTo(before + 1);
  }

  @Test
  void theJavaClientConnectsWithPemFiles() {
    try (Server to = start(Optional.of(directory.resolve("client.crt")))) {
      try (Store store = Stablecut.connect(tlsAddress(to), presenting("client"))) {
        assertServes(store);
      }
      String files =
          "?authority=%1$s/server.crt&certificate=%1$s/client.crt&key=%1$s/client.key&timeout=30"
              .formatted(directory);
      try (Store store = Stablecut.connect(tlsAddress(to) + files)) {
        assertServes(store);
      }
      for (ConnectOptions refused : List.of(trusting("server"), presenting("stranger"))) {
        assertThatThrownBy(() -> Stablecut.connect(tlsAddress(to), refused).close())
            .isInstanceOf(ServerUnavailableException.class)
            .hasMessageContaining("ConnectOptions.withIdentity");
      }
    }
  }

  @Test
  void theJavaClientConnectsWithATlsContext() throws Exception {
    try (Server to = start(Optional.of(directory.resolve("client.crt")));
        Store store =
            Stablecut.connect(
                tlsAddress(to), ConnectOptions.defaults().withContext(context(client)))) {
      assertServes(store);
    }
  }

  @Test
  void theJavaClientTrustsOnlyTheAuthoritiesOfItsFile() {
    try (Server to = start(Optional.empty())) {
      assertThatThrownBy(() -> Stablecut.connect(tlsAddress(to), trusting("stranger")).close())
          .isInstanceOf(ServerUnavailableException.class)
          .hasMessageContaining("certificate of the server")
          .hasMessageContaining("ConnectOptions.withAuthority");
    }
  }

  @Test
  void theJavaClientRefusesUnusableOptions() throws Exception {
    String address = "stablecut+tls://127.0.0.1:1";
    assertThatThrownBy(() -> Stablecut.connect(address, trusting("missing")).close())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("missing.crt");
    Files.writeString(directory.resolve("client.key"), "no key");
    assertThatThrownBy(() -> Stablecut.connect(address, presenting("client")).close())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("client.key has no PKCS#8 key");
    Files.writeString(directory.resolve("client.crt"), "no certificate");
    assertThatThrownBy(() -> Stablecut.connect(address, presenting("client")).close())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("client.crt: ");
    assertThatThrownBy(
            () -> Stablecut.connect("stablecut://127.0.0.1:1", trusting("server")).close())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("connect with stablecut+tls://");
    for (String parameters :
        List.of(
            "key=a.key",
            "certificate=a.crt",
            "authority=a&authority=b",
            "ca=a.crt",
            "timeout",
            "timeout=x",
            "timeout=0",
            "timeout=10000")) {
      assertThatThrownBy(() -> Stablecut.connect(address + "?" + parameters).close())
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("the parameters of a store's address are timeout");
    }
  }

  private static String connecting(String scheme, Server to) {
    String uri = "%s://127.0.0.1:%d?timeout=1".formatted(scheme, to.address().getPort());
    try (Store store = Stablecut.connect(uri)) {
      return "connected to " + store;
    } catch (ServerUnavailableException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void theJavaClientReportsThatOnlyOneSideSpeaksTls() {
    try (Server secured = start(Optional.empty())) {
      assertThat(connecting("stablecut", secured)).contains("connect with stablecut+tls://");
    }
    try (Server plain = Server.start(Settings.of(directory.resolve("plain")))) {
      assertThat(connecting("stablecut+tls", plain)).contains("connect with stablecut://");
    }
  }

  @Test
  void refusesPlainConnections() throws Exception {
    try (Server to = start(Optional.empty());
        WireClient plain = new WireClient(to)) {
      assertThatThrownBy(() -> plain.update(add("a", 1))).isInstanceOf(Exception.class);
      try (WireClient secured = connect(to, empty())) {
        assertThat(secured.count("a")).isZero();
      }
    }
  }

  @Test
  void admitsOnlyClientsWithACertificateOfTheAuthority() throws Exception {
    try (Server to = start(Optional.of(directory.resolve("client.crt")))) {
      try (WireClient known = connect(to, client)) {
        known.update(add("a", 1));
        assertThat(known.count("a")).isEqualTo(1);
      }
      for (KeyStore own : List.of(empty(), stranger)) {
        try (WireClient refused = connect(to, own)) {
          assertThatThrownBy(() -> refused.count("a")).isInstanceOf(IOException.class);
        }
      }
    }
  }

  @Test
  void refusesAKeyOfAnotherCertificate() throws Exception {
    PemKeys.make(directory, "rsa", "RSA");
    for (String other : List.of("client", "rsa")) {
      Files.copy(
          directory.resolve(other + ".key"), directory.resolve("server.key"), REPLACE_EXISTING);

      assertThatThrownBy(() -> start(Optional.empty()))
          .isInstanceOf(SettingsException.class)
          .hasMessageContaining("server.key does not belong to the certificate")
          .hasMessageContaining("server.crt, which is of CN=server: name the key");
    }
  }

  @Test
  void namesMissingAndMalformedPemFiles() throws Exception {
    Files.writeString(directory.resolve("server.key"), "no key");
    assertThatThrownBy(() -> start(Optional.empty()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("server.key");
    Files.delete(directory.resolve("server.crt"));
    assertThatThrownBy(() -> start(Optional.empty()))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("server.crt can't be read");
  }
}
