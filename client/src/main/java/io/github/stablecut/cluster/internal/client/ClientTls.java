package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.cluster.internal.pem.PemFiles;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.option.ConnectOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Makes a client's TLS sockets according to its options. */
final class ClientTls {
  /** The password of key stores that stay in memory. */
  private static final char[] NO_PASSWORD = new char[0];

  private ClientTls() {}

  /**
   * The factory of sockets.
   *
   * @throws RequestRefusedException if a file can't be read or is malformed; the message names it
   */
  static SocketFactory sockets(ConnectOptions options) {
    if (options.context().isPresent()) {
      return options.context().get().getSocketFactory();
    }
    if (!options.hasTls()) {
      return SSLSocketFactory.getDefault();
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          options.identity().isPresent() ? keys(options.identity().get()) : null,
          options.authority().isPresent() ? trust(options.authority().get()) : null,
          null);
      return context.getSocketFactory();
    } catch (IOException e) {
      throw unreadable(IoReason.of(e), e);
    } catch (GeneralSecurityException e) {
      throw unreadable(String.valueOf(e.getMessage()), e);
    }
  }

  private static RequestRefusedException unreadable(String why, Exception cause) {
    return new RequestRefusedException(
        "the client's certificates can't be used: %s; the files are PEM, and the key is PKCS#8 without a password"
            .formatted(why),
        cause);
  }

  private static KeyManager[] keys(ConnectOptions.Identity identity)
      throws IOException, GeneralSecurityException {
    List<X509Certificate> chain = PemFiles.certificates(identity.certificate());
    KeyStore keys = empty();
    keys.setKeyEntry(
        "client",
        PemFiles.key(identity.key(), chain.get(0).getPublicKey().getAlgorithm()),
        NO_PASSWORD,
        chain.toArray(X509Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static TrustManager[] trust(Path authority) throws IOException, GeneralSecurityException {
    KeyStore authorities = empty();
    for (X509Certificate each : PemFiles.certificates(authority)) {
      authorities.setCertificateEntry("authority" + authorities.size(), each);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(authorities);
    return factory.getTrustManagers();
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }
}
